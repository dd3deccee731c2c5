"""The opening round, played by the harness: what a good first look would have asked for, with its results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobs.agent.budget import Budget
from jobs.agent.calls import timed
from jobs.agent.context import BUILT, Context, Pick, aside, likeliest, target
from jobs.agent.fence import fenced, inert, unclosed
from jobs.agent.prompt import render
from jobs.agent.record import Call
from jobs.agent.stuck import Stuck
from jobs.agent.tools import inside
from jobs.agent.tools.inside import Listed
from jobs.agent.tools.page import WHOLE_LINES, merged
from jobs.agent.tools.reds import named, told
from jobs.agent.tools.search import Found, find
from jobs.agent.tools.spec import Bench
from jobs.agent.words import asked, loose, specific, words
from jobs.model.base import Block
from jobs.suite.prose import ASIDE, PROSE
from jobs.tasks.task import Task

READING_KINDS = ("ask", "plan")  # what is answered in words
_GUIDANCE = 8_000  # characters of all guidance files together
_PROSE = tuple(f"*.{ending}" for ending in PROSE)
_FEW = 25  # matches of one pattern; a word that stands oftener tells nothing of the place
_MATCHES = 1000  # of the search that chooses files; it ends in path order, so few would leave the last ones out
_TARGET = 16_000  # characters of the failing output


def request_text(task: Task, context: Context, budget: Budget) -> str:
    """The first message: the request, what the maintainers want agents to know, the target and the caps."""
    more = []
    if task.instructions:
        more.append(fenced("instructions", task.instructions))
    if context.target:
        more.append(fenced("output", context.target[-_TARGET:]))
    room = _GUIDANCE
    for path, text in context.guidance:
        if room > 0:
            more.append(fenced("guidance", text[:room], file=path))
        room -= len(text)
    said = {"kind": task.kind, "title": inert(task.title), "body": inert(task.body.strip()), "more": "\n".join(more)}
    if task.kind in READING_KINDS:
        return render("question", **said, caps=_caps(budget))
    return render(
        "task",
        **said,
        suite=context.suite or "not known; run tests with shell",
        caps=_caps(budget),
        target=_target(task, context),
    )


def _caps(budget: Budget) -> str:
    parts = [f"{budget.rounds} rounds (one is one reply of yours)"]
    parts += [] if budget.usd is None else [f"${budget.usd:.2f}"]
    parts += [] if budget.minutes is None else [f"{budget.minutes:g} minutes"]
    return ", ".join(parts)


def _target(task: Task, context: Context) -> str:
    """What must turn green, as far as the baseline tells."""
    red = sorted(target(task, context))
    if red:
        return f"red on the base and, as far as words tell, what the request is about: {named(red, 10)}"
    if context.baseline is not None and not context.baseline.green:
        return "the test command, which fails on the base"
    return (
        "a test that you write, since none is known to be red for this; it may come in one reply with the fix: the "
        "harness runs it on the old code too, where it must be red"
    )


@dataclass(frozen=True)
class Opening:
    """The calls as an assistant's blocks, their results, and their record."""

    asked: tuple[Block, ...]
    results: tuple[Block, ...]
    calls: tuple[Call, ...]

    def text(self) -> str:
        """The same as words, for a model that takes no turn which it did not write itself."""
        shown = [
            render(
                "read_here",
                call=inert(f"{a['name']} {json.dumps(a['input'], ensure_ascii=False)}"),
                result=unclosed("result", r["content"]),
            )
            for a, r in zip(self.asked, self.results, strict=True)
        ]
        return "\n\n".join(shown)


def play(task: Task, context: Context, bench: Bench) -> Opening:
    """Makes the calls that a good first look would make."""
    wanted: list[tuple[str, dict[str, Any]]] = [("readfile", {"paths": ["."]})]
    listing = inside.show(bench.cell, ["."])[0].listing
    patterns, telling = words(task)
    patterns = specific(patterns, [f.path for f in listing])
    if context.baseline is not None:
        wanted.append(("run_tests", {}))
    chosen = likeliest(task, context, listing, _found(patterns, bench))
    if telling and len(chosen) < len(listing) // 2:  # where everything is shown anyway there is nothing to find
        wanted += _searching(task, patterns, listing, bench)
    if chosen:
        wanted.append(("readfile", _reading(chosen, listing)))
    asked: list[Block] = []
    results: list[Block] = []
    calls: list[Call] = []
    for number, (tool, args) in enumerate(wanted, 1):
        block: Block = {"type": "tool_use", "id": f"toolu_opening_{number}", "name": tool, "input": args}
        made, text = _baseline(task, context, bench) if tool == "run_tests" else timed(tool, args, bench, Stuck())
        asked.append(block)
        results.append({"type": "tool_result", "tool_use_id": block["id"], "content": text})
        calls.append(made)
    return Opening(tuple(asked), tuple(results), tuple(calls))


def _searching(
    task: Task, patterns: Sequence[str], listing: Sequence[Listed], bench: Bench
) -> list[tuple[str, dict[str, Any]]]:
    """The search to show, for what stands in a few places: elsewhere than in prose, if it does."""
    copies = [folder for folder in BUILT if folder not in asked(task) and any(_below(folder, f.path) for f in listing)]
    beside = [f"{name}*" for name in (*ASIDE, "PKG-INFO")] if any(aside(f.path, task) for f in listing) else []
    for names in ([*_PROSE, *copies], [*beside, *copies]):
        globs = [f"!{{{','.join(names)}}}"] if names else []
        few = [p for p in patterns if 0 < _count(p, globs, bench) <= _FEW]
        if few:
            return [("search", {"patterns": few, "context": 1, **({"glob": globs[0]} if globs else {})})]
    return []


def _below(folder: str, path: str) -> bool:
    return f"/{folder}/" in f"/{path}"


def _count(pattern: str, globs: Sequence[str], bench: Bench) -> int:
    """On how many lines `pattern` stands, or more than is of use."""
    found = find(bench, {"patterns": [pattern], "context": 0, "globs": globs, "limit": _FEW + 1, "per_file": _FEW + 1})
    return found.total if found.exact else _FEW + 1


def _reading(chosen: Sequence[Pick], listing: Sequence[Listed]) -> dict[str, Any]:
    """Arguments that show each pick, long files whole too."""
    lines = {f.path: f.lines or 0 for f in listing}
    parted = {p.path: p.spans or ((1, lines[p.path]),) for p in chosen if p.spans or lines[p.path] > WHOLE_LINES}
    spans = {path: merged(parts, lines[path]) for path, parts in parted.items()}
    ranges = [{"path": path, "start": s, "end": e} for path, parts in spans.items() for s, e in parts]
    paths = [p.path for p in chosen if p.path not in spans]
    return {**({"paths": paths} if paths else {}), **({"ranges": ranges} if ranges else {})}


def _found(patterns: tuple[str, ...], bench: Bench) -> Found:
    return (
        find(bench, {"patterns": [loose(p) for p in patterns], "regex": True, "context": 0, "limit": _MATCHES})
        if patterns
        else Found((), 0, False, (), "")
    )


def _baseline(task: Task, context: Context, bench: Bench) -> tuple[Call, str]:
    """The suite's report on the base commit, which the harness already has."""
    assert context.baseline is not None
    text = told(context.baseline, "whole suite", context.baseline.red - target(task, context), cap=bench.outputs.capped)
    made = Call("run_tests", {}, True, 0, len(text.text.encode()), text.cut, None, ())
    number = bench.record.add(made) if bench.record is not None else 1
    return made, f"[call {number}] {text.text}"
