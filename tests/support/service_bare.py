"""The least that a receiver can do: bare ASGI under uvicorn with the HMAC check alone; the yardstick of benchmarks."""

from __future__ import annotations

import hashlib
import hmac
import sys
from typing import Any

import uvicorn


def bare(secret: bytes) -> Any:
    """An ASGI app that reads the body, checks the signature and answers 202 or 401."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        sent = dict(scope["headers"]).get(b"x-hub-signature-256", b"")
        good = hmac.compare_digest(sent, b"sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest().encode())
        head = {"status": 202 if good else 401, "headers": [(b"content-length", b"0")]}
        await send({"type": "http.response.start", **head})
        await send({"type": "http.response.body", "body": b""})

    return app


if __name__ == "__main__":
    uvicorn.run(bare(sys.argv[2].encode()), port=int(sys.argv[1]), log_config=None, access_log=False, lifespan="off")
