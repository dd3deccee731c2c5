"""Reads the Test Anything Protocol, as Node's runner, tape, node-tap, prove and bats print it. Pure.

Ids: the names of the tests from the outermost on, joined by ` > `; what comes twice is numbered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from jobs.suite.parsed import Parsed, gather, short_lines
from jobs.suite.report import State

Row = tuple[str, State, str]

_POINT = re.compile(r"^(\s*+)(not )?ok\b(?:\s++(\d+))?(\s++-)?(.*)$")
_PLAN = re.compile(r"^\s*1\.\.(\d+)\b")
_SUBTEST = re.compile(r"^(\s*)# Subtest: (.*)$")
_COMMENT = re.compile(
    r"^# (?!tests? |pass |fail |ok$|suites |cancelled |skipped |todo |duration_ms |time=|Subtest)(.+)$"
)
_DIRECTIVE = re.compile(r"\s+#\s*(skip|todo)\b.*$", re.IGNORECASE)
_TIME = re.compile(r"\s+# time=\S+$|\s+in \d+ms$")
_SCRIPT = re.compile(r"^(\S+\.(?:t|pl|sh|bats)) \.{2,}\s*$")
_FILE = re.compile(r"^(\S+\.t) \.{2,} (ok|skipped: .*|Failed .*|Dubious.*|No subtests run.*)\s*$")


@dataclass
class _Reader:
    rows: list[Row] = field(default_factory=list)
    inner: dict[int, str] = field(default_factory=dict)  # names of the open subtests by how far they stand in
    group: str = ""
    script: str = ""  # the file that prove has begun
    planned: bool = False
    last: tuple[str, int] | None = None  # the failed one that lines in a block belong to
    text: list[str] = field(default_factory=list)


def parse(text: str) -> Parsed | None:
    """The tests in the output; None unless it holds a plan and at least one result, or prove's table of files."""
    reader = _Reader()
    for line in short_lines(text):
        _line(reader, line)
    _close(reader)
    rows = _leaves(reader.rows) if reader.planned and reader.rows else list(_files(text))
    return gather(_numbered(rows)) if rows else None


def _line(reader: _Reader, line: str) -> None:
    point = _POINT.match(line)
    if subtest := _SUBTEST.match(line):
        depth = len(subtest.group(1))
        reader.inner = {at: name for at, name in reader.inner.items() if at < depth}
        reader.inner[depth] = subtest.group(2).strip()
    elif point:
        _close(reader)
        _result(reader, point)
    elif _PLAN.match(line):
        reader.planned = True
    elif script := _SCRIPT.match(line):
        reader.script = script.group(1)
    elif reader.last is None and (comment := _COMMENT.match(line)):
        reader.group = comment.group(1).strip()
    elif reader.last is not None:
        reader.text.append(line.strip())


def _result(reader: _Reader, point: re.Match[str]) -> None:
    depth, title = len(point.group(1)), _TIME.sub("", point.group(5).strip().removesuffix("{").strip())
    directive = _DIRECTIVE.search(f" {title}")
    title = _DIRECTIVE.sub("", f" {title}").strip() or f"test {point.group(3) or len(reader.rows) + 1}"
    over = [name for at, name in sorted(reader.inner.items()) if at < depth]
    if not over and reader.group and not point.group(4):  # with a dash comments are words, without they are titles
        over = [reader.group]
    reader.inner = {at: one for at, one in reader.inner.items() if at < depth}
    state: State = "skipped" if directive else "failed" if point.group(2) else "passed"
    name = " > ".join([*([reader.script] if reader.script else []), *over, title])
    reader.rows.append((name, state, ""))
    reader.last = (name, len(reader.rows) - 1) if state == "failed" else None


def _leaves(rows: list[Row]) -> list[Row]:
    """Without the results that only sum up those inside them."""
    outer: dict[str, bool] = {}  # name of what holds others: whether one of them failed
    for name, state, _ in rows:
        parts = name.split(" > ")
        for length in range(1, len(parts)):
            over = " > ".join(parts[:length])
            outer[over] = outer.get(over, False) or state == "failed"
    return [row for row in rows if row[0] not in outer or (row[1] == "failed" and not outer[row[0]])]


def _close(reader: _Reader) -> None:
    """Gives the lines since a failed result to it."""
    if reader.last is not None:
        name, at = reader.last
        reader.rows[at] = (name, "failed", "\n".join(reader.text).strip())
    reader.last, reader.text = None, []


def _files(text: str) -> Iterator[Row]:
    """prove's table: a line for each file."""
    for line in short_lines(text):
        found = _FILE.match(line)
        if found:
            word = found.group(2)
            state: State = "passed" if word == "ok" else "skipped" if word.startswith("skipped") else "failed"
            yield found.group(1), state, word if state == "failed" else ""


def _numbered(rows: list[Row]) -> Iterator[Row]:
    seen: Counter[str] = Counter()
    for name, state, message in rows:
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", state, message
