"""write_file: whole files, new or in place of ones that were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jobs.agent import guard
from jobs.agent.record import Seen
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import NewFile, WriteFile
from jobs.agent.tools.card import card
from jobs.agent.tools.inside import Shown, Written
from jobs.agent.tools.lines import Lines, NotText, fold
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.spec import BadCall, Bench, ToolResult


@dataclass
class _Out:
    """`ready` maps real paths to (bytes, sha256 that the file must still have), `before` to what stands there."""

    ready: dict[str, tuple[bytes, str | None]] = field(default_factory=dict)
    before: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)


def run(args: WriteFile, bench: Bench) -> ToolResult:
    """Writes every file that may be written; says why the others were not."""
    files = {tidy(one.path): one for one in args.files}
    if not files:
        return ToolResult.failed("write_file", 'files is empty: send {"files": [{"path", "content"}]}')
    out = _Out()
    for shown in inside.show(bench.cell, list(files)):
        name = shown.files[0].path if shown.kind == "file" else shown.asked
        try:
            if name in out.ready:
                raise BadCall(f"is the same file as {name}, which this call writes too: send it once")
            out.ready[name] = _bytes(files[shown.asked], shown, bench, out)
        except (BadCall, NotText) as no:
            out.faults[shown.asked] = str(no)
    written = inside.write(bench.cell, out.ready) if out.ready else ()
    out.faults |= {w.path: f"{w.error}; look at it again with readfile" for w in written if w.error}
    if any(not w.error for w in written):
        bench.snapshot = None
    return _result(out, [w for w in written if not w.error])


def _bytes(one: NewFile, shown: Shown, bench: Bench, out: _Out) -> tuple[bytes, str | None]:
    """The bytes to write and the sha256 that the file must still have."""
    if shown.kind in ("missing", "glob") and not shown.files:
        return one.content.encode(), None
    if shown.kind != "file":
        raise BadCall(shown.error or "is a folder: name a file")
    view = shown.files[0]
    if view.state != "text":
        raise BadCall(view.error or f"is a {view.state} file: use shell")
    lines = Lines.decode(view.data)
    out.before[view.path] = view.data
    known = guard.knowledge(bench.record, view)
    if known != "same":
        out.seen[view.path] = Seen(view.sha256)
        raise BadCall(guard.unread(view, lines))
    if not one.content and view.data:
        raise BadCall("content is empty, which would lose the file's text: to delete it use shell rm")
    if marker := guard.omits(one.content, lines.view):
        raise BadCall(f"content leaves text out ({marker!r}): write every line, or use edit")
    new = fold(one.content).split("\n")
    return lines.splice(0, lines.pieces, new, new).encode(), view.sha256


def _result(out: _Out, written: Sequence[Written]) -> ToolResult:
    parts = []
    for done in written:
        before, after = out.before.get(done.path), out.ready[done.path][0]
        size = after.count(b"\n") + (not after.endswith(b"\n") and after != b"")
        change = f"created, {size} lines" if before is None else card(done.path, before, after)
        parts.append(f"write_file {done.path}: {change}")
        parts += [f"SYNTAX ERROR in {done.path}: {done.syntax}"] if done.syntax else []
    parts += [f"write_file FAILED: {path}: {why}" for path, why in out.faults.items()]
    states = {done.path: done.sha256 for done in written}
    return ToolResult(
        ok=not out.faults,
        content="\n".join(parts),
        changed_files=tuple(states),
        error=next((f"{path}: {why}" for path, why in out.faults.items()), None),
        seen=out.seen | {path: Seen(sha) for path, sha in states.items()},
        states=states,
    )
