"""The real control over the hub for trials, in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.control import Control
from app.leader import Leader
from app.local.hub.server import Hub
from jobs.connection import connect
from jobs.gate import Ceilings
from jobs.github.app import App
from jobs.github.auth import AppKey, Tokens
from jobs.github.desk import GitHubDesk
from jobs.github.wire import Patience

KEEP_S = 3600
_QUICK = Patience(first_delay_s=0.02)


def hub_app(hub: Hub) -> App:
    """The App as the hub knows it."""
    return App(Tokens(AppKey(str(hub.app_id), hub.private_key), hub.url, patience=_QUICK))


@contextmanager
def controlling(hub: Hub, redis_url: str) -> Iterator[Control]:
    """Control at work until the block ends."""
    redis = connect(redis_url)
    leader = Leader(redis)
    desk = GitHubDesk(hub_app(hub), Ceilings(usd_per_run=5.0, model="claude-sonnet-5-5"), leader.check)
    control = Control(redis, desk, leader, lambda: 0, keep_s=KEEP_S)
    stop = threading.Event()
    thread = threading.Thread(target=control.run, args=(stop,), daemon=True)
    thread.start()
    try:
        yield control
    finally:
        stop.set()
        thread.join(timeout=10)
        redis.close()
