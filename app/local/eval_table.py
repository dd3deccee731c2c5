"""The tables that `patchwright eval` prints. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.local.eval_score import Run, figures, mean, outcomes, spread

Runs = Mapping[str, Sequence[Run]]  # by scenario
SCRIPT_ONLY = "scripted: proves plumbing, says nothing about a model"
_HEAD = ("scenario", "outcome", "hidden", "rounds", "calls/round", "tokens in", "cache", "usd", "minimality", "wasted")
_COMPARED = (("rounds", "rounds"), ("input_tokens", "tokens in"), ("usd", "usd"))


def table(runs: Runs, ceilings: Mapping[str, int]) -> str:
    """A row a scenario, then totals, then what failed and why. `ceilings` are rounds by scenario."""
    every = [run for rows in runs.values() for run in rows]
    rows = [_HEAD, *(_row(name, rows, ceilings.get(name)) for name, rows in runs.items())]
    return "\n".join([*_aligned(rows), "", _total(runs, every), *_complaints(runs)])


def comparison(before: Runs, after: Runs) -> str:
    """What changed in the scenarios that both have: means before and after, their difference, the spread over runs."""
    common = [name for name in after if name in before]
    if not common:
        return "Nothing to compare: no scenario is in both."
    head = ("scenario", "hidden", *(f"{label} {side}" for _, label in _COMPARED for side in ("before", "after", "±")))
    rows = [head, *(_compared(name, before[name], after[name]) for name in common)]
    left = sorted(set(before) ^ set(after))
    tail = [f"Only in one of both: {', '.join(left)}."] if left else []
    known = any(len(side[name]) > 1 for side in (before, after) for name in common)
    tail += [] if known else ["One run each: how far runs scatter is not known, so small differences say nothing."]
    return "\n".join([*_aligned(rows), *tail])


def _compared(name: str, before: Sequence[Run], after: Sequence[Run]) -> tuple[str, ...]:
    cells = [name, f"{_passed(before)} → {_passed(after)}"]
    for figure, _ in _COMPARED:
        old, new = mean(before, figure), mean(after, figure)
        scatter = max((s for side in (before, after) if (s := spread(side, figure)) is not None), default=None)
        cells += [_number(old, figure), _number(new, figure), _difference(old, new, scatter, figure)]
    return tuple(cells)


def _difference(old: float | None, new: float | None, scatter: float | None, figure: str) -> str:
    if old is None or new is None:
        return "-"
    sign = "+" if new > old else "-" if new < old else "="
    size = "" if new == old else _number(abs(new - old), figure)
    inside = scatter is not None and abs(new - old) <= scatter and new != old
    return f"{sign}{size}{' (in the spread)' if inside else ''}"


def _row(name: str, runs: Sequence[Run], ceiling: int | None) -> tuple[str, ...]:
    calls, rounds = (sum(figures(runs, figure)) for figure in ("calls", "rounds"))
    most = f" of {ceiling}" if ceiling else ""
    return (
        name,
        outcomes(runs),
        _passed(runs),
        _with_spread(runs, "rounds") + most,
        f"{calls / rounds:.1f}" if rounds else "-",
        _with_spread(runs, "input_tokens"),
        _share(mean(runs, "cache_share")),
        _with_spread(runs, "usd"),
        _with_spread(runs, "minimality"),
        _with_spread(runs, "wasted", unknown=""),
    )


def _total(runs: Runs, every: Sequence[Run]) -> str:
    tokens, rounds, calls, seconds = (
        sum(figures(every, figure)) for figure in ("input_tokens", "rounds", "calls", "seconds")
    )
    cached = sum(run.input_tokens * run.cache_share for run in every if run.input_tokens and run.cache_share)
    usd = figures(every, "usd")
    return (
        f"{len(runs)} scenarios, {len(every)} runs: hidden check {_passed(every)}, {rounds:,.0f} rounds, "
        f"{calls / rounds if rounds else 0:.1f} calls a round, {tokens:,.0f} tokens in "
        f"({_share(cached / tokens if tokens else None)} cached), {f'${sum(usd):.4f}' if usd else 'no price'}, "
        f"{seconds:.0f} s"
    )


def _complaints(runs: Runs) -> list[str]:
    lines = []
    for name, rows in runs.items():
        for n, run in enumerate(rows, 1):
            which = f"{name}, run {n}" if len(rows) > 1 else name
            lines += [f"{which}: ceiling broken: {words}" for words in run.broken]
            if not run.passed:
                lines.append(f"{which}: hidden check failed: {_indented(run.why or run.reason)}")
    return ["", *lines] if lines else []


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n    ")


def _passed(runs: Sequence[Run]) -> str:
    good = sum(run.passed for run in runs)
    if len(runs) == 1:
        return "pass" if good else "FAIL"
    return f"{good}/{len(runs)} pass"


def _with_spread(runs: Sequence[Run], figure: str, *, unknown: str = "-") -> str:
    middle, wide = mean(runs, figure), spread(runs, figure)
    if middle is None:
        return unknown
    known = figures(runs, figure)
    shown = f" ({_number(min(known), figure)}–{_number(max(known), figure)})" if wide else ""
    return _number(middle, figure) + shown


def _number(value: float | None, figure: str) -> str:
    if value is None:
        return "-"
    if figure == "usd":
        return f"${value:.4f}"
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def _share(part: float | None) -> str:
    return "-" if part is None else f"{part:.0%}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
