"""A workflow's matrix: every combination that its axes, `include` and `exclude` make. Pure."""

from __future__ import annotations

import itertools
from typing import Any

from jobs.suite.ci.expressions import Contexts, value
from jobs.suite.source import table

Row = dict[str, Any]

_MOST = 256  # combinations, as GitHub has it


def combinations(matrix: object, contexts: Contexts) -> list[Row]:
    """The rows of `strategy.matrix`; one empty row where there is none or only a run can tell it."""
    told = table(value(matrix, contexts))
    axes = {key: _list(value(one, contexts)) for key, one in told.items() if key not in ("include", "exclude")}
    axes = {key: values for key, values in axes.items() if values}
    rows = [
        dict(zip(axes, values, strict=True)) for values in itertools.islice(itertools.product(*axes.values()), _MOST)
    ]
    left_out = [table(one) for one in _list(value(told.get("exclude"), contexts))]
    rows = [row for row in rows if not any(out and _matches(row, out) for out in left_out)]
    added = [table(value(one, contexts)) for one in _list(value(told.get("include"), contexts))]
    return _with(rows if axes else [], axes, [one for one in added if one]) or [{}]


def _with(rows: list[Row], axes: dict[str, list[Any]], added: list[Row]) -> list[Row]:
    """`include` adds to each row whose axes it agrees with, and is a row of its own where there is none."""
    alone: list[Row] = []
    for one in added[:_MOST]:
        shared = {key: wanted for key, wanted in one.items() if key in axes}
        fitting = [row for row in rows if _matches(row, shared)]
        for row in fitting:
            row.update(one)
        if not fitting:
            alone.append(dict(one))
    return rows + alone


def _matches(row: Row, wanted: Row) -> bool:
    return all(_agree(row.get(key), one) for key, one in wanted.items())


def _agree(one: object, other: object) -> bool:
    plain = not isinstance(one, dict | list) and not isinstance(other, dict | list)
    return one is other or (plain and str(one) == str(other))


def _list(found: object) -> list[Any]:
    return found[:_MOST] if isinstance(found, list) else []
