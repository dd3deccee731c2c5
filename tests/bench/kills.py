"""kill -9 of each part at random moments of real runs, twenty rounds each; prints how soon the work went on.

    python tests/bench/kills.py [ROUNDS] [SEED]

Every command must end once, as fixed, with one pull request and one status comment; a worker within 20 s.
"""

from __future__ import annotations

import random
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from kills import LIMIT_S, VICTIMS, Round, killed
from whole import whole


def main(rounds: int, seed: int) -> int:
    """Runs the trials and prints the table; 1 if a recovery took too long."""
    print(f"seed {seed}")
    dice = random.Random(seed)
    slow = 0
    with whole() as everything:
        for victim in VICTIMS:
            done = [killed(everything, victim, dice) for _ in range(rounds)]
            slow += sum(one.recovery_s >= LIMIT_S for one in done)
            print(_row(victim, done), flush=True)
    return 1 if slow else 0


def _row(victim: str, done: list[Round]) -> str:
    times = sorted(one.recovery_s for one in done)
    taken_over = sum(one.attempts > 1 for one in done)
    return (
        f"{victim:9} {len(done)} kills: all ended once; taken over {taken_over}; work went on after "
        f"median {statistics.median(times):.1f} s, longest {times[-1]:.1f} s; "
        f"from command to told end median {statistics.median(one.total_s for one in done):.1f} s"
    )


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(given[0] if given else 20, given[1] if len(given) > 1 else random.SystemRandom().randrange(1 << 32)))
