"""Runs the tool calls of one reply, in order, and keeps their record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.agent.record import Call
from jobs.agent.stuck import STOP_AT, Stuck
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench, ToolResult
from jobs.model.base import Block

_AGAIN = "\n[This is the same call with the same result as before: use what it says, or do something else.]"
_LAST = "\n[Third time the same call gave the same result; a fourth one ends the session.]"
_NOT_RUN = "not run: this same call gave the same result three times, and nothing changed since."


@dataclass(frozen=True)
class Ran:
    """The results as blocks, in the order of the calls, and what is recorded of them."""

    results: tuple[Block, ...]
    calls: tuple[Call, ...]
    stuck: bool

    @property
    def seconds(self) -> float:
        """Time inside the tools."""
        return sum(c.ms for c in self.calls) / 1000


def run_calls(blocks: Sequence[Block], bench: Bench, stuck: Stuck) -> Ran:
    """Runs every call; one that fails never stops the later ones, one repeated for the fourth time is not run."""
    results: list[Block] = []
    calls: list[Call] = []
    ends = False
    for block in blocks:
        tool, args = str(block.get("name")), block.get("input")
        given = args if isinstance(args, dict) else {}
        if ends or stuck.before(tool, given, bench.workspace) >= STOP_AT - 1:
            ends = True
            results.append(_block(block, ToolResult.failed(tool, _NOT_RUN)))
            continue
        made, result = timed(tool, args, bench, stuck)
        calls.append(made)
        results.append(_block(block, result))
    return Ran(tuple(results), tuple(calls), ends)


def timed(tool: str, args: object, bench: Bench, stuck: Stuck) -> tuple[Call, ToolResult]:
    """One call, recorded; a note stands behind a result that was given before."""
    given = args if isinstance(args, dict) else {}
    tree, started = bench.workspace, time.monotonic()
    result = call(tool, args, bench)
    again = stuck.after(tool, given, tree, result.content)
    note = {1: "", 2: _AGAIN}.get(again, _LAST)
    made = Call(
        tool=tool,
        args=given,
        ok=result.ok,
        ms=round((time.monotonic() - started) * 1000),
        result_bytes=len(result.content.encode()),
        cut=result.cut,
        rung=result.rung,
        changed_files=result.changed_files,
        seen=result.seen,
    )
    if bench.record is not None:
        bench.record.calls.append(made)
    return made, ToolResult(**{**vars(result), "content": result.content + note})


def _block(block: Block, result: ToolResult) -> Block:
    content = result.content or "(nothing to show)"
    made: Block = {"type": "tool_result", "tool_use_id": block["id"], "content": content}
    return made if result.ok else {**made, "is_error": True}
