"""Endpoints whose window is smaller than what is known of their model are worked with, or given up honestly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from agent_session import CALC, DONE, FIXING, Begin, Played, call
from small_window import SmallWindow

from jobs.model.openai import OpenAIModel

NAMED = "This model's maximum context length is {window} tokens. However, you requested {asked} tokens."
UNNAMED = "context_length_exceeded: please shorten the messages or the completion."
MODEL = "openai/house-model"
PAGES = {f"page{n}.txt": f"{n} {'lorem ' * 12}\n" * 120 for n in range(12)}  # 9,000 bytes each
READS = [{"calls": [call("readfile", ranges=[{"path": path, "start": 1, "end": 120}])]} for path in PAGES]
BOOK = {"book.txt": f"{'lorem ' * 12}\n" * 600}
Front = Callable[[Played, int, str], SmallWindow]


@pytest.fixture
def front() -> Iterator[Front]:
    """Puts a small window in front of a session's endpoint."""
    begun: list[SmallWindow] = []

    def make(played: Played, window: int, words: str) -> SmallWindow:
        begun.append(SmallWindow(played.endpoint.url, window, words).start())
        played.session.model = OpenAIModel(MODEL, api_key="key", base_url=f"{begun[-1].url}/v1", sleep=lambda _: None)
        return begun[-1]

    yield make
    for one in begun:
        one.stop()


@pytest.mark.parametrize("window", [16_384, 32_768])
@pytest.mark.parametrize("words", [NAMED, UNNAMED], ids=["named", "unnamed"])
def test_a_session_in_a_small_window_reads_on_and_makes_its_change(
    start: Begin, front: Front, window: int, words: str
) -> None:
    played = start([*READS, FIXING, DONE], files={**CALC, **PAGES}, model=MODEL)
    small = front(played, window, words)
    assert played.session.work().ended == "done"
    assert played.text("calc.py").endswith("a + b\n")
    assert small.refused
    assert max(small.taken) <= window
    first, last = (request.body["messages"] for request in (played.endpoint.requests[0], played.endpoint.requests[-1]))
    assert last[1] == first[1]  # the request itself stays


def test_what_the_endpoint_names_is_kept_to_from_then_on(start: Begin, front: Front) -> None:
    played = start([*READS, FIXING, DONE], files={**CALC, **PAGES}, model=MODEL)
    small = front(played, 32_768, NAMED)
    assert played.session.work().ended == "done"
    assert small.refused <= 2


def test_one_result_that_fits_no_window_is_taken_out_and_said_to_be_too_much(start: Begin, front: Front) -> None:
    read = {"calls": [call("readfile", ranges=[{"path": "book.txt", "start": 1, "end": 600}])]}
    files = {**CALC, **BOOK, **{f"more{n}.txt": "x\n" * 9000 for n in range(3)}}
    played = start([read, FIXING, DONE], files=files, model=MODEL)
    front(played, 16_384, NAMED)
    assert played.session.work().ended == "done"
    assert any("ask for less of it at once" in text for text in told(played))


def test_where_nothing_can_be_made_smaller_the_session_ends_and_says_so(start: Begin, front: Front) -> None:
    played = start([READS[0], FIXING, DONE], files={**CALC, **PAGES}, model=MODEL)
    front(played, 5_000, NAMED)
    attempt = played.session.work()
    assert attempt.ended == "stuck"
    assert "maximum context length is 5000 tokens" in attempt.summary
    assert "Nothing was changed." in attempt.summary


def told(played: Played) -> list[str]:
    return [m["content"] for m in played.endpoint.requests[-1].body["messages"] if m["role"] == "tool"]
