"""The one sanitiser of every text that leaves: what is not made here by harness or by these rules is shown, never live.

Untrusted text keeps simple Markdown (emphasis, lists, quotes, code). It loses what acts on others: mentions, references
and closing keywords, images, HTML, foreign links, headings and tables, commands of bots, hidden characters. Code is
re-made with fences that its content can't close, so that GitHub's parser and this one agree on what is code. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.publish.inline import code_span, neutral
from jobs.redact import Redactor
from jobs.untrusted import visible

LIMIT = 65_000  # GitHub: 65,536 for pull request and issue bodies
CHECK_LIMIT = 65_000  # GitHub: 65,535 for a check run's summary and text
TITLE_LIMIT = 200
_CUT = "\n\n… *cut here: too long for GitHub.*\n"

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})[ \t]*([^`]*)$")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,20}")
_ACTIVE = ("mermaid", "geojson", "topojson", "stl", "math", "suggestion")  # rendered, not shown as code
_MARKERS = re.compile(r"^(?:\s{0,12}(?:[-*+]|\d{1,9}[.)])(?=\s)|\s{0,3}>)*\s*")
_COMMAND = re.compile(r"^\s*/[A-Za-z][\w-]*")
_UNDERLINE = re.compile(r"^(?:=+|-+)\s*$")
_LIVE_IN_LINES = re.compile(r"@(?=[A-Za-z0-9])|#(?=\d)|(?<=\b[Gg][Hh])-(?=\d)|https?://", re.ASCII)


class Clean(str):
    """Text that may leave: it passed the sanitiser, or harness made it of fixed words and such text."""

    __slots__ = ()


@dataclass(frozen=True)
class Cleaner:
    """`redact` removes secrets (by default those known by shape); links to pages below `server_url` stay links."""

    redact: Callable[[str], str] = field(default_factory=Redactor)
    server_url: str = "https://github.com"

    def prose(self, text: str) -> Clean:
        """Several lines of Markdown."""
        return Clean("\n".join(self._blocks(visible(self.redact(text)).split("\n"))))

    def inline(self, text: str) -> Clean:
        """One line of Markdown, safe in a table's cell too."""
        flat = " ".join(visible(self.redact(text)).split())
        return Clean(_line(flat, self.server_url))

    def code(self, text: str) -> Clean:
        """One line of code, safe in a table's cell too; nothing for nothing."""
        return Clean(code_span(" ".join(visible(self.redact(text)).split())))

    def block(self, text: str, language: str = "") -> Clean:
        """A block of code or output."""
        return Clean("\n".join(_fenced(visible(self.redact(text)).strip("\n").split("\n"), language)))

    def document(self, text: str) -> Clean:
        """A whole body put together of clean parts: a last look for secrets, and GitHub's limit."""
        return cut(Clean(self.redact(text)), LIMIT)

    def _blocks(self, lines: list[str]) -> list[str]:
        shown: list[str] = []
        rest = iter(lines)
        for text in rest:
            opening = _FENCE.match(text)
            if opening is None:
                shown.append(_line(text, self.server_url))
                continue
            content: list[str] = []
            for inside in rest:
                if _closes(inside, opening[1]):
                    break
                content.append(inside)
            shown += _fenced(content, opening[2].strip())
        return shown


_PLAIN = Cleaner()


def outgoing(text: str) -> Clean:
    """`text` if it is clean already, else cleaned as prose: the last gate before GitHub."""
    return text if isinstance(text, Clean) else _PLAIN.document(_PLAIN.prose(text))


def titled(text: str) -> Clean:
    """The same for titles."""
    return text if isinstance(text, Clean) else line(text)


def line(text: str, limit: int = TITLE_LIMIT) -> Clean:
    """Plain text of one line, for titles and commit subjects: readable, but it mentions and closes nothing."""
    flat = " ".join(visible(text).split())
    while _LIVE_IN_LINES.search(flat):
        flat = _LIVE_IN_LINES.sub(lambda live: " " if live[0] == "-" else "", flat)
    return Clean(flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…")


def outgoing_line(text: str) -> Clean:
    """`text` if it is clean already, else as one line: the last gate for titles."""
    return text if isinstance(text, Clean) else line(text)


def message(text: str) -> Clean:
    """Plain text of several lines, for commit messages."""
    return Clean("\n".join(line(part, 1000) for part in text.split("\n")).strip())


def cut(text: Clean, limit: int) -> Clean:
    """`text` in at most `limit` characters, ended at a line's end with every block closed."""
    if len(text) <= limit:
        return text
    kept = text[: limit - len(_CUT) - 200]
    kept = kept[: kept.rfind("\n") + 1] or kept
    fence, details = _open_at_end(kept)
    return Clean(kept + (f"{fence}\n" if fence else "") + "\n</details>\n" * details + _CUT)


def _open_at_end(text: str) -> tuple[str, int]:
    """The fence that is still open at the end, "" if none, and how many <details> are."""
    fence, details = "", 0
    for row in text.split("\n"):
        opening = _FENCE.match(row)
        if fence:
            fence = "" if _closes(row, fence) else fence
        elif opening:
            fence = opening[1]
        else:
            details += row.count("<details>") - row.count("</details>")
    return fence, max(details, 0)


def _closes(row: str, fence: str) -> bool:
    bare = row.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _fenced(content: list[str], language: str) -> list[str]:
    longest = max((len(run) for row in content for run in re.findall(r"`+", row)), default=0)
    fence = "`" * max(3, longest + 1)
    info = language if _LANGUAGE.fullmatch(language) and language.lower() not in _ACTIVE else ""
    # Other bots read raw lines: a command in code gets a space before it.
    rows = [f" {row}" if _COMMAND.match(row) and not row[0].isspace() else row for row in content]
    return [fence + info, *rows, fence]


def _line(text: str, server_url: str) -> str:
    markers = _MARKERS.match(text)
    start = markers.end() if markers else 0
    before, rest = text[:start], text[start:]
    if rest.startswith("#") or _UNDERLINE.match(rest):
        return f"{before}\\{rest[0]}{neutral(rest[1:], server_url)}"
    if command := _COMMAND.match(rest):
        return before + code_span(command[0].strip()) + neutral(rest[command.end() :], server_url)
    return before + neutral(rest, server_url)
