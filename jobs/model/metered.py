"""A model whose spending is told as it happens, failed tries included."""

from __future__ import annotations

from collections.abc import Callable

from jobs.model.base import AskFailed, Model, Reply, Request
from jobs.model.usage import Usage


class Metered:
    """Passes requests on to `model` and every price and token count to `charge`, which may raise to end the run."""

    def __init__(self, model: Model, charge: Callable[[float | None, Usage], None]) -> None:
        self._model = model
        self._charge = charge
        self.name = model.name

    def ceiling(self, request: Request) -> float | None:
        """As the model says."""
        return self._model.ceiling(request)

    def ask(self, request: Request) -> Reply:
        """The model's reply, charged; a failure is charged too before it is raised."""
        try:
            reply = self._model.ask(request)
        except AskFailed as failed:
            self._charge(failed.usd, failed.usage)
            raise
        self._charge(reply.usd, reply.usage)
        return reply
