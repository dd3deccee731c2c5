"""What a pull request says: its title and its body. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from jobs import messages
from jobs.publish.clean import TITLE_LIMIT, Clean, Cleaner, line
from jobs.publish.receipt import Counts, Receipt
from jobs.publish.render import render
from jobs.tasks.task import Task

_SHOWN = 12  # entries of a list; the rest is counted
_MATRIX = (
    ("old_tests_old_code", "the base's", "before"),
    ("old_tests_new_code", "the base's", "after"),
    ("new_tests_old_code", "new and changed", "before"),
    ("new_tests_new_code", "all", "after"),
)


@dataclass(frozen=True)
class Row:
    """One line of the suite table; a dash where the suite has no ids."""

    tests: str
    code: str
    passed: str
    failed: str
    errors: str
    skipped: str


def title(task: Task, summary: str = "") -> Clean:
    """One line that says what the change is for: the issue's title, else the first line of the agent's summary."""
    first = next((row for row in (task.title, *summary.splitlines()) if row.strip()), "change")
    tail = f" (#{task.number})" if task.number is not None else ""
    return Clean(line(f"Fix: {first.strip().lstrip('#* ')}", TITLE_LIMIT - len(tail)) + tail)


def body(
    receipt: Receipt, task: Task, *, summary: str = "", closes: bool = False, cleaner: Cleaner | None = None
) -> Clean:
    """The pull request's body. `closes` is right only where the base is the default branch: GitHub links no other."""
    r = receipt
    return render(
        "pull_request.md.j2",
        cleaner or Cleaner(),
        r=r,
        marker=Clean(messages.marker(r.run)),
        summary=summary,
        number=task.number,
        reference=Clean(f"#{task.number}"),
        closes=closes,
        headline=messages.outcome(r.outcome),
        level=messages.level(r.level) if r.level else "",
        may_lie=messages.MAY_LIE,
        findings=sorted(r.tamper, key=lambda f: not f.blocks),
        rows=rows(r),
        lists=_lists(r),
        times=[(name, seconds) for name, seconds in r.seconds.items() if seconds is not None],
        repeat=repeat(r),
        follow_up=Clean(messages.followups(task.number)),
        shown=_SHOWN,
    )


def rows(receipt: Receipt) -> list[Row]:
    """The suite table."""
    if receipt.suite is None:
        return []
    matrix, proof = receipt.suite.matrix, receipt.proof
    if matrix["old_tests_old_code"] is None:
        return [_by_exit_code("before", proof.green_before), _by_exit_code("after", proof.green_after)]
    return [_row(tests, code, counts) for key, tests, code in _MATRIX if (counts := matrix[key]) is not None]


def repeat(receipt: Receipt) -> str:
    """The command that repeats the proof; "" where nothing was committed."""
    if not receipt.base or not receipt.commit:
        return ""
    return f"patchwright verify --repo . --base {receipt.base} --head {receipt.commit}"


def _row(tests: str, code: str, counts: Counts) -> Row:
    return Row(tests, code, *(str(counts[key]) for key in ("passed", "failed", "errors", "skipped")))


def _by_exit_code(code: str, green: bool | None) -> Row:
    said = "–" if green is None else "exit 0" if green else "failed"
    return Row("the command", code, said if green else "–", "–" if green else said, "–", "–")


def _lists(receipt: Receipt) -> list[tuple[str, tuple[str, ...]]]:
    suite = receipt.suite
    if suite is None:
        return []
    named = (
        ("Red before, green now", suite.fixed),
        ("New or changed tests that fail on the old code", receipt.proof.proven),
        ("Green before, red now", suite.broken),
        ("No longer reported", suite.missing),
        ("Flaky: not counted", suite.flaky),
    )
    return [(name, ids) for name, ids in named if ids]
