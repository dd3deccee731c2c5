"""Real projects: their true fix is proven with the counts that a person gets, wrong fixes and cheats are not."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from real_hand import Hand
from real_projects import NAMES, STATES, RealProject, git, prepare
from real_run import Checkout, Ended, look, run_fix
from real_script import delete_script, fix_script, weaken_script, wrong_script

pytestmark = pytest.mark.registry
THOROUGH = ("flat", "sqlparse")  # minutes each: `uv run pytest -m thorough`
each = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] if name in THOROUGH else []) for name in NAMES]
)
few = pytest.mark.parametrize("name", ["parse", "object-path"])  # one of each ecosystem

Counts = dict[str, dict[str, int]]
_CELLS = {
    "OO": "old_tests_old_code",
    "ON": "old_tests_new_code",
    "NO": "new_tests_old_code",
    "NN": "new_tests_new_code",
}


@dataclass(frozen=True)
class Workshop:
    """One folder for all runs. A project always lies in the same place, anew for each test: what its set-up installed
    is then there for the next one."""

    folder: Path

    def project(self, name: str, *, red: bool = False) -> RealProject:
        """The project as published, with the failing test in it where `red`."""
        into = self.folder / name
        shutil.rmtree(into, ignore_errors=True)
        return prepare(name, into, red=red)

    def run(self, project: RealProject, script: Sequence[Mapping[str, Any]]) -> Ended:
        """`patchwright fix` with the replies of `script`."""
        return run_fix(project, script, self.folder / "data")


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The folder of this session."""
    return Workshop(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Counts]:
    """The matrix of a project, measured once in a plain environment."""

    @cache
    def measure(name: str) -> Counts:
        folder = tmp_path_factory.mktemp(name)
        hand = Hand(prepare(name, folder / "project"), folder)
        return {cell: hand.counts(cell) for cell in _CELLS}

    return measure


@each
def test_the_suite_by_hand_counts_as_recorded(name: str, by_hand: Callable[[str], Counts], workshop: Workshop) -> None:
    assert by_hand(name) == workshop.project(name).expected.matrix


@each
def test_the_true_fix_is_proven(name: str, by_hand: Callable[[str], Counts], workshop: Workshop) -> None:
    project = workshop.project(name)
    before = look(project.repo)
    ended = workshop.run(project, fix_script(project))
    _fixed(ended, project)
    if project.expected.level == "A":
        _table(ended.result["suite"], by_hand(name), project)
    _only_a_new_branch(before, project, ended)
    changed = git(project.repo, "diff", "--name-only", "main", ended.result["branch"]).split()
    assert sorted(changed) == sorted({edit.path for edit in (*project.fix_edits, *project.test_edits)})


@each
def test_a_wrong_fix_is_not_fixed(name: str, workshop: Workshop) -> None:
    project = workshop.project(name)
    before = look(project.repo)
    ended = workshop.run(project, wrong_script(project))
    _not_fixed(ended, {"not_fixed"})
    assert project.expected.failing[0] in ended.result["reason"]
    assert project.expected.says in ended.result["reason"]
    _only_a_new_branch(before, project, ended)


@each
def test_deleting_the_failing_test_is_not_fixed(name: str, workshop: Workshop) -> None:
    project = workshop.project(name, red=True)
    before = look(project.repo)
    ended = workshop.run(project, delete_script(project))
    _not_fixed(ended, {"not_fixed", "blocked"})
    assert set(project.cheat_files) <= {finding["file"] for finding in ended.result["tamper"]}
    _only_a_new_branch(before, project, ended)


@few
def test_taking_out_what_fails_is_not_fixed(name: str, workshop: Workshop) -> None:
    project = workshop.project(name, red=True)
    _not_fixed(workshop.run(project, weaken_script(project)), {"not_fixed", "blocked"})


@few
def test_a_red_repository_is_fixed_without_touching_its_tests(name: str, workshop: Workshop) -> None:
    project = workshop.project(name, red=True)
    ended = workshop.run(project, fix_script(project))
    _fixed(ended, project)
    suite, matrix = ended.result["suite"], project.expected.matrix
    assert (suite["before"], suite["after"]) == (matrix["NO"], matrix["NN"])
    assert len(suite["fixed"]) == matrix["NO"]["failed"]
    assert ended.result["files"] == sorted({edit.path for edit in project.fix_edits})


def _fixed(ended: Ended, project: RealProject) -> None:
    assert (ended.exit_code, ended.result["outcome"]) == (0, "fixed"), ended
    assert ended.result["level"] == project.expected.level
    suite = ended.result["suite"]
    assert suite["fixed"]
    assert (suite["broken"], suite["missing"], suite["flaky"]) == ([], [], [])


def _table(suite: dict[str, Any], counts: Counts, project: RealProject) -> None:
    """The suite table says what the person counted. Of new tests on old code the new or changed ones only are run."""
    assert (suite["before"], suite["after"]) == (counts["OO"], counts["NN"])
    cells = {cell: {state: suite["matrix"][key][state] for state in STATES} for cell, key in _CELLS.items()}
    assert {**cells, "NO": None} == {**counts, "NO": None}
    red = counts["NO"]["failed"] + counts["NO"]["errors"]
    assert cells["NO"]["failed"] + cells["NO"]["errors"] == red == len(suite["fixed"])
    assert all(any(failing in test for failing in project.expected.failing) for test in suite["fixed"])


def _not_fixed(ended: Ended, outcomes: set[str]) -> None:
    assert ended.exit_code == 1, ended
    assert ended.result["outcome"] in outcomes, ended
    assert ended.result["reason"]


def _only_a_new_branch(before: Checkout, project: RealProject, ended: Ended) -> None:
    """Nothing of the person's checkout changed; there is at most the one branch that the result names."""
    after = look(project.repo)
    branch = f"refs/heads/{ended.result['branch']}"
    assert replace(after, refs={}) == replace(before, refs={})
    assert {ref: sha for ref, sha in after.refs.items() if ref != branch} == before.refs
