"""What a run's rounds come to, as one object with stable keys. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jobs.trace.reader import TracedCall, calls_of
from jobs.trace.reader import read as read_trace
from jobs.trace.steps import Story, story
from jobs.trace.waste import Finding, findings, lost, usd

_TOKENS = ("input", "output", "cache_read", "cache_write")


def account(lines: Iterable[str]) -> dict[str, Any]:
    """The account of a trace in JSON Lines; absent things are null, never missing.

    {rounds: [{n, model, stop_reason, usage: {input, output, cache_read, cache_write}, cache_share, request_bytes,
               tool_output_bytes, tool_share, first_token_ms, tokens_per_s, seconds, usd, lost,
               calls: [{tool, args, ok, ms, result_bytes, cut, changed_files, waste: [class, …]}]}],
     opening: {calls, result_bytes},
     totals: {rounds, acting (those with calls), calls, failed, usage: {…}, cache_share, tool_share, usd, model_seconds,
              tool_seconds},
     waste: {class: {rounds: [n, …], calls: [{round: n, call: from 1}], lost: [n, …], usd}}, all classes, also empty,
     wasted: {rounds: [n, …], count, share, usd},                each round once
     ends_early: why the figures are not those of a whole run, or null}

    Shares are parts of 1: `cache_share` of the tokens read, `tool_share` of the bytes sent. `n` counts from 1 and
    begins again where a trace holds several sessions. Raises UserError for lines that are no trace.
    """
    trace = read_trace(lines)
    told, tale = trace.events, story(trace)
    found = findings(tale)
    gone = lost(tale, found)
    raw = [event for event in told if event.get("type") == "round"]
    rounds = [_round(event, n, found, n in gone) for n, event in enumerate(raw)]
    opening = [call for event in told if event.get("type") == "note" for call in calls_of(event)]
    return {
        "rounds": rounds,
        "opening": {"calls": len(opening), "result_bytes": sum(call.result_bytes for call in opening)},
        "totals": _totals(rounds),
        "waste": {one.name: _finding(one, tale) for one in found},
        "wasted": {
            "rounds": _names(tale, gone),
            "count": len(gone),
            "share": _share(len(gone), len(rounds)),
            "usd": _rounded(usd(tale, gone)),
        },
        "ends_early": trace.note,
    }


def _round(event: Mapping[str, Any], n: int, found: Sequence[Finding], gone: bool) -> dict[str, Any]:
    usage = {key: (event.get("usage") or {}).get(key) or 0 for key in _TOKENS}
    calls = calls_of(event)
    known = ("model", "stop_reason", "first_token_ms", "tokens_per_s", "seconds", "usd")
    return {
        "n": event.get("n"),
        **{key: event.get(key) for key in known},
        "usage": usage,
        "cache_share": _share(usage["cache_read"], read(usage)),
        "request_bytes": event.get("request_bytes") or 0,
        "tool_output_bytes": event.get("tool_output_bytes") or 0,
        "tool_share": _share(event.get("tool_output_bytes") or 0, event.get("request_bytes") or 0),
        "lost": gone,
        "calls": [_call(call, [one.name for one in found if (n, k) in one.calls]) for k, call in enumerate(calls)],
    }


def _call(call: TracedCall, waste: Sequence[str]) -> dict[str, Any]:
    told = call.model_dump(include={"tool", "args", "ok", "ms", "result_bytes", "cut"})
    return {**told, "changed_files": list(call.changed_files), "waste": list(waste)}


def _totals(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    usage = {key: sum(r["usage"][key] for r in rounds) for key in _TOKENS}
    calls = [call for r in rounds for call in r["calls"]]
    priced = [r["usd"] for r in rounds if r["usd"] is not None]
    sent, results = (sum(r[key] for r in rounds) for key in ("request_bytes", "tool_output_bytes"))
    return {
        "rounds": len(rounds),
        "acting": sum(bool(r["calls"]) for r in rounds),
        "calls": len(calls),
        "failed": sum(not call["ok"] for call in calls),
        "usage": usage,
        "cache_share": _share(usage["cache_read"], read(usage)),
        "tool_share": _share(results, sent),
        "usd": _rounded(sum(priced)) if priced else None,
        "model_seconds": round(sum(r["seconds"] or 0.0 for r in rounds), 3),
        "tool_seconds": round(sum(call["ms"] for call in calls) / 1000, 3),
    }


def _finding(found: Finding, tale: Story) -> dict[str, Any]:
    made = [(step, call) for step, call in found.calls if call < len(tale.steps[step].acts)]
    return {
        "rounds": _names(tale, found.rounds),
        "calls": [{"round": tale.steps[step].n, "call": call + 1} for step, call in made],
        "lost": _names(tale, found.lost),
        "usd": _rounded(usd(tale, found.lost)),
    }


def read(usage: Mapping[str, int]) -> int:
    """The tokens that a round's request had, cached or not."""
    return usage["input"] + usage["cache_read"] + usage["cache_write"]


def _names(tale: Story, rounds: Iterable[int]) -> list[int]:
    return [tale.steps[n].n for n in sorted(rounds)]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _rounded(dollars: float | None) -> float | None:
    return None if dollars is None else round(dollars, 6)
