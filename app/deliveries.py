"""Asks GitHub to send again what it could not deliver: it never does so by itself."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

from redis import Redis

from jobs import keys
from jobs.github.app import App
from jobs.github.errors import NotFound, Rejected
from jobs.github.values import Delivery

_MOST = 300  # deliveries looked at, newest first
_REFUSED = (400, 401, 413, 415)  # the receiver's answer to what is not GitHub's or not readable; it would be the same
_OLDEST = timedelta(days=3)  # GitHub keeps them no longer
_FIRST_GAP = timedelta(minutes=5)  # between two tries; doubles, so that three days see some ten of them

logger = logging.getLogger(__name__)


def redeliver(app: App, redis: Redis) -> int:
    """Redelivers each delivery that failed and was never accepted, less and less often; says how many.

    Raises EnvironmentFault or Retry.
    """
    now = datetime.now(UTC)
    return sum(_again(app, redis, delivery, now) for delivery in missed(list(app.deliveries(most=_MOST)), now))


def missed(deliveries: list[Delivery], now: datetime) -> list[Delivery]:
    """The newest try of each delivery of which no try succeeded, the newest was not refused for good, and the oldest
    is not too old to be sent again. `deliveries`: newest first."""
    done = {d.guid for d in deliveries if d.ok}
    oldest = {d.guid: d for d in deliveries}
    newest = {d.guid: d for d in reversed(deliveries)}
    return [
        newest[guid]
        for guid in oldest
        if guid not in done and newest[guid].status_code not in _REFUSED and now - _at(oldest[guid]) < _OLDEST
    ]


def due(newest: Delivery, repeats: int, now: datetime) -> bool:
    """True if it is time to ask again for a delivery that was asked for `repeats` times, last tried as `newest`."""
    return repeats == 0 or now - _at(newest) >= _FIRST_GAP * 2 ** min(repeats - 1, 20)


def _again(app: App, redis: Redis, delivery: Delivery, now: datetime) -> bool:
    known = keys.delivery(delivery.guid)
    counter = f"{known}:repeats"
    repeats = int(redis.get(counter) or 0)
    # The inbox may know it all the same: accepted, but the answer came too late.
    if redis.exists(known) or not due(delivery, repeats, now):
        return False
    redis.set(counter, repeats + 1, ex=_OLDEST)
    try:
        app.redeliver(delivery.id)
    except (NotFound, Rejected) as gone:  # the others are not to wait for this one
        logger.warning("delivery not sent again", extra={"delivery_id": delivery.guid, "cause": str(gone)})
        return False
    logger.info("delivery asked for again", extra={"delivery_id": delivery.guid, "event": delivery.event})
    return True


def _at(delivery: Delivery) -> datetime:
    return datetime.fromisoformat(delivery.delivered_at)
