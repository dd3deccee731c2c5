"""Reads the JSON lines that the reporters of ours write, and the JSON of jest and vitest. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from jobs.suite.parsed import MAX_BYTES, Parsed, Unreadable, gather
from jobs.suite.report import State

_STATES: dict[str, State] = {"passed": "passed", "failed": "failed", "error": "error", "skipped": "skipped"}
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def parse_lines(data: bytes) -> Parsed:
    """One object a line: `{id, state, message}`. Raises Unreadable."""
    _check(data)
    return gather(_line(line) for line in data.splitlines() if line.strip())


def parse_jest(data: bytes) -> Parsed:
    """The JSON that `jest --json` and vitest's json reporter write. Ids: `file > describe > test`, the file as
    seen from /src. A file that could not be loaded is an id of its own. Raises Unreadable."""
    _check(data)
    whole = _object(data)
    files = whole.get("testResults")
    if not isinstance(files, list):
        raise Unreadable("the report holds no test results")
    return gather(row for file in files if isinstance(file, dict) for row in _jest_file(file))


def parse_rspec(data: bytes) -> Parsed:
    """What RSpec's json formatter writes. Ids: `file > full description`. Raises Unreadable."""
    _check(data)
    whole = _object(data)
    examples = whole.get("examples")
    if not isinstance(examples, list):
        raise Unreadable("the report holds no examples")
    return gather([*(_example(one) for one in examples if isinstance(one, dict)), *_outside(whole)])


def _example(one: dict[str, Any]) -> tuple[str, State, str]:
    path = str(one.get("file_path", "")).removeprefix("./")
    states: dict[str, State] = {"passed": "passed", "failed": "failed"}
    state = states.get(str(one.get("status")), "skipped")
    broken = one.get("exception")
    said = broken if isinstance(broken, dict) else {}
    trace = "\n".join(str(line) for line in (said.get("backtrace") or [])[:20])
    message = f"{said.get('class', '')}: {_plain(said.get('message'))}\n{trace}" if said else ""
    return f"{path} > {one.get('full_description', '')}", state, message


def _outside(whole: dict[str, Any]) -> Iterator[tuple[str, State, str]]:
    """A file that could not be loaded has no examples; the formatter counts it and prints what was wrong."""
    summary = whole.get("summary")
    if isinstance(summary, dict) and summary.get("errors_outside_of_examples_count"):
        yield "spec", "error", "\n".join(_plain(line) for line in whole.get("messages") or [])


def _jest_file(file: dict[str, Any]) -> Iterator[tuple[str, State, str]]:
    path = str(file.get("name", "")).removeprefix("/src/")
    cases = [case for case in file.get("assertionResults") or [] if isinstance(case, dict)]
    if not cases and file.get("status") == "failed":
        yield path, "error", _plain(file.get("message"))
    for case in cases:
        titles = [*map(str, case.get("ancestorTitles") or []), str(case.get("title", ""))]
        state = _STATES.get(str(case.get("status")), "skipped")  # pending, todo, disabled
        messages = case.get("failureMessages") or []
        yield " > ".join([path, *titles]), state, "\n".join(map(_plain, messages))


def _line(line: bytes) -> tuple[str, State, str]:
    record = _object(line)
    test, state = record.get("id"), _STATES.get(str(record.get("state")))
    if not isinstance(test, str) or state is None:
        raise Unreadable("a line of the report names no test or no known state")
    return test, state, _plain(record.get("message"))


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable("the report is no JSON") from None
    if not isinstance(value, dict):
        raise Unreadable("the report is no JSON object")
    return value


def _plain(text: object) -> str:
    return _ESCAPES.sub("", str(text or ""))


def _check(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise Unreadable(f"the report has {len(data)} bytes, more than {MAX_BYTES}")
