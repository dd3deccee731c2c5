"""`patchwright eval`: plays the scenario suite with a model, and says what came of it."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.local.eval_play import SCRIPTED, keep, play
from app.local.eval_score import Run, score
from app.local.eval_suite import Scenario, find_suite, load
from app.local.eval_table import SCRIPT_ONLY, comparison, table
from jobs.clock import iso, now_ms
from jobs.errors import UserError
from jobs.outcome import EXIT_HONEST, EXIT_OK
from jobs.trace.steps import story
from jobs.trace.store import read_file
from jobs.trace.waste import findings, lost

_FORMAT = 1


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
    """Plays the suite and prints its table; 0 if every hidden check passes and no ceiling is broken, else 1.

    Raises UserError for what can't be used, before anything is played.
    """
    suite = find_suite(asked.suite)
    scenarios = load(suite, asked.only)
    earlier = _earlier(asked.against) if asked.against else None
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
    return EXIT_OK if all(run.good for runs in played.values() for run in runs) else EXIT_HONEST


def _play(scenario: Scenario, asked: Evaluation) -> tuple[Run, ...]:
    runs = []
    for number in range(1, asked.runs + 1):
        with tempfile.TemporaryDirectory(prefix="pw-eval-", ignore_cleanup_errors=True) as root:
            played, judged = play(scenario, asked.model, Path(root) / "run", asked.max_rounds)
            if asked.traces is not None:
                keep(played, asked.traces, f"{scenario.name}-{number}")
            ceilings = (scenario.max_rounds, scenario.max_input_tokens)
            run = score(played.result, (judged.passed, judged.why), ceilings, _wasted(played.trace))
        if not asked.quiet:
            state = "pass" if run.good else "FAIL"
            sys.stderr.write(f"{scenario.name} {number}/{asked.runs}: {run.outcome}, {state}\n")
        runs.append(run)
    return tuple(runs)


def _wasted(trace: Path) -> int | None:
    """How many rounds of a trace brought nothing; None without rounds."""
    told = story(read_file(trace)) if trace.is_file() else None
    return len(lost(told, findings(told))) if told and told.steps else None


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
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {name: tuple(Run.from_json(r) for r in row["runs"]) for name, row in data["scenarios"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        sentence = f"{path} can't be compared with ({wrong!r}): give a file that eval --json wrote (--against)."
        raise UserError(sentence) from None


def _show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
