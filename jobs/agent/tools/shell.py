"""shell: one bash command in the tree, its output, and how it changed the files."""

from __future__ import annotations

from jobs.agent.tools import changes
from jobs.agent.tools.arguments import Shell
from jobs.agent.tools.cap import plain
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.sandbox.base import Command, Result

_SHORTEST_S = 1.0
# Programs must neither page, nor ask, nor draw.
QUIET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "PIP_PROGRESS_BAR": "off",
    "TQDM_DISABLE": "1",
    "CI": "1",
    "NO_COLOR": "1",
    "TERM": "dumb",
}


def run(args: Shell, bench: Bench) -> ToolResult:
    """Runs the command; a non-zero exit is a result, not a failure of the tool."""
    if not args.command.strip():
        return ToolResult.failed("shell", 'command is empty: send e.g. {"command": "git log -3"}')
    before = changes.fingerprints(bench)
    timeout_s = max(_SHORTEST_S, min(args.timeout_s, bench.timeout_s))
    done = bench.cell.run(Command.shell(args.command, timeout_s=timeout_s, env=QUIET))
    found = changes.changes(before, bench)
    output = bench.outputs.capped(plain(done.text).rstrip())
    head = _head(done, timeout_s, longest=timeout_s >= bench.timeout_s)
    content = "\n".join(
        part for part in (head, *_taken(args.timeout_s, timeout_s, bench), output.text, changes.told(found)) if part
    )
    return ToolResult(
        ok=done.ended == "exit",
        content=content,
        changed_files=tuple(change.path for change in found),
        error=None if done.ended == "exit" else head,
        cut=output.cut,
        seen=changes.seen(found, bench),
        states={change.path: change.state for change in found},
    )


def _taken(asked_s: float, timeout_s: float, bench: Bench) -> list[str]:
    """One line where the time that was asked for is not the one that was given."""
    if asked_s == timeout_s:
        return []
    return [f"[… timeout_s {asked_s:g} was taken as {timeout_s:g}: send {_SHORTEST_S:g} to {bench.timeout_s:g} …]"]


def _head(done: Result, timeout_s: float, *, longest: bool) -> str:
    if done.ended == "exit":
        return f"shell: exit code {done.exit_code} after {done.seconds:.1f} s"
    larger = ", there is no longer time" if longest else ", or send a larger timeout_s"
    why = {
        "timeout": f"stopped after {timeout_s:.0f} s: run less at once{larger}",
        "output": "stopped, it wrote too much: filter the output",
        "killed": "killed, probably out of memory or processes: run less at once",
    }
    return f"shell: {why[done.ended]}"
