"""Hub, receiver and control at work on one open issue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hub_fixture import REPO, WRITER
from redis import Redis
from service_control import KEEP_S, controlling
from service_processes import until
from service_receiver import receiver

from app.local.hub.server import Hub
from jobs import keys
from jobs.inbox import Inbox
from jobs.runs import Run, Runs


@dataclass
class Stage:
    """Hub, receiver and control at work; one issue is open."""

    hub: Hub
    redis: Redis
    url: str
    issue: int

    def say(self, body: str, login: str = WRITER) -> int:
        """Comments and waits until the delivery is dealt with."""
        comment = self.hub.comment(REPO, self.issue, login, body)
        self.settle()
        return comment

    def settle(self) -> None:
        """Waits until nothing is under way."""
        assert self.hub.settle()
        until(lambda: Inbox(self.redis, keep_s=KEEP_S).waiting() == 0)

    def reactions(self, comment: int) -> list[str]:
        """What the App put on a comment."""
        return [r["content"] for r in self.hub.reactions(REPO, self.issue, comment)]

    def said(self, issue: int | None = None) -> list[str]:
        """What the App wrote, on the one issue or on another."""
        every = self.hub.comments(REPO, issue or self.issue)
        return [c["body"] for c in every if c["user"]["type"] == "Bot"]

    def runs(self) -> list[Run]:
        """All runs, newest first."""
        return list(Runs(self.redis, keep_s=KEEP_S).recent())

    def put_off(self, times: int) -> str:
        """The one entry under way, once it was put off `times` times."""
        until(lambda: int(self._waits() or 0) >= times)
        return self._entry()

    def due_now(self) -> None:
        """Ends the waiting time of the one entry under way."""
        self.redis.zadd(keys.TODO, {self._entry(): 0}, xx=True)
        self.redis.lpush(keys.BELL, "1")

    def _entry(self) -> str:
        return str(next(iter(self.redis.zrange(keys.TODO, 0, 0)), b"").decode())

    def _waits(self) -> bytes | None:
        found: bytes | None = self.redis.hget(keys.entry(self._entry()), "waits")
        return found


@pytest.fixture
def stage(hub: Hub, redis: Redis, redis_url: str) -> Iterator[Stage]:
    """The stage, open until the test ends."""
    with receiver(redis_url, secret=hub.webhook_secret) as url, controlling(hub, redis_url):
        hub.webhook_to(f"{url}/webhook")
        yield Stage(hub, redis, url, hub.open_issue(REPO, WRITER, "add subtracts", "2 + 3 gives -1"))
