"""A suite's report as the model reads it: figures, red tests with their messages, what is left of the output. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from jobs.agent.tools.cap import Capped, middle, plain
from jobs.suite.report import Report

_SHOWN = 20  # failures shown with their message
_IDS = 40  # ids named in one line
_LAST = 15  # lines of output that speak for a suite without ids
FRAME = re.compile(r"File \"([^\"\n]+)\", line (\d+)|([\w./@-]+\.\w{1,5}):(\d+)")
_OK = re.compile(r"\s*ok\b ")


def told(report: Report, what: str, aside: Collection[str] = (), *, cap: Callable[..., Capped] = middle) -> Capped:
    """One line of figures, the red tests with their messages, the raw output where nothing else speaks; the red
    tests of `aside` by name only. `cap` keeps the text within its size."""
    counts = report.counts
    figures = ", ".join(f"{n} {state}" for state, n in counts.items() if n) if counts else "no per-test report"
    how = f"exit code {report.exit_code}" if report.ended == "exit" else f"ended by {report.ended}"
    head = f"run_tests ({what}): {figures or 'no test ran'}; {how}; {report.seconds:.1f} s"
    groups = _alike(report, sorted(report.red.difference(aside)))
    parts = [head, *(_group(ids, report) for ids in groups[:_SHOWN])]
    if rest := [test for ids in groups[_SHOWN:] for test in ids]:
        parts.append(f"RED too: {named(rest, 100)}")
    if also := sorted(report.red.intersection(aside)):
        parts.append(f"also red on the base, not about this request as far as words tell: {named(also)}")
    return cap("\n\n".join([*parts, *_output(report)]), head=16_000, tail=8_000)


def named(tests: Sequence[str], most: int = _IDS) -> str:
    """Ids in one line, at most `most` of them."""
    more = f" and {len(tests) - most} more" if len(tests) > most else ""
    return ", ".join(tests[:most]) + more


def place(text: str) -> tuple[str, str]:
    """(last frame, message) of one failure: where and how it ended."""
    rows = [row.rstrip() for row in plain(text).splitlines() if row.strip()]
    own = [row for row in rows if row.startswith("E ")]  # pytest marks the message's lines
    stack = next((n for n, row in enumerate(rows) if row.lstrip().startswith("at ")), None)
    if stack is not None and not own:  # JavaScript: the message stands before its frames, the innermost first
        return rows[stack].strip(), "\n".join(rows[:stack])
    frames = FRAME.findall(text)
    last = ":".join(part for part in frames[-1] if part) if frames else ""
    return last, "\n".join(own) or (rows[-1] if rows else "")


def folded(text: str) -> str:
    """`text` with each run of three or more lines that begin with `ok ` as one line."""
    out: list[str] = []
    run: list[str] = []
    for row in [*text.split("\n"), None]:
        if row is not None and _OK.match(row):
            run.append(row)
            continue
        out += run if len(run) < 3 else [f"[… {len(run)} lines that begin with ok …]"]
        run = []
        out += [] if row is None else [row]
    return "\n".join(out)


def _alike(report: Report, red: Sequence[str]) -> list[list[str]]:
    """Red ids, those that failed at the same place with the same message together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for test in red:
        last, message = place(report.failures.get(test, ""))
        groups.setdefault((last, message) if last else (test, ""), []).append(test)
    return list(groups.values())


def _group(ids: Sequence[str], report: Report) -> str:
    first, *more = ids
    text = f"RED {first}\n{folded(plain(report.failures.get(first, ''))).strip()}"
    return text + (f"\nand {len(more)} more at the same place: {named(more)}" if more else "")


def _output(report: Report) -> list[str]:
    """The raw output where it is all there is: whole of a red run, its end of a green one without ids."""
    text = folded(plain(report.output)).strip()
    if not text:
        return []
    if not report.green and not any(report.failures.values()):
        return [text]
    if report.green and report.tests is None:
        return ["\n".join(text.splitlines()[-_LAST:])]
    return []
