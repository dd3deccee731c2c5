"""edit over a real cell: what its result says of edits made, merged, refused and depending on each other."""

from __future__ import annotations

from pathlib import Path

from agent_tree import edit

from jobs.agent.tools.spec import Bench

FILES = {"a.py": "alpha = 1\nbeta = 2\ngamma = 3\n", "b.py": "x = 1\n"}


def test_overlapping_edits_leave_the_file_and_name_each_other(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "beta = 2\ngamma", "b = 2\ng"), ("a.py", "gamma = 3", "g = 3"), ("b.py", "x", "y"))
    assert "edit 1 in a.py: it overlaps edit 2: this one changes lines 2-3, that one lines 3-3. Next:" in done.content
    assert "Applied and not to be sent again: edit 3." in done.content
    assert (tree / "a.py").read_text() == FILES["a.py"]


def test_an_edit_of_the_text_that_another_one_writes_is_flagged(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "beta = 2", "beta = two()"), ("a.py", "two()", "three()"))
    assert (done.ok, "NOTE: edit 2 has a place only in what the other edits left" in done.content) == (True, True)
    assert (tree / "a.py").read_text() == "alpha = 1\nbeta = three()\ngamma = 3\n"


def test_a_repeated_edit_is_made_once(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "beta = 2", "beta = 3"), ("./a.py", "beta = 2", "beta = 3"))
    assert done.content.startswith("edit: 2 of 2 applied\na.py (+1 −1 lines)\n--- a/a.py")
    assert "NOTE: edit 2 repeats edit 1 and was made once." in done.content


def test_a_failed_edit_names_those_to_send_again_and_those_not(bench: Bench) -> None:
    done = edit(bench, ("a.py", "beta = 2", "b"), ("a.py", "gamma = 4", "g"), ("b.py", "x = 1", "y = 1"))
    assert "Applied and not to be sent again: edit 3." in done.content
    assert "a.py was left as it is: a file changes whole or not at all. Send edits 1 again too." in done.content
    assert "first difference at line 3:\n  file:  gamma = 3\n  yours: gamma = 4" in done.content


def test_the_loosest_rung_is_reported(bench: Bench) -> None:
    done = edit(bench, ("a.py", "alpha = 1  ", "a = 1"), ("a.py", "  beta = 2\n  gamma = 3", "  b = 2\n  gamma = 3"))
    assert (done.rung, done.content.splitlines()[0]) == (
        "indent",
        "edit: 2 of 2 applied (old_string was not exact: trailing, indent)",
    )
