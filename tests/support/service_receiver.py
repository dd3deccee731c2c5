"""The real receiver on loopback for trials: uvicorn in a thread, signed requests by hand."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from app.main import build
from app.settings import ReceiverSettings
from app.signature import sign

SECRET = "webhook-secret-of-the-trial"


def receiver_settings(redis_url: str, **fields: Any) -> ReceiverSettings:
    """A receiver's settings without an environment."""
    return ReceiverSettings(GITHUB_WEBHOOK_SECRET=fields.pop("secret", SECRET), REDIS_URL=redis_url, **fields)


@contextmanager
def receiver(redis_url: str, **fields: Any) -> Iterator[str]:
    """Its address while it serves."""
    app = build(receiver_settings(redis_url, **fields))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="on"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def headers(body: bytes, event: str, *, secret: str = SECRET, guid: str | None = None) -> dict[str, str]:
    """What GitHub sends with a delivery."""
    return {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": guid or str(uuid.uuid4()),
        "x-hub-signature-256": sign(secret, body).decode(),
    }


def deliver(url: str, event: str, payload: Any, **more: Any) -> httpx.Response:
    """Sends one signed delivery."""
    body = json.dumps(payload).encode()
    return httpx.post(f"{url}/webhook", content=body, headers=headers(body, event, **more), timeout=30, trust_env=False)


def comment_payload(body: str = "/agent fix", **changes: Any) -> dict[str, Any]:
    """An `issue_comment` created by a person; `changes` replace whole keys."""
    person = {"login": "ann", "id": 11, "type": "User"}
    payload: dict[str, Any] = {
        "action": "created",
        "issue": {"number": 1, "id": 101, "title": "It breaks", "state": "open", "updated_at": "2026-01-01T00:00:00Z"},
        "comment": {
            "id": 500,
            "body": body,
            "user": person,
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z",
        },
        "repository": {"id": 7, "full_name": "octo/app", "default_branch": "main"},
        "installation": {"id": 3},
        "sender": person,
    }
    return {**payload, **changes}
