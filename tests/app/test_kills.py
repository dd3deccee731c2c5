"""kill -9 of each part at random moments of real runs: each ends once, with one pull request and one status comment."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import pytest
from kills import VICTIMS, killed
from whole import Whole, whole

ROUNDS = 3


@pytest.fixture(scope="module")
def everything() -> Iterator[Whole]:
    """One deployment for all kills, as it would be on a machine that has them."""
    with whole() as up:
        yield up


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_killed_part_loses_and_doubles_nothing(everything: Whole, victim: str) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice = random.Random(seed)
    for _ in range(ROUNDS):
        done = killed(everything, victim, dice)
        sys.stdout.write(f"{victim}: going on after {done.recovery_s:.1f} s, {done.attempts} attempts, seed {seed}\n")
