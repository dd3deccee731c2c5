"""Runs the tool calls of one reply, in order, checks what they changed, and keeps their record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from jobs.agent.checks import Checked
from jobs.agent.prompt import render
from jobs.agent.record import Call, Seen
from jobs.agent.stuck import STOP_AT, Stuck, digest, key
from jobs.agent.tools import inside
from jobs.agent.tools.registry import TOOLS, call
from jobs.agent.tools.spec import Bench, ToolResult, ToolSpec
from jobs.model.base import Block

_TELLING = ("edit", "write_file")  # their own results tell of syntax errors
Tools = Mapping[str, ToolSpec]
_NOT_RUN = "not run: this same call gave the same result three times, and nothing changed since."
# What to do instead of the same call again, by tool; a prompt's name.
_ADVICE = {"run_tests": "again_tests", "shell": "again_shell", "edit": "again_edit", "write_file": "again_edit"}


class Check(Protocol):
    """What runs behind a change."""

    def __call__(self, changed: Sequence[str], *, told: bool = False) -> Checked | None:
        """Checks `changed` paths; `told` says that syntax errors in them were told. None: nothing to say."""
        ...


@dataclass(frozen=True)
class Ran:
    """The results as blocks, in the order of the calls, what is recorded of them, and the number of the first."""

    results: tuple[Block, ...]
    calls: tuple[Call, ...]
    first: int
    stuck: bool

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
    """Runs every call; one that fails never stops the later ones, one repeated for the fourth time is not run.

    What changed is checked once, behind the last call that changed something; not where run_tests ran after it.
    """
    made: list[_Made] = []
    skipped: list[Block] = []
    first = len(bench.record.calls) + 1 if bench.record is not None else 1
    for block in blocks:
        tool, args = str(block.get("name")), _arguments(block)
        if skipped or stuck.before(tool, args, bench.workspace) >= STOP_AT - 1:
            skipped.append(_block(block, ok=False, content=ToolResult.failed(tool, _NOT_RUN).content))
            continue
        done, content = timed(tool, block.get("input"), bench, stuck, tools)
        made.append(_Made(block, done, content))
    if check is not None:
        made = _checked(made, check)
    if bench.record is not None:
        for one in made:
            bench.record.calls[first - 1 + made.index(one)] = one.call
    results = [_block(one.block, ok=one.call.ok, content=one.content) for one in made]
    return Ran((*results, *skipped), tuple(one.call for one in made), first, bool(skipped))


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
    return made, f"[call {number}] {content}{_advice(tool, again)}"


def _arguments(block: Block) -> Mapping[str, Any]:
    given = block.get("input")
    return given if isinstance(given, dict) else {}


def _advice(tool: str, again: int) -> str:
    if again < 2:
        return ""
    last = " " + render("again_last") if again >= STOP_AT - 1 else ""
    return f"\n[{render(_ADVICE.get(tool, 'again'))}{last}]"


def _named(tool: str, args: Mapping[str, Any], result: ToolResult, bench: Bench) -> Mapping[str, Seen]:
    """What a reading call must have shown, from the call itself: whoever reads, the guard judges by this record."""
    if tool != "readfile" or not result.ok or result.unchanged:
        return {}
    paths = [p for p in _several(args.get("paths")) if isinstance(p, str)]
    parts = [
        p.get("path") for kind in ("ranges", "anchor_lines") for p in _several(args.get(kind)) if isinstance(p, dict)
    ]
    asked = [*((p, None) for p in paths), *((p, ()) for p in parts if isinstance(p, str))]
    shown = inside.show(bench.cell, [path for path, _ in asked]) if asked else ()
    seen: dict[str, Seen] = {}
    for one, (_, spans) in zip(shown, asked, strict=True):
        if one.kind == "file" and one.files[0].sha256:  # its path is where the links lead
            seen.setdefault(one.files[0].path, Seen(one.files[0].sha256, spans))
    return seen


def _several(value: object) -> Sequence[Any]:
    return [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []


def _checked(made: list[_Made], check: Check) -> list[_Made]:
    """`made` with the outcome of the checks behind the last change."""
    places = [n for n, one in enumerate(made) if one.call.changed_files]
    if not places or any(one.call.tool == "run_tests" and one.call.ok for one in made[places[-1] + 1 :]):
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
