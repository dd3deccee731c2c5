"""more: the lines of an output that was cut in a result."""

from __future__ import annotations

from jobs.agent.tools.further.requests import More
from jobs.agent.tools.page import within
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

MOST_LINES = 400
_MOST_CHARS = 40_000


def more(args: More, bench: Bench) -> ToolResult:
    """Numbered lines `start` to `end` of output `output`, at most 400 a call."""
    rows = bench.outputs.lines(args.output)
    if rows is None:
        raise BadCall(_absent(args.output, bench.outputs.numbers))
    last = len(rows) if args.end is None else min(args.end, len(rows))
    if args.start < 1 or args.start > last:
        asked = f"{args.start} to {args.end}" if args.end is not None else f"from {args.start} on"
        raise BadCall(f"output {args.output} has no lines {asked}: it has lines 1 to {len(rows)}.")
    text, end = within(rows, (args.start, min(last, args.start + MOST_LINES - 1)), _MOST_CHARS)
    rest = f'\n[… goes on: call_tool more {{"output": {args.output}, "start": {end + 1}}} …]' if end < last else ""
    head = f"output {args.output}, lines {args.start}-{end} of {len(rows):,}\n"
    return ToolResult(ok=True, content=head + text + rest, cut=end < last)


def _absent(number: int, kept: tuple[int, ...]) -> str:
    if not kept:
        return f"there is no output {number}: no output is kept. Run the command again."
    if number < kept[0]:
        return f"output {number} is gone, the newer ones took its room: run its command again. Kept: {_named(kept)}."
    return f"there is no output {number}. Kept: {_named(kept)}; a result that is cut names its own."


def _named(kept: tuple[int, ...]) -> str:
    return str(kept[0]) if len(kept) == 1 else f"{kept[0]} to {kept[-1]}"
