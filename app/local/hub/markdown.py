"""Markdown of issues and pull requests as safe HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# The only tags that pass, and only bare: everything else that looks like HTML is shown as text.
_PASSED = re.compile(r"(</?(?:details|summary|sub|sup|kbd|b|i|code|br|p)(?: open)? ?/?>)", re.IGNORECASE)


def render(text: str | None) -> Markup:
    """HTML of `text`: comments left out, a few bare tags kept, all other HTML escaped."""
    return Markup(_renderer().render(_COMMENT.sub("", text or "")))  # escaped by the renderer below


def _renderer() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("html_block", _html)
    parser.add_render_rule("html_inline", _html)
    return parser


def _html(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    parts = _PASSED.split(tokens[at].content)
    return "".join(part if _PASSED.fullmatch(part) else escape(part) for part in parts)
