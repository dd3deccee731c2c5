"""Everything that a model's work costs is counted: failures without a round, and the time between two requests."""

from __future__ import annotations

import pytest

from app.local.model import ScriptedEndpoint
from jobs.errors import Stopped
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import AskFailed, Request
from jobs.model.metered import Metered
from jobs.model.usage import Usage
from jobs.outcome import Outcome


def _request(text: str) -> Request:
    return Request((), (), ({"role": "user", "content": [{"type": "text", "text": text}]},), 8000)


def test_rounds_and_seconds_are_counted_from_the_first_request_on() -> None:
    told: list[tuple[bool, int, float]] = []
    times = iter([100.0, 103.0, 110.0, 111.0])

    def charge(usd: float | None, usage: Usage, *, rounds: int, seconds: float) -> None:
        told.append((bool(usd), rounds, seconds))

    with ScriptedEndpoint([{"when": {"contains": "Hello"}, "text": "Yes."}], key="key") as endpoint:
        inner = AnthropicModel("claude-sonnet-5-5", api_key="key", base_url=endpoint.url)
        metered = Metered(inner, charge, clock=lambda: next(times))
        metered.ask(_request("Hello"))
        metered.ask(_request("Hello"))
        with pytest.raises(AskFailed):
            metered.ask(_request("What no reply of the script fits"))
    assert told == [(True, 1, 3.0), (True, 1, 7.0), (False, 0, 1.0)]


def test_what_was_spent_before_a_stop_is_charged_too() -> None:
    told: list[tuple[bool, int]] = []

    def charge(usd: float | None, usage: Usage, *, rounds: int, seconds: float) -> None:
        told.append((bool(usd) and usage.output > 0, rounds))

    def stopped(seconds: float) -> None:
        raise Stopped(Outcome.CANCELLED, "stop")

    with ScriptedEndpoint([{"fault": "cut", "text": "lost " * 90}, {"text": "Yes."}], key="key") as endpoint:
        inner = AnthropicModel("claude-sonnet-5-5", api_key="key", base_url=endpoint.url, sleep=stopped)
        metered = Metered(inner, charge)
        with pytest.raises(Stopped):
            metered.ask(_request("Hello"))
        assert told == [(True, 0)]
        metered.ask(_request("Hello"))
    assert told == [(True, 0), (True, 1)]
    assert metered.in_vain() == (Usage(), None)
