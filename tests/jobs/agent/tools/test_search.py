"""search over a real cell: what it shows, what it counts, and that it says what it does not show."""

from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest
from agent_tree import bench_on, make_tree

from jobs.agent.record import Seen
from jobs.agent.tools.registry import call
from jobs.agent.tools.search import find
from jobs.agent.tools.spec import Bench
from jobs.sandbox import skeleton
from jobs.sandbox.cell import Cells

MANY = 260  # files, more than are counted

FILES: dict[str, bytes | str] = {
    "a.py": "def f():\n    return 1\n\n\ndef g():\n    return 1\n",
    "b.py": "Total = 1\ntotal = 2\n",
    "long.py": "".join(f"def f{n}(): pass\n" for n in range(900)),
    "deep.txt": "deep word\n" * 1500,
    "wide.js": "x" * 3000 + "needle" + "y" * 3000 + "\n",
    "bin.dat": b"needle\n\0\1\2\n",
    "win.txt": b"one\r\ntwo\r\nthree\r\n",
    "node_modules/m/i.js": "needle\n",
    "app/[id]/page.ts": "const unique = 1\n",
    **{f"many/d{n % 7}/f{n:03}.txt": "common word\n" * 2 for n in range(MANY)},
}


@pytest.fixture(scope="module")
def bench(cells: Cells, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("search")
    folder.chmod(0o755)
    return bench_on(cells, make_tree(folder / "tree", FILES))


def told(bench: Bench, **arguments: object) -> str:
    """What the model reads."""
    return call("search", arguments, bench).content


def test_matches_stand_with_context_and_numbers_by_file(bench: Bench) -> None:
    done = call("search", {"patterns": ["return 1", "nothing here"], "paths": ["a.py", "long.py"], "context": 1}, bench)
    assert done.content == (
        "search 'return 1', 'nothing here' in a.py, long.py: 2 matches in 1 files\n\n"
        "a.py\n1-def f():\n2:    return 1\n3-\n--\n5-def g():\n6:    return 1\n\nNo match for: 'nothing here'"
    )
    assert done.seen == {"a.py": Seen(None, ((1, 3), (5, 6)))}
    assert not done.cut


def test_overlapping_context_of_several_patterns_is_shown_once(bench: Bench) -> None:
    content = told(bench, patterns=["f():", "def g"], paths=["a.py"], context=3)
    assert content.endswith("1:def f():\n2-    return 1\n3-\n4-\n5:def g():\n6-    return 1")


def test_each_pattern_has_its_own_case(bench: Bench) -> None:
    content = told(bench, patterns=["total", "Def"], paths=["b.py", "a.py"], context=0)
    assert "1:Total = 1\n2:total = 2" in content
    assert "No match for: 'Def'" in content


def test_one_file_shows_few_of_many_and_says_how_many_there_are(bench: Bench) -> None:
    content = told(bench, patterns=["f1", "():"], paths=["long.py"], context=2)
    assert "900 matches in 1 files; the first 20, by path:" in content
    assert '{"list_matches": {"pattern": "f1|\\\\(\\\\):", "paths": ["long.py"]}}' in content
    assert "\n20:def f19(): pass\n\n[…" in content


def test_a_common_word_is_bounded_and_the_same_each_time(bench: Bench) -> None:
    first, second = (call("search", {"patterns": ["common word"]}, bench) for _ in range(2))
    assert first.content == second.content
    assert first.content.startswith("search 'common word': more than 100 matches, in more than 50 files; the first 100")
    assert "[… stopped at 100 matches; narrow it with paths or glob …]" in first.content
    assert list(first.seen) == sorted(f for f in FILES if f.startswith("many/"))[:50]
    assert first.cut


def test_a_word_in_fewer_files_is_counted_exactly(bench: Bench) -> None:
    content = told(bench, patterns=["common"], paths=["many/d0", "many/d1"])
    assert "150 matches in 75 files; the first 100, by path:" in content
    found = find(bench, {"patterns": ["common"], "paths": ["many"], "limit": 1000})
    assert (found.total, found.files, found.exact, found.more) == (2 * MANY, MANY, True, False)


def test_a_file_full_of_matches_is_not_counted_to_its_end(bench: Bench) -> None:
    content = told(bench, patterns=["deep word"])
    assert content.startswith("search 'deep word': at least 1,000 matches in 1 files; the first 20, by path:")


def test_long_lines_are_cut_and_tell_where_the_match_is(bench: Bench) -> None:
    content = told(bench, patterns=["needle"], paths=["wide.js"])
    assert "1:(at column 3001) xxx" in content
    assert len(content) < 800


def test_binary_files_are_passed_over_or_named(bench: Bench) -> None:
    assert "1 matches in 1 files" in told(bench, patterns=["needle"])
    assert "bin.dat: a binary file that matches" in told(bench, patterns=["needle"], paths=["bin.dat"])


def test_generated_folders_are_searched_only_by_name(bench: Bench) -> None:
    assert "node_modules" not in told(bench, patterns=["needle"], glob="*.js")
    assert "node_modules/m/i.js\n1:needle" in told(bench, patterns=["needle"], paths=["node_modules"])


def test_a_glob_among_the_paths_is_taken_as_one(bench: Bench) -> None:
    assert "Nothing matches" in told(bench, patterns=["common"], paths=["many/d2/*.py"])
    assert "74 matches in 37 files" in told(bench, patterns=["common"], paths=["many/d2/*.txt"])
    assert "No such path: many/*.txt" in told(bench, patterns=["common"], paths=["many/d2", "many/*.txt"])


def test_brackets_are_taken_literally_where_such_a_folder_is(bench: Bench) -> None:
    for where in ({"glob": "app/[id]/*.ts"}, {"paths": ["app/[id]/*.ts"]}, {"glob": "**/[id]/*.ts", "paths": ["app"]}):
        assert "app/[id]/page.ts\n1:const unique = 1" in told(bench, patterns=["const unique"], **where), where
    assert "1 matches in 1 files" in told(bench, patterns=["Total ="], glob="[ab].py")
    shown = call("readfile", {"paths": ["app/[id]/*.ts"]}, bench)
    assert (shown.ok, "1\tconst unique = 1" in shown.content) == (True, True)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"glob": "*.nope"}, "Nothing matches: no file that is searched fits *.nope. Next: send another glob or none"),
        ({"glob": "x/[id]/*.ts"}, "no file that is searched fits x/[id]/*.ts. Next"),
        ({"glob": "*.nope", "paths": ["many"]}, "no file that is searched below many fits *.nope. Next"),
        ({"paths": ["many/*.nope"]}, "no file that is searched fits many/*.nope. Next"),
        ({"glob": "*.py"}, "Nothing matches: try a shorter text or another spelling"),
        ({"glob": "[ab].py"}, "Nothing matches: try a shorter text or another spelling"),
    ],
)
def test_a_glob_that_no_file_fits_is_named(bench: Bench, where: dict[str, object], words: str) -> None:
    assert words in told(bench, patterns=["zzz"], **where)


def test_windows_line_ends_do_not_show(bench: Bench) -> None:
    assert told(bench, patterns=["two"], context=1).endswith("win.txt\n1-one\n2:two\n3-three")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"patterns": ["zzz"]}, "Nothing matches: try a shorter text"),
        ({"patterns": ["def"], "paths": ["nope"]}, "No such path: nope. readfile a folder"),
        ({"patterns": ["def"], "paths": ["nope", "a.py"]}, "No such path: nope. readfile a folder"),
        ({"patterns": ["f("], "regex": True}, "With regex false the patterns are taken literally."),
        ({"patterns": ["a\nb"]}, "lines are searched one by one: send one line."),
        ({"patterns": ["-e", "--files"]}, "Nothing matches"),
        ({"patterns": ["(?P<x>d)ef", r"\bg\b", "zz?z"], "regex": True, "paths": ["a.py"]}, "No match for: 'zz?z'"),
        ({"patterns": ["common", "seldom"]}, "No match for: 'seldom'"),
    ],
)
def test_what_was_not_found_is_said_with_the_next_step(bench: Bench, arguments: dict[str, object], words: str) -> None:
    assert words in told(bench, **arguments)


def test_much_context_stays_within_the_room_and_names_what_is_left(bench: Bench) -> None:
    done = call("search", {"patterns": [f"f{n}9" for n in range(10, 80, 3)], "context": 20, "glob": "long.py"}, bench)
    assert len(done.content) < 42_000
    wide = call("search", {"patterns": ["x"], "context": 0, "paths": ["wide.js"]}, bench)
    assert wide.ok


def test_tracked_files_are_searched_though_git_ignores_them(cells: Cells, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    files = {".gitignore": "gen/\n", "gen/kept.py": "needle = 1\n", "a.py": "needle = 2\n"}
    tree = gitrepo.make(tmp_path / "tree", files)
    gitrepo.run(tmp_path, "clone", "--quiet", "--bare", str(tree), "bare.git")
    git = skeleton.build(tmp_path / "bare.git", "HEAD", tmp_path / "skeleton")
    gitrepo.run(tmp_path, "clone", "--quiet", str(tree), "work")
    (tmp_path / "work/gen/made.py").write_text("needle = 3\n")
    gitrepo.run(tmp_path / "work", "config", "core.bare", "false")
    cells.own(tmp_path / "work")
    bench = Bench(cell=cells.on(tmp_path / "work", git=git))
    for _ in range(2):
        assert told(bench, patterns=["needle"]).endswith("a.py\n1:needle = 2\n\ngen/kept.py\n1:needle = 1")
        assert bench.kept == ("gen/kept.py",)
    assert told(bench, patterns=["needle"], glob="gen/[k]*.py").endswith("gen/kept.py\n1:needle = 1")
    assert told(bench, patterns=["needle"], glob="a.*").endswith("a.py\n1:needle = 2")
    assert "2 matches in 2 files" in told(bench, patterns=["needle"], paths=["gen"])  # what is named is searched whole
    listing = call("readfile", {"paths": ["."]}, bench).content
    assert listing == "./: 3 files\n.gitignore (1 lines)\na.py (1 lines)\ngen/kept.py (1 lines)"


@pytest.mark.parametrize(("asked", "taken"), [(-4, 0), (500, 20)])
def test_a_context_that_can_not_be_given_is_said(bench: Bench, asked: int, taken: int) -> None:
    content = told(bench, patterns=["Total"], paths=["b.py"], context=asked)
    assert content.endswith(f"[… context {asked} was taken as {taken}: send 0 to 20 …]")
    assert "taken as" not in told(bench, patterns=["Total"], paths=["b.py"], context=20)
