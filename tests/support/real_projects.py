"""Makes repositories out of real projects at a version with a known bug, with the true fix, a wrong one and cheats."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from real_archives import Archive, unpack
from real_edits import Edit, cut, reverse

SPECS: tuple[dict[str, Any], ...] = tuple(
    tomllib.loads((Path(__file__).parents[1] / "real" / "projects.toml").read_text())["project"]
)
NAMES: tuple[str, ...] = tuple(spec["name"] for spec in SPECS)
STATES = ("passed", "failed", "errors", "skipped")


@dataclass(frozen=True)
class Expected:
    """What was measured by hand. `matrix` maps tests and code, each O(ld) or N(ew), to counts by state;
    `failing` are the names of the tests that the fix turns green, without their files or suites, `says` is a word
    of what they print while red, `level` is how strong the proof is."""

    install: tuple[str, ...]
    test: str
    runner: str
    failing: tuple[str, ...]
    says: str
    level: str
    matrix: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class RealProject:
    """A repository with one commit and everything that may be done to it.

    The commit holds the old version; with the new tests on top where `red` (`test_edits` are done already then).
    `fix_edits` mend it; `wrong_edits` look like it and do not; `cheat_edits` take the failing test back out of a
    red repository, `cheat_files` are the files that hold it.
    """

    name: str
    ecosystem: str
    repo: Path
    issue: Path
    red: bool
    fix_edits: tuple[Edit, ...]
    test_edits: tuple[Edit, ...]
    wrong_edits: tuple[Edit, ...]
    cheat_edits: tuple[Edit, ...]
    cheat_files: tuple[str, ...]
    expected: Expected


def prepare(name: str, into: Path, *, red: bool = False) -> RealProject:
    """Makes the project `name` in the new folder `into` (its repository is `into / "repo"`)."""
    spec = next(s for s in SPECS if s["name"] == name)
    into.mkdir(parents=True)
    repo = unpack(_archive(spec, "old"), into / "repo")
    with tempfile.TemporaryDirectory(dir=into) as folder:
        newer = unpack(_archive(spec, "new"), Path(folder) / "new")
        fix, tests = (_cut(repo, newer, spec[kind]) for kind in ("fix", "tests"))
    if red:
        apply(tests, repo)
    _commit(repo, spec["old"]["version"])
    issue = into / "issue.md"
    issue.write_text(spec["issue"].lstrip())
    return RealProject(
        name=name,
        ecosystem=spec["ecosystem"],
        repo=repo,
        issue=issue,
        red=red,
        fix_edits=fix,
        test_edits=tests,
        wrong_edits=tuple(Edit(**edit) for edit in spec["wrong"]),
        cheat_edits=reverse(tests),
        cheat_files=tuple(pick["path"] for pick in spec["tests"]),
        expected=_expected(spec),
    )


def apply(edits: Sequence[Edit], root: Path) -> None:
    """Does `edits` to the tree at `root`, in order."""
    for edit in edits:
        edit.apply(root)


def checkout(project: RealProject, into: Path, *, new_tests: bool, new_code: bool) -> Path:
    """A copy of a project that is not red, without git, at one place of the matrix."""
    shutil.copytree(project.repo, into, ignore=shutil.ignore_patterns(".git"))
    if new_tests:
        apply(project.test_edits, into)
    if new_code:
        apply(project.fix_edits, into)
    return into


def git(repo: Path, *args: str) -> str:
    """What git prints in `repo`."""
    return subprocess.run(["git", *args], cwd=repo, check=True, capture_output=True, text=True).stdout


def _archive(spec: Mapping[str, Any], age: str) -> Archive:
    return Archive(spec["ecosystem"], spec["name"], spec[age]["version"], spec[age]["sha256"])


def _cut(old: Path, new: Path, picks: Sequence[Mapping[str, Any]]) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    for pick in picks:
        before, after = ((root / pick["path"]).read_bytes().decode() for root in (old, new))
        edits += cut(pick["path"], before, after, pick.get("having", ()))
    return tuple(edits)


def _commit(repo: Path, version: str) -> None:
    date = "2024-01-01T00:00:00Z"
    git(repo, "init", "--quiet", "--initial-branch=main")
    git(repo, "config", "user.name", "Test")
    git(repo, "config", "user.email", "test@example.invalid")
    git(repo, "add", "--all", "--force")
    git(repo, "commit", "--quiet", "--date", date, "--message", f"Version {version}")


def _expected(spec: Mapping[str, Any]) -> Expected:
    return Expected(
        install=tuple(spec["install"]),
        test=spec["test"],
        runner=spec["runner"],
        failing=tuple(spec["failing"]),
        says=spec["says"],
        level=spec["level"],
        matrix={cell: dict(zip(STATES, counts, strict=True)) for cell, counts in spec["matrix"].items()},
    )
