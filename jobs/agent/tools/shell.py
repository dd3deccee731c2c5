"""shell: one bash command in the tree, its output, and which files it changed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Shell
from jobs.agent.tools.cap import middle, plain
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.sandbox.base import Command, Result

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
# The fingerprints are taken in the same cell, after the command: one sandbox a call.
_AROUND = 'bash -o pipefail -c "$1"; code=$?; "${@:2}" snapshot > /out/snapshot.json; exit $code'
_NAMED = 40  # changed files that are listed


def run(args: Shell, bench: Bench) -> ToolResult:
    """Runs the command; a non-zero exit is a result, not a failure of the tool."""
    if not args.command.strip():
        return ToolResult.failed("shell", 'command is empty: send e.g. {"command": "git log -3"}')
    before = bench.snapshot if bench.snapshot is not None else inside.snapshot(bench.cell)
    timeout_s = max(1.0, min(args.timeout_s, bench.timeout_s))
    argv = ("bash", "-c", _AROUND, "bash", args.command, *inside.PYTHON, inside.FILES)
    done = bench.cell.run(Command(argv, timeout_s=timeout_s, env=QUIET, collect=("snapshot.json",)))
    after = _after(done, bench)
    bench.snapshot = after
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    states = inside.digests(bench.cell, changed) if changed else {}
    real = tuple(path for path in changed if path not in bench.touched or bench.touched[path] != states[path])
    output = middle(plain(done.text).rstrip())
    content = "\n".join(part for part in (_head(done, timeout_s), output.text, _named(real, states)) if part)
    return ToolResult(
        ok=done.ended == "exit",
        content=content,
        changed_files=real,
        error=None if done.ended == "exit" else _head(done, timeout_s),
        cut=output.cut,
        states={path: states[path] for path in real},
    )


def _after(done: Result, bench: Bench) -> Mapping[str, str]:
    """The tree's fingerprints after the command; taken again where it was ended before it could tell."""
    try:
        return dict(json.loads(done.files["snapshot.json"])["files"])
    except (KeyError, ValueError, TypeError):
        return inside.snapshot(bench.cell)


def _head(done: Result, timeout_s: float) -> str:
    if done.ended == "exit":
        return f"shell: exit code {done.exit_code} after {done.seconds:.1f} s"
    why = {
        "timeout": f"stopped after {timeout_s:.0f} s: run less at once, or send a larger timeout_s",
        "output": "stopped, it wrote too much: filter the output",
        "killed": "killed, probably out of memory or processes",
    }
    return f"shell: {why[done.ended]}"


def _named(paths: tuple[str, ...], states: Mapping[str, str | None]) -> str:
    if not paths:
        return ""
    rows = [f"{path}{'' if states[path] else ' (deleted)'}" for path in paths[:_NAMED]]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"Changed files: {', '.join(rows)}{more}"
