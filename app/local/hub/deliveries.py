"""Sends webhooks from a thread of its own, in order, signed, and remembers each try."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import queue
import threading
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from app.local.hub.records import Body

_TIMEOUT_S = 10.0  # then GitHub hangs up too
_KEPT = 5000
_ANSWER_BYTES = 65_536
_HOOK_ID = 99


@dataclass(frozen=True)
class Target:
    """Where webhooks go, and the secret that signs them."""

    url: str
    secret: str
    app_id: int


@dataclass(frozen=True)
class Delivery:
    """One try to deliver. `status_code` 0 means that nobody answered."""

    id: int
    guid: str
    event: str
    payload: Body
    at: float
    redelivery: bool
    duration_s: float
    status_code: int
    status: str
    request_headers: dict[str, str]
    response_headers: dict[str, str]
    response: str


@dataclass(frozen=True)
class _Order:
    event: str
    payload: Body
    guid: str
    redelivery: bool = False


@dataclass
class Outbox:
    """The queue of webhooks and the record of what happened to them."""

    target: Target | None = None
    sent: deque[Delivery] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _orders: queue.Queue[_Order | None] = field(default_factory=queue.Queue)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(7_000_001))
    _thread: threading.Thread | None = None
    _open: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Begins to send."""
        self._open.set()
        self._thread = threading.Thread(target=self._work, name="hub-deliveries", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends after the delivery at hand."""
        self._open.set()
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(timeout=_TIMEOUT_S + 1)

    def put(self, event: str, payload: Body) -> None:
        """Queues a webhook; without a target it is nobody's and forgotten, as with an App that has no hook."""
        if self.target is not None:
            self._orders.put(_Order(event, json.loads(json.dumps(payload)), str(uuid.uuid4())))

    def again(self, delivery_id: int) -> bool:
        """Queues a delivery once more, with its guid; False if it is unknown."""
        one = self.find(delivery_id)
        if one is not None:
            self._orders.put(_Order(one.event, one.payload, one.guid, redelivery=True))
        return one is not None

    def find(self, delivery_id: int) -> Delivery | None:
        """The delivery with that id."""
        return next((d for d in list(self.sent) if d.id == delivery_id), None)

    def hold(self, *, held: bool) -> None:
        """Stops sending while `held`; what is queued meanwhile goes out in order afterwards."""
        if held:
            self._open.clear()
        else:
            self._open.set()

    def settle(self, timeout_s: float) -> bool:
        """Waits until everything queued has been tried; False if that took longer than `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        with self._orders.all_tasks_done:
            while self._orders.unfinished_tasks:
                if not self._orders.all_tasks_done.wait(max(deadline - time.monotonic(), 0)):
                    return False
        return True

    def _work(self) -> None:
        while True:
            order = self._orders.get()
            self._open.wait()
            if order is not None and self.target is not None:
                self.sent.append(_send(self.target, order, next(self._ids)))
            self._orders.task_done()
            if order is None:
                return


def _send(target: Target, order: _Order, number: int) -> Delivery:
    body = json.dumps(order.payload, ensure_ascii=False).encode()
    headers = _headers(target, order, body)
    started = time.time()
    status_code, status, answer_headers, answer = _post(target.url, body, headers)
    spent = round(time.time() - started, 3)
    return Delivery(
        number, order.guid, order.event, order.payload, started, order.redelivery, spent, status_code, status,
        headers, answer_headers, answer,
    )  # fmt: skip


def _headers(target: Target, order: _Order, body: bytes) -> dict[str, str]:
    key = target.secret.encode()
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/hub",
        "X-GitHub-Delivery": order.guid,
        "X-GitHub-Event": order.event,
        "X-GitHub-Hook-ID": str(_HOOK_ID),
        "X-GitHub-Hook-Installation-Target-ID": str(target.app_id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": "sha1=" + hmac.new(key, body, hashlib.sha1).hexdigest(),
        "X-Hub-Signature-256": "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest(),
    }


def _post(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, dict[str, str], str]:
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(Request(url, body, headers, method="POST"), timeout=_TIMEOUT_S) as answer:
            return answer.status, "OK", dict(answer.headers), _read(answer.read(_ANSWER_BYTES))
    except HTTPError as refused:
        with refused:
            said = _read(refused.read(_ANSWER_BYTES))
            return refused.code, f"Invalid HTTP Response: {refused.code}", dict(refused.headers), said
    except TimeoutError:
        return 0, "timed out", {}, ""
    except (URLError, OSError):
        return 0, "failed to connect to host", {}, ""


def _read(data: bytes) -> str:
    return data.decode("utf-8", "replace")
