"""Which lines of a source file define something, and how far each definition goes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_PYTHON = re.compile(r"(?P<indent>\s*)(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")
_SCRIPT = re.compile(
    r"(?P<indent>\s*)(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:(?:function\s*\*?|class|interface|enum|namespace|type)\s+(?P<name>[\w$]+)"
    r"|(?:const|let|var)\s+(?P<bound>[\w$]+)[^=]*=\s*(?:async\s*)?(?:function\b|class\b|\([^()]*\)[^=;]*=>|[\w$]+\s*=>)"
    r"|(?:(?:public|private|protected|static|readonly|async|get|set|override)\s+)*[*#]?"
    r"(?!(?:if|for|while|switch|catch|return|function|with|else|do|await|new|throw)\b)(?P<method>[\w$]+)\s*"
    r"(?:<[^()]*>)?\([^;]*\)[^;=(]*\{\s*$)"
)
_GO = re.compile(r"(?P<indent>)(?:func\s+(?:\([^)]*\)\s*)?(?P<name>\w+)|type\s+(?P<bound>\w+))")
_RUST = re.compile(
    r"(?P<indent>\s*)(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:(?:const|async|unsafe)\s+)*(?:extern\s+\"\w+\"\s+)?"
    r"(?:(?:fn|struct|enum|union|trait|mod|type)\s+(?P<name>\w+)|macro_rules!\s*(?P<bound>\w+)"
    r"|impl\b(?:<.*?>)?\s*(?P<method>[^{]*?)\s*(?:\{|where\b|$))"
)
_JAVA = re.compile(
    r"(?P<indent>\s*)(?:@\w+\s+)*(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|open|data"
    r"|synchronized|default|native|suspend|virtual|async|partial)\s+)*"
    r"(?:(?:class|interface|enum|record|@interface|object|struct|fun|trait|def)\s+(?:<[^>]*>\s*)?(?P<name>\w+)"
    r"|(?!(?:return|new|throw|else|await)\b)(?:<[^>]*>\s*)?[\w.$]+(?:<[^()]*>)?(?:\[\])*\s+(?P<method>\w+)\s*"
    r"\([^;()]*\)[^;=]*\{?\s*$)"
)
_RUBY = re.compile(r"(?P<indent>\s*)(?:def\s+(?:self\.)?(?P<name>[\w?!=]+)|(?:class|module)\s+(?P<bound>[\w:]+))")
_BY_SUFFIX = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"), _SCRIPT),
    "go": _GO,
    "rs": _RUST,
    **dict.fromkeys(("java", "kt", "kts", "cs", "scala", "groovy"), _JAVA),
    "rb": _RUBY,
}
_LONGEST = 1_000  # characters; a longer line is data or minified
_TRIPLE = re.compile(r"\"\"\"|'''")
_CLOSING = re.compile(r"[)\]}]|end\s*$")


@dataclass(frozen=True)
class Definition:
    """Lines `start` to `end` (from 1, both included) define `name`; `text` is the first of them."""

    name: str
    start: int
    end: int
    text: str


def is_source(path: str) -> bool:
    """True if the file's language is known."""
    return path.rpartition(".")[2].lower() in _BY_SUFFIX


def definitions(path: str, rows: Sequence[str]) -> list[Definition]:
    """What the file defines, in order; methods too. Nothing for a language that is not known."""
    rule = _BY_SUFFIX.get(path.rpartition(".")[2].lower())
    if rule is None:
        return []
    code = list(_without_texts(rows)) if rule is _PYTHON else list(rows)
    found = []
    for number, row in enumerate(code):
        match = rule.match(row) if len(row) <= _LONGEST else None
        if match is not None:
            name = next(value for key, value in match.groupdict().items() if key != "indent" and value is not None)
            end = _end(code, number, len(match["indent"].expandtabs(8)))
            found.append(Definition(name, number + 1, end + 1, rows[number].strip()))
    return found


def defines(path: str, row: str, name: str) -> bool:
    """True if the line `row` of the file defines `name`."""
    return any(one.name == name for one in definitions(path, [row]))


def _without_texts(rows: Sequence[str]) -> Iterator[str]:
    """Python's lines; those that begin inside a text of several lines are replaced by nothing."""
    quote = ""
    for row in rows:
        yield "" if quote else row
        for mark in _TRIPLE.findall(row):
            quote = mark if not quote else "" if mark == quote else quote


def _end(rows: Sequence[str], first: int, indent: int) -> int:
    """The last line that is indented further than the definition, or closes it."""
    last = first
    for number in range(first + 1, len(rows)):
        row = rows[number].expandtabs(8)
        bare = row.lstrip()
        if not bare:
            continue
        depth = len(row) - len(bare)
        if depth < indent or (depth == indent and not _CLOSING.match(bare)):
            break
        last = number
    return last
