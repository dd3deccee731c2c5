"""Tests that stand inside files of product code, as Rust has them: where they are, and how another tree's are put in
their place. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(
    (
        r"^[ \t]*#\[(?:cfg\(test\)|cfg\(all\(test\b[^\]]*|"
        r"(?:\w+::)*test(?:\([^\]]*\))?|rstest)\]"
    ),
    re.MULTILINE,
)
_HEAD = re.compile(r"\s*(?:#\[(?:[^\[\]]|\[[^\]]*\])*\]|//[^\n]*\n)")
_NAMED = re.compile(
    r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern)\s+)*(mod|fn|use|impl|struct|static|"
    r"macro_rules!)\s*([^\s({;<]*)"
)
_TOKEN = re.compile(
    r"""//[^\n]*|/\*|(?:b|c)?r(#*)".*?"\1|(?:b|c)?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]{1,10}?|[^'\\\n])'|[{}();\[\]]""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Inline:
    """One item that is compiled for tests only: its key (such as `mod tests`), and where it stands in the text."""

    key: str
    start: int
    end: int


def holds_inline(path: str) -> bool:
    """True for files that may hold tests beside product code."""
    return path.endswith(".rs")


def inline(text: str) -> list[Inline]:
    """The items of a Rust file that are for tests, outermost only. Raises ValueError where brackets do not close."""
    found: list[Inline] = []
    inert = _inert(text)
    for mark in _MARK.finditer(text):
        inside = bool(found) and mark.start() < found[-1].end
        if not inside and not any(start <= mark.end() - 1 < end for start, end in inert):
            end, key = _item(text, mark.end())
            found.append(Inline(key, mark.start(), end))
    return found


def restore_inline(ours: bytes, theirs: bytes) -> bytes:
    """`ours` with the tests of `theirs` in the place of its own; byte for byte as it is where those are equal.

    Raises ValueError where either can't be read.
    """
    mine, old = ours.decode(), theirs.decode()
    have, want = inline(mine), inline(old)
    texts = {one.key: old[one.start : one.end] for one in want}
    if [(one.key, mine[one.start : one.end]) for one in have] == list(texts.items()) and len(texts) == len(want):
        return ours
    for one in reversed(have):
        put = texts.pop(one.key, "")
        mine = mine[: one.start] + put + mine[one.end :]
    rest = "\n\n".join(texts.values())  # those whose place is gone
    return (f"{mine.rstrip()}\n\n{rest}\n" if rest else mine).encode()


def _item(text: str, at: int) -> tuple[int, str]:
    """Where the item behind an attribute ends, and its key."""
    while head := _HEAD.match(text, at):
        at = head.end()
    named = _NAMED.match(text, at)
    key = f"{named.group(1)} {named.group(2)}".strip() if named else text[at : at + 80].strip()
    depth = 0
    for token, end in _tokens(text, at):
        if token in "{([":
            depth += 1
        elif token in "})]":
            depth -= 1
            if depth == 0 and token == "}":
                return end, key
        elif token == ";" and depth == 0:
            return end, key
    raise ValueError("an item for tests does not end")


def _tokens(text: str, at: int) -> list[tuple[str, int]]:
    """Brackets and semicolons from `at` on, outside of comments and texts, with where each ends."""
    found = []
    while token := _TOKEN.search(text, at):
        at = _comment_end(text, token.start()) if token.group(0) == "/*" else token.end()
        if len(token.group(0)) == 1:
            found.append((token.group(0), at))
    return found


def _inert(text: str) -> list[tuple[int, int]]:
    """Comments and texts: what stands in them is no code."""
    found, at = [], 0
    while token := _TOKEN.search(text, at):
        at = _comment_end(text, token.start()) if token.group(0) == "/*" else token.end()
        if len(token.group(0)) > 1:
            found.append((token.start(), at))
    return found


def _comment_end(text: str, at: int) -> int:
    """Rust's comments nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if mark.group(0) == "/*" else -1
        if depth == 0:
            return at + mark.end()
    return len(text)
