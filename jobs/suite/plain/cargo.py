"""Reads what `cargo test` and `cargo nextest` print. Pure.

Ids: `target > module::test`, the target being a crate and the file it begins in, such as `calc src/lib.rs`; documents
as `calc doc > src/lib.rs - add (line 3)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jobs.suite.parsed import Parsed, Unreadable, gather, short_lines
from jobs.suite.report import State

Row = tuple[str, State, str]

_RUNNING = re.compile(r"^\s*Running (?:unittests )?(\S+) \((?:\S*/)?([\w.-]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)\s*$")
_DOCUMENTS = re.compile(r"^\s*Doc-tests (\S+)\s*$")
_COUNT = re.compile(r"^running (\d+) tests?$")
_TEST = re.compile(r"^test (.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (ok|FAILED|ignored)\b")
_LATE = re.compile(r"^test (.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. ")
_BLOCK = re.compile(r"^---- (.+?) stdout ----$")
_RESULT = re.compile(r"^test result: ")
_STATES: dict[str, State] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_NEXTEST = re.compile(
    r"^\s+(PASS|FAIL|SKIP|LEAK|TIMEOUT|SIGABRT|SIGSEGV|SIGKILL|ABORT|FLAKY "
    r"\S+)\s+\[[^\]]*\]\s+(?:\(\s*\d+/\d+\)\s+)?(\S+)(?:\s+(\S.*))?$"
)
_BROKEN = re.compile(r"^error(?:\[E\d+\])?: (?:could not compile `([\w-]+)`|.*)")


def parse(text: str) -> Parsed | None:
    """The tests in the output; None if there are none. Raises Unreadable where a target's tests were announced and
    not all of them are told apart, as where they print between each other."""
    rows = [*_of_cargo(text), *_of_nextest(text)]
    if not rows and (broken := _broken(text)):
        rows = [broken]
    return gather(rows) if rows else None


@dataclass
class _Target:
    """One target's tests while they are read. `late` is a test whose outcome stands on a later line, since something
    was printed behind its name; `announced` is -1 between targets."""

    name: str = ""
    announced: int = -1
    rows: dict[str, State] = field(default_factory=dict)
    blocks: dict[str, list[str]] = field(default_factory=dict)
    block: list[str] | None = None
    late: str = ""


def _of_cargo(text: str) -> Iterator[Row]:
    at = _Target()
    for line in short_lines(text):
        if name := _begins(line):
            at = _Target(name)
        elif count := _COUNT.match(line):
            at = _Target(at.name, int(count.group(1)))
        elif _RESULT.match(line) and at.announced >= 0:
            yield from _ended(at)
            at = _Target(at.name)
        else:
            _line(at, line)
    if at.announced >= 0:  # the program ended before it summed up
        yield from ((f"{at.name} > {test}", state, "") for test, state in at.rows.items())
        yield at.name or "tests", "error", "\n".join(text.splitlines()[-30:])


def _begins(line: str) -> str:
    """The target whose tests follow, empty if the line announces none."""
    place, documents = _RUNNING.match(line), _DOCUMENTS.match(line)
    if place:
        return f"{place.group(2)} {place.group(1)}"
    return f"{documents.group(1)} doc" if documents else ""


def _line(at: _Target, line: str) -> None:
    if one := _TEST.match(line):
        at.rows[one.group(1)], at.late = _STATES[one.group(2)], ""
    elif at.late and line.strip() in _STATES:
        at.rows[at.late], at.late = _STATES[line.strip()], ""
    elif begun := _LATE.match(line):
        at.late = begun.group(1)
    elif named := _BLOCK.match(line):
        at.block = at.blocks.setdefault(named.group(1), [])
    elif at.block is not None:
        at.block.append(line)


def _ended(at: _Target) -> Iterator[Row]:
    if len(at.rows) != at.announced:
        raise Unreadable(f"{at.announced} tests of {at.name} were announced and {len(at.rows)} can be read")
    for test, state in at.rows.items():
        message = "\n".join(at.blocks.get(test, [])).strip("\n") if state == "failed" else ""
        yield f"{at.name} > {test}" if at.name else test, state, message


def _of_nextest(text: str) -> Iterator[Row]:
    for line in short_lines(text):
        found = _NEXTEST.match(line)
        if found and found.group(3):
            word = found.group(1).split(" ")[0]
            states: dict[str, State] = {"PASS": "passed", "LEAK": "passed", "FLAKY": "passed", "SKIP": "skipped"}
            yield f"{found.group(2)} > {found.group(3).strip()}", states.get(word, "failed"), ""


def _broken(text: str) -> Row | None:
    """A crate that could not be compiled stands for its tests."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        found = _BROKEN.match(line)
        if found and found.group(1):
            return found.group(1), "error", "\n".join(lines[max(0, at - 60) : at + 1])
    return None
