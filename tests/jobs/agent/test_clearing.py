"""The cut of a conversation that has grown too long, and the merging of rounds at it."""

from __future__ import annotations

from typing import Any

import pytest

from app.local.model_check import check
from jobs.agent import clearing
from jobs.agent.merging import MOST, merged

Message = dict[str, Any]
PAGE = "word " * 7_600  # 10,000 tokens, as they are estimated


def reply(number: int, *calls: str, text: str = "", thinking: str = "") -> Message:
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": thinking, "signature": "s"}] if thinking else []
    blocks += [{"type": "text", "text": text}] if text else []
    uses = [{"type": "tool_use", "id": f"t{number}{c}", "name": "readfile", "input": {"paths": [c]}} for c in calls]
    return {"role": "assistant", "content": [*blocks, *uses]}


def answer(number: int, *calls: str, content: str = PAGE, note: str = "") -> Message:
    results = [{"type": "tool_result", "tool_use_id": f"t{number}{c}", "content": content} for c in calls]
    return {"role": "user", "content": [*results, *([{"type": "text", "text": note}] if note else [])]}


def talk(rounds: int, **more: str) -> list[Message]:
    """A request, and so many rounds of one call each."""
    pairs = [m for n in range(rounds) for m in (reply(n, "a", **more), answer(n, "a"))]
    return [{"role": "user", "content": [{"type": "text", "text": "the request"}]}, *pairs]


def texts(messages: Any) -> list[str]:
    return [b["content"] for m in messages for b in m["content"] if b["type"] == "tool_result"]


def test_the_oldest_results_go_until_enough_have_gone() -> None:
    before = talk(12, thinking="hm")
    done = clearing.cut(before, 25_000)
    assert done is not None
    kept = [not text.startswith("[cleared: readfile") for text in texts(done.messages)]
    assert kept == [False] * 3 + [True] * 9
    assert done.ids == {"t0a", "t1a", "t2a"}
    assert 25_000 <= done.tokens <= 35_000
    assert done.messages[0] is before[0]


def test_the_newest_stay_whatever_is_asked() -> None:
    done = clearing.cut(talk(12, thinking="hm"), 10**9)
    assert done is not None
    assert sum(not text.startswith("[cleared: ") for text in texts(done.messages)) == clearing.NEWEST // 10_000


def test_the_latest_stay_however_long_they_are() -> None:
    before = [*talk(0), *(m for n in range(6) for m in (reply(n, "a"), answer(n, "a", content=PAGE * 5)))]
    done = clearing.cut(before, 10**9)
    assert done is not None
    assert [text == PAGE * 5 for text in texts(done.messages)] == [False] * 3 + [True] * clearing.LATEST


def test_a_small_gain_is_not_worth_a_new_prefix() -> None:
    assert clearing.cut(talk(5), 10**9) is None
    assert clearing.cut(talk(5), 10**9, least=1) is not None


def test_a_placeholder_says_what_to_call_again_and_is_not_cleared_twice() -> None:
    once = clearing.cut(talk(12), 25_000)
    assert once is not None
    assert texts(once.messages)[0] == ('[cleared: readfile {"paths": ["a"]}; call it again if you need what it said]')
    again = clearing.cut(once.messages, 25_000)
    assert again is not None
    assert again.ids == {"t3a", "t4a", "t5a"}


def test_rounds_of_one_call_become_rounds_of_several() -> None:
    before = talk(MOST + 3)
    after = merged(before)
    assert [len(m["content"]) for m in after] == [1, MOST, MOST, 3, 3]
    assert texts(after) == texts(before)
    check({"model": "m", "max_tokens": 9, "messages": after}, {})
    assert merged(after) == after


@pytest.mark.parametrize(
    "middle",
    [
        [reply(9, "a", thinking="hm"), answer(9, "a")],
        [reply(9, "a", "b"), answer(9, "a", "b")],
        [reply(9, text="only words"), {"role": "user", "content": [{"type": "text", "text": "go on"}]}],
    ],
    ids=["thinking", "two calls", "words"],
)
def test_what_is_no_round_of_one_call_stays_and_parts_the_others(middle: list[Message]) -> None:
    before = [*talk(2), *middle, reply(7, "a"), answer(7, "a"), reply(8, "a"), answer(8, "a")]
    after = merged(before)
    assert after[3:5] == middle
    assert [len(m["content"]) for m in after] == [1, 2, 2, *(len(m["content"]) for m in middle), 2, 2]


def test_words_and_notes_keep_their_side() -> None:
    pairs = [reply(1, "a", text="first"), answer(1, "a", note="[a note]"), reply(2, "b"), answer(2, "b")]
    said, heard = merged([*talk(0), *pairs])[1:]
    assert [b["type"] for b in said["content"]] == ["text", "tool_use", "tool_use"]
    assert [b["type"] for b in heard["content"]] == ["tool_result", "tool_result", "text"]
