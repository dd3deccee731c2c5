"""more: the lines of an output that was cut in a result, and of a long line one part after the other."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.agent.tools.further.requests import More
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

MOST_LINES = 400
_MOST_CHARS = 40_000


def more(args: More, bench: Bench) -> ToolResult:
    """Numbered lines `start` to `end` of output `output`, at most 400 and 40,000 characters a call; a line that has no
    room in it goes on in the next one."""
    rows = bench.outputs.lines(args.output)
    if rows is None:
        raise BadCall(_absent(args.output, bench.outputs.numbers))
    last = len(rows) if args.end is None else min(args.end, len(rows))
    if args.start < 1 or args.start > last:
        asked = f"{args.start} to {args.end}" if args.end is not None else f"from {args.start} on"
        raise BadCall(f"output {args.output} has no lines {asked}: it has lines 1 to {len(rows)}.")
    size = len(rows[args.start - 1])
    if not 1 <= args.character <= max(size, 1):
        raise BadCall(f"line {args.start} has no character {args.character}: it has characters 1 to {size}.")
    text, line, character = _page(rows, args.start, args.character, min(last, args.start + MOST_LINES - 1))
    cut = line <= last
    head = f"output {args.output}, lines {args.start}-{line if character > 1 else line - 1} of {len(rows):,}"
    return ToolResult(ok=True, content=f"{head}\n{text}{_rest(args, line, character) * cut}", cut=cut)


def _page(rows: Sequence[str], start: int, character: int, last: int) -> tuple[str, int, int]:
    """Numbered lines from `character` of line `start` on, no further than line `last`; and where the next page begins:
    line and character, both from 1."""
    out: list[str] = []
    room = _MOST_CHARS
    for number in range(start, last + 1):
        row = rows[number - 1][character - 1 :]
        whole = f"{number}\t{row}" if character == 1 else f"{number}, from character {character:,} on\t{row}"
        if len(whole) > room and out:
            return "\n".join(out), number, 1
        if len(whole) > room:
            left = len(whole) - room
            note = f"[… {left:,} more characters of this line …]"
            return f"{whole[:room]}{note}", number, len(rows[number - 1]) - left + 1
        out.append(whole)
        room -= len(whole) + 1
        character = 1
    return "\n".join(out), last + 1, 1


def _rest(args: More, line: int, character: int) -> str:
    within = f', "character": {character}' if character > 1 else ""
    end = f', "end": {args.end}' if args.end is not None else ""
    return f'\n[… goes on: call_tool more {{"output": {args.output}, "start": {line}{within}{end}}} …]'


def _absent(number: int, kept: tuple[int, ...]) -> str:
    if not kept:
        return f"there is no output {number}: no output is kept. Run the command again."
    if number < kept[0]:
        return f"output {number} is gone, the newer ones took its room: run its command again. Kept: {_named(kept)}."
    return f"there is no output {number}. Kept: {_named(kept)}; a result that is cut names its own."


def _named(kept: tuple[int, ...]) -> str:
    return str(kept[0]) if len(kept) == 1 else f"{kept[0]} to {kept[-1]}"
