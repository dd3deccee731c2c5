"""Merged rounds say the same in fewer turns, and no endpoint could tell them from real ones."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.local.model_check import check, signature
from jobs.agent import clearing
from jobs.agent.merging import MOST, merged

Message = dict[str, Any]
Kind = tuple[int, bool, bool, bool]  # calls, words before them, thinking, a note behind the results
KINDS = st.lists(
    st.tuples(st.sampled_from([0, 1, 1, 1, 1, 2]), st.booleans(), st.booleans(), st.booleans()), max_size=40
)
LONG = KINDS.filter(lambda kinds: sum(kind[0] for kind in kinds) > 12)


def conversation(kinds: list[Kind], size: int = 1) -> tuple[list[Message], dict[str, str]]:
    """Messages whose rounds are of these kinds, and the thinking that came before each call."""
    out: list[Message] = [{"role": "user", "content": [{"type": "text", "text": "the request"}]}]
    thought: dict[str, str] = {}
    for n, (calls, words, thinking, note) in enumerate(kinds):
        ids = [f"t{n}_{c}" for c in range(calls)]
        said: list[dict[str, Any]] = []
        if thinking:
            said.append({"type": "thinking", "thinking": f"hm {n}", "signature": signature(f"hm {n}")})
            thought |= dict.fromkeys(ids, f"hm {n}")
        said += [{"type": "text", "text": f"words {n}"}] if words or not calls else []
        said += [{"type": "tool_use", "id": i, "name": "readfile", "input": {"paths": [i]}} for i in ids]
        heard = [{"type": "tool_result", "tool_use_id": i, "content": f"{i} " * size} for i in ids]
        heard += [{"type": "text", "text": f"note {n}"}] if note or not calls else []
        out += [{"role": "assistant", "content": said}, {"role": "user", "content": heard}]
    return out, thought


def of(messages: Any, kind: str) -> list[dict[str, Any]]:
    return [block for message in messages for block in message["content"] if block["type"] == kind]


def accepted(messages: Any, thought: dict[str, str]) -> None:
    check({"model": "m", "max_tokens": 9, "messages": list(messages)}, thought)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(KINDS)
def test_nothing_is_lost_changed_or_moved_past_another_of_its_kind(kinds: list[Kind]) -> None:
    before, thought = conversation(kinds)
    after = merged(before)
    accepted(after, thought)
    for kind in ("text", "thinking", "tool_use", "tool_result"):
        for role in ("assistant", "user"):
            mine, theirs = ([m for m in messages if m["role"] == role] for messages in (before, after))
            assert of(theirs, kind) == of(mine, kind)
    asked = [[b["id"] for b in of([m], "tool_use")] for m in after if m["role"] == "assistant"]
    heard = [[b["tool_use_id"] for b in of([m], "tool_result")] for m in after[1:] if m["role"] == "user"]
    assert asked == heard
    assert max(map(len, asked), default=0) <= MOST
    assert merged(after) == after


@settings(max_examples=150, deadline=None, derandomize=True)
@given(KINDS)
def test_a_round_with_thinking_stays_as_it_came(kinds: list[Kind]) -> None:
    before, _ = conversation(kinds)
    after = merged(before)
    assert [m for m in after if of([m], "thinking")] == [m for m in before if of([m], "thinking")]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(LONG, st.integers(20_000, 400_000), st.integers(4_000, 20_000))
def test_a_cut_takes_only_texts_of_old_results(kinds: list[Kind], too_many: int, size: int) -> None:
    before, thought = conversation(kinds, size)
    done = clearing.cut(before, too_many)
    if done is None:
        return
    accepted(done.messages, thought)
    assert done.messages[0] is before[0]
    assert done.tokens >= clearing.LEAST
    assert of(done.messages, "tool_use") == of(before, "tool_use")
    assert of(done.messages, "thinking") == of(before, "thinking")
    old, new = of(before, "tool_result"), of(done.messages, "tool_result")
    assert [b["tool_use_id"] for b in new] == [b["tool_use_id"] for b in old]
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert {old[n]["tool_use_id"] for n in changed} == done.ids
    assert changed == list(range(len(changed)))  # the oldest
    assert len(changed) <= len(old) - clearing.LATEST
    assert sum(clearing.estimate(b["content"]) for b in new[len(changed) :]) >= clearing.NEWEST
