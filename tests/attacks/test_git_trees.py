"""Trees made to hurt whoever takes them or lays them out: names, submodules, links, depth, and files that never end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.git import GitError, Remote, git, init_bare
from jobs.repo.local import find
from jobs.repo.mirror import Mirror
from jobs.repo.workspace import Workspace
from jobs.sandbox import files
from jobs.sandbox.cell import Cells

GIT_LOOKALIKES = [".GIT/config", "git~1/config", ".g\u200cit/config", "a/.git/config", ".git /config", "a\\.git/config"]
HUNG_S = 1.5
DEPTH = 1100


def raw_tree(git_dir: Path, *entries: tuple[str, bytes, str]) -> str:
    """A tree object with entries that git itself would never write: (mode, name, object id)."""
    body = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    made = git(git_dir, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=body)
    return made.decode().strip()


def blob(git_dir: Path, text: str) -> str:
    return git(git_dir, "hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()


@pytest.mark.threat(57)
@pytest.mark.parametrize("path", GIT_LOOKALIKES)
def test_a_name_that_is_git_s_folder_elsewhere_gets_into_no_tree(workspace: Workspace, path: str) -> None:
    """A10: some file systems take these for `.git`."""
    with workspace.checkout(workspace.base) as folder:
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text("[core]\n\tfsmonitor = touch /tmp/x\n")
        (folder / "app.py").write_text("x = 2\n")
        states = TreeCheckpoints(workspace.trees, workspace.base, folder)
        taken, found = states.take(), workspace.harvest(folder, None).tree
    for tree in (taken, found):
        assert workspace.trees.patch(workspace.base, tree).paths == ("app.py",)


@pytest.mark.threat(57, 51)
@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b"git~1", b"../../out", b"/tmp/out", ".g\u200cit".encode()])
def test_a_tree_with_a_crafted_name_is_laid_out_nowhere(workspace: Workspace, tmp_path: Path, name: bytes) -> None:
    file = blob(workspace.git_dir, "[core]\n\tfsmonitor = touch /tmp/x\n")
    inner = raw_tree(workspace.git_dir, ("100644", b"config", file))
    tree = raw_tree(workspace.git_dir, ("40000", name, inner))
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(GitError), workspace.checkout(tree) as folder:
        pytest.fail(f"laid out: {sorted(folder.rglob('*'))}")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not Path("/tmp/out").exists()
    assert not list(workspace.root.rglob("config-*"))


@pytest.mark.threat(56)
def test_nothing_is_laid_out_through_a_link(workspace: Workspace, tmp_path: Path) -> None:
    """A tree that has a name twice, as a link and as a folder: the file behind the second must not land outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = blob(workspace.git_dir, str(outside))
    inner = raw_tree(workspace.git_dir, ("100644", b"planted", blob(workspace.git_dir, "x")))
    tree = raw_tree(workspace.git_dir, ("120000", b"a", link), ("40000", b"a", inner))
    with contextlib.suppress(GitError), workspace.checkout(tree):
        pass
    assert list(outside.iterdir()) == []


@pytest.fixture
def with_submodule(tmp_path: Path, marker: Path) -> Workspace:
    """A base whose .gitmodules has addresses that run something, and paths that look like options."""
    repo = gitrepo.make(tmp_path / "repo", {"app.py": "x = 1\n"})
    head = gitrepo.run(repo, "rev-parse", "HEAD")
    modules = "".join(
        f'[submodule "{name}"]\n\tpath = {path}\n\turl = {url}\n\tupdate = !touch {marker}\n'
        for name, path, url in (
            ("a", "a", f"ext::sh -c touch% {marker}"),
            ("b", "-u./x", f"file://{tmp_path}/repo"),
            ("../c", "c\r", "https://127.0.0.1:9/x"),
        )
    )
    gitrepo.commit(repo, {".gitmodules": modules})
    gitrepo.run(repo, "update-index", "--add", "--cacheinfo", f"160000,{head},a")
    gitrepo.run(repo, "commit", "--quiet", "-m", "A submodule")
    return Workspace(tmp_path / "run", repo / ".git/objects", gitrepo.run(repo, "rev-parse", "HEAD"))


@pytest.mark.threat(55)
def test_a_submodule_is_a_link_that_nobody_follows(with_submodule: Workspace, marker: Path) -> None:
    """A9."""
    with with_submodule.checkout(with_submodule.base) as folder:
        (folder / "app.py").write_text("x = 2\n")
        found = with_submodule.harvest(folder, None)
        TreeCheckpoints(with_submodule.trees, with_submodule.base, folder).restore(with_submodule.base)
    assert not marker.exists()
    assert with_submodule.trees.patch(with_submodule.base, found.tree).paths == ("app.py",)


@pytest.mark.threat(55)
def test_a_file_in_a_submodules_folder_does_not_replace_the_link(with_submodule: Workspace) -> None:
    with with_submodule.checkout(with_submodule.base) as folder:
        (folder / "a").mkdir(exist_ok=True)
        (folder / "a/planted.py").write_text("x")
        found = with_submodule.harvest(folder, None)
    assert with_submodule.trees.patch(with_submodule.base, found.tree).paths == ()


@pytest.mark.threat(55, 58)
@pytest.mark.parametrize(
    "sha", ["--upload-pack=touch /tmp/x", "HEAD", "a" * 40 + "\n", "$(id)", "+refs/heads/*:refs/*"]
)
def test_only_a_full_commit_id_is_fetched(tmp_path: Path, sha: str) -> None:
    from_file = Remote(f"file://{gitrepo.make(tmp_path / 'repo', {'a': '1'})}")
    with pytest.raises(Exception, match="is not a full commit id"):
        Mirror(tmp_path / "mirrors", 1).fetch(from_file, sha)
    assert not (tmp_path / "mirrors").exists()


@pytest.mark.threat(55)
def test_only_the_remotes_own_transport_is_open(tmp_path: Path, marker: Path) -> None:
    """A repository that sends us on to a transport which runs programs."""
    repo = gitrepo.make(tmp_path / "repo", {"a": "1"})
    ours = tmp_path / "ours.git"
    init_bare(ours)
    git(ours, "config", f"url.ext::sh -c touch% {marker}.insteadOf", f"file://{repo}")
    naive = ["git", "-c", "protocol.ext.allow=always", "ls-remote", f"file://{repo}"]
    subprocess.run(naive, env={**os.environ, "GIT_DIR": str(ours)}, capture_output=True, check=False)
    assert marker.exists()
    marker.unlink()
    with pytest.raises(GitError, match="transport 'ext' not allowed"):
        git(ours, "ls-remote", f"file://{repo}", remote=Remote(f"file://{repo}"))
    assert not marker.exists()


@pytest.mark.threat(55)
def test_an_address_that_runs_a_program_is_no_remote(tmp_path: Path, marker: Path) -> None:
    init_bare(tmp_path / "ours.git")
    address = f"ext::sh -c touch% {marker}"
    with contextlib.suppress(GitError, ValueError):
        git(tmp_path / "ours.git", "ls-remote", address, remote=Remote(address))
    assert not marker.exists()


@pytest.mark.threat(58)
@pytest.mark.parametrize(
    "name", ["--output=planted", "-c", "$(touch planted)", "a;touch planted", "--upload-pack=touch"]
)
def test_a_branch_named_like_an_option_or_a_command_is_a_name(tmp_path: Path, name: str) -> None:
    """A11: git takes most of these as branch names."""
    repo = gitrepo.make(tmp_path / "repo", {"a": "1"})
    head = gitrepo.run(repo, "rev-parse", "HEAD")
    with pytest.raises(Exception, match="has no branch, tag or commit"):
        find(repo).resolve(name)
    gitrepo.run(repo, "update-ref", f"refs/heads/{name.replace(' ', '_')}", head)
    assert find(repo).resolve(f"refs/heads/{name.replace(' ', '_')}") == head
    assert not list(tmp_path.rglob("planted"))


@pytest.mark.threat(60)
def test_replaced_objects_are_neither_read_nor_fetched(tmp_path: Path) -> None:
    repo = gitrepo.make(tmp_path / "repo", {"a.txt": "true\n"})
    head = gitrepo.run(repo, "rev-parse", "HEAD")
    true = gitrepo.run(repo, "rev-parse", "HEAD:a.txt")
    false = gitrepo.run(repo, "hash-object", "-w", "--stdin", stdin=b"false\n")
    gitrepo.run(repo, "replace", true, false)
    assert gitrepo.run(repo, "show", "HEAD:a.txt") == "false"
    assert find(repo).read(head, "a.txt") == b"true\n"
    mirror = Mirror(tmp_path / "mirrors", 1)
    gitrepo.run(repo, "tag", "v1")
    mirror.fetch(Remote(f"file://{repo}"), head)
    references = git(mirror.git_dir, "for-each-ref", "--format=%(refname)").decode().split()
    assert references == [f"refs/patchwright/{head}"]


@contextlib.contextmanager
def unblocked(pipe: Path) -> Iterator[threading.Event]:
    """Lets a reader of `pipe` go on after some seconds; the event tells whether one had to be."""
    helped, over = threading.Event(), threading.Event()

    def help_out() -> None:
        over.wait(HUNG_S)
        while not over.is_set():
            with contextlib.suppress(OSError):  # nobody waits
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
                helped.set()
            over.wait(0.05)

    thread = threading.Thread(target=help_out)
    thread.start()
    try:
        yield helped
    finally:
        over.set()
        thread.join()


@pytest.mark.threat(48, 56)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("step", ["harvest", "checkpoint"])
def test_a_pipe_named_gitignore_holds_nobody_up(workspace: Workspace, step: str) -> None:
    with workspace.checkout(workspace.base) as folder:
        states = TreeCheckpoints(workspace.trees, workspace.base, folder)
        (folder / ".gitignore").unlink()
        os.mkfifo(folder / ".gitignore")
        (folder / "new.py").write_text("x")
        with unblocked(folder / ".gitignore") as helped:
            tree = states.take() if step == "checkpoint" else workspace.harvest(folder, None).tree
        assert not helped.is_set()
        assert workspace.trees.read(tree, "new.py") == b"x"


@contextlib.contextmanager
def deep(folder: Path) -> Iterator[None]:
    """Folders in `folder`, deeper than a path can tell, while this lasts."""
    line = f"import os\nfor _ in range({DEPTH}): os.mkdir('d'); os.chdir('d')"
    subprocess.run(["python3", "-c", line], cwd=folder, check=True)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", str(folder / "d")], check=True)


@pytest.mark.threat(44, 56)
def test_a_tree_deeper_than_any_path_is_taken(workspace: Workspace) -> None:
    with workspace.checkout(workspace.base) as folder, deep(folder):
        (folder / "new.py").write_text("x")
        found = workspace.harvest(folder, None)
        assert workspace.trees.patch(workspace.base, found.tree).paths == ("new.py",)


@pytest.mark.threat(44, 56)
def test_a_tree_deeper_than_any_path_is_removed(workspace: Workspace) -> None:
    folder = None
    try:
        with workspace.checkout(workspace.base) as folder, deep(folder):
            (folder / "d").rename(folder / "kept")
        assert not folder.exists()
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.threat(44, 63)
@pytest.mark.parametrize("step", ["give", "take_back"])
def test_a_tree_deeper_than_any_path_changes_hands(cells: Cells, tree: Path, step: str) -> None:
    with deep(tree):
        getattr(files, step)(tree, cells.uid, cells.slot.identity.gid)
        assert (tree / "d/d/d").stat().st_uid == cells.uid
