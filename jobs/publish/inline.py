"""One line of untrusted Markdown made harmless: what would be live becomes a code span or is escaped. Pure."""

from __future__ import annotations

import html
import re

_TICKS = re.compile(r"`+")
_TOKENS = re.compile(
    r"""
    (?P<link>!?\[(?P<text>[^\[\]]*)\]\(\s*<?(?P<target>[^\s()<>]*)>?[^()]*\))
  | (?P<url>(?:(?:https?|ftp)://|www\.)[^\s<>"`|\\]+)
  | (?P<mention>[\w.+-]*@(?=[A-Za-z0-9])[\w.+/-]+)
  | (?P<reference>[\w./-]*\#\d+|\bGH-\d+)
  | (?P<special>[\\<\[`$|]|&(?=\#?\w))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TRAILING = re.compile(r"[.,;:!?)'*_~\]]+$")
_STRICT_TAIL = re.compile(r"[A-Za-z0-9._/%-]*(?:#[A-Za-z][A-Za-z0-9_-]*)?")
_TALKS = re.compile(r"/(?:issues|pull|pulls|discussions|orgs|users)/", re.IGNORECASE)
_ESCAPES = {"<": "&lt;", "&": "&amp;"}


def neutral(text: str, server_url: str) -> str:
    """`text` (one line) with its code spans re-made and everything live taken out of the rest."""
    out, at = [], 0
    for start, end, content in _spans(text):
        out += [_prose(text[at:start], server_url), code_span(content)]
        at = end
    return "".join((*out, _prose(text[at:], server_url)))


def code_span(text: str) -> str:
    """`text` as inline code, whatever it holds; "" for nothing.

    Backticks and table bars can't be written inside backticks everywhere, so such text becomes a <code> element of
    character references.
    """
    if not text.strip():
        return ""
    if "`" not in text and "|" not in text:
        return f"`{text}`" if text.strip() == text else f"`{text.strip()}`"
    return f"<code>{''.join(c if c.isalnum() or c == ' ' else f'&#{ord(c)};' for c in text.strip())}</code>"


def _spans(text: str) -> list[tuple[int, int, str]]:
    """(start, end, content) of each code span: a run of backticks to the next run of the same length."""
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text)]
    spans, i = [], 0
    while i < len(runs):
        start, end = runs[i]
        closing = next((j for j in range(i + 1, len(runs)) if runs[j][1] - runs[j][0] == end - start), None)
        if closing is None:
            i += 1
            continue
        spans.append((start, runs[closing][1], text[end : runs[closing][0]]))
        i = closing + 1
    return spans


def _prose(text: str, server_url: str) -> str:
    return _TOKENS.sub(lambda token: _token(token, server_url), text)


def _token(token: re.Match[str], server_url: str) -> str:
    kind, text = token.lastgroup, token[0]
    if token["link"] is not None:
        return _link(token, server_url)
    if kind == "url":
        return _url(text, server_url)
    if kind in ("mention", "reference"):
        tail = _TRAILING.search(text)
        body = text[: tail.start()] if tail else text
        return code_span(body) + text[len(body) :]
    return _ESCAPES.get(text, f"\\{text}")


def _link(token: re.Match[str], server_url: str) -> str:
    words, target = token["text"].strip(), token["target"]
    shown = _prose(words, server_url="") if words else ""
    if not token[0].startswith("!") and words and _stays(target, server_url):
        return f"[{shown}]({target})"
    return " ".join(part for part in (shown, code_span(html.unescape(target))) if part)


def _url(text: str, server_url: str) -> str:
    tail = _TRAILING.search(text)
    body = text[: tail.start()] if tail else text
    rest = _prose(text[len(body) :], server_url)
    return (body if _stays(body, server_url) else code_span(body)) + rest


def _stays(url: str, server_url: str) -> bool:
    """True for a page of our own host that starts no conversation elsewhere."""
    root = f"{server_url.rstrip('/')}/"
    tail = url.removeprefix(root)
    return bool(server_url) and tail != url and bool(_STRICT_TAIL.fullmatch(tail)) and not _TALKS.search(f"/{tail}")
