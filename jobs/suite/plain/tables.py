"""Reads runners that print one line for each test: ctest, Meson, Automake, `dotnet test`, ExUnit, minitest. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jobs.suite.parsed import Parsed, gather, short_lines
from jobs.suite.report import State

Row = tuple[str, State, str]

_CTEST = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (.+?) \.+\s*(Passed|\*\*\*[\w ()]+?)(?:\s{2,}|\s+[\d.]+ sec|$)")
_CTEST_TEXT = re.compile(r"^\s*\d+/\d+ Test|^\s*Start\s+\d+: |^\d+% tests passed")
_MESON = re.compile(
    r"^\s*\d+/\d+ (?:(?P<suite>\S+) - )?(?P<name>.+?)\s+(?P<word>OK|FAIL|SKIP|ERROR|TIMEOUT|EXPECTEDFAIL|"
    r"UNEXPECTEDPASS)\s+[\d.]+\s?s"
)
_AUTOMAKE = re.compile(r"^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (\S.*)$")
_DOTNET = re.compile(r"^\s{2}(?:\[xUnit[^\]]*\]\s+)?(Passed|Failed|Skipped) (.+?)(?: \[[<\d][^\]]*\])?$")
_EXUNIT_MODULE = re.compile(r"^([A-Z][\w.]*Test)(?: \[\S+\])?$")
_EXUNIT = re.compile(r"^\s+\* (?:test|property|doctest) (.+?) \((?:[\d.]+ms|skipped|excluded)\)(?: \[L#\d+\])?$")
_MINITEST = re.compile(r"^(?:\S*\s)?([A-Z][\w:]*)#(\S.*?) = [\d.]+ s = ([.FESR])$")
_WORDS: dict[str, State] = {
    **dict.fromkeys(("Passed", "OK", "PASS", "EXPECTEDFAIL", "XFAIL", "."), "passed"),
    **dict.fromkeys(("Skipped", "SKIP", "S", "***Skipped", "***Not Run"), "skipped"),
    **dict.fromkeys(("ERROR", "E", "TIMEOUT", "***Timeout", "***Exception"), "error"),
}


def ctest(text: str) -> Parsed | None:
    """Ids are the names of the tests."""
    rows: list[Row] = []
    for line in short_lines(text):
        found = _CTEST.match(line)
        if found:
            word = found.group(2).strip()
            states = (one for key, one in _WORDS.items() if len(key) > 1 and word.startswith(key))
            state: State = next(states, "failed")
            rows.append((found.group(1), state, ""))
        elif rows and rows[-1][1] in ("failed", "error") and not _CTEST_TEXT.match(line):
            rows[-1] = (*rows[-1][:2], f"{rows[-1][2]}{line}\n")
    return _all(rows)


def meson(text: str) -> Parsed | None:
    """Ids are `suite > name`, or the name where there is no suite."""
    rows = []
    for line in short_lines(text):
        if found := _MESON.match(line):
            name = f"{found['suite']} > {found['name']}" if found["suite"] else found["name"]
            rows.append((name, _WORDS.get(found["word"], "failed"), ""))
    return _all(rows)


def automake(text: str) -> Parsed | None:
    """Ids are the names that `make check` prints."""
    found = (_AUTOMAKE.match(line) for line in short_lines(text))
    return _all((one.group(2).strip(), _WORDS.get(one.group(1), "failed"), "") for one in found if one)


def dotnet(text: str) -> Parsed | None:
    """Ids are the full names of the tests, as the console logger prints them from `normal` on."""
    rows: list[Row] = []
    for line in short_lines(text):
        found = _DOTNET.match(line)
        if found:
            rows.append((found.group(2), _WORDS.get(found.group(1), "failed"), ""))
        elif rows and rows[-1][1] == "failed" and line.startswith("   "):
            rows[-1] = (*rows[-1][:2], f"{rows[-1][2]}{line.strip()}\n")
    return _all(rows)


def exunit(text: str) -> Parsed | None:
    """Ids are `Module > test`, as `mix test --trace` prints them."""
    module = ""
    rows: list[Row] = []
    broken = dict(_exunit_failures(text))
    for line in short_lines(text):
        if opened := _EXUNIT_MODULE.match(line):
            module = opened.group(1)
        elif found := _EXUNIT.match(line):
            name = f"{module} > {found.group(1)}"
            skipped = "(skipped)" in line or "(excluded)" in line
            state: State = "skipped" if skipped else "failed" if name in broken else "passed"
            rows.append((name, state, broken.get(name, "")))
    return _all(rows)


def _exunit_failures(text: str) -> Iterator[tuple[str, str]]:
    for block in re.split(r"(?m)^\s{1,3}\d+\) (?=(?:test|property|doctest) )", text)[1:]:
        head = re.match(r"(?:test|property|doctest) (.+) \(([\w.]+)\)\n", block)
        if head:
            yield f"{head.group(2)} > {head.group(1)}", block.split("\n\n")[0].strip()


def minitest(text: str) -> Parsed | None:
    """Ids are `Class#test`, as `--verbose` prints them."""
    rows = []
    for line in short_lines(text):
        if found := _MINITEST.match(line):
            name = f"{found.group(1)}#{found.group(2)}"
            rows.append((name, _WORDS.get(found.group(3), "failed"), _minitest_says(text, name)))
    return _all(rows)


def _minitest_says(text: str, name: str) -> str:
    found = re.search(
        rf"(?m)^(?:\s+\d+\) )?(?:Failure|Error):\n{re.escape(name)}[^\n]*\n(.*?)(?:\n\s*\n|\Z)", text, re.S
    )
    return found.group(1).strip() if found else ""


def _all(rows: Iterable[Row]) -> Parsed | None:
    found = list(rows)
    return gather(found) if found else None
