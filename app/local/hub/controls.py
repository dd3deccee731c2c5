"""Steering the hub: what it recorded, the faults it plays, where its webhooks go."""

from __future__ import annotations

import re
from typing import TypedDict, Unpack

from app.local.hub.deliveries import Delivery, Outbox, Target
from app.local.hub.faults import Fault, Faults
from app.local.hub.recorder import Recorded, Recorder
from app.local.hub.state import State


class FaultOptions(TypedDict, total=False):
    """Details of a fault; see `faults.Fault`."""

    times: int
    seconds: float
    retry_after: int | None


class Controls:
    """The levers."""

    _state: State
    _outbox: Outbox
    _faults: Faults
    _recorder: Recorder

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far with its answer, oldest first."""
        return self._recorder.requests

    def forget_requests(self) -> None:
        """Starts the record anew."""
        self._recorder.clear()

    def webhook_to(self, url: str | None) -> None:
        """Where webhooks go from now on; None for nowhere."""
        self._outbox.target = Target(url, self._state.keys.webhook_secret, self._state.app.id) if url else None

    def hold_deliveries(self, *, held: bool = True) -> None:
        """Keeps webhooks back, or lets them go."""
        self._outbox.hold(held=held)

    def settle(self, timeout_s: float = 10.0) -> bool:
        """Waits until every webhook so far was tried; False if that took too long."""
        return self._outbox.settle(timeout_s)

    def deliveries(self) -> list[Delivery]:
        """Webhooks tried so far, oldest first."""
        return list(self._outbox.sent)

    def fault(
        self, method: str, path_pattern: str | re.Pattern[str], kind: str, **options: Unpack[FaultOptions]
    ) -> None:
        """Answers the next `times` (1) matching requests wrongly; see `faults.Fault` for kinds and patterns."""
        self._faults.add(Fault(method, path_pattern, kind, **options))

    @property
    def faults_left(self) -> list[Fault]:
        """Faults that have not fired as often as asked."""
        return self._faults.coming

    def clear_faults(self) -> None:
        """Forgets the faults still to come."""
        self._faults.clear()
