"""The file tools, told to leave the tree, to read what never ends, or to compute for ever."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from agent_tree import asked, bench_on, make_tree

from jobs.agent.tools.spec import Bench
from jobs.repo import below
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.sandbox.files import read_inside

CANARY = "canary-5e0c1d"
INSIDE = Path(read_inside.__code__.co_filename).parent / "inside"
PLANTED = (
    "ln -s {secret} link; ln -s /proc/self/environ environ; ln -s /dev/zero zero; ln -s {outside} folder; mkfifo pipe;"
    "ln -s pipe to-pipe; ln -s loop loop; truncate -s 5G huge; ln -s /proc/self/root/ root; ln -s /dev/stdin stdin"
)
LEAVING = (
    "link", "environ", "zero", "folder/secret", "root/etc/shadow", "root/{secret}", "stdin", "{secret}",
    "../outside/secret", "/src/../{secret}", "/proc/self/environ", "/proc/self/root{secret}", "/dev/zero",
    "/etc/shadow", ".git/config", ".GIT/HEAD", "a/../../x", "link\0.txt",
)  # fmt: skip
NAMES_ONLY = ("~/secret", "file://{secret}", "$HOME/secret")  # nobody expands these
EXCHANGE, CURRENT = 2, -100


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the tree, with a secret that everybody may read."""
    folder = make_tree(tmp_path / "outside", {"secret": CANARY})
    tmp_path.chmod(0o755)
    return folder


@pytest.fixture
def bench(cells: Cells, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A tree full of ways out, made by the harness's user so that none is missing."""
    monkeypatch.setenv("CANARY", CANARY)
    tree = make_tree(tmp_path / "tree", {"app.py": "x = 1\n"})
    line = PLANTED.format(secret=outside / "secret", outside=outside)
    subprocess.run(["bash", "-c", line], cwd=tree, check=True)
    return bench_on(cells, tree)


@pytest.mark.threat(48)
@pytest.mark.timeout(60)
def test_nothing_outside_the_tree_is_read(bench: Bench, outside: Path) -> None:
    for way in (*LEAVING, *NAMES_ONLY):
        path = way.format(secret=outside / "secret")
        told = asked(bench, "readfile", paths=[path])
        assert CANARY not in told, path
        assert "root:" not in told, path
    found = asked(bench, "search", patterns=["canary"], paths=["link", "environ", "folder", "root/proc", "/etc", "."])
    assert CANARY not in found


@pytest.mark.threat(48)
@pytest.mark.timeout(60)
def test_nothing_outside_the_tree_is_written(bench: Bench, outside: Path) -> None:
    for way in LEAVING:
        path = way.format(secret=outside / "secret")
        written = asked(bench, "write_file", files=[{"path": path, "content": "planted\n"}])
        edited = asked(bench, "edit", edits=[{"path": path, "old_string": CANARY, "new_string": "planted"}])
        assert "FAILED" in written, (path, written)
        assert "FAILED" in edited, (path, edited)
    for way in NAMES_ONLY:
        asked(bench, "write_file", files=[{"path": way.format(secret=outside / "secret"), "content": "planted\n"}])
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == CANARY


@pytest.mark.threat(48)
@pytest.mark.timeout(30)
@pytest.mark.parametrize("path", ["pipe", "to-pipe", "zero", "huge", "stdin", "loop"])
def test_what_never_ends_is_named_and_not_read(bench: Bench, path: str) -> None:
    told = asked(bench, "readfile", paths=[path])
    assert len(told) < 4000
    assert "pipe: is no regular file" in told or "huge: has 5,368,709,120 bytes" in told or "link" in told, told


@pytest.mark.threat(48)
@pytest.mark.parametrize("path", ["/proc/1/root/etc/passwd", "/proc/1/cwd", "to-root/etc/passwd"])
def test_a_path_through_another_process_is_refused_and_the_run_goes_on(bench: Bench, path: str) -> None:
    bench.cell.run(Command.shell("ln -s /proc/1/root to-root"))
    told = asked(bench, "readfile", paths=[path])
    assert "What can be read is the repository" in told
    assert "1 lines" in asked(bench, "readfile", paths=["app.py"])


@pytest.mark.threat(48)
def test_search_stays_where_reading_stays(bench: Bench) -> None:
    """Nothing secret is in a cell, but what the tools accept is /src and, to read, /env."""
    assert "root:x:0" not in asked(bench, "search", patterns=["root:"], paths=["/etc"])


@pytest.mark.threat(48)
def test_a_name_of_any_bytes_is_told_and_harms_nothing(bench: Bench) -> None:
    bench.cell.run(Command.shell("echo 1 > $'a\\nb'; echo 2 > $'bad\\xff'; echo 3 > '--pre=sh'; echo 4 > '$(id)'"))
    told = asked(bench, "readfile", paths=["."])
    assert "--pre=sh" in told
    assert "$(id)" in told
    assert "4" in asked(bench, "readfile", paths=["$(id)"])
    assert "1 matches" in asked(bench, "search", patterns=["3"], paths=["--pre=sh"])


@contextmanager
def swapping(tree: Path, outside: Path) -> Iterator[None]:
    """`tree`/d is a folder and a link to `outside`, in turn, as fast as a thread can make it so."""
    (tree / "d").mkdir()
    (tree / "d/secret").write_text("harmless")
    (tree / "e").symlink_to(outside)
    over = threading.Event()
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    first, second = os.fsencode(tree / "d"), os.fsencode(tree / "e")

    def swap() -> None:
        while not over.is_set():
            exchange(CURRENT, first, CURRENT, second, EXCHANGE)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def until_leaked(read: Callable[[], str], most: int) -> int:
    """How often `read` was called before it gave the secret; `most` if it never did."""
    for number in range(most):
        with suppress(OSError):
            if CANARY in read():
                return number
    return most


@pytest.mark.threat(48)
@pytest.mark.timeout(60)
def test_a_folder_that_becomes_a_link_in_between_leads_nowhere(tmp_path: Path, outside: Path) -> None:
    """The harness reads some files itself, between commands; even if a command still ran, it would win nothing."""
    tree = tmp_path / "tree"
    tree.mkdir()

    def checked_first() -> str:
        path = tree / "d/secret"
        return path.read_text() if path.resolve().is_relative_to(tree) else ""

    with swapping(tree, outside):
        tries = until_leaked(checked_first, 300_000)
        assert tries < 300_000, "the race can't be won here: it shows nothing"
        most = max(2_000, 4 * tries)
        assert until_leaked(lambda: read_inside(tree, "d/secret").decode(), most) == most
        assert until_leaked(lambda: below.read(tree, b"d/secret", 100).decode(), most) == most
        for number in range(300):
            with suppress(OSError):
                below.write(tree, b"d/planted-%d" % number, "100644", b"x")
            with suppress(OSError):
                below.remove(tree, b"d/secret")
    assert [path.name for path in outside.iterdir()] == ["secret"]


@pytest.mark.threat(49)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*c", "(.*)*(.*)*(.*)*z", "([ab]*)*\\1"])
def test_a_pattern_that_explodes_elsewhere_is_answered(bench: Bench, pattern: str) -> None:
    bench.cell.run(Command.shell("head -c 50000 /dev/zero | tr '\\0' a > long.txt; echo ! >> long.txt"))
    told = asked(bench, "search", patterns=[pattern], regex=True)
    listed = asked(bench, "readfile", list_matches={"pattern": pattern, "paths": ["long.txt"]})
    assert told
    assert listed


def in_a_fresh_process(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python code that gets two seconds: what explodes would hold the test up for hours."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{INSIDE}:{Path(__file__).parents[2]}"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=2, check=True)


@pytest.mark.threat(49)
def test_a_glob_of_many_stars_is_answered() -> None:
    code = "import sys, tree; print(tree.globbed(sys.argv[1])(sys.argv[2]))"
    assert in_a_fresh_process(code, "*a" * 20 + "b", "a" * 200).stdout == "False\n"


@pytest.mark.threat(49)
def test_a_file_of_blanks_is_shown() -> None:
    """This one runs in the harness itself, on what the repository holds."""
    code = "from jobs.agent.tools.trim import gaps; print(gaps('a.js', ['const' + ' ' * 300_000]))"
    assert in_a_fresh_process(code).stdout == "[]\n"
