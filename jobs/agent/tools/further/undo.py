"""undo and lock: what the harness does to the whole tree from outside the cell."""

from __future__ import annotations

from jobs.agent.tools import changes
from jobs.agent.tools.changes import Change
from jobs.agent.tools.further.requests import Lock, Undo
from jobs.agent.tools.spec import BadCall, Bench, ToolResult
from jobs.errors import EnvironmentFault


def undo(args: Undo, bench: Bench) -> ToolResult:
    """Makes every file what it was behind that round. What the model read of these files no longer counts."""
    if bench.read_only:
        raise BadCall("this session only reads, so there is nothing to take back: go on reading.")
    if bench.checkpoints is None:
        raise BadCall(
            "the tree's earlier states are not kept here: change the files back with edit or write_file; "
            '`show {"commit": "HEAD:path"}` prints a file as it was before the session.'
        )
    if args.round not in bench.rounds:
        raise BadCall(f"there is no state behind round {args.round}. {_kept(bench)}")
    before = changes.fingerprints(bench)
    failure: EnvironmentFault | None = None
    try:
        bench.checkpoints.restore(bench.rounds[args.round])
    except EnvironmentFault as fault:  # what was put back until then must be told all the same
        failure = fault
    found = changes.changes(before, bench)
    bench.snapshot = None
    if failure is not None:
        text = f"undo FAILED: {failure} Look at what was put back, then change the rest with edit or write_file."
        return _result(found, text, error=str(failure))
    when = f"behind round {args.round}" if args.round else "before round 1"
    if not found:
        return ToolResult(ok=True, content=f"undo: the tree is already as it was {when}; nothing changed.")
    text = f"undo: every file is as it was {when}. Read again what you edit; undo with a later round goes back there."
    return _result(found, text)


def lock(args: Lock, bench: Bench) -> ToolResult:
    """Resolves the lock file of a changed manifest; the tree gets that file alone."""
    if bench.read_only:
        raise BadCall("this session only reads: say in your answer which lock file has to be resolved.")
    if bench.lock is None:
        raise BadCall(
            "not available here: change a manifest only if its lock file can stay as it is, and otherwise say in "
            "your last message which command resolves it."
        )
    before = changes.fingerprints(bench)
    try:
        text, error = bench.lock(), None
    except BadCall as no:  # another lock file may have been written before
        text = error = str(no)
    told = f"lock: {text}" if error is None else f"lock FAILED: {text}"
    return _result(changes.changes(before, bench), told, error)


def _kept(bench: Bench) -> str:
    if not bench.rounds:
        return "No state is kept yet: change the files back with edit."
    return f"Send one of: {', '.join(map(str, sorted(bench.rounds)))} (0 is before the first round)."


def _result(found: tuple[Change, ...], text: str, error: str | None = None) -> ToolResult:
    return ToolResult(
        ok=error is None,
        content="\n".join(part for part in (text, changes.told(found)) if part),
        changed_files=tuple(change.path for change in found),
        error=error,
        states={change.path: change.state for change in found},
    )
