"""A model whose spending is told as it happens, failed tries included."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from jobs.model.base import AskFailed, Ceiling, Model, Reply, Request
from jobs.model.usage import Usage


class Charge(Protocol):
    """Takes what one request cost; may raise to end the run."""

    def __call__(self, usd: float | None, usage: Usage, *, rounds: int, seconds: float) -> None:
        """Dollars (None without a price), tokens, rounds (1 for a reply, 0 for a failure), and the seconds of work
        that went by since the last time, tools and verification between two requests included."""
        ...


class Metered:
    """Passes requests on to `model` and what every one cost to `charge`. `clock` gives seconds; they are counted from
    the first request on, as a session does."""

    def __init__(self, model: Model, charge: Charge, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._charge = charge
        self._clock = clock
        self._counted: float | None = None
        self.name, self.plays = model.name, model.plays

    def ceiling(self, request: Request) -> Ceiling:
        """As the model says."""
        return self._model.ceiling(request)

    def ask(self, request: Request) -> Reply:
        """The model's reply, charged; a failure, and what was spent when something else ended it, is charged too."""
        if self._counted is None:
            self._counted = self._clock()
        try:
            reply = self._model.ask(request)
        except AskFailed as failed:
            self._charge(failed.usd, failed.usage, rounds=0, seconds=self._since())
            raise
        except BaseException:
            usage, usd = self._model.in_vain()
            if usage != Usage():
                self._charge(usd, usage, rounds=0, seconds=self._since())
            raise
        self._charge(reply.usd, reply.usage, rounds=1, seconds=self._since())
        return reply

    def in_vain(self) -> tuple[Usage, float | None]:
        """As the model says; it was charged."""
        return self._model.in_vain()

    def _since(self) -> float:
        before, self._counted = self._counted, self._clock()
        return 0.0 if before is None else self._counted - before
