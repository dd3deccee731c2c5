"""Where a run's rounds were wasted, by class. Pure.

A finding names the calls concerned, and of their rounds those that are *lost*: the run would have come as far without
them. A round in which another call was of use is concerned, not lost. Of a row of rounds that one could have done, the
first is not lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from jobs.trace.steps import EDITS, Act, Step, Story
from jobs.trace.visible import Visible

Place = tuple[int, int]  # index of the round in the trace, index of the call in it

_UNASKED = re.compile(
    r"(?:summary|notes?|changes|implementation|report|analysis|plan|readme|fix|todo|explanation)[\w-]*\.(?:md|txt|rst)"
    r"|[\w-]*_summary\.(?:md|txt|rst)|(?:test_)?(?:debug|scratch|tmp|temp|repro)[\w-]*\.\w+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Finding:
    """One class of waste: the calls concerned and the rounds lost, both by index."""

    name: str
    calls: tuple[Place, ...]
    lost: frozenset[int]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds concerned, by index."""
        return tuple(sorted({step for step, _ in self.calls}))


def findings(story: Story) -> tuple[Finding, ...]:
    """Every class, those without a finding too, in an order that never changes."""
    return tuple(_CLASSES[name](name, story) for name in _CLASSES)


def lost(story: Story, found: Iterable[Finding]) -> frozenset[int]:
    """The rounds that are lost, each once: by one class, or as each call of theirs is waste of some class."""
    several = list(found)
    by_call = {place for one in several if one.name not in _ROWS for place in one.calls}
    return frozenset().union(*(one.lost for one in several), _whole(story, by_call))


def usd(story: Story, rounds: Iterable[int]) -> float | None:
    """What rounds (by index) cost in dollars; None where none of the trace's rounds has a price."""
    if all(step.usd is None for step in story.steps):
        return None
    return sum(story.steps[n].usd or 0.0 for n in rounds)


def _piecemeal(name: str, story: Story) -> Finding:
    """Rounds in a row of one read of one file or one search each: one call could have asked for all."""

    def one_look(step: Step) -> bool:
        acts = step.acts
        return len(acts) == 1 and acts[0].looks_only and len(acts[0].doing.reads) + acts[0].doing.looks == 1

    return _of_rows(name, _rows(story, lambda step, row: one_look(step)))


def _small_steps(name: str, story: Story) -> Finding:
    """Rounds in a row of one change each, all to different files."""

    def another_file(step: Step, row: Sequence[Step]) -> bool:
        if len(step.acts) != 1 or not _landed(step.acts[0]):
            return False
        return not {path for earlier in row for path in earlier.acts[0].changed} & set(step.acts[0].changed)

    return _of_rows(name, _rows(story, another_file))


def _failed_edits(name: str, story: Story) -> Finding:
    """Edits that failed, what was read to mend them, and the rounds that only repeat them."""
    calls: set[Place] = set()
    spent: set[int] = set()
    for n, step in enumerate(story.steps):
        failed = [k for k, act in enumerate(step.acts) if act.missed]
        calls |= {(n, k) for k in failed}
        for k in failed:
            between, again = _mending(story, n, step.acts[k].missed)
            calls |= {(m, j) for m in between for j in range(len(story.steps[m].acts))}
            spent |= set(between)
            if again is not None and len(failed) < len(step.acts):  # the failed round was of use: its repeat is lost
                calls |= {(again, j) for j in range(len(story.steps[again].acts))}
                spent.add(again)
        if failed and len(failed) == len(step.acts):
            spent.add(n)
    return Finding(name, tuple(sorted(calls)), frozenset(spent))


def _mending(story: Story, n: int, paths: frozenset[str]) -> tuple[list[int], int | None]:
    """The rounds right behind `n` that only look at `paths`, and the one that then changes nothing else."""
    between: list[int] = []
    for m in range(n + 1, len(story.steps)):
        acts = story.steps[m].acts
        if not acts or story.steps[m].opens is not None:
            break
        if all(_landed(act) and set(act.changed) <= paths for act in acts):
            return between, m
        if all(act.looks_only and (act.doing.reads | act.doing.files) <= paths for act in acts):
            between.append(m)
        elif not all(act.missed and act.missed <= paths for act in acts):  # another failure speaks for itself
            break
    return [], None  # what was read did not lead to a repeat: it may have been for something else


def _rereads(name: str, story: Story) -> Finding:
    """Reads of files that an earlier, still visible result shows as they are."""
    visible, calls = Visible(), []
    for n, step, k, act in _acts(story):
        if k == 0:
            visible.begin(step)
        if act.looks_only and not act.doing.looks and visible.knows(act, step):
            calls.append((n, k))
        visible.add(act)
    return _of_calls(name, story, calls)


def _checked_edits(name: str, story: Story) -> Finding:
    """Reads, searches and diffs of a file right after it was changed: the change's result showed it."""
    calls: list[Place] = []
    fresh: set[str] = set()
    changing = False
    for n, _, k, act in _acts(story):
        if act.changed and not act.doing.tests:
            fresh = {*(fresh if changing else ()), *act.changed}
        elif fresh and _looks_at(act, fresh):
            calls.append((n, k))
        else:
            fresh = set()
        changing = bool(act.changed)
    return _of_calls(name, story, calls)


def _looks_at(act: Act, files: set[str]) -> bool:
    did = act.doing
    named = did.reads | did.files
    return not (did.tests or did.other) and named <= files and (did.diffs or bool(named))


def _after_green(name: str, story: Story) -> Finding:
    """Tests run again after tests or checks were green and nothing changed."""
    calls: list[Place] = []
    green = False
    for n, step, k, act in _acts(story):
        green = green and not (k == 0 and step.opens is not None)
        if act.changed:
            green = act.green is True
        elif act.doing.tests and green:
            calls.append((n, k))
        elif act.doing.tests and act.green is not None:
            green = act.green
    return _of_calls(name, story, calls)


def _unasked(name: str, story: Story) -> Finding:
    """Calls that only make, change or delete files nobody asked for."""
    files = _unasked_files(story)
    return _of_calls(name, story, [(n, k) for n, _, k, a in _acts(story) if a.changed and set(a.changed) <= files])


def _unasked_files(story: Story) -> set[str]:
    """New files that are not in the final change, or whose names say that they are notes or trials."""
    visible, files = Visible(), set[str]()
    for _, step, k, act in _acts(story):
        if k == 0:
            visible.begin(step)
        made = [path for path in act.changed if act.tool in ("write_file", "shell") and not visible.met(path)]
        for path in made:
            last = path.rpartition("/")[2]
            left_out = story.patch is not None and path not in story.patch
            if left_out or (_UNASKED.fullmatch(last) and last not in story.asked):
                files.add(path)
        visible.add(act)
    return files


def _repeats(name: str, story: Story) -> Finding:
    """Calls made before with the same result, nothing having changed in between."""
    calls: list[Place] = []
    known: dict[str, str | None] = {}
    for n, step, k, act in _acts(story):
        if act.changed or (k == 0 and step.opens is not None):
            known = {}
        if act.unchanged or (act.result is not None and known.get(act.key) == act.result):
            calls.append((n, k))
        known[act.key] = act.result
    return _of_calls(name, story, calls)


def _after_the_last_change(name: str, story: Story) -> Finding:
    """Everything behind the last change that the result still holds, but the last word. Nothing is known of it where
    the trace ends before its run."""
    unasked = _unasked_files(story)

    def survives(act: Act) -> bool:
        kept = set(act.changed) - unasked
        return bool(kept if story.patch is None else kept & story.patch) and not act.doing.tests

    changing = [n for n, _, _, act in _acts(story) if survives(act)]
    if not changing or not story.whole:
        return Finding(name, (), frozenset())
    end = len(story.steps) - (0 if story.steps[-1].acts else 1)
    rounds = range(changing[-1] + 1, end)
    calls = ((n, k) for n in rounds for k in range(max(1, len(story.steps[n].acts))))
    return Finding(name, tuple(calls), frozenset(rounds))


_CLASSES: dict[str, Callable[[str, Story], Finding]] = {
    "exploring piecemeal": _piecemeal,
    "failed edits": _failed_edits,
    "re-reading what is visible": _rereads,
    "checking an edit that landed": _checked_edits,
    "verifying after green": _after_green,
    "unasked files": _unasked,
    "repeats": _repeats,
    "small steps": _small_steps,
    "spend after the last surviving change": _after_the_last_change,
}
# Their calls were of use, only not one a round.
_ROWS = {"exploring piecemeal", "small steps", "failed edits"}


def _acts(story: Story) -> Iterator[tuple[int, Step, int, Act]]:
    for n, step in enumerate(story.steps):
        for k, act in enumerate(step.acts):
            yield n, step, k, act


def _landed(act: Act) -> bool:
    return act.tool in EDITS and act.ok and bool(act.changed)


def _rows(story: Story, goes_on: Callable[[Step, Sequence[Step]], bool]) -> list[list[int]]:
    """Rounds in a row, at least two, of which each `goes_on` behind those before it in the row."""
    rows: list[list[int]] = [[]]
    for n, step in enumerate(story.steps):
        row = [] if step.opens is not None else rows[-1]
        if not goes_on(step, [story.steps[m] for m in row]):
            row = []
        if row is not rows[-1]:
            rows.append(row)
        if goes_on(step, [story.steps[m] for m in row]):
            row.append(n)
    return [row for row in rows if len(row) > 1]


def _of_rows(name: str, rows: Sequence[Sequence[int]]) -> Finding:
    return Finding(name, tuple((n, 0) for row in rows for n in row), frozenset(n for row in rows for n in row[1:]))


def _of_calls(name: str, story: Story, calls: Sequence[Place]) -> Finding:
    return Finding(name, tuple(calls), _whole(story, set(calls)))


def _whole(story: Story, calls: set[Place]) -> frozenset[int]:
    """The rounds all of whose calls are among `calls`."""
    steps = enumerate(story.steps)
    return frozenset(n for n, s in steps if s.acts and all((n, k) in calls for k in range(len(s.acts))))
