"""A small GitHub on loopback: REST, git, webhooks and pages over bare repositories, for demo and tests."""

from __future__ import annotations

import logging
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import NewType, Self, TypedDict, Unpack

import uvicorn
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.local.hub import routes
from app.local.hub.deliveries import Outbox, Target
from app.local.hub.faults import Fault, Faults
from app.local.hub.links import Links
from app.local.hub.looking import Looking
from app.local.hub.pages import Pages
from app.local.hub.people import Files, People, install, make_repository, rule
from app.local.hub.receiving import install_hook
from app.local.hub.recorder import Recorded, Recorder
from app.local.hub.records import Body
from app.local.hub.refusal import Refused
from app.local.hub.registration import Registration
from app.local.hub.rest import mount
from app.local.hub.smart_http import SmartHttp
from app.local.hub.state import ROLES, new_state
from jobs.errors import EnvironmentFault, UserError

RepositoryId = NewType("RepositoryId", int)
_START_S = 10.0


class FaultOptions(TypedDict, total=False):
    """Details of a fault; see `faults.Fault`."""

    times: int
    seconds: float
    retry_after: int | None


class Hub(People, Looking):
    """State and a server in a thread on 127.0.0.1. REST at `url` and `url`/api/v3, git at `url`/owner/name.git."""

    def __init__(self, root: Path, *, port: int = 0) -> None:
        self._sockets = [_listen(port), _listen(0)]
        ports = [each.getsockname()[1] for each in self._sockets]
        self.url = f"http://127.0.0.1:{ports[0]}"
        self._outbox, self._faults = Outbox(), Faults()
        root.mkdir(parents=True, exist_ok=True)
        state = new_state(root.resolve(), Links(self.url, self.url, f"http://127.0.0.1:{ports[1]}"), self._outbox.put)
        People.__init__(self, state)
        Looking.__init__(self, state, self._outbox)
        self._registration = Registration(state, self._outbox)
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

    @property
    def app_id(self) -> int:
        """The App's id."""
        return self._state.app.id

    @property
    def private_key(self) -> str:
        """The App's private key, PEM."""
        return self._state.keys.private_key

    @property
    def webhook_secret(self) -> str:
        """What signs the webhooks."""
        return self._state.keys.webhook_secret

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far with its answer, oldest first."""
        return self._recorder.requests

    def forget_requests(self) -> None:
        """Starts the record anew."""
        self._recorder.clear()

    def add_user(self, login: str, *, kind: str = "User") -> int:
        """An account (User, Organization, Bot); its id."""
        with self._state.lock:
            return self._state.add_account(login, kind).id

    def add_repository(
        self, full_name: str, source: Path | Files, *, private: bool = False, default_branch: str = "main"
    ) -> RepositoryId:
        """A repository with the files (one commit) or a git repository's history; the App is installed on it.

        Raises UserError for a name that cannot be one.
        """
        if full_name.count("/") != 1 or not all(
            p and p.replace("-", "a").replace("_", "a").replace(".", "a").isalnum() and not p.startswith(".")
            for p in full_name.split("/")
        ):
            raise UserError(f"{full_name} is not owner/name.")
        with self._state.lock:
            which = make_repository(self._state, full_name, source, default_branch)
            which.private = private
            install_hook(which)
            install(self._state, which, which.owner)
            return RepositoryId(which.id)

    def grant(self, full_name: str, login: str, role: str) -> None:
        """Gives an account (made if new) a role: none, read, triage, write, maintain, admin."""
        if role not in ROLES:
            raise UserError(f"{role} is no role: {', '.join(ROLES)}.")
        with self._state.lock:
            self._state.add_account(login)
            self._state.repository(full_name).roles[login.lower()] = role

    def protect(self, full_name: str, branch: str, *rules: str) -> None:
        """Puts rules (by default that changes need a pull request) on a branch; pushes that break them are refused."""
        with self._state.lock:
            self._state.repository(full_name).rules[branch] = [
                rule(kind) for kind in rules or ("pull_request", "deletion")
            ]

    def allow(self, **permissions: str) -> None:
        """Changes what the App is granted: `hub.allow(workflows="write")`; `"none"` takes away."""
        with self._state.lock:
            granted = self._state.app.permissions | permissions
            self._state.app.permissions = {name: level for name, level in granted.items() if level != "none"}

    def register(self, manifest: Body) -> str:
        """What submitting the registration form does: the hub's App takes what the manifest asks for; the code."""
        with self._state.lock:
            return self._registration.accept(manifest)

    def webhook_to(self, url: str | None) -> None:
        """Where webhooks go from now on; None for nowhere."""
        self._outbox.target = Target(url, self.webhook_secret, self.app_id) if url else None

    def hold_deliveries(self, *, held: bool = True) -> None:
        """Keeps webhooks back, or lets them go."""
        self._outbox.hold(held=held)

    def settle(self, timeout_s: float = 10.0) -> bool:
        """Waits until every webhook so far was tried; False if that took too long."""
        return self._outbox.settle(timeout_s)

    def fault(self, method: str, path_pattern: str, kind: str, **options: Unpack[FaultOptions]) -> None:
        """Answers the next `times` (1) matching requests wrongly; see `faults.Fault` for kinds and patterns."""
        self._faults.add(Fault(method, path_pattern, kind, **options))

    @property
    def faults_left(self) -> list[Fault]:
        """Faults that have not fired as often as asked."""
        return self._faults.coming

    def clear_faults(self) -> None:
        """Forgets the faults still to come."""
        self._faults.clear()


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
