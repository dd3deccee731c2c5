"""readfile over a real cell: what it shows, what it only names, and when it points to an earlier call instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_tree import asked, bench_on, sha

from jobs.agent.record import CallRecord, Seen
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import Bench
from jobs.sandbox.cell import Cells

FILES: dict[str, bytes | str] = {
    "a.py": "x = 1\ny = 2\nz = 3\n",
    "long.py": "".join(f"def f{n}(): pass\n" for n in range(900)),
    "uv.lock": "[[package]]\n" * 500,
    "img.bin": b"\0\1\2",
    "old.txt": b"caf\xe9\r\n",
    **{f"big/b{n}.txt": f"{'word ' * 20}\n" * 400 for n in range(4)},
}


@pytest.fixture
def bench(cells: Cells, tree: Path) -> Bench:
    return bench_on(cells, tree, record=CallRecord())


def test_what_was_really_shown_is_what_is_remembered(bench: Bench, tree: Path) -> None:
    ranges = [{"path": "long.py", "start": 3, "end": 4}, {"path": "long.py", "start": 5, "end": 6}]
    anchor = [{"path": "long.py", "line": 899, "around": 2}]
    assert call("readfile", {"paths": ["a.py"]}, bench).seen == {"a.py": Seen(sha(tree / "a.py"), None)}
    assert call("readfile", {"paths": ["long.py"]}, bench).seen["long.py"].spans == ((1, 200),)
    shown = call("readfile", {"ranges": ranges, "anchor_lines": anchor}, bench)
    assert shown.seen["long.py"].spans == ((3, 6), (897, 900))


def test_the_same_bytes_are_shown_once_and_again_to_who_insists(bench: Bench) -> None:
    whole = asked(bench, "readfile", paths=["a.py"])
    assert whole == "a.py (3 lines)\n1\tx = 1\n2\ty = 2\n3\tz = 3"
    assert asked(bench, "readfile", paths=["a.py"]).startswith("a.py: unchanged since call 1, which showed it whole")
    assert asked(bench, "readfile", paths=["a.py"]).startswith(whole)
    assert asked(bench, "readfile", paths=["./a.py"]).startswith("a.py: unchanged since call 3, which showed it whole")


def test_a_range_of_what_was_shown_points_to_it(bench: Bench) -> None:
    asked(bench, "readfile", ranges=[{"path": "long.py", "start": 10, "end": 30}])
    inner = asked(bench, "readfile", ranges=[{"path": "long.py", "start": 12, "end": 14}])
    assert inner == "long.py: unchanged since call 1, which showed lines 12-14"
    assert "31\tdef f30" in asked(bench, "readfile", ranges=[{"path": "long.py", "start": 20, "end": 31}])
    assert "1\tdef f0" in asked(bench, "readfile", paths=["long.py"])


def test_ranges_of_a_file_that_is_too_long_are_shown_beside_its_head(bench: Bench) -> None:
    ranges = [{"path": name, "start": 2, "end": 3} for name in ("a.py", "long.py")]
    ranges.append({"path": "long.py", "start": 500, "end": 501})
    done = call("readfile", {"paths": ["a.py", "long.py"], "ranges": ranges}, bench)
    assert done.content.count("a.py (") == 1
    assert done.content.endswith(
        "long.py (lines 2-3, 500-501 of 900)\n2\tdef f1(): pass\n3\tdef f2(): pass\n…\n500\t"
        "def f499(): pass\n501\tdef f500(): pass"
    )
    assert done.seen["long.py"].spans == ((1, 200), (500, 501))


def test_a_head_with_its_outline_is_shown_once(bench: Bench) -> None:
    asked(bench, "readfile", ranges=[{"path": "long.py", "start": 1, "end": 200}])
    assert "Outline of the rest" in asked(bench, "readfile", paths=["long.py"])
    again = asked(bench, "readfile", paths=["long.py"])
    assert again == "long.py: unchanged since call 2, which showed its head and outline; ask with ranges for more"


def test_ranges_over_all_lines_count_as_the_whole_file(bench: Bench) -> None:
    asked(bench, "readfile", ranges=[{"path": "a.py", "start": 1, "end": 99}])
    assert asked(bench, "readfile", paths=["a.py"]) == "a.py: unchanged since call 1, which showed it whole"


def test_what_was_only_pointed_to_is_not_known_once_its_text_is_cleared(bench: Bench, tree: Path) -> None:
    asked(bench, "readfile", paths=["a.py"])
    asked(bench, "readfile", paths=["a.py"])
    assert bench.record is not None
    assert bench.record.knowledge("a.py", sha(tree / "a.py")) == "same"
    bench.record.cleared.add(1)
    assert bench.record.knowledge("a.py", sha(tree / "a.py")) == "glimpsed"


def test_a_call_that_shows_nothing_new_says_so_of_itself(bench: Bench) -> None:
    asked(bench, "readfile", paths=["a.py"])
    assert call("readfile", {"paths": ["a.py"]}, bench).unchanged
    assert not call("readfile", {"paths": ["a.py", "old.txt"]}, bench).unchanged


def test_new_bytes_and_cleared_results_are_shown_anew(bench: Bench, tree: Path) -> None:
    asked(bench, "readfile", paths=["a.py"])
    (tree / "a.py").write_text("x = 2\n")
    assert "1\tx = 2" in asked(bench, "readfile", paths=["a.py"])
    assert bench.record is not None
    bench.record.cleared.add(2)
    assert "1\tx = 2" in asked(bench, "readfile", paths=["a.py"])


def test_an_edited_file_is_shown_anew_and_a_written_one_is_known(bench: Bench) -> None:
    asked(bench, "readfile", paths=["a.py"])
    asked(bench, "edit", edits=[{"path": "a.py", "old_string": "x = 1", "new_string": "x = 5"}])
    assert "1\tx = 5" in asked(bench, "readfile", paths=["a.py"])
    asked(bench, "write_file", files=[{"path": "n.py", "content": "n = 1\n"}])
    assert asked(bench, "readfile", paths=["n.py"]) == "n.py: unchanged since call 4, which wrote it whole"


def test_without_a_record_everything_is_shown_each_time(cells: Cells, tree: Path) -> None:
    bench = bench_on(cells, tree)
    first, second = (call("readfile", {"paths": ["a.py"]}, bench).content for _ in range(2))
    assert first == second == "a.py (3 lines)\n1\tx = 1\n2\ty = 2\n3\tz = 3"


def test_what_has_no_room_is_named_with_the_way_to_ask(bench: Bench) -> None:
    done = call("readfile", {"paths": ["big/b0.txt", "big/b1.txt", "big/b2.txt", "big/b3.txt", "a.py"]}, bench)
    assert done.cut
    assert set(done.seen) == {"big/b0.txt", "big/b1.txt", "a.py"}
    assert 'b2.txt (400 lines), big/b3.txt (400 lines). Ask for them in a call of their own, e.g. {"paths": ' in (
        done.content
    )
    assert done.content.endswith('{"paths": ["big/b2.txt", "big/b3.txt"]}')


def test_a_folder_without_room_is_named_too(bench: Bench, tree: Path) -> None:
    (tree / "wide").mkdir()
    for n in range(390):
        (tree / "wide" / f"{'long_name_' * 12}{n:03}").touch()
    done = call("readfile", {"paths": ["big/b0.txt", "big/b1.txt", "wide", "a.py"]}, bench)
    assert "wide (390 files). Ask for them in a call of their own" in done.content
    assert "a.py (3 lines)" in done.content


def test_a_glob_names_what_it_does_not_show(bench: Bench) -> None:
    done = call("readfile", {"paths": ["*.{py,lock,bin}"]}, bench)
    assert done.ok
    assert done.content.startswith("*.{py,lock,bin}: 4 files\n\na.py (3 lines)\n")
    assert done.content.endswith("Not shown: img.bin (binary), uv.lock (a lock file: search it, or ask for it by name)")
    assert "uv.lock (lines 1-60 of 500)" in call("readfile", {"paths": ["uv.lock"]}, bench).content


def test_line_ends_and_encodings_are_told(bench: Bench) -> None:
    assert (
        call("readfile", {"paths": ["old.txt"]}, bench).content == "old.txt (1 lines, CRLF line ends, latin-1)\n1\tcafé"
    )


def test_a_file_asked_for_twice_in_one_call_is_shown_once(bench: Bench, tree: Path) -> None:
    (tree / "link.py").symlink_to("a.py")
    content = call("readfile", {"paths": ["a.py", "link.py"]}, bench).content
    assert content.endswith("3\tz = 3\n\na.py: shown above.")


def test_a_match_list_with_a_wrong_pattern_is_a_failure(bench: Bench) -> None:
    done = call("readfile", {"list_matches": {"pattern": "f("}}, bench)
    assert (done.ok, "unclosed group" in done.content) == (False, True)
    assert done.content.endswith("Mend the pattern, or search for plain text.")


def test_match_lists_give_every_line_number(bench: Bench) -> None:
    asked_for = {"list_matches": {"pattern": r"^def f\d*7\(", "paths": ["long.py", "nope.py"]}}
    content = call("readfile", asked_for, bench).content
    assert content.startswith("lines matching ^def f\\d*7\\(:\nlong.py: 8, 18, 28,")
    assert ", 888, 898\nNo such path: nope.py" in content


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"paths": ["img.bin"]}, "img.bin: is a binary file of 3 bytes; look into it with shell."),
        ({"paths": ["*.rb"]}, "*.rb: no file matches this glob. readfile a folder to see its files."),
        ({"paths": ["lib/a.py"]}, "lib/a.py: no such file. Did you mean a.py?"),
        (
            {"paths": ["/etc/passwd"]},
            "/etc/passwd: is outside /src and /env. What can be read is the repository, and libraries below /env.",
        ),
        (
            {"ranges": [{"path": "a.py", "start": 9, "end": 12}]},
            "a.py has only 3 lines, and none of 9-12: ask for lines within it.",
        ),
    ],
)
def test_what_can_not_be_shown_is_said_with_the_next_step(bench: Bench, arguments: Any, words: str) -> None:
    done = call("readfile", arguments, bench)
    assert (done.ok, done.content) == (False, words)


def test_a_range_that_is_none_does_not_hide_the_others(bench: Bench) -> None:
    ranges = [{"path": "a.py", "start": s, "end": e} for s, e in ((3, 1), (7, 9), (2, 2))]
    done = call("readfile", {"ranges": ranges}, bench)
    assert not done.ok
    assert "a.py: the range ends at 1, before its start at 3" in done.content
    assert "a.py has only 3 lines, and none of 7-9" in done.content
    assert done.content.endswith("a.py (lines 2-2 of 3)\n2\ty = 2")


def test_imports_that_are_only_told_by_their_number_are_not_known(bench: Bench, tree: Path) -> None:
    (tree / "many.py").write_text("".join(f"import m{n}\n" for n in range(30)) + "\n\n\n\nx = 1\n")
    done = call("readfile", {"paths": ["many.py"]}, bench)
    assert "[… 25 lines of imports …]" in done.content
    assert done.seen["many.py"].spans == ((1, 3), (29, 35))
    both = call("readfile", {"paths": ["many.py"], "ranges": [{"path": "many.py", "start": 4, "end": 28}]}, bench)
    assert both.seen == {"many.py": Seen.whole(sha(tree / "many.py"))}


def test_a_line_that_is_shown_in_part_is_not_known(bench: Bench, tree: Path) -> None:
    (tree / "wide.txt").write_text(f"a\n{'b' * 3000}\nc\n")
    assert call("readfile", {"paths": ["wide.txt"]}, bench).seen["wide.txt"].spans == ((1, 1), (3, 3))
    wide = {"ranges": [{"path": "wide.txt", "start": 2, "end": 2}]}
    assert "more characters of this line" in asked(bench, "readfile", **wide)
    assert "more characters of this line" in asked(bench, "readfile", **wide)  # nothing of it can be pointed to
