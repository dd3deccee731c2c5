"""What whole-file views leave out, and that the numbers of what stays are true."""

from __future__ import annotations

import pytest

from jobs.agent.tools import page
from jobs.agent.tools.inside import Listed
from jobs.agent.tools.trim import gaps

PYTHON = [f"import m{n}" for n in range(8)] + ["from a import (", "    b,  # why", "    c,", ")"]
PYTHON += ["from d import e, \\", "    f", "from g import h  # (", "import z"]
SCRIPT = [f'import x{n} from "x{n}";' for n in range(10)] + ["import {", "  a,", "  b,", '} from "c";']
SCRIPT += ["const d = require('d');"]
GO = ["import (", *(f'\t"p{n}"' for n in range(14)), ")"]
RUST = ["use std::{", *(f"    m{n}," for n in range(14)), "};", "pub use a::b;"]
JAVA = [f"import a.b.C{n};" for n in range(15)]


def marked(path: str, rows: list[str]) -> list[tuple[int, int, str]]:
    return [(gap.start, gap.end, gap.marker) for gap in gaps(path, rows)]


@pytest.mark.parametrize(
    ("path", "rows"),
    [("a.py", PYTHON), ("a.tsx", SCRIPT), ("a.go", GO), ("a.rs", RUST), ("A.java", JAVA)],
)
def test_the_middle_of_a_block_of_imports_is_told_by_its_length(path: str, rows: list[str]) -> None:
    count = len(rows) - 5
    shown = ["x", *rows, "y"]
    assert marked(path, shown) == [(5, 4 + count, f"[… {count} lines of imports …]")]


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("a.py", [f"import m{n}" for n in range(14)]),
        ("a.py", [f"importance = {n}" for n in range(20)]),
        ("a.py", [*(f"import m{n}" for n in range(8)), "x = 1", *(f"import n{n}" for n in range(8))]),
        ("a.ts", [f'import("m{n}");' for n in range(20)]),
        ("a.txt", [f"import m{n}" for n in range(20)]),
        ("a.py", ["a", "", "", "b"]),
        ("a.py", ["a", " ", " ", " ", "b"]),
    ],
)
def test_short_blocks_and_what_only_looks_like_one_stay(path: str, rows: list[str]) -> None:
    assert marked(path, rows) == []


def test_an_import_that_never_closes_hides_nothing_behind_a_blank_line() -> None:
    rows = ["from a import (", "", *(f"x{n} = {n}" for n in range(20))]
    assert marked("a.py", rows) == []


def test_runs_of_blank_lines_are_told_and_numbers_stay_true() -> None:
    rows = ["a", "", "", "", "b", "", "", "c", "", "", "", ""]
    view = page.whole("a.md", rows)
    assert view.text == "1\ta\n[… 3 blank lines …]\n5\tb\n6\t\n7\t\n8\tc\n[… 4 blank lines …]"
    assert (view.spans, view.cut) == (None, False)


def test_a_large_folder_is_told_by_subfolders_as_deep_as_there_is_room() -> None:
    files = [Listed(f"src/m{n % 9}/p{n % 5}/f{n:04}.py", 10, 2) for n in range(900)] + [Listed("setup.py", 10, 3)]
    rows = page.listing(sorted(files, key=lambda f: f.path)).split("\n")
    assert rows[:3] == ["setup.py (3 lines)", "src/m0/p0/ (20 files, 40 lines)", "src/m0/p1/ (20 files, 40 lines)"]
    assert (len(rows), rows[-1]) == (47, "(the folders' files: readfile a folder)")
    wide = page.listing([Listed(f"d{n:03}/x/f.py", 10, 2) for n in range(500)]).split("\n")
    assert wide[-2:] == ["[… 100 more rows; ask for a folder …]", "(the folders' files: readfile a folder)"]


def test_lines_that_were_not_counted_are_not_told() -> None:
    files = [Listed(f"a/f{n:03}.py", 10, 2, counted=n < 250) for n in range(300)]
    files += [Listed(f"b/g{n:03}.py", 10, 2) for n in range(200)]
    rows = page.listing(files).split("\n")
    assert rows[:2] == ["a/ (300 files, 3,000 bytes)", "b/ (200 files, 400 lines)"]
    assert page.listing(files[249:251]) == "a/f249.py (2 lines)\na/f250.py (10 bytes)"
    assert page.listing([Listed("x.bin", 1000, None)]) == "x.bin (1,000 bytes, not text)"


def test_every_line_is_shown_or_told() -> None:
    rows = [*PYTHON, "", "", "", "x = 1", "", "", "", "", *PYTHON]
    hidden = sum(gap.end - gap.start + 1 for gap in gaps("a.py", rows))
    text = page.whole("a.py", rows).text
    numbers = [int(line.split("\t")[0]) for line in text.split("\n") if line[0].isdigit()]
    assert len(numbers) + hidden == len(rows)
    assert all(f"\n{n}\t{rows[n - 1]}\n" in f"\n{text}\n" for n in numbers)


def test_ranges_are_never_trimmed() -> None:
    view = page.ranges("a.py", ["a", "", "", "", "b"], [(1, 3), (4, 9)])
    assert (view.text, view.spans) == ("1\ta\n2\t\n3\t\n4\t\n5\tb", ((1, 5),))


def test_ranges_that_are_too_long_say_where_they_stop() -> None:
    rows = ["x" * 1000] * 100
    view = page.ranges("a.py", rows, [(1, 70), (80, 90)])
    assert view.cut
    assert view.spans is not None
    ((start, end),) = view.spans
    assert start == 1
    assert f'[… lines {end + 1}-70 would make this too long; ask for them alone: {{"path": "a.py"' in view.text
    assert "[… lines 80-90 would make this too long" in view.text


def test_a_long_file_is_shown_by_head_and_outline_and_counts_so() -> None:
    rows = [f"def f{n}(): pass" for n in range(900)]
    view = page.whole('b".py', rows)
    assert (view.spans, view.cut) == (((1, 200),), True)
    assert '[… 700 more lines; ask with ranges, e.g. {"path": "b\\".py", "start": 201, "end": 600} …]' in view.text
    assert "[… 550 more definitions …]" in view.text


def test_few_but_very_long_lines_are_cut_where_the_room_ends() -> None:
    view = page.whole("a.js", ["y" * 5000] * 100)
    assert view.spans is not None
    ((_, end),) = view.spans
    assert len(view.text) < page.WHOLE_CHARS + 500
    assert f"[… {100 - end} more lines; ask" in view.text
    assert "[… 3000 more characters of this line …]" in view.text


def test_a_lock_file_is_shown_by_its_head() -> None:
    view = page.whole("web/package-lock.json", ["{"] * 500)
    assert view.spans == ((1, page.LOCK_LINES),)
    assert "search it for a name, or ask with ranges" in view.text
    assert page.whole("uv.lock", ["a"] * 5).spans is None
