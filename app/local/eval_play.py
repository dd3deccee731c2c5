"""One run of one scenario: the repository is made, the command is run as a person would, the result is judged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app.local.eval_facts import missing
from app.local.eval_suite import HIDDEN, Scenario, lay_hidden, make
from app.local.model import ScriptedEndpoint
from jobs.parent import die_with
from jobs.repo.local import find
from jobs.repo.workspace import Workspace, open_workspace
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.settings import LocalSettings, child_environment, variables

SCRIPTED = "scripted"
SCRIPT = "model.json"  # of a scenario, played as SCRIPTED
_KEY = "key-of-the-scripted-model"
_CHECK_S = 120.0
_LAST_LINES = 12


@dataclass(frozen=True)
class Played:
    """How the command ended: exit code, its JSON (empty if it wrote none), the answer or what it printed, its errors,
    the trace's file (may be missing)."""

    exit: int
    result: Mapping[str, Any]
    said: str
    errors: str
    trace: Path

    @property
    def no_result(self) -> str:
        """Why there is nothing to judge."""
        told = (str(self.result.get("reason") or ""), _last(self.errors))
        return "\n".join(filter(None, told)) or _last(self.said) or "The run left no result."


@dataclass(frozen=True)
class Judged:
    """What the hidden check says; `why` is empty where it passed."""

    passed: bool
    why: str = ""


def play(scenario: Scenario, model: str, root: Path, max_rounds: int | None = None) -> tuple[Played, Judged]:
    """Plays `scenario` once in the new folder `root`; `model` is a model's name, or `scripted`.

    Raises EnvironmentFault where the result can't be judged here.
    """
    repo = make(scenario, root / "repository")
    with _model(scenario, model) as (name, more):
        played = _run(scenario, repo, root, (name, max_rounds), more)
    judge = _answer if scenario.kind == "ask" else _result
    return played, judge(scenario, repo, played, root)


@contextmanager
def _model(scenario: Scenario, model: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The model's name, and the variables that lead to it."""
    if model != SCRIPTED:
        yield model, {}
        return
    with ScriptedEndpoint(scenario.folder / SCRIPT, key=_KEY) as endpoint:
        yield (
            LocalSettings.model_fields["model"].default,
            {"ANTHROPIC_BASE_URL": endpoint.url, "ANTHROPIC_API_KEY": _KEY},
        )


def _run(scenario: Scenario, repo: Path, root: Path, asked: tuple[str, int | None], more: Mapping[str, str]) -> Played:
    """The command in a process of its own, so that no run can spoil another."""
    model, rounds = asked
    out, trace = root / "result.json", root / "trace.jsonl"
    request = root / "request.md"
    request.write_text(scenario.request, encoding="utf-8")
    words = ["--issue", str(request)] if scenario.kind == "fix" else ["--text", scenario.request]
    words += ["--max-rounds", str(rounds)] if rounds else []
    command = [sys.executable, "-P", "-m", "app.cli", scenario.kind, "--repo", str(repo), *words, "--model", model]
    done = subprocess.run(
        [*command, "--json", str(out), "--trace", str(trace), "--quiet"],
        env={**child_environment(variables(LocalSettings)), **more, "PATCHWRIGHT_DATA": str(root / "data")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=partial(die_with, os.getpid()),
    )
    result = json.loads(out.read_text(encoding="utf-8")) if out.exists() and out.stat().st_size else {}
    told = [str(result.get(key) or "") for key in ("answer", "text", "summary")]
    return Played(done.returncode, result, next(filter(None, told), done.stdout), done.stderr, trace)


def _result(scenario: Scenario, repo: Path, played: Played, root: Path) -> Judged:
    """The hidden check on the resulting commit, in a cell: what a model wrote runs nowhere else."""
    commit = played.result.get("commit")
    if not played.result.get("branch") or not commit:
        return Judged(False, played.no_result)
    runs = root / "data" / "check"
    with (
        open_workspace(runs, scenario.name, find(repo).objects, commit) as workspace,
        Cells.open(root / "data") as cells,
    ):
        return check(scenario, workspace, cells)


def check(scenario: Scenario, workspace: Workspace, cells: Cells) -> Judged:
    """Runs the hidden check over the workspace's commit."""
    with workspace.checkout(workspace.base) as folder:
        lay_hidden(scenario, folder)
        cells.own(folder)
        line = Command.shell(scenario.check, timeout_s=_CHECK_S, env={"PYTHONDONTWRITEBYTECODE": "1"})
        done = cells.on(folder).run(line)
    return Judged(done.ok, "" if done.ok else _last(done.text) or done.reason or f"{HIDDEN} exited {done.exit_code}.")


def _answer(scenario: Scenario, repo: Path, played: Played, _root: Path) -> Judged:
    """The facts that the answer must name."""
    if played.exit != 0:
        return Judged(False, played.no_result)
    facts = tomllib.loads((scenario.folder / "hidden" / "facts.toml").read_text(encoding="utf-8"))["fact"]
    lacking = missing(played.said, facts, lambda path: (repo / path).read_text(encoding="utf-8"))
    return Judged(not lacking, "The answer does not name: " + "; ".join(lacking) if lacking else "")


def keep(played: Played, traces: Path, name: str) -> None:
    """Copies the run's trace to `traces`/NAME.jsonl, if it wrote one."""
    traces.mkdir(parents=True, exist_ok=True)
    if played.trace.is_file():
        shutil.copyfile(played.trace, traces / f"{name}.jsonl")


def _last(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-_LAST_LINES:])
