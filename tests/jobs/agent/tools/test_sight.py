"""What may be changed by whom who saw how much of a file, over a real cell with a session's record."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_tree import asked, bench_on, sha

from jobs.agent.record import CallRecord
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells

ROWS = [f"    value_{n} = {n}" if n % 10 else f"def step_{n}():" for n in range(300)]
OLD = "\n".join(ROWS) + "\n"
FILES: dict[str, bytes | str] = {"a.py": OLD, "b.py": "one = 1\n", "empty.py": ""}


@pytest.fixture
def bench(cells: Cells, tree: Path) -> Bench:
    return bench_on(cells, tree, record=CallRecord())


def read(bench: Bench, start: int, end: int) -> str:
    return asked(bench, "readfile", ranges=[{"path": "a.py", "start": start, "end": end}])


def edit(bench: Bench, *pairs: tuple[str, str]) -> str:
    return asked(bench, "edit", edits=[{"path": "a.py", "old_string": old, "new_string": new} for old, new in pairs])


def write(bench: Bench, path: str, content: str) -> str:
    return asked(bench, "write_file", files=[{"path": path, "content": content}])


def loose(number: int) -> tuple[str, str]:
    """An edit of two lines whose indentation is not the file's."""
    return (
        f"value_{number} = {number}\nvalue_{number + 1} = {number + 1}",
        f"value_{number} = -1\nvalue_{number + 1} = -2",
    )


def test_one_line_that_was_read_does_not_open_the_file_to_be_replaced(bench: Bench, tree: Path) -> None:
    read(bench, 5, 5)
    told = write(bench, "a.py", "x = 1\n")
    assert (tree / "a.py").read_text() == OLD
    assert "a.py was read in part only (line 5 of 300), and write_file replaces all of it. Nothing was writ" in told
    assert "Here are its lines 1-4, 6-121 of 300:" in told
    assert ("\n4\t" in told, "\n5\t" in told) == (True, False)
    assert told.endswith(
        'Next: readfile {"ranges": [{"path": "a.py", "start": 122, "end": 300}]} for the rest and send it again, '
        "or change single places with edit."
    )


def test_a_refused_replacement_opens_only_what_it_showed(bench: Bench, tree: Path) -> None:
    assert "a.py was not read before. Nothing was written. Here are its lines 1-120 of 300" in write(
        bench, "a.py", "x\n"
    )
    assert "was read in part only (lines 1-120 of 300)" in write(bench, "a.py", "x\n")
    last = write(bench, "a.py", "x\n")
    assert "Here are its lines 241-300 of 300:" in last
    assert last.endswith("Next: check your change against these lines and send it again.")
    assert (tree / "a.py").read_text() == OLD
    assert write(bench, "a.py", "x\n").startswith("write_file a.py: 300 lines -> 1 lines")


def test_a_small_file_can_be_replaced_once_its_refusal_showed_it(bench: Bench, tree: Path) -> None:
    assert "b.py was not read before" in write(bench, "b.py", "two = 2\n")
    assert write(bench, "b.py", "two = 2\n").startswith("write_file b.py: 1 lines -> 1 lines")
    assert (tree / "b.py").read_text() == "two = 2\n"


def test_parts_that_make_up_the_file_open_it(bench: Bench) -> None:
    read(bench, 1, 150)
    read(bench, 151, 300)
    assert write(bench, "a.py", "x\n").startswith("write_file a.py: 300 lines -> 1 lines")


def test_an_empty_file_has_nothing_to_lose(bench: Bench) -> None:
    assert write(bench, "empty.py", "x\n").startswith("write_file empty.py: 0 lines -> 1 lines")


def test_a_line_too_long_to_be_shown_keeps_a_file_from_being_replaced(bench: Bench, tree: Path) -> None:
    (tree / "b.py").write_text(f"one = 1\nwide = '{'w' * 3000}'\n")
    told = write(bench, "b.py", "two = 2\n")
    assert told.endswith("Next: change single places with edit, for line 2 can't be shown whole.")
    assert "(line 1 of 2)" in write(bench, "b.py", "two = 2\n")


def test_an_exact_text_may_be_changed_where_another_part_was_read(bench: Bench, tree: Path) -> None:
    read(bench, 1, 20)
    assert edit(bench, ("value_255 = 255", "value_255 = 0")).startswith("edit: 1 of 1 applied")
    assert "value_255 = 0\n" in (tree / "a.py").read_text()


def test_a_text_that_is_only_alike_may_be_changed_where_it_was_read_and_is_shown_elsewhere(
    bench: Bench, tree: Path
) -> None:
    read(bench, 1, 20)
    assert edit(bench, loose(11)).startswith("edit: 1 of 1 applied (old_string was not exact: indent)")
    told = edit(bench, loose(251))
    assert "a.py was read in part only (lines 1-20 of 300), and old_string is not exactly what stands there" in told
    assert "Nothing was written. Here are its lines 232-271 of 300:" in told
    assert "\n252\t    value_251 = 251\n" in told
    assert "value_251 = 251" in (tree / "a.py").read_text()
    assert edit(bench, loose(251)).startswith("edit: 1 of 1 applied")


def test_a_search_line_is_a_glimpse(bench: Bench, tree: Path) -> None:
    asked(bench, "search", patterns=["value_251"])
    told = edit(bench, loose(251))
    assert "a.py is not in view: single lines of it were shown at most" in told
    assert "a.py was read in part only (lines 232-271 of 300)" in write(bench, "a.py", "x\n")
    assert (tree / "a.py").read_text() == OLD


def test_a_file_that_changed_is_called_changed(bench: Bench, tree: Path) -> None:
    read(bench, 1, 300)
    (tree / "a.py").write_text(OLD.replace("value_9 = 9", "value_9 = 99"))
    assert "a.py is not now as it was when you saw it, and write_file replaces all of it" in write(bench, "a.py", "x\n")
    (tree / "a.py").write_text(OLD.replace("value_9 = 9", "value_9 = 999"))
    told = edit(bench, ("value_255 = 255", "value_255 = 0"))
    assert "NOTE: a.py was not as you saw it before this edit: check the lines around it in the diff." in told


def test_what_was_read_may_be_edited_again_and_again_and_then_replaced(bench: Bench) -> None:
    read(bench, 1, 300)
    for number in (11, 51, 251):
        assert edit(bench, loose(number)).startswith("edit: 1 of 1 applied")
    asked(bench, "shell", command="sed -i '2d' a.py")
    assert edit(bench, loose(111)).startswith("edit: 1 of 1 applied")
    assert write(bench, "a.py", "x\n").startswith("write_file a.py: 299 lines -> 1 lines")


def test_lines_that_an_edit_moved_stay_known_and_others_unknown(bench: Bench) -> None:
    read(bench, 100, 120)
    edit(bench, ("    value_5 = 5\n", ""))
    assert edit(bench, loose(111)).startswith("edit: 1 of 1 applied")
    assert "was read in part only (lines 3-8, 99-119 of 299)" in edit(bench, loose(201))


def test_several_edits_of_an_unread_file_are_each_told_and_shown(bench: Bench) -> None:
    told = edit(bench, loose(11), loose(291))
    assert "FAILED: edit 1 in a.py: a.py was not read before. Nothing was written." in told
    assert "\n12\t    value_11 = 11\n" in told
    assert "\n292\t    value_291 = 291\n" in told
    assert "FAILED: edit 2 in a.py: as edit 1: send it again with it" in told
    assert edit(bench, loose(11), loose(291)).startswith("edit: 2 of 2 applied")


def test_as_many_lines_are_shown_near_the_end_as_elsewhere(bench: Bench) -> None:
    assert "Here are its lines 181-300 of 300:" in edit(bench, ("    value_299 = 299", "x"))


def test_a_file_that_a_command_made_and_showed_is_known(bench: Bench, tree: Path) -> None:
    asked(bench, "shell", command="printf 'one = 1\\ntwo = 2\\n' > n.py")
    assert write(bench, "n.py", "x\n").startswith("write_file n.py: 2 lines -> 1 lines")
    assert bench.record is not None
    assert bench.record.knowledge("n.py", sha(tree / "n.py")) == "same"
