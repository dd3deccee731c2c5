"""A suite of scenarios on disk: what each asks, and the repository that it is asked about.

A scenario is a folder NAME/ with

    task.toml        title, kind (fix or ask), request (a file), language, max_rounds, max_input_tokens, measures;
                     `check` (of a fix: a command, run in the result with hidden/ laid in as hidden_check/);
                     `base` (optional: another scenario, whose mended repository this one starts from)
    request.md       what the person wrote; the first line is the title
    repository/      the files, over those of `base`
    hidden/          what the result is judged by, never shown to the agent: tests, or facts.toml of a question
    reference.patch  a good small change (of a question: reference.md, a good answer)
    model.json       a scripted model that solves it
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs.errors import UserError
from jobs.repo.git import git, text

HIDDEN = "hidden_check"  # where hidden/ lies in a result that is judged
_OWN = Path(__file__).parents[2] / "tests" / "scenarios"
_WORDS = ("title", "kind", "language", "measures")
_NUMBERS = ("max_rounds", "max_input_tokens")
_KEYS = {*_WORDS, *_NUMBERS, "request", "check", "base"}
_AUTHOR = ("Ann Author", "ann@example.invalid", "2024-01-01T00:00:00Z")


@dataclass(frozen=True)
class Scenario:
    """One task. `request` is its text; `check` is empty for a question; `base` is the scenario it starts from."""

    name: str
    folder: Path
    title: str
    kind: str
    language: str
    measures: str
    request: str
    max_rounds: int
    max_input_tokens: int
    check: str = ""
    base: Scenario | None = None


def find_suite(given: Path | None) -> Path:
    """The suite's folder: the one given, else the checkout's own. Raises UserError where there is neither."""
    if given is not None:
        if not given.is_dir():
            raise UserError(f"{given} is not a folder (--suite): give one that holds a folder for each scenario.")
        return given
    if not _OWN.is_dir():
        raise UserError("The scenario suite is part of a checkout of Patchwright: name a suite's folder with --suite.")
    return _OWN


def load(suite: Path, only: Sequence[str] = ()) -> tuple[Scenario, ...]:
    """The scenarios of a suite by name, or those in `only`. Raises UserError for what can't be used."""
    names = sorted(path.parent.name for path in suite.glob("*/task.toml"))
    if not names:
        raise UserError(f"{suite} holds no scenario: each is a folder with a task.toml (--suite).")
    if unknown := [name for name in only if name not in names]:
        raise UserError(f"There is no scenario '{unknown[0]}' (--only): there are {', '.join(names)}.")
    return tuple(_scenario(suite / name) for name in names if not only or name in only)


def _scenario(folder: Path) -> Scenario:
    task = _task(folder)
    request = folder / task["request"]
    if not request.is_file():
        raise UserError(f"{folder / 'task.toml'} names a request that is not there: write {request}.")
    return Scenario(
        name=folder.name,
        folder=folder,
        request=request.read_text(encoding="utf-8"),
        check=task.get("check", ""),
        base=_scenario(folder.parent / task["base"]) if "base" in task else None,
        **{key: task[key] for key in (*_WORDS, *_NUMBERS)},
    )


def _task(folder: Path) -> dict[str, Any]:
    path = folder / "task.toml"
    try:
        task = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise UserError(f"{path} can't be read: {wrong}.") from None
    wanted = {*_WORDS, *_NUMBERS, "request", *(("check",) if task.get("kind") == "fix" else ())}
    if odd := sorted(wanted - set(task)) or sorted(set(task) - _KEYS):
        raise UserError(f"{path}: '{odd[0]}' is {'missing' if odd[0] in wanted else 'not a known key'}.")
    if task["kind"] not in ("fix", "ask"):
        raise UserError(f"{path}: kind is '{task['kind']}', it must be fix or ask.")
    return task


def make(scenario: Scenario, folder: Path) -> Path:
    """The scenario's repository in the new folder `folder`: branch main with one commit."""
    folder.mkdir(parents=True)
    git_dir, tree = folder / ".git", {"GIT_WORK_TREE": str(folder)}
    git(git_dir, "init", "--quiet", "--template=", "--initial-branch=main", str(folder))
    _lay(scenario, folder, git_dir)
    git(git_dir, "add", "--all", "--force", ".", env=tree, cwd=folder)
    name, address, date = _AUTHOR
    who = {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", name), ("EMAIL", address), ("DATE", date))
    }
    commit = text(git_dir, "commit-tree", text(git_dir, "write-tree"), "-m", "Start", env=who)
    git(git_dir, "update-ref", "refs/heads/main", commit)
    return folder


def mend(scenario: Scenario, folder: Path) -> None:
    """Applies the scenario's reference patch to the work tree at `folder`. Raises GitError if it does not apply."""
    patch = scenario.folder / "reference.patch"
    git(folder / ".git", "apply", str(patch.absolute()), env={"GIT_WORK_TREE": str(folder)}, cwd=folder)


def _lay(scenario: Scenario, folder: Path, git_dir: Path) -> None:
    if scenario.base is not None:
        _lay(scenario.base, folder, git_dir)
        if scenario.base.kind == "fix":
            mend(scenario.base, folder)
    own = scenario.folder / "repository"
    if own.is_dir():
        shutil.copytree(own, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def lay_hidden(scenario: Scenario, folder: Path) -> None:
    """Puts what the result is judged by into a checkout of the result, over anything that stands there."""
    place = folder / HIDDEN
    if place.is_symlink() or place.is_file():
        place.unlink()
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(scenario.folder / "hidden", place, ignore=shutil.ignore_patterns("__pycache__"))
