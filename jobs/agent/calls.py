"""Runs the tool calls of one reply, in order, checks what they changed, and keeps their record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from jobs.agent.checks import Checked
from jobs.agent.prompt import render
from jobs.agent.record import Call
from jobs.agent.seen import Seen, Spans, joined
from jobs.agent.stuck import STOP_AT, Stuck, digest, key
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Anchor
from jobs.agent.tools.registry import TOOLS, call
from jobs.agent.tools.spec import Bench, ToolResult, ToolSpec
from jobs.model.base import Block

_TELLING = ("edit", "write_file")  # their own results tell of syntax errors
Tools = Mapping[str, ToolSpec]
_NOT_RUN = (
    "not run: this same call gave the same result three times on this same state of the files. "
    "Next: use what it said, or ask for something else."
)
# What to do instead of the same call again, by tool; a prompt's name.
_ADVICE = {"run_tests": "again_tests", "shell": "again_shell", "edit": "again_edit", "write_file": "again_edit"}


class Check(Protocol):
    """What runs behind a change."""

    def __call__(self, changed: Sequence[str], *, told: bool = False) -> Checked | None:
        """Checks `changed` paths; `told` says that syntax errors in them were told. None: nothing to say."""
        ...


@dataclass(frozen=True)
class Ran:
    """The results as blocks, in the order of the calls, what is recorded of those that ran, and the number of the
    first of these. `numbers` maps ids of calls to their numbers."""

    results: tuple[Block, ...]
    calls: tuple[Call, ...]
    first: int
    stuck: bool
    numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Time inside the tools and checks."""
        return sum(c.ms for c in self.calls) / 1000


@dataclass(frozen=True)
class _Made:
    block: Block
    call: Call
    content: str


def run_calls(
    blocks: Sequence[Block], bench: Bench, stuck: Stuck, check: Check | None = None, tools: Tools = TOOLS
) -> Ran:
    """Runs every call; one that fails never stops the later ones, one repeated for the fourth time is not run, and the
    session is stuck then, unless something else in the reply changed a file.

    What changed is checked once, behind the last call that changed something; not where run_tests ran after it.
    """
    made: list[_Made] = []
    refused: list[Block] = []
    first = len(bench.record.calls) + 1 if bench.record is not None else 1
    for block in blocks:
        tool, args = str(block.get("name")), _arguments(block)
        if stuck.before(tool, args, bench.workspace) >= STOP_AT - 1:
            refused.append(_block(block, ok=False, content=ToolResult.failed(tool, _NOT_RUN).content))
            continue
        done, content = timed(tool, block.get("input"), bench, stuck, tools)
        made.append(_Made(block, done, content))
    if check is not None:
        made = _checked(made, check)
    if bench.record is not None:
        bench.record.calls[first - 1 :] = [one.call for one in made]
    results = [_block(one.block, ok=one.call.ok, content=one.content) for one in made]
    calls = tuple(one.call for one in made)
    numbers = {one.block["id"]: first + n for n, one in enumerate(made)}
    circling = bool(refused) and not any(call.changed_files for call in calls)
    return Ran(_ordered(blocks, [*results, *refused]), calls, first, circling, numbers)


def _ordered(blocks: Sequence[Block], results: Sequence[Block]) -> tuple[Block, ...]:
    """`results` in the order of the calls that they answer."""
    place = {block["id"]: n for n, block in enumerate(blocks)}
    return tuple(sorted(results, key=lambda result: place[result["tool_use_id"]]))


def timed(tool: str, args: object, bench: Bench, stuck: Stuck, tools: Tools = TOOLS) -> tuple[Call, str]:
    """One call, recorded, and its result with its number; advice stands behind a result that was given before."""
    given = args if isinstance(args, dict) else {}
    tree, started = bench.workspace, time.monotonic()
    result = call(tool, args, bench, tools)
    again = stuck.after(tool, given, tree, result.content)
    telling = tools.get(tool) is TOOLS.get(tool)  # our own reading tool says itself what it showed
    made = Call(
        tool=tool,
        args=given,
        ok=result.ok,
        ms=round((time.monotonic() - started) * 1000),
        result_bytes=len(result.content.encode()),
        cut=result.cut,
        rung=result.rung,
        changed_files=result.changed_files,
        seen=result.seen if telling or result.seen else _named(tool, given, result, bench),
        key=key(tool, given),
        result=digest(result.content),
        unchanged=result.unchanged,
        tests=result.tests,
    )
    number = bench.record.add(made) if bench.record is not None else 1
    content = result.content or "(nothing to show)"
    return made, f"[call {number}] {content}{_advice(tool, again, ok=result.ok)}"


def _arguments(block: Block) -> Mapping[str, Any]:
    given = block.get("input")
    return given if isinstance(given, dict) else {}


def _advice(tool: str, again: int, *, ok: bool) -> str:
    if again < 2:
        return ""
    if ok and tool in _TELLING:  # it landed each time: something else takes it back
        tool = ""
    last = " " + render("again_last") if again >= STOP_AT - 1 else ""
    return f"\n[{render(_ADVICE.get(tool, 'again'))}{last}]"


def _named(tool: str, args: Mapping[str, Any], result: ToolResult, bench: Bench) -> Mapping[str, Seen]:
    """What a reading call must have shown, from the call itself: whoever reads, the guard judges by this record."""
    if tool != "readfile" or not result.ok or result.unchanged:
        return {}
    asked: list[tuple[str, Spans | None]] = [(p, None) for p in _several(args.get("paths")) if isinstance(p, str)]
    for kind in ("ranges", "anchor_lines"):
        rows = [row for row in _several(args.get(kind)) if isinstance(row, dict)]
        asked += [(row["path"], _lines(row)) for row in rows if isinstance(row.get("path"), str)]
    shown = inside.show(bench.cell, [path for path, _ in asked]) if asked else ()
    seen: dict[str, Seen] = {}
    for one, (_, spans) in zip(shown, asked, strict=True):
        if one.kind == "file" and one.files[0].sha256:  # its path is where the links lead
            before = seen[one.files[0].path].spans if one.files[0].path in seen else ()
            known = None if spans is None or before is None else joined([*before, *spans])
            seen[one.files[0].path] = Seen(one.files[0].sha256, known)
    return seen


def _lines(row: Mapping[str, Any]) -> Spans:
    """The lines that a row of ranges or anchor_lines asks for; none where it is not clear."""
    try:
        if "line" not in row:
            return ((int(row["start"]), int(row["end"])),)
        line, around = int(row["line"]), int(row.get("around", Anchor.around))
    except (KeyError, TypeError, ValueError):
        return ()
    return ((line - around, line + around),)


def _several(value: object) -> Sequence[Any]:
    return [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []


def _checked(made: list[_Made], check: Check) -> list[_Made]:
    """`made` with the outcome of the checks behind the last change."""
    places = [n for n, one in enumerate(made) if one.call.changed_files]
    if not places or any(one.call.whole_suite and one.call.ok for one in made[places[-1] + 1 :]):
        return made
    changed = dict.fromkeys(path for one in made for path in one.call.changed_files)
    told = all(one.call.tool in _TELLING for one in made if one.call.changed_files)
    found = check(tuple(changed), told=told)
    if found is None:
        return made
    at = made[places[-1]]
    facts = {"green": found.green, "ran": found.ran, "seconds": round(found.seconds, 3)}
    spent = at.call.ms + round(found.seconds * 1000)
    kept = replace(at.call, checks=facts, ms=spent, result_bytes=at.call.result_bytes + len(found.text.encode()))
    made[places[-1]] = _Made(at.block, kept, f"{at.content}\n\n{found.text}")
    return made


def _block(block: Block, *, ok: bool, content: str) -> Block:
    made: Block = {"type": "tool_result", "tool_use_id": block["id"], "content": content}
    return made if ok else {**made, "is_error": True}
