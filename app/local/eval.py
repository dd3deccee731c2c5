"""`patchwright eval`: plays the scenario suite with a model, and says what came of it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.local.eval_play import SCRIPT, SCRIPTED, Played, keep, play
from app.local.eval_score import Run, score
from app.local.eval_suite import Scenario, find_suite, load
from app.local.eval_table import SCRIPT_ONLY, comparison, table
from app.local.given import text_of, writable, writable_folder
from jobs.clock import iso, now_ms
from jobs.errors import UserError
from jobs.model.choose import model_of
from jobs.model.limiter import Unlimited
from jobs.outcome import EXIT_ENVIRONMENT, EXIT_HONEST, EXIT_OK, EXIT_USAGE, Outcome
from jobs.settings import LocalSettings, check
from jobs.trace.reader import read
from jobs.trace.steps import story
from jobs.trace.waste import findings, lost

_FORMAT = 1
_AWAY = str(Outcome.ENVIRONMENT)


@dataclass(frozen=True)
class Evaluation:
    """What is asked for: `runs` of each scenario (of those in `only`, if any). `json` is where the figures go,
    `against` an earlier such file, `traces` a folder for the runs' traces."""

    model: str
    suite: Path | None = None
    runs: int = 1
    only: tuple[str, ...] = ()
    max_rounds: int | None = None
    json: Path | None = None
    against: Path | None = None
    traces: Path | None = None
    quiet: bool = False


def evaluate(asked: Evaluation) -> int:
    """Plays the suite and prints its table; 0 if every hidden check passes and no ceiling is broken, 3 if a run could
    not be made here, else 1.

    Raises UserError for what can't be used, before anything is played.
    """
    scenarios = load(find_suite(asked.suite), asked.only)
    earlier = _earlier(asked.against) if asked.against else None
    _check(asked, scenarios)
    played: dict[str, tuple[Run, ...]] = {}
    try:
        for scenario in scenarios:
            played[scenario.name] = _play(scenario, asked)
            _write(asked, scenarios, played)  # each time: what was paid for is kept, whatever ends the rest
    finally:
        if played:
            _show(table(played, {scenario.name: scenario.max_rounds for scenario in scenarios}))
    if earlier is not None:
        _show(f"\nagainst {asked.against}:\n{comparison(earlier, played)}")
    if asked.model == SCRIPTED:
        _show(f"\n{SCRIPT_ONLY}")
    return _exit([run for runs in played.values() for run in runs])


def _exit(runs: Sequence[Run]) -> int:
    """The exit code; runs that this machine or a service did not let happen say nothing about the model."""
    if away := [run for run in runs if run.outcome == _AWAY]:
        told = f"{len(away)} of {len(runs)} runs could not be made here, which says nothing of the model"
        _show(f"\n{told}: {away[0].why or away[0].reason}")
        return EXIT_ENVIRONMENT
    return EXIT_OK if all(run.good for run in runs) else EXIT_HONEST


def _check(asked: Evaluation, scenarios: Sequence[Scenario]) -> None:
    """Raises UserError for whatever would spoil every run, or lose what a run has cost."""
    if asked.json is not None:
        writable("--json", asked.json.absolute())
    if asked.traces is not None:
        writable_folder("--traces", asked.traces.absolute())
    if asked.model != SCRIPTED:
        model_of(asked.model, check(LocalSettings), limiter=lambda key: Unlimited())
    elif lacking := [one.folder / SCRIPT for one in scenarios if not (one.folder / SCRIPT).is_file()]:
        raise UserError(f"{lacking[0]} is missing: write it, or leave that scenario out with --only.")


def _play(scenario: Scenario, asked: Evaluation) -> tuple[Run, ...]:
    runs = []
    for number in range(1, asked.runs + 1):
        with tempfile.TemporaryDirectory(prefix="pw-eval-", ignore_cleanup_errors=True) as root:
            played, judged = play(scenario, asked.model, Path(root) / "run", asked.max_rounds)
            if asked.traces is not None:
                keep(played, asked.traces, f"{scenario.name}-{number}")
            ceilings = (scenario.max_rounds, scenario.max_input_tokens)
            run = score(_result(played), (judged.passed, judged.why), ceilings, _wasted(played.trace))
        if not asked.quiet:
            state = "pass" if run.good else "FAIL"
            sys.stderr.write(f"{scenario.name} {number}/{asked.runs}: {run.outcome}, {state}\n")
        runs.append(run)
    return tuple(runs)


def _result(played: Played) -> Mapping[str, Any]:
    """What the command wrote; where it could not even begin, that it was not the model's doing."""
    begun = played.result or played.exit not in (EXIT_USAGE, EXIT_ENVIRONMENT)
    return played.result if begun else {"outcome": _AWAY, "reason": played.no_result}


def _wasted(trace: Path) -> int | None:
    """How many rounds of a trace brought nothing; None without rounds."""
    if not trace.is_file():
        return None
    told = story(read(trace.read_text(encoding="utf-8").split("\n")))
    return len(lost(told, findings(told))) if told.steps else None


def _write(asked: Evaluation, scenarios: tuple[Scenario, ...], played: Mapping[str, tuple[Run, ...]]) -> None:
    if asked.json is None:
        return
    rows = {
        one.name: {
            "title": one.title,
            "kind": one.kind,
            "language": one.language,
            "max_rounds": one.max_rounds,
            "max_input_tokens": one.max_input_tokens,
            "runs": [run.to_json() for run in played[one.name]],
        }
        for one in scenarios
        if one.name in played
    }
    head = {"format": _FORMAT, "at": iso(now_ms()), "model": asked.model, "scripted": asked.model == SCRIPTED}
    asked.json.write_text(json.dumps({**head, "scenarios": rows}, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _earlier(path: Path) -> dict[str, tuple[Run, ...]]:
    """The runs of an earlier `--json`."""
    written = text_of(path, "--against")
    try:
        data: dict[str, Any] = json.loads(written)
        return {name: tuple(Run.from_json(r) for r in row["runs"]) for name, row in data["scenarios"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        sentence = f"{path} can't be compared with ({wrong!r}): give a file that eval --json wrote (--against)."
        raise UserError(sentence) from None


def _show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
