"""The prefix of a conversation never changes, but at a cut."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from agent_session import CALC, DONE, Begin, Played, call

from jobs.agent.budget import Budget

ROUNDS = 60
BIG = {f"big{n}.txt": "".join(f"line {i} of file {n}: {'lorem ipsum ' * 12}\n" for i in range(600)) for n in range(10)}
ROOT_EDIT = {"path": "calc.py", "old_string": "return a - b", "new_string": "return a + b"}


def varied(n: int) -> dict[str, Any]:
    """One reply of many kinds: prose beside calls, failing calls, rare tools, searches, several calls, changes."""
    kinds: list[list[dict[str, Any]]] = [
        [call("shell", command=f"echo {n}")],
        [call("search", patterns=[f"word{n}", "add"])],
        [call("call_tool", name="symbols", arguments={"paths": ["calc.py"]}), call("shell", command=f"true {n}")],
        [call("edit", edits=[{**ROOT_EDIT, "old_string": f"nothing {n}"}])],
        [call("write_file", files=[{"path": f"made{n}.txt", "content": "x\n"}]), call("nosuchtool", a=n)],
        [call("readfile", paths=["calc.py"])],
    ]
    said = {"text": f"Step {n}."} if n % 3 == 0 else {}
    return {**said, "calls": kinds[n % len(kinds)]}


def flat(body: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """(everything up to the last cache marker, everything) as the cache sees it: block by block, without markers."""
    blocks: list[tuple[str, dict[str, Any]]] = [("", b) for b in [*body["tools"], *body["system"]]]
    blocks += [(m["role"], b) for m in body["messages"] for b in m["content"]]
    last = max(n for n, (_, b) in enumerate(blocks) if "cache_control" in b)
    rows = [role + json.dumps({k: v for k, v in b.items() if k != "cache_control"}) for role, b in blocks]
    return "\n".join(rows[: last + 1]).encode(), "\n".join(rows).encode()


def breaks(played: Played) -> list[int]:
    """After which requests the next one does not begin with what was marked for the cache."""
    sent = [flat(r.body) for r in played.endpoint.requests if r.status == 200]
    return [n for n, ((marked, _), (_, whole)) in enumerate(pairwise(sent), 1) if not whole.startswith(marked)]


def test_sixty_rounds_only_ever_grow_and_are_read_from_the_cache(start: Begin) -> None:
    text = "".join(f"def name_{n}(value):\n    return value + {n}\n\n\n" for n in range(300))
    played = start([*map(varied, range(ROUNDS - 1)), DONE], files={**CALC, "lib.py": text})
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds) == ("done", ROUNDS)
    assert breaks(played) == []
    assert {note["why"] for note in played.trace.of("note")} >= {"opening", "budget"}
    assert attempt.usage.cache_read / attempt.usage.total_input >= 0.95


def test_a_cut_is_the_one_place_where_the_prefix_changes(start: Begin) -> None:
    reads = [{"calls": [call("readfile", ranges=[{"path": p, "start": 1, "end": 600}])]} for p in BIG]
    steps: Sequence[dict[str, Any]] = [*map(varied, range(20)), *reads, *map(varied, range(20, 49))]
    played = start([*steps, DONE], files={**CALC, **BIG}, model="claude-sonnet-4-5", budget=Budget(usd=9))
    attempt = played.session.work()
    assert (attempt.ended, attempt.rounds) == ("done", ROUNDS)
    cuts = [n for n, event in enumerate(played.trace.events) if event["type"] == "note" and event["why"] == "cut"]
    assert len(cuts) == 1
    before = [e["n"] for e in played.trace.events[: cuts[0]] if e["type"] == "round"]
    assert breaks(played) == [before[-1]]
