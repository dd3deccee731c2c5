"""What counts as the same call, and what a repeat does to the rest of a reply."""

from __future__ import annotations

from typing import Any

import pytest
from agent_session import CALC, DONE, Begin, call, results

from jobs.agent import clearing
from jobs.agent.stuck import GRACES, STOP_AT, Stuck, key


def edit(old: str) -> dict[str, Any]:
    return {"edits": [{"path": "calc.py", "old_string": old, "new_string": "x"}]}


@pytest.mark.parametrize(
    ("tool", "one", "other"),
    [
        ("edit", edit("    return a"), edit("  return a")),
        ("edit", edit("a\n\nb"), edit("a\nb")),
        ("search", {"patterns": ["a  b"]}, {"patterns": ["a b"]}),
        ("shell", {"command": "echo 'a  b'"}, {"command": "echo 'a b'"}),
    ],
)
def test_white_space_inside_an_argument_makes_another_call(tool: str, one: Any, other: Any) -> None:
    assert key(tool, one) != key(tool, other)


def test_the_spelling_of_paths_the_order_of_keys_and_space_around_a_command_do_not() -> None:
    assert key("readfile", {"paths": ["./a.py"], "ranges": []}) == key(
        "readfile", {"ranges": [], "paths": ["/src/a.py"]}
    )
    assert key("shell", {"command": " ls\n"}) == key("shell", {"command": "ls"})


def test_tries_that_differ_in_indentation_do_not_end_the_session(start: Begin) -> None:
    tries = [{"calls": [call("edit", **edit(f"{' ' * n}nothing like it"))]} for n in range(5)]
    played = start([*tries, DONE])
    assert played.session.work().ended == "done"


def test_only_the_repeat_itself_is_not_run(start: Begin) -> None:
    look = call("shell", command="cat calc.py")
    steps = [{"calls": [look]}] * 3
    write = call("write_file", files=[{"path": "new.py", "content": "x = 1\n"}])
    played = start([*steps, {"calls": [look, write, call("shell", command="echo on")]}, DONE])
    assert played.session.work().ended == "done"  # something changed: no circle
    refused, *others = results(played)[-3:]
    assert "not run: this same call gave the same result three times" in refused
    assert not any("not run" in text for text in others)
    assert played.text("new.py") == "x = 1\n"


def test_a_repeat_ends_the_session_where_the_rest_of_the_reply_changed_nothing(start: Begin) -> None:
    look = call("shell", command="cat calc.py")
    played = start([*[{"calls": [look]}] * 3, {"calls": [look, call("shell", command="echo on")]}, DONE])
    assert played.session.work().ended == "stuck"


def test_what_was_forgotten_may_be_called_again() -> None:
    stuck = Stuck()
    args = {"paths": ["a.py"]}
    for _ in range(3):
        stuck.after("readfile", args, "t", "the text")
    assert stuck.before("readfile", args, "t") == 3
    stuck.forget({key("readfile", args)})
    assert stuck.before("readfile", args, "t") == 0


@pytest.mark.parametrize(
    ("tool", "says", "never"),
    [
        ("readfile", "call it again if you need what it said", "do not repeat"),
        ("edit", "do not repeat it", "call it again"),
        ("write_file", "do not repeat it", "call it again"),
        ("shell", "only if it changes nothing", "call it again"),
    ],
)
def test_a_placeholder_never_asks_for_a_change_to_be_made_again(tool: str, says: str, never: str) -> None:
    page = "word " * 20_000
    messages: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "the request"}]}]
    for n in range(6):
        use = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": page}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    done = clearing.cut(messages, 30_000)
    assert done is not None
    text = str(done.messages)
    assert says in text
    assert never not in text


@pytest.mark.parametrize("window", [16_000, 32_000, 100_000])
def test_what_a_cut_keeps_fits_a_small_window(window: int) -> None:
    assert clearing.Keep.within(window).tokens * 4 < window


def test_files_that_were_put_back_are_not_told_as_changed(start: Begin) -> None:
    there = {"calls": [call("edit", edits=[{"path": "calc.py", "old_string": "a - b", "new_string": "a + b"}])]}
    back = {"calls": [call("edit", edits=[{"path": "calc.py", "old_string": "a + b", "new_string": "a - b"}])]}
    new = {"calls": [call("write_file", files=[{"path": "new.py", "content": "x = 1\n"}])]}
    gone = {"calls": [call("shell", command="rm new.py")]}
    played = start([there, new, back, gone, {"text": "", "repeat": 9}])
    played.session.bench.base = lambda path: CALC[path].encode() if path in CALC else None
    attempt = played.session.work()
    assert attempt.ended == "stuck"
    assert "Nothing was changed." in attempt.summary


def test_a_change_that_landed_each_time_is_not_told_as_a_failure(start: Begin) -> None:
    write = {"calls": [call("write_file", files=[{"path": "c/d.txt", "content": "1\n"}])]}
    away = {"calls": [call("shell", command="rm -rf c")]}
    played = start([write, away, write, away, write, away, DONE])
    played.session.work()
    assert not any("failed the same way" in text for text in results(played))


def test_a_paused_reply_without_anything_in_it_is_an_empty_one(start: Begin) -> None:
    played = start([{"fault": "paused"}, DONE])
    assert played.session.work().ended == "done"


def test_what_no_window_can_hold_beside_the_rest_does_not_go_round_for_ever() -> None:
    stuck, args, made = Stuck(), {"command": "cat all"}, 0
    for _ in range(20):
        if stuck.before("shell", args, "t") < STOP_AT - 1:
            stuck.after("shell", args, "t", "the text")
            made += 1
        stuck.forget({key("shell", args)})  # each time its result is taken out
    assert made == GRACES + STOP_AT - 1


def test_a_change_gives_what_was_forgotten_often_a_new_start() -> None:
    stuck, name = Stuck(), key("readfile", {"paths": ["a.py"]})
    for tree in ("t", "u"):
        for _ in range(GRACES):
            stuck.after("readfile", {"paths": ["a.py"]}, tree, "the text")
            stuck.forget({name})
            assert stuck.before("readfile", {"paths": ["a.py"]}, tree) == 0
