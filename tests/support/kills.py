"""kill -9 of one part at a random moment of a real run, and the check that the run ended once all the same."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

import pytest
from whole import Whole

VICTIMS = ("horse", "worker", "control", "receiver", "valkey")
LIMIT_S = 20.0


@dataclass(frozen=True)
class Round:
    """One kill. `recovery_s`: from the kill until the run's next attempt began, or until it had ended where that came
    first; `attempts` as recorded; `total_s` from the command to the told end."""

    victim: str
    run: str
    recovery_s: float
    attempts: int
    total_s: float


def killed(all_of_it: Whole, victim: str, dice: random.Random) -> Round:
    """Asks for a fix, kills `victim` at a random moment, waits for the end and checks what people see."""
    began = time.monotonic()
    number = all_of_it.ask()
    if victim in ("horse", "worker"):  # somewhere in the run itself
        all_of_it.wait(lambda: (run := all_of_it.run_of(number)) and run.state != "queued", 60)
        time.sleep(dice.uniform(0, 3.0))
    elif victim == "receiver":
        assert all_of_it.hub.settle()  # the delivery has its 202
    else:
        time.sleep(dice.uniform(0, 4.0))
    before = _attempt(all_of_it, number)
    at = time.monotonic()
    all_of_it.kill(victim)
    all_of_it.wait(lambda: _attempt(all_of_it, number) > before or _ended(all_of_it, number), 120)
    recovery_s = time.monotonic() - at
    run = all_of_it.finished(number)
    assert run.outcome == "fixed", (victim, run.reason, all_of_it.log[-4000:])
    assert [r.id for r in all_of_it.runs.recent(500) if r.job.issue == number] == [run.id], "one command, one run"
    assert all_of_it.receipts(number) == (1, 1), (victim, "one pull request, one status comment")
    mine = all_of_it.hub.reactions("acme/billing", number, all_of_it.asked[number])
    assert sorted(r["content"] for r in mine) == ["eyes", "hooray"]
    assert 0 < run.usd == pytest.approx(run.result["cost"]["usd"], abs=1e-5), "what was spent stays spent"
    all_of_it.wait(lambda: all_of_it.pid(victim) or victim == "horse", 60)
    return Round(victim, run.id, recovery_s, run.attempt, time.monotonic() - began)


def _attempt(all_of_it: Whole, number: int) -> int:
    """The newest attempt that somebody works or worked on; 0 for none yet."""
    run = all_of_it.run_of(number)
    return 0 if run is None or run.state == "queued" else run.attempt


def _ended(all_of_it: Whole, number: int) -> bool:
    run = all_of_it.run_of(number)
    return run is not None and run.state == "finished"
