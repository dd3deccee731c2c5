"""Everything that a model's work costs is counted: failures without a round, and the time between two requests."""

from __future__ import annotations

import pytest

from app.local.model import ScriptedEndpoint
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import AskFailed, Request
from jobs.model.metered import Metered
from jobs.model.usage import Usage


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
