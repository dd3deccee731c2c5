"""edit: replacements in one or many files; each file changes whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobs.agent import guard
from jobs.agent.record import Knowledge, Seen
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Edit, OneEdit
from jobs.agent.tools.card import card
from jobs.agent.tools.inside import Shown, Written
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.match import Ambiguous, Applied, Missed, apply
from jobs.agent.tools.miss import enclosing, told
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.spec import Bench, ToolResult

RUNGS = ("exact", "trailing", "indent", "spacing", "punctuation", "numbered")


@dataclass(frozen=True)
class _Plan:
    """What the edits of one file come to. `rungs` and `faults` are by edit number (from 1)."""

    path: str
    before: bytes = b""
    after: bytes = b""
    sha256: str = ""
    rungs: tuple[tuple[int, str], ...] = ()
    faults: tuple[tuple[int, str], ...] = ()
    showed: bool = False  # a refusal that showed the file


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
        why = shown.error or (f"no such file.{near}" if shown.kind == "missing" else "is not one file; name one.")
        return _Plan(shown.asked, faults=tuple((n, why) for n, _ in edits))
    view = shown.files[0]
    try:
        lines = Lines.decode(view.data)
    except NotText as no:
        return _Plan(view.path, faults=tuple((n, f"{no}; use shell.") for n, _ in edits))
    if view.state != "text":
        return _Plan(view.path, faults=tuple((n, view.error or f"is a {view.state} file.") for n, _ in edits))
    known = guard.knowledge(bench.record, view)
    if known == "never":
        row = next((n for n, row in enumerate(lines.rows, 1) if row.strip() == _first(edits[0][1])), 1)
        return _Plan(
            view.path, sha256=view.sha256, showed=True, faults=((edits[0][0], guard.unread(view, lines, row)),)
        )
    return _matched(_Plan(view.path, view.data, view.data, view.sha256), edits, known)


def _first(edit: OneEdit) -> str:
    return edit.old_string.strip().split("\n")[0].strip()


def _matched(plan: _Plan, edits: Sequence[tuple[int, OneEdit]], known: Knowledge) -> _Plan:
    data, rungs, faults = plan.before, [], []
    for number, one in edits:
        try:
            done = _apply(data, one, exact_only=known != "same")
        except (Missed, Ambiguous, NotText) as no:
            faults.append((number, _why(data, one, no)))
        else:
            data = done.data
            rungs.append((number, done.rung))
    return _Plan(plan.path, plan.before, data, plan.sha256, tuple(rungs), tuple(faults))


def _apply(data: bytes, one: OneEdit, *, exact_only: bool) -> Applied:
    if marker := guard.omits(one.new_string, one.old_string):
        raise Missed(f"new_string leaves text out ({marker!r}); write every line")
    done = apply(data, one.old_string, one.new_string, change_context=one.change_context, replace_all=one.replace_all)
    if exact_only and done.rung != "exact":
        raise Missed(
            "this file was not fully shown in its present state, so old_string must match exactly; read it first"
        )
    return done


def _why(data: bytes, one: OneEdit, no: Missed | Ambiguous | NotText) -> str:
    """The message of one failed edit, with the nearest text and the next step."""
    if isinstance(no, NotText):
        return f"{no}; use shell."
    rows = Lines.decode(data).rows
    if isinstance(no, Ambiguous):
        places = [f"line {n} (in: {enclosing(rows, n) or 'top level'})" for n in no.lines[:5]]
        return (
            f"{no}: {'; '.join(places)}. Add neighbouring lines to old_string until it stands once, or send one of the "
            "lines named above as change_context, or replace_all."
        )
    if one.new_string and fold_in(one.new_string, rows):
        return f"{no}. new_string already stands in the file: this change may be done."
    near = told(rows, one.old_string) if one.old_string and one.old_string != one.new_string else ""
    return (
        f"{no}.\n{near}\nNext: copy the lines exactly as the file has them and send this edit again."
        if near
        else f"{no}. Next: readfile the file and copy from it."
    )


def fold_in(text: str, rows: Sequence[str]) -> bool:
    """True if `text` (of some length) stands in the file as it is."""
    return len(text.strip()) >= 20 and text.strip("\n") in "\n".join(rows)


def _result(plans: Sequence[_Plan], written: dict[str, Written], total: int, bench: Bench) -> ToolResult:
    parts, faults, states = [], [], {}
    for plan in plans:
        landed = written.get(plan.path)
        if landed is None or landed.error:
            faults += [f"edit {n} in {plan.path}: {why}" for n, why in plan.faults]
            faults += [f"{plan.path} {landed.error}; readfile it and send the edits again."] if landed else []
            faults += [_held(plan)] if plan.rungs and plan.faults else []
            continue
        states[plan.path] = landed.sha256
        parts += [card(plan.path, plan.before, plan.after)]
        parts += [f"SYNTAX ERROR in {plan.path}, new since this edit: {landed.syntax}"] if landed.syntax else []
    if states:
        bench.snapshot = None
    rungs = [rung for plan in plans if plan.path in states for _, rung in plan.rungs]
    head = f"edit: {len(rungs)} of {total} applied" + _loosely(rungs)
    told_faults = [f"FAILED: {fault}" for fault in faults]
    seen = {path: Seen(sha) for path, sha in states.items()} | {p.path: Seen(p.sha256) for p in plans if p.showed}
    return ToolResult(
        ok=not faults,
        content="\n".join([head, *parts, *told_faults]),
        changed_files=tuple(states),
        error=faults[0] if faults else None,
        rung=max(rungs, key=RUNGS.index, default=None),
        seen=seen,
        states=states,
    )


def _held(plan: _Plan) -> str:
    good = ", ".join(str(n) for n, _ in plan.rungs)
    return f"{plan.path} was left as it is: a file changes whole or not at all. Send edits {good} again too."


def _loosely(rungs: Sequence[str]) -> str:
    loose = sorted({r for r in rungs if r != "exact"}, key=RUNGS.index)
    return f" (white space or punctuation differed: {', '.join(loose)})" if loose else ""
