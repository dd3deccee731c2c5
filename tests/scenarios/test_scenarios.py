"""Every scenario: its hidden check is red on the base and green with the reference, which leaves the suite green."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.local.eval_facts import missing, number
from app.local.eval_suite import HIDDEN, Scenario, lay_hidden, load, make, mend
from app.local.model_script import load as load_script
from jobs.suite.detect import detect

SUITE = Path(__file__).parent
SCENARIOS = load(SUITE)
FIXES = [one for one in SCENARIOS if one.kind == "fix"]
QUESTIONS = [one for one in SCENARIOS if one.kind == "ask"]
RED_ON_THE_BASE = {"failing-test"}
NAMES = ["failing-test", "ledger-accounts", "ledger-bugs", "ledger-js", "ledger-question", "ledger-web", "login-name"]


def run(command: str, folder: Path) -> bool:
    """True if `command` exits with 0 in `folder`."""
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder.parent),
    }
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, timeout=60, check=False)
    return done.returncode == 0


def suite_of(folder: Path) -> str:
    """The test command that is detected for a repository."""
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file() and ".git" not in p.parts}
    found = detect(tuple(files), lambda path: files[path].read_bytes() if path in files else None, None, None)
    assert found.suite is not None
    return found.suite.command


def judged(scenario: Scenario, folder: Path) -> bool:
    """The hidden check's word on the work tree at `folder`, which has no trace of the check before and after."""
    assert not (folder / HIDDEN).exists()
    lay_hidden(scenario, folder)
    passed = run(scenario.check, folder)
    subprocess.run(["rm", "-r", str(folder / HIDDEN)], check=True)
    return passed


def facts_of(scenario: Scenario) -> list[dict[str, object]]:
    facts: list[dict[str, object]] = tomllib.loads((scenario.folder / "hidden" / "facts.toml").read_text())["fact"]
    return facts


def test_the_suite_has_its_eight_tasks() -> None:
    assert [one.name for one in SCENARIOS] == [*NAMES, "two-places"]
    assert {one.language for one in SCENARIOS} == {"python", "javascript"}


@pytest.mark.parametrize("scenario", FIXES, ids=lambda one: one.name)
def test_the_check_is_red_before_and_green_after_the_reference(scenario: Scenario, tmp_path: Path) -> None:
    folder = make(scenario, tmp_path / "repository")
    assert run(suite_of(folder), folder) is (scenario.name not in RED_ON_THE_BASE)
    assert not judged(scenario, folder)
    mend(scenario, folder)
    assert judged(scenario, folder)
    assert run(suite_of(folder), folder)


@pytest.mark.parametrize("scenario", FIXES, ids=lambda one: one.name)
def test_half_a_reference_is_not_enough(scenario: Scenario, tmp_path: Path) -> None:
    """With any one file of the reference's code left out, the check or the suite sees it."""
    patch = (scenario.folder / "reference.patch").read_text()
    changed = [path for path in re.findall(r"^\+\+\+ b/(.+)$", patch, re.MULTILINE) if not path.startswith("test")]
    assert changed
    for path in changed:
        folder = make(scenario, tmp_path / path.replace("/", "_"))
        git = ["git", "apply", f"--exclude={path}", str(scenario.folder / "reference.patch")]
        subprocess.run(git, cwd=folder, check=True, capture_output=True)
        assert not (judged(scenario, folder) and run(suite_of(folder), folder)), path


@pytest.mark.parametrize("scenario", QUESTIONS, ids=lambda one: one.name)
def test_a_good_answer_names_every_fact_and_a_wrong_one_none(scenario: Scenario, tmp_path: Path) -> None:
    folder, facts = make(scenario, tmp_path / "repository"), facts_of(scenario)
    answer = (scenario.folder / "reference.md").read_text()

    def read(path: str) -> str:
        return (folder / path).read_text()

    assert missing(answer, facts, read) == ()
    assert missing("It is all in the book.", facts, read) == tuple(fact["says"] for fact in facts)
    elsewhere = re.sub(r":(\d+)(?:-\d+)?", lambda found: f":{int(found[1]) + 100}", answer)
    assert len(missing(elsewhere, facts, read)) == len(facts)
    assert all(number(read(str(fact["path"])), fact) for fact in facts)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_nothing_hidden_is_in_the_repository_and_the_script_stays_below_the_ceiling(
    scenario: Scenario, tmp_path: Path
) -> None:
    folder = make(scenario, tmp_path / "repository")
    inside = {path.name for path in folder.rglob("*") if ".git" not in path.parts}
    hidden = {path.name for path in (scenario.folder / "hidden").iterdir()} - {"browser.py", "sample.py"}
    assert not inside & {*hidden, HIDDEN, "reference.patch", "model.json", "task.toml"}
    assert 0 < len(load_script(scenario.folder / "model.json")) <= scenario.max_rounds
    status = subprocess.run(["git", "status", "--porcelain"], cwd=folder, check=True, capture_output=True).stdout
    assert status == b""
