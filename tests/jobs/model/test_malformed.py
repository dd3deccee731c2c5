"""Events that are not as their protocol has them, and a limiter whose file is spoiled: never a crash."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.model.assembly import Assembly
from jobs.model.chat_assembly import ChatAssembly
from jobs.model.endpoint import Broke, _fed, _sound
from jobs.model.limiter import FileLimiter
from jobs.model.limits import Limits
from jobs.model.sse import data as events_of
from jobs.model.usage import Usage

MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3, "cache_creation": {}}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hm"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "n"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
]
CHUNKS: list[dict[str, Any]] = [
    {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hm"}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "t", "function": {"name": "n", "arguments": "{}"}}]}}]},
    {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5, "prompt_tokens_details": {}}},
]
ODD = [None, 7, -1, 1.5, True, "x", [], {}, [None], {"x": None}, float("nan"), 1 << 60]


def spots(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(spot for key, child in inside for spot in spots(child, (*here, key)))]


def spoiled(events: list[dict[str, Any]], spot: tuple[Any, ...], odd: Any) -> list[Any]:
    made: Any = copy.deepcopy(events)
    target = made
    for key in spot[:-1]:
        target = target[key]
    target[spot[-1]] = odd
    return made if isinstance(made, list) else [made]


@settings(max_examples=400, deadline=None)
@given(data=st.data(), chat=st.booleans())
def test_one_odd_value_anywhere_is_read_or_is_a_fault(data: st.DataObject, chat: bool) -> None:
    events = CHUNKS if chat else MESSAGES
    spot = data.draw(st.sampled_from([s for s in spots(events) if s]))
    made = ChatAssembly(100, Usage(input=1000, output=100)) if chat else Assembly(100)
    try:
        for event in spoiled(events, spot, data.draw(st.sampled_from(ODD))):
            _fed(made, event)
        blocks = _sound(made.blocks)
    except Broke:
        blocks = ()
    assert all(isinstance(block["type"], str) for block in blocks)
    usage = made.usage  # a broken try is charged too
    assert all(isinstance(n, int) and n >= 0 for n in (usage.input, usage.output, usage.cache_read, usage.cache_write))
    json.dumps(made.stop_reason)


def test_a_broken_stream_in_any_script_is_charged_what_it_wrote_and_no_more_than_it_could() -> None:
    for most, counted in ((4000, 600), (500, 500)):
        made = Assembly(most)
        for event in (MESSAGES[1], {**MESSAGES[2], "delta": {"type": "text_delta", "text": "你好" * 300}}):
            made.feed(event)
        assert made.usage.output == counted


@pytest.mark.parametrize("reported", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "x"}, {"x": 1}])
def test_a_usage_that_says_nothing_is_estimated_within_what_was_possible(reported: Any) -> None:
    for most, expected in ((Usage(input=9999, output=99), (1000, 34)), (Usage(input=800, output=20), (800, 20))):
        made = ChatAssembly(3000, most)
        made.feed({"choices": [{"delta": {"content": "x" * 100}}]})
        made.feed({"choices": [], "usage": reported})
        assert (made.usage.input, made.usage.output) == expected


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@given(data=st.data())
def test_events_are_the_same_wherever_their_bytes_are_split(ends: bytes, data: st.DataObject) -> None:
    stream = b": hi\ndata: a\x0b\xe2\x80\xa8b\n\nevent: x\ndata:c\ndata: d\n\n".replace(b"\n", ends)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=9)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert list(events_of(pieces)) == [b"a\x0b\xe2\x80\xa8b", b"c\nd"]


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe{", b"[]", b'{"taken": [], "limits": [1], "until": 0}', b"[" * 9000]
)
def test_a_spoiled_file_of_turns_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    limiter = FileLimiter(tmp_path, "key")
    limiter.learn(Limits(requests=2, tokens=None))
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert limiter.turn(10) == 0.0
    limiter.learn(Limits(requests=1, tokens=None))
    assert limiter.turn(10) > 0


def test_turns_taken_while_the_clock_was_wrong_hold_nobody_up(tmp_path: Path) -> None:
    FileLimiter(tmp_path, "key", clock=lambda: 1e6).turn(10)
    FileLimiter(tmp_path, "key", clock=lambda: 1e6).refused(30)
    assert FileLimiter(tmp_path, "key", clock=lambda: 1000.0).turn(10) == 0.0
    assert FileLimiter(tmp_path, "key", clock=lambda: 1000.0).turn(10) == 0.0


def test_a_folder_that_cannot_be_used_is_told_once_and_stops_no_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    limiter = FileLimiter(tmp_path / "file", "key")
    limiter.learn(Limits(requests=1, tokens=None))
    limiter.refused(9)
    assert [limiter.turn(10), limiter.turn(10)] == [0.0, 0.0]
    assert [record.message for record in caplog.records] == ["turns at the model key are not shared"]


def test_numbers_that_are_none_count_as_nothing(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path, "key")
    limiter.turn(1)
    (file,) = tmp_path.iterdir()
    file.write_text('{"taken": [[NaN, 1]], "limits": [null, null], "until": Infinity}')
    assert limiter.turn(10) == 0.0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_disk_that_is_full_stops_no_request(tmp_path: Path) -> None:
    limiter = FileLimiter(tmp_path, "key")
    limiter.turn(1)
    (file,) = tmp_path.iterdir()
    file.unlink()
    file.symlink_to("/dev/full")
    assert limiter.turn(10) == 0.0
