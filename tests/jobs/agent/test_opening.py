"""The first look that the harness takes for the model."""

from __future__ import annotations

from typing import Any

from agent_session import CALC, DONE, Begin

from jobs.tasks.task import Task

FILLER = {f"lib/part{n}.py": f"COMMON = {n}\n" + "x = 1\n" * 3000 for n in range(30)}
TASK = Task("fix", "`COMMON` is wrong", "`rare_name()` gives `COMMON`, see also `never_there`")


def opening(start: Begin, files: dict[str, str], task: Task = TASK) -> list[dict[str, Any]]:
    """The calls of the played turn."""
    played = start([DONE], files={**CALC, **FILLER, **files})
    played.session.task = task
    played.session.work()
    turn = played.endpoint.requests[0].body["messages"][1]
    assert turn["role"] == "assistant"
    return [{"name": b["name"], **b["input"]} for b in turn["content"]]


def shown(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [call for call in calls if call["name"] == "search"]


def test_only_what_stands_in_few_places_is_searched_for(start: Begin) -> None:
    calls = opening(start, {"lib/own.py": "def rare_name():\n    return COMMON\n"})
    assert [call["patterns"] for call in shown(calls)] == [["rare_name"]]


def test_prose_is_left_out_where_code_has_the_word(start: Begin) -> None:
    (search,) = shown(opening(start, {"lib/own.py": "def rare_name():\n    return 1\n", "README.md": "rare_name\n"}))
    assert "*.md" in search["glob"]


def test_copies_are_not_searched_unless_the_request_names_them(start: Begin) -> None:
    files = {"lib/own.py": "def rare_name():\n    return 1\n", "dist/own.py": "rare_name\n" * 30}
    (search,) = shown(opening(start, files))
    assert search["patterns"] == ["rare_name"]
    assert "dist" in search["glob"]
    named = Task("fix", "`rare_name()` is wrong", "in dist/own.py")
    assert all("dist" not in search["glob"] for search in shown(opening(start, files, named)))


def test_prose_is_searched_where_nothing_else_has_the_word(start: Begin) -> None:
    (search,) = shown(opening(start, {"README.md": "rare_name\n"}))
    assert "glob" not in search


def test_nothing_is_searched_for_where_nothing_tells(start: Begin) -> None:
    assert shown(opening(start, {}, Task("fix", "it is wrong", "`COMMON` again"))) == []


def test_a_name_leads_to_its_other_spelling(start: Begin) -> None:
    calls = opening(start, {"lib/own.py": "class RareName:\n    pass\n"})
    read = [path for call in calls if call["name"] == "readfile" for path in call.get("paths", ())]
    assert "lib/own.py" in read


def test_places_that_lie_together_are_asked_for_once(start: Begin) -> None:
    lines = ["pass  # " + "word " * 10] * 3000
    for at in (100, 110, 120, 2000):
        lines[at] = "rare_name()"
    calls = opening(start, {"lib/own.py": "\n".join(lines)})
    ranges = [r for call in calls for r in call.get("ranges", ()) if r["path"] == "lib/own.py"]
    assert len(ranges) == 2
    assert ranges[0]["end"] < ranges[1]["start"]
