"""Asks GitHub to send again what it could not deliver: it never does so by itself."""

from __future__ import annotations

import logging

from redis import Redis

from jobs import keys
from jobs.github.app import App
from jobs.github.values import Delivery

_MOST = 300  # deliveries looked at, newest first

logger = logging.getLogger(__name__)


def redeliver(app: App, redis: Redis) -> int:
    """Redelivers each delivery that failed and was never accepted, once until its next failure; says how many.

    Raises EnvironmentFault or Retry.
    """
    count = 0
    for delivery in missed(list(app.deliveries(most=_MOST))):
        # The inbox may know it all the same: accepted, but the answer came too late.
        if redis.exists(keys.delivery(delivery.guid)):
            continue
        app.redeliver(delivery.id)
        logger.info("delivery asked for again", extra={"delivery_id": delivery.guid, "event": delivery.event})
        count += 1
    return count


def missed(deliveries: list[Delivery]) -> list[Delivery]:
    """The newest try of each delivery of which no try succeeded. `deliveries`: newest first."""
    done = {d.guid for d in deliveries if d.ok}
    newest: dict[str, Delivery] = {}
    for delivery in deliveries:
        newest.setdefault(delivery.guid, delivery)
    return [d for guid, d in newest.items() if guid not in done]
