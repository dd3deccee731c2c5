"""Reads a trace back: every event is checked, whatever wrote the file, and where it ends too early is told. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator

from jobs.errors import UserError

Object = Mapping[str, Any]
_Text = Annotated[str, Strict()]
_Whole = Annotated[int, Strict()]
_Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]  # takes whole numbers too
_Flag = Annotated[bool, Strict()]
_Span = tuple[_Whole, _Whole]


class _Shape(BaseModel):
    """Fields that are missing or null have their defaults: they are not known."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, row: Any) -> Any:
        return {key: value for key, value in row.items() if value is not None} if isinstance(row, Mapping) else row


class TracedSight(BaseModel):
    """What a call showed of one file: of the bytes `sha256` (None: not known which) the lines `spans`, None for all."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sha256: _Text | None = None
    spans: tuple[_Span, ...] | None = ()
    before: _Text | None = None
    kept: tuple[tuple[_Whole, _Whole, _Whole], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _hash_alone(cls, row: Any) -> Any:
        return {"sha256": row} if row is None or isinstance(row, str) else row


class TracedTests(_Shape):
    """What tests or checks in a call came to; `ran` counts tests."""

    green: _Flag | None = None
    ran: _Whole = 0
    seconds: _Number = 0.0


class TracedCall(_Shape):
    """One call as jobs.agent.record.Call writes it; everything that reads calls of a trace reads them by this."""

    number: _Whole | None = None
    tool: _Text = ""
    args: dict[str, Any] = {}
    ok: _Flag = True
    ms: _Whole = 0
    result_bytes: _Whole = 0
    cut: _Flag = False
    rung: _Text | None = None
    changed_files: tuple[_Text, ...] = ()
    seen: dict[str, TracedSight] = {}
    key: _Text = ""
    result: _Text | None = None
    unchanged: _Flag = False
    checks: TracedTests | None = None
    tests: TracedTests | None = None

    @property
    def green(self) -> bool | None:
        """Whether what ran in it last was green: the checks behind it, else its own tests. None where nothing ran."""
        if self.checks is not None and self.checks.ran:
            return self.checks.green
        return self.tests.green if self.tests is not None else None


class _Usage(_Shape):
    input: _Whole = 0
    output: _Whole = 0
    cache_read: _Whole = 0
    cache_write: _Whole = 0


class _Names(_Shape):
    """What a round says of its request; see jobs.trace.bodies."""

    system: _Text
    tools: _Text
    kept: Annotated[int, Strict(), Field(ge=0)]
    added: tuple[_Text, ...]
    max_tokens: _Whole
    marks: tuple[_Whole, ...] = ()
    all: _Text | None = None


class _Event(_Shape):
    type: _Text
    cleared: tuple[_Whole, ...] = ()


class _Round(_Event):
    n: _Whole = 0
    model: _Text = ""
    usage: _Usage = _Usage()
    usd: _Number | None = None
    seconds: _Number | None = None
    first_token_ms: _Number | None = None
    tokens_per_s: _Number | None = None
    request_bytes: _Whole = 0
    tool_output_bytes: _Whole = 0
    stop_reason: _Text | None = None
    calls: tuple[TracedCall, ...] = ()
    request: _Names | None = None


class _Note(_Event):
    why: _Text = ""
    calls: tuple[TracedCall, ...] = ()


class _Message(_Shape):
    role: _Text
    content: str | tuple[dict[str, Any], ...]


class _Body(_Event):
    hash: _Text
    body: _Message | tuple[dict[str, Any], ...]


class _Hunk(_Event):
    file: _Text


_SHAPES: Mapping[str, type[_Event]] = {"round": _Round, "note": _Note, "body": _Body, "hunk": _Hunk}


@dataclass(frozen=True)
class Read:
    """The events of a trace. `early` says why it does not go to the end of its run, None where it does."""

    events: tuple[Object, ...]
    early: str | None

    @property
    def note(self) -> str | None:
        """What whoever reads figures of such a trace must know."""
        return f"this trace ends early ({self.early}): what came after it is not counted" if self.early else None


def read(lines: Iterable[str]) -> Read:
    """The events of a trace in JSON Lines. A last line that is unfinished, as a killed run leaves it, is left out.

    Raises UserError, with the line's number, for anything that no trace holds.
    """
    told = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    found = [(number, _parsed(line)) for number, line in told]
    unfinished = bool(found) and isinstance(found[-1][1], ValueError)
    if unfinished:
        found.pop()
    events = tuple(_checked(number, event) for number, event in found)
    return Read(events, "its last line is unfinished" if unfinished else _open_end(events))


def calls_of(event: Object) -> tuple[TracedCall, ...]:
    """The calls of an event that was read."""
    return tuple(map(TracedCall.model_validate, event.get("calls") or ()))


def _parsed(line: str) -> Any:
    """The line's value, or the error that says why it has none."""
    try:
        return json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as wrong:
        return ValueError(str(wrong))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _checked(number: int, event: Any) -> Object:
    if isinstance(event, ValueError):
        raise _wrong(number, f"it is not JSON: {event}")
    if not isinstance(event, dict):
        raise _wrong(number, "it is not an object")
    kind = event.get("type")
    try:
        _SHAPES.get(kind if isinstance(kind, str) else "", _Event).model_validate(event)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        what = first["msg"].replace("tuple", "list").replace("dictionary", "object")
        raise _wrong(number, f"{place}: {what[:1].lower()}{what[1:]}") from None
    return event


def _wrong(number: int, why: str) -> UserError:
    return UserError(f"Line {number} is no event of a trace ({why}): give the file that --trace wrote, as it was.")


def _open_end(events: Iterable[Object]) -> str | None:
    """Why the last run of these events has no end."""
    ended = False
    for event in events:
        ended = event["type"] == "run.finished" or (ended and event["type"] != "run.started")
    return None if ended else "its run.finished event is missing"
