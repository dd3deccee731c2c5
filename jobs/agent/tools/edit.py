"""edit: replacements in one or many files; each file changes whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jobs.agent import guard
from jobs.agent.guard import Known
from jobs.agent.seen import Seen
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Edit, OneEdit
from jobs.agent.tools.card import card, is_whole
from jobs.agent.tools.carried import carried
from jobs.agent.tools.inside import FileView, Shown, Written
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.match import RUNGS
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.refusal import History, refusal
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.agent.tools.together import Together, Unseen, together

_NEW, _MORE = 120, 40  # lines that a refusal shows of a file that was never shown, and of one that was


@dataclass(frozen=True)
class _Plan:
    """What the edits of one file come to. `rungs`, `faults` and `notes` are by edit number (from 1)."""

    path: str
    before: bytes = b""
    after: bytes = b""
    sha256: str = ""
    rungs: Mapping[int, str] = field(default_factory=dict)
    faults: Mapping[int, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    seen: Seen | None = None  # what a refusal showed of the file


def run(args: Edit, bench: Bench) -> ToolResult:
    """Matches every edit, then writes the files whose edits all have a place."""
    if not args.edits:
        return ToolResult.failed("edit", 'edits is empty: send {"edits": [{"path", "old_string", "new_string"}]}')
    groups: dict[str, list[tuple[int, OneEdit]]] = {}
    for number, one in enumerate(args.edits, 1):
        groups.setdefault(tidy(one.path), []).append((number, one))
    plans = [_plan(shown, edits, bench) for shown, edits in _by_file(inside.show(bench.cell, list(groups)), groups)]
    ready = {p.path: (p.after, p.sha256) for p in plans if not p.faults}
    written = {w.path: w for w in inside.write(bench.cell, ready)} if ready else {}
    return _result(plans, written, len(args.edits), bench)


def _by_file(
    everything: Sequence[Shown], groups: Mapping[str, Sequence[tuple[int, OneEdit]]]
) -> list[tuple[Shown, list[tuple[int, OneEdit]]]]:
    """The edits of each real file, in order: a file may have been named by a link too."""
    files: dict[str, tuple[Shown, list[tuple[int, OneEdit]]]] = {}
    for shown in everything:
        name = shown.files[0].path if shown.kind == "file" else shown.asked
        files.setdefault(name, (shown, []))[1].extend(groups[shown.asked])
    return [(shown, sorted(edits, key=lambda e: e[0])) for shown, edits in files.values()]


def _plan(shown: Shown, edits: Sequence[tuple[int, OneEdit]], bench: Bench) -> _Plan:
    if shown.kind != "file":
        near = f" Did you mean {', '.join(shown.near)}?" if shown.near else " To make a new file use write_file."
        why = f"no such file.{near}" if shown.kind == "missing" else "is not one file; name one."
        why = f"{shown.error}; name a file of the repository." if shown.error else why
        return _Plan(shown.asked, faults={n: why for n, _ in edits})
    view = shown.files[0]
    try:
        lines = Lines.decode(view.data)
    except NotText as no:
        return _Plan(view.path, faults={n: f"{no}; change it with shell." for n, _ in edits})
    if view.state != "text":
        why = f"{view.error}; name another file." if view.error else f"is a {view.state} file; change it with shell."
        return _Plan(view.path, faults={n: why for n, _ in edits})
    known = guard.known(bench.record, view, lines)
    if known.state == "never":
        return _never(view, lines, known, edits)
    done = together(lines, edits, known.lines)
    named = [tidy(one.path) for _, one in edits]
    history = History.of(bench.record, view.path, named, whole=known.state == "same")
    showed, unseen = _unseen(view, lines, known, done)
    told = {n: no for n, no in sorted(done.faults.items()) if not isinstance(no, Unseen)}
    notes = [done.notes[n] for n in sorted(done.notes)]
    if known.state == "changed":
        notes.append(f"{view.path} was not as you saw it before this edit: check the lines around it in the diff")
    return _Plan(
        view.path,
        view.data,
        done.lines.encode(),
        view.sha256,
        done.rungs,
        unseen | {n: refusal(view.path, lines, dict(edits)[n], no, history) for n, no in told.items()},
        notes,
        showed,
    )


def _never(view: FileView, lines: Lines, known: Known, edits: Sequence[tuple[int, OneEdit]]) -> _Plan:
    """The refusal of edits in a file of which nothing was shown."""
    first = [one.old_string.strip().split("\n")[0].strip() for _, one in edits]
    rows = [next((n for n, row in enumerate(lines.rows, 1) if row.strip() == text), 1) for text in first]
    no = guard.around(view, lines, known, "", list(dict.fromkeys(rows)), most=_NEW)
    return _Plan(view.path, sha256=view.sha256, seen=no.seen, faults=_once(no.text, [n for n, _ in edits]))


def _unseen(view: FileView, lines: Lines, known: Known, done: Together) -> tuple[Seen | None, dict[int, str]]:
    """What is shown for the edits whose places the model did not see, and what they are told."""
    unseen = {n: no for n, no in sorted(done.faults.items()) if isinstance(no, Unseen)}
    if not unseen:
        return None, {}
    rung = next(iter(unseen.values())).rung
    rows = dict.fromkeys(first for no in unseen.values() for first, _ in no.spans)
    why = f", and old_string is not exactly what stands there (only by {rung})"
    no = guard.around(view, lines, known, why, list(rows), most=_MORE)
    return no.seen, _once(no.text, list(unseen))


def _once(text: str, numbers: Sequence[int]) -> dict[int, str]:
    """`text` for the first of the edits, a pointer to it for the others."""
    return {n: text if n == numbers[0] else f"as edit {numbers[0]}: send it again with it" for n in numbers}


def _result(plans: Sequence[_Plan], written: dict[str, Written], total: int, bench: Bench) -> ToolResult:
    parts, faults, states = [], [], {}
    seen = {plan.path: plan.seen for plan in plans if plan.seen is not None}
    for plan in plans:
        landed = written.get(plan.path)
        if landed is None or landed.error:
            faults += [f"edit {n} in {plan.path}: {why}" for n, why in plan.faults.items()]
            faults += [f"{plan.path} {landed.error}; readfile it and send the edits again."] if landed else []
            faults += [_held(plan)] if plan.rungs and plan.faults else []
            continue
        states[plan.path] = landed.sha256
        drawn = card(plan.path, plan.before, plan.after)
        seen[plan.path] = carried((plan.before, plan.sha256), (plan.after, landed.sha256), whole=is_whole(drawn))
        parts += [drawn, *(f"NOTE: {note}." for note in plan.notes)]
        parts += [f"SYNTAX ERROR in {plan.path}, new since this edit: {landed.syntax}"] if landed.syntax else []
    if states:
        bench.snapshot = None
    rungs = {n: rung for plan in plans if plan.path in states for n, rung in plan.rungs.items()}
    head = f"edit: {len(rungs)} of {total} applied" + _loosely(list(rungs.values()))
    told = [f"FAILED: {fault}" for fault in faults]
    return ToolResult(
        ok=not faults,
        content="\n".join([head, *_landed(sorted(rungs), faults), *parts, *told]),
        changed_files=tuple(states),
        error=faults[0] if faults else None,
        rung=max(rungs.values(), key=RUNGS.index, default=None),
        seen=seen,
        states=states,
    )


def _landed(numbers: Sequence[int], faults: Sequence[str]) -> list[str]:
    """What need not be sent again, where something else must be."""
    if not numbers or not faults:
        return []
    return [f"Applied and not to be sent again: edit{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}."]


def _held(plan: _Plan) -> str:
    good = ", ".join(map(str, sorted(plan.rungs)))
    return f"{plan.path} was left as it is: a file changes whole or not at all. Send edits {good} again too."


def _loosely(rungs: Sequence[str]) -> str:
    loose = sorted({r for r in rungs if r != "exact"}, key=RUNGS.index)
    return f" (old_string was not exact: {', '.join(loose)})" if loose else ""
