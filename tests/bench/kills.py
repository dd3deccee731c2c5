"""Kill -9 of each part at random moments, twenty rounds each; prints how soon the work went on.

    python tests/bench/kills.py [ROUNDS] [PART…]

Every command must end once, as fixed, with one branch, one pull request and one comment; a worker within 20 s.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from service_stage import VICTIMS, Round, deployed

LIMIT_S = 20.0


def main(rounds: int, victims: Sequence[str]) -> int:
    """Runs the trials and prints the table; 1 if a recovery took too long."""
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    slow = 0
    with deployed() as deployment:
        for victim in victims:
            done = [deployment.killed(victim, dice) for _ in range(rounds)]
            slow += sum(one.recovery_s >= LIMIT_S for one in done)
            print(_row(victim, done), flush=True)
    return 1 if slow else 0


def _row(victim: str, done: list[Round]) -> str:
    times = sorted(one.recovery_s for one in done)
    taken_over = sum(one.attempts > 1 for one in done)
    return (
        f"{victim:9} {len(done)} kills: all ended once; taken over {taken_over}; work went on after "
        f"median {statistics.median(times):.1f} s, longest {times[-1]:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:] or VICTIMS))
