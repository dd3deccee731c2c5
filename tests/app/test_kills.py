"""Kills at random moments: every accepted command ends once, with one pull request and one comment at most."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import pytest
from service_stage import VICTIMS, Deployment, deployed

ROUNDS = 3


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    with deployed() as up:
        yield up


@pytest.mark.parametrize("victim", VICTIMS)
def test_killed(deployment: Deployment, victim: str) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    for _ in range(ROUNDS):
        done = deployment.killed(victim, dice)
        sys.stdout.write(
            f"{done.victim}: going on after {done.recovery_s:.1f} s, {done.attempts} attempts (seed {seed})" + "\n"
        )
        assert done.recovery_s < 20, (done, seed)
