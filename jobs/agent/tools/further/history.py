"""log, blame, show: what the repository's history tells, asked of git inside the cell."""

from __future__ import annotations

from dataclasses import replace

from jobs.agent.tools.cap import plain
from jobs.agent.tools.further.requests import Blame, Log, Show
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.shell import QUIET
from jobs.agent.tools.spec import BadCall, Bench, ToolResult
from jobs.sandbox.base import Command, Result

_GIT = ("git", "--no-pager", "--literal-pathspecs", "-c", "color.ui=false", "-c", "core.quotePath=false")
_LONGEST_S = 60.0
_MOST_COMMITS = 200
_MOST_LINES = 400
_HEAD, _TAIL = 12_000, 4_000


def log(args: Log, bench: Bench) -> ToolResult:
    """Commits, newest first, one line each: abbreviated id, date, author, subject."""
    count = max(1, min(args.count, _MOST_COMMITS))
    place = () if args.path is None else (_below(args.path),)
    # Only a single file can be followed over its renames.
    followed = ("--follow",) if place and bench.cell.read(place[0]) is not None else ()
    line = ("log", "--date=short", "--format=%h %ad %an: %s", f"--max-count={count}", *followed)
    if not args.pattern:
        return _told("log", _ask(bench, *line, "--", *place), bench, empty="no commit")
    moved = _ask(bench, *line, f"-S{args.pattern}", "--", *place)
    if moved.ok and moved.output.strip():
        return _told("log", moved, bench, lead=f"Commits that added or removed {args.pattern!r}:\n")
    touched = _ask(bench, *line, "--extended-regexp", f"-G{args.pattern}", "--", *place)
    lead = f"Commits that changed a line that matches {args.pattern!r}:\n"
    return _told("log", touched, bench, lead=lead, empty=f"no commit whose change holds {args.pattern!r}")


def blame(args: Blame, bench: Bench) -> ToolResult:
    """Who last changed each line, and in which commit; lines changed in this session are `Not Committed Yet`."""
    path = _below(args.path)
    if args.start < 1 or args.end < args.start:
        raise BadCall(f"there are no lines {args.start} to {args.end}: lines count from 1, end after start.")
    end = min(args.end, args.start + _MOST_LINES - 1)
    done = _ask(bench, "blame", "--date=short", f"-L{args.start},{end}", "--", path)
    result = _told("blame", done, bench, empty="no such line")
    if result.ok and end < args.end:
        more = f"\n[… {_MOST_LINES} lines a call; go on with start {end + 1} …]"
        return replace(result, content=result.content + more, cut=True)
    return result


def show(args: Show, bench: Bench) -> ToolResult:
    """One commit with its change, or a file as it was (`commit:path`)."""
    commit = args.commit.strip()
    if not commit or commit.startswith("-"):
        raise BadCall(f"{args.commit!r} is no commit: send an id of log, HEAD~2, or HEAD:path for a file as it was.")
    place = () if args.path is None else (_below(args.path),)
    done = _ask(bench, "show", "--date=short", "--stat", "--patch", "--end-of-options", commit, "--", *place)
    return _told("show", done, bench, empty=f"{commit} changes nothing in {args.path}" if place else "nothing in it")


def _below(path: str) -> str:
    """`path` as git takes it. Raises BadCall for what is no path of the repository."""
    name = tidy(path)
    if not path.strip() or name.startswith(("/", "../")) or name == "..":
        raise BadCall(f"{path!r} is not a path of this repository: send one relative to its root.")
    return name


def _ask(bench: Bench, *args: str) -> Result:
    return bench.cell.run(Command((*_GIT, *args), timeout_s=min(_LONGEST_S, bench.timeout_s), env=QUIET))


def _reason(text: str) -> str:
    """The line of git's words that says what was wrong."""
    rows = text.splitlines()
    return next((row for row in rows if row.startswith(("fatal: ", "error: "))), rows[-1] if rows else "").rstrip(".")


def _told(tool: str, done: Result, bench: Bench, *, lead: str = "", empty: str = "") -> ToolResult:
    text = plain(done.text).rstrip()
    if done.ended != "exit":
        return ToolResult.failed(tool, f"{done.reason or done.ended} Ask for less: a path, or a smaller count.")
    if done.exit_code:
        said = _reason(text) or f"exit code {done.exit_code}"
        return ToolResult.failed(tool, f"git said: {said}. Look at `log` for ids and at readfile for paths.")
    if not text:
        return ToolResult(ok=True, content=f"{tool}: {empty}; ask without path or pattern to see what there is.")
    output = bench.outputs.capped(text, head=_HEAD, tail=_TAIL)
    return ToolResult(ok=True, content=lead + output.text, cut=output.cut)
