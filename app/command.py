"""Finds the command in a comment: the first non-blank line of its visible text, and nothing else. Pure."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from jobs.job import FUTURE_OPTIONS, OPTIONS

READY = ("fix", "retry", "stop", "status", "help")
VERBS = (*READY, "plan", "ask", "ci", "bump", "verify", "undo")

_NAMES = (*OPTIONS, *FUTURE_OPTIONS)

_LONGEST_TEXT = 32_000  # characters of free text

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_OPTION = re.compile(r"([A-Za-z_-]+)=(\"[^\"\n]*\"|\S+)(?:\s+|\Z)")


@dataclass(frozen=True)
class Command:
    """`problem` is one sentence where the command can't be taken as written; then `verb` is `help`."""

    verb: str
    options: dict[str, str] = field(default_factory=dict)
    text: str = ""
    problem: str = ""


def parse_command(body: str, *, prefix: str = "/agent") -> Command | None:
    """The command that `body` (Markdown, as typed) gives, or None.

    Quotes, code, hidden comments and look-alike characters give none: the line must begin with the prefix itself.
    """
    visible = _COMMENT.sub("", body.replace("\r\n", "\n").replace("\r", "\n"))
    lines = visible.split("\n")
    at = next((i for i, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return None
    first = lines[at]
    # Four spaces or a tab make it code.
    match = re.match(rf" {{0,3}}{re.escape(prefix)}(?:[ \t]+(.*))?$", first)
    if match is None:
        return None
    return _read((match[1] or "").strip(), "\n".join(lines[at + 1 :]), prefix)


def _read(rest: str, below: str, prefix: str) -> Command:
    verb, _, words = rest.partition(" ")
    if not verb:
        return Command("help")
    if verb not in VERBS:
        near = difflib.get_close_matches(verb, READY, 1, 0.6)
        hint = f" Did you mean `{prefix} {near[0]}`?" if near else ""
        return Command("help", problem=f"I don't know that command.{hint}")
    options, text, unknown = _options(words.strip())
    if unknown:
        known = ", ".join(OPTIONS)
        return Command("help", problem=f"I don't know the option `{unknown}`; there are {known}.")
    text = "\n".join(part for part in (text, below.strip()) if part)
    return Command(verb, options, _carriable(text[:_LONGEST_TEXT]))


def _options(words: str) -> tuple[dict[str, str], str, str]:
    """(options at the beginning, the text behind them, an option that is a slip of the pen)."""
    options: dict[str, str] = {}
    while match := _OPTION.match(words):
        name, value = match[1], match[2].strip('"')
        if name not in _NAMES:
            slip = difflib.get_close_matches(name, _NAMES, 1, 0.75)
            return options, words, name if slip else ""
        options[name] = _carriable(value)
        words = words[match.end() :]
    return options, words.strip(), ""


def _carriable(text: str) -> str:
    """`text` without what UTF-8 can't carry; JSON can smuggle lone surrogates in."""
    return text.encode("utf-8", "replace").decode()
