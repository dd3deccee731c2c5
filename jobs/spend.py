"""What a run has spent, over all its attempts: added to in Redis, never taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redis.typing import EncodableT

from jobs import keys
from jobs.clock import today
from jobs.errors import Fenced
from jobs.lua import source
from jobs.model.usage import Usage

if TYPE_CHECKING:
    from jobs.lease import Lease
    from jobs.runs import Run


class Spend:
    """One attempt's view. `usd`, `usage`, `rounds` and `seconds` (of the agent's work) are the run's totals so far,
    earlier attempts included; `day_usd` is what all runs together spent on this UTC day, `repository_usd` those of its
    repository, as of the last `add`."""

    def __init__(self, lease: Lease, run: Run, *, keep_s: int) -> None:
        self._lease = lease
        self._keep_s = keep_s
        self._added = 0
        self._script = lease.redis.register_script(source("spend"))
        self.usd = run.usd
        self.usage = run.usage
        self.rounds, self.seconds = run.rounds, run.agent_s
        self._repository = run.job.repository_id
        self.day_usd = float(lease.redis.get(keys.day(today())) or 0)
        self.repository_usd = float(lease.redis.get(keys.day(today(), self._repository)) or 0)

    def add(self, usd: float | None, usage: Usage, *, rounds: int = 0, seconds: float = 0.0) -> None:
        """Adds a price in dollars (None where the model has no price), tokens, rounds and seconds of work.

        It is counted in any case; raises Fenced afterwards if another attempt owns the run now.
        """
        self._added += 1
        run, holder = self._lease.run, self._lease.holder
        amounts: list[EncodableT] = [repr(usd or 0.0), usage.input, usage.output, usage.cache_read]
        amounts += [usage.cache_write_5m, usage.cache_write_1h]
        mine, run_usd, day_usd, repository_usd = self._script(
            keys=[keys.run(run), keys.spend(run), keys.day(today()), keys.day(today(), self._repository)],
            args=[f"{holder}:{self._added}", holder, *amounts, self._keep_s, rounds, repr(seconds)],
        )
        self.usd, self.day_usd = float(run_usd or 0), float(day_usd or 0)
        self.repository_usd = float(repository_usd or 0)
        self.usage += usage
        self.rounds, self.seconds = self.rounds + rounds, self.seconds + seconds
        if not mine:
            raise Fenced(f"Another attempt owns {run} now.")
