"""What a hostile tree plants for the git of whoever looks at it: it fires for a person's git, and never for ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.checkpoint import TreeCheckpoints
from jobs.repo.harvest import Harvest
from jobs.repo.workspace import Workspace
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells

Plant = Callable[[Path, Path], None]  # (tree, the program that fires)


@dataclass(frozen=True)
class Trap:
    """How it is planted, and what a person would run to fall into it."""

    plant: Plant
    naive: tuple[str, ...]


def program(marker: Path) -> Path:
    """What the attacker wants run: it leaves `marker` and hands on what it was given, as a filter would."""
    made = marker.parent / "fire"
    made.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    made.chmod(0o755)
    return made


def evil_git(folder: Path, fire: Path, *, bare: bool = False) -> None:
    """A repository at `folder` whose configuration and hooks name `fire` wherever git would run something."""
    subprocess.run(["git", "init", "--quiet", *(["--bare"] if bare else []), str(folder)], check=True)
    git_dir = folder if bare else folder / ".git"
    with (git_dir / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {fire}\n\thooksPath = {fire.parent}/hooks\n"
            f"\tpager = {fire}\n\tsshCommand = {fire}\n"
            f'[filter "z9"]\n\tclean = {fire}\n\tsmudge = {fire}\n\trequired = true\n'
            f'[diff "z9"]\n\ttextconv = {fire}\n\tcommand = {fire}\n[merge "z9"]\n\tdriver = {fire}\n'
        )
    for hook in ("pre-commit", "post-checkout", "post-index-change", "pre-push", "reference-transaction"):
        (git_dir / "hooks").mkdir(exist_ok=True)
        (git_dir / "hooks" / hook).symlink_to(fire)


def replaced(tree: Path, fire: Path) -> None:
    """A1: a folder .git of the attacker's."""
    evil_git(tree, fire)
    (tree / ".gitattributes").write_text("* filter=z9 diff=z9 merge=z9\n")  # A5


def file_link(tree: Path, fire: Path) -> None:
    """A4: a file .git that names a repository inside the tree."""
    evil_git(tree / ".x", fire, bare=True)
    subprocess.run(["git", "-C", str(tree / ".x"), "config", "core.bare", "false"], check=True)
    (tree / ".git").write_text("gitdir: ./.x\n")


def common_folder(tree: Path, fire: Path) -> None:
    """A6: a linked worktree's folder whose commondir was turned to the attacker's repository."""
    evil_git(tree / ".y", fire, bare=True)
    subprocess.run(["git", "-C", str(tree / ".y"), "config", "core.bare", "false"], check=True)
    linked = tree / ".z"
    linked.mkdir()
    for name, content in {"HEAD": "ref: refs/heads/main\n", "commondir": "../.y\n", "gitdir": f"{tree}/.git\n"}.items():
        (linked / name).write_text(content)
    (tree / ".git").write_text(f"gitdir: {linked}\n")
    (tree / ".gitattributes").write_text("* filter=z9\n")


def nested(tree: Path, fire: Path) -> None:
    """A8: a repository below, which .gitmodules asks git to look into."""
    inner = tree / "sub"
    evil_git(inner, fire)
    (inner / "f.txt").write_text("1\n")
    (inner / ".gitattributes").write_text("* filter=z9\n")
    quiet = ("-c", "filter.z9.clean=cat", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", *quiet, "add", "-A"], cwd=inner, check=True)
    subprocess.run(["git", *quiet, "commit", "--quiet", "-m", "x"], cwd=inner, check=True)
    (inner / "f.txt").write_text("2\n")
    (tree / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n')


TRAPS = {
    "A1 replaced": Trap(replaced, ("status",)),
    "A4 file link": Trap(file_link, ("status",)),
    "A6 common folder": Trap(common_folder, ("add", "app.py")),
    "A8 nested, status": Trap(nested, ("status",)),
    "A8 nested, diff": Trap(nested, ("diff",)),
    "A8 nested, add": Trap(nested, ("add", "-A")),
}

TRACK_NESTED = (("-c", "core.fsmonitor=false", "add", "sub"), ("-C", "sub", "update-index", "--refresh"))


def all_of_ours(workspace: Workspace, folder: Path) -> Harvest:
    """Every step that Patchwright takes with a tree that hostile code wrote."""
    states = TreeCheckpoints(workspace.trees, workspace.base, folder)
    taken = states.take()
    found = workspace.harvest(folder, None)
    assert workspace.trees.patch(workspace.base, found.tree).tree == found.tree
    with workspace.checkout(found.tree) as again:
        assert workspace.harvest(again, None).tree == found.tree
    states.restore(workspace.base)
    assert (folder / "app.py").read_text() == "x = 1\n"
    states.restore(taken)
    return found


@pytest.mark.threat(51, 52, 53)
@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_fires_for_a_person_and_not_for_us(
    workspace: Workspace, tmp_path: Path, marker: Path, name: str
) -> None:
    trap, fire = TRAPS[name], program(marker)
    person = gitrepo.make(tmp_path / "person", {"app.py": "x = 1\n", "src/b.py": "y = 2\n"})
    if trap.plant is not nested:  # that one lies in a person's own repository
        shutil.rmtree(person / ".git")
    trap.plant(person, fire)
    for line in TRACK_NESTED if trap.plant is nested else ():
        subprocess.run(["git", *line], cwd=person, capture_output=True, check=False)
    marker.unlink(missing_ok=True)
    subprocess.run(["git", *trap.naive], cwd=person, capture_output=True, check=False)
    assert marker.exists(), "the trap does not work: it shows nothing"
    marker.unlink()

    with workspace.checkout(workspace.base) as folder:
        trap.plant(folder, fire)
        (folder / "app.py").write_text("x = 2\n")
        marker.unlink(missing_ok=True)
        found = all_of_ours(workspace, folder)
        assert not marker.exists()
    paths = workspace.trees.paths(found.tree)
    assert workspace.trees.read(found.tree, "app.py") == b"x = 2\n"
    assert not [path for path in paths if ".git" in path.split("/")]
    assert "sub/f.txt" not in paths


@pytest.mark.threat(51)
def test_a_tree_of_somebody_else_is_refused_by_git_alone_and_taken_by_us(
    workspace: Workspace, cells: Cells, marker: Path
) -> None:
    """A2 and A3: git's own guard is who owns the tree; switched off for all trees it guards nothing."""
    fire = program(marker)
    with workspace.checkout(workspace.base) as folder:
        replaced(folder, fire)
        cells.own(folder)
        marker.unlink(missing_ok=True)
        if cells.uid != os.geteuid():
            said = subprocess.run(["git", "status"], cwd=folder, capture_output=True, text=True, check=False)
            assert "dubious ownership" in said.stderr
            assert not marker.exists()
        subprocess.run(["git", "-c", "safe.directory=*", "status"], cwd=folder, capture_output=True, check=False)
        anyone = {
            **os.environ,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        subprocess.run(["git", "status"], cwd=folder, env=anyone, capture_output=True, check=False)
        assert marker.exists()
        marker.unlink()
        all_of_ours(workspace, folder)
    assert not marker.exists()


@pytest.mark.threat(53, 54)
def test_a_filter_of_the_operators_own_configuration_is_not_run(
    workspace: Workspace, own_home: Path, tmp_path: Path, marker: Path
) -> None:
    """B1: attributes of the tree choose by name among the filters that a machine has, as large-file storage has one."""
    fire = program(marker)
    evil_git(tmp_path / "config-only", fire, bare=True)
    (own_home / ".gitconfig").write_text((tmp_path / "config-only/config").read_text().replace("bare = true", ""))
    attributes = "* filter=z9 diff=z9 merge=z9 ident text eol=crlf working-tree-encoding=UTF-16\n"
    files = {
        ".gitattributes": attributes,
        "a.txt": "$Id$\none\ntwo\n",
        ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/\n",
    }
    person = tmp_path / "person"
    person.mkdir()
    for name, content in files.items():
        (person / name).write_text(content)
    gitrepo.run(person, "init", "--quiet")
    subprocess.run(["git", "add", "a.txt"], cwd=person, capture_output=True, check=False)
    assert marker.exists(), "the filter does not run for a person: it shows nothing"
    marker.unlink()

    with workspace.checkout(workspace.base) as folder:
        for name, content in files.items():
            (folder / name).write_text(content)
        found = all_of_ours(workspace, folder)
        with workspace.checkout(found.tree) as again:
            assert (again / "a.txt").read_bytes() == b"$Id$\none\ntwo\n"
        patch = workspace.trees.patch(workspace.base, found.tree)
        assert workspace.trees.apply(workspace.base, patch.text) == found.tree
    assert not marker.exists()


@pytest.mark.threat(51, 59, 60)
def test_no_repository_of_ours_is_there_for_a_command(workspace: Workspace, cells: Cells, tmp_path: Path) -> None:
    """A6: what a cell could write into, git of ours would read; so nothing of it is in a cell."""
    with workspace.checkout(workspace.base) as folder:
        cells.own(folder)
        assert not (workspace.git_dir / "worktrees").exists()
        line = f"ls {workspace.git_dir} {tmp_path}; find / -name '*.git' -not -path '/proc/*' 2>/dev/null; ls -A .git"
        assert "job.git" not in cells.on(folder).run(Command.shell(line)).text.replace(str(workspace.git_dir), "")


@pytest.mark.threat(56)
def test_what_is_no_file_is_named_and_left_out(workspace: Workspace, cells: Cells) -> None:
    """A12: links of both kinds, pipes, sockets and devices, as a command can make them."""
    tool = "/opt/patchwright/wire.py"
    lines = (
        "ln /usr/bin/env hard; mknod disk b 8 0; mkfifo pipe; ln -s /etc/shadow out; ln -s ../../.. up",
        "echo 1 > one; ln one two; touch $'a\\nb'; ln -s app.py fine",
        "python3 -c \"import socket; socket.socket(1).bind('sock')\"",
        f"mv {tool} taken; rm -f {tool} && echo removed; echo x > {tool} && echo written",
    )
    with workspace.checkout(workspace.base) as folder:
        cells.own(folder)
        said = cells.on(folder).run(Command.shell("; ".join(lines))).text
        assert "Invalid cross-device link" in said
        assert not (folder / "hard").exists()
        assert not {"removed", "written"} & set(said.split())
        assert not (folder / "disk").exists()
        found = workspace.harvest(folder, None)
        assert {path for path, _ in found.skipped} == {"pipe", "sock", "one", "two", "a\nb"}
        assert workspace.trees.read(found.tree, "out") == b"/etc/shadow"
        added = set(workspace.trees.paths(found.tree)) - set(workspace.trees.paths(workspace.base))
        assert added <= {"out", "up", "fine", "taken"}
