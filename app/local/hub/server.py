"""A small GitHub on loopback: REST, git, webhooks and pages over bare repositories, for demo and tests."""

from __future__ import annotations

import logging
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.local.hub import routes
from app.local.hub.controls import Controls
from app.local.hub.deliveries import Outbox
from app.local.hub.developers import Developers
from app.local.hub.faults import Faults
from app.local.hub.installed import Installed
from app.local.hub.links import Links
from app.local.hub.looking import Looking
from app.local.hub.owners import Owners, RepositoryId
from app.local.hub.pages import Pages
from app.local.hub.people import People
from app.local.hub.recorder import Recorder
from app.local.hub.refusal import Refused
from app.local.hub.registration import Registration
from app.local.hub.rest import mount
from app.local.hub.smart_http import SmartHttp
from app.local.hub.state import new_state
from jobs.errors import EnvironmentFault

__all__ = ["Hub", "RepositoryId"]

_START_S = 10.0


class Hub(Owners, Installed, People, Developers, Looking, Controls):
    """State and a server in a thread on 127.0.0.1. REST at `url` and `url`/api/v3, git at `url`/owner/name.git."""

    def __init__(self, root: Path, *, port: int = 0) -> None:
        self._sockets = [_listen(port), _listen(0)]
        ports = [each.getsockname()[1] for each in self._sockets]
        self.url = f"http://127.0.0.1:{ports[0]}"
        self._outbox, self._faults = Outbox(), Faults()
        root.mkdir(parents=True, exist_ok=True)
        self._state = new_state(
            root.resolve(), Links(self.url, self.url, f"http://127.0.0.1:{ports[1]}"), self._outbox.put
        )
        self._registration = Registration(self._state, self._outbox)
        self._recorder = Recorder(self._application(ports[0]), self._faults)
        # The plain loop: uvloop's subprocesses want the main thread.
        config = uvicorn.Config(self._recorder, loop="asyncio", lifespan="off", log_config=None, access_log=False)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a cut connection is meant
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    def _application(self, port: int) -> FastAPI:
        app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
        mount(app, self._state, [*routes.every(), *routes.Deliveries(self._outbox).routes()])
        more = (SmartHttp(self._state, port), self._registration, Pages(self._state))
        app.router.routes.extend(route for part in more for route in part.routes())
        app.add_exception_handler(HTTPException, _unknown)
        return app

    def start(self) -> None:
        """Serves. Raises EnvironmentFault if that does not begin within ten seconds."""
        self._outbox.start()
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._sockets}, name="hub", daemon=True
        )
        self._thread.start()
        deadline = time.monotonic() + _START_S
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise EnvironmentFault("The local GitHub did not start.")
            time.sleep(0.005)

    def stop(self) -> None:
        """Ends server and deliveries."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread is not None:
            self._thread.join(timeout=_START_S)
        self._outbox.stop()
        for each in self._sockets:
            each.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.stop()


def _listen(port: int) -> socket.socket:
    # The protocol is named so that asyncio sees TCP and switches Nagle off: without, each answer takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as taken:
        listener.close()
        raise EnvironmentFault(f"Port {port} on 127.0.0.1 is taken.") from taken
    return listener


async def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return JSONResponse(Refused(404, "Not Found").body(), 404 if status == 405 else status)
