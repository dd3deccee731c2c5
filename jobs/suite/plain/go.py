"""Reads what `go test` prints: its JSON lines, and its text. Pure.

Ids: `package > TestName/sub`; a package that could not be built or ended early is an id of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jobs.suite.parsed import Parsed, gather, short_lines
from jobs.suite.report import State

Row = tuple[str, State, str]

_ENDS: dict[str, State] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_WORDS: dict[str, State] = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}
_RESULT = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)")
_PACKAGE = re.compile(
    r"^(ok|FAIL|\?|---)\s+(\S+)\s+(?:\(cached\)|[\d.]+s|\[[^\]]*\]|\(\S+)|^\s+(\S+)\s+coverage: 0\.0%"
)


def events(text: str) -> list[dict[str, str]]:
    """The events in JSON lines of `go test -json`; other lines are none."""
    found = []
    for line in text.splitlines():
        if line.startswith('{"') and '"Action":' in line:
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                found.append({key: str(one) for key, one in event.items()})
    return found


def readable(text: str) -> str:
    """The text that the tests printed, without the events around it; as it stands where there are none."""
    lines = []
    for line in text.splitlines(keepends=True):
        found = events(line)
        lines.append(found[0].get("Output", "") if found else line)
    return "".join(lines)


def parse(text: str) -> Parsed | None:
    """The tests in JSON lines, or in plain text; None if there are neither."""
    found = events(text)
    rows = list(_of_events(found)) if found else list(_of_text(text))
    return gather(rows) if rows else None


def _of_events(found: list[dict[str, str]]) -> Iterator[Row]:
    begun: dict[tuple[str, str], list[str]] = {}
    ended: set[tuple[str, str]] = set()
    failing: dict[str, bool] = {}  # packages in which a test failed by itself
    for event in found:
        package, action = event.get("Package") or event.get("ImportPath", "").split(" ")[0], event.get("Action", "")
        at = (package, event.get("Test", ""))
        words = begun.setdefault(at, [])
        if action in ("output", "build-output"):
            words.append(event.get("Output", ""))
        if action not in _ENDS or at in ended:
            continue
        ended.add(at)
        if at[1]:
            failing[package] = failing.get(package, False) or action == "fail"
            yield f"{package} > {at[1]}", _ENDS[action], "".join(words) if action == "fail" else ""
        elif action == "fail" and not failing.get(package):
            yield package, "error", "".join(words)
    for package, test in begun.keys() - ended:
        if test:  # it was running when the package ended
            yield f"{package} > {test}", "error", "".join(begun[package, test])


def _of_text(text: str) -> Iterator[Row]:
    """Without -v only what fails is named, and packages; with it every test. Results stand before their package."""
    pending: list[tuple[str, State]] = []
    said: list[str] = []
    for line in short_lines(text):
        result, package = _RESULT.match(line), _PACKAGE.match(line)
        if result:
            pending.append((result.group(2), _WORDS[result.group(1)]))
        if package and (name := package.group(2)) and package.group(1) != "---":
            state: State = "passed" if package.group(1) == "ok" else "error"
            message = "\n".join(said[-200:])
            red = any(one == "failed" for _, one in pending)
            yield from ((f"{name} > {test}", one, message if one == "failed" else "") for test, one in pending)
            if package.group(1) != "?" and not (pending and (state == "passed" or red)):
                yield name, state, message if state == "error" else ""
            pending, said = [], []
        else:
            said.append(line)
