"""Git over HTTP: `git http-backend` behind the hub's tokens, streamed both ways."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import os
import secrets
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.local.hub.access import reaches
from app.local.hub.receiving import decide
from app.local.hub.refusal import Refused
from app.local.hub.state import Receipt, State
from app.local.hub.tokens import Token

_CHUNK = 65_536
_SERVICES = ("git-upload-pack", "git-receive-pack")
_ASK = {"WWW-Authenticate": 'Basic realm="GitHub"'}


class SmartHttp:
    """The git routes of a hub that listens on `port`."""

    def __init__(self, state: State, port: int) -> None:
        self._state, self._port = state, port

    def routes(self) -> list[Route]:
        """For owner/name.git and owner/name."""
        routes = [Route("/-/receive", self.receive, methods=["POST"])]
        for base in ("/{owner}/{repo}.git", "/{owner}/{repo}"):
            routes.append(Route(f"{base}/info/refs", self.serve, methods=["GET"]))
            routes += [Route(f"{base}/{service}", self.serve, methods=["POST"]) for service in _SERVICES]
        return routes

    async def serve(self, request: Request) -> Response:
        """One request of a git client."""
        service = request.query_params.get("service", request.url.path.rpartition("/")[2])
        if service not in _SERVICES:  # the old protocol of plain files is not spoken
            return PlainTextResponse("Please upgrade your git client.", 403)
        try:
            receipt = await run_in_threadpool(self._admit, request, writes=service == "git-receive-pack")
        except Refused as no:
            return PlainTextResponse(no.message, no.status, no.headers)
        key = secrets.token_urlsafe(16)
        self._state.receipts[key] = receipt
        return await _run(
            request, self._environment(request, receipt, key), lambda: self._state.receipts.pop(key, None)
        )

    def _admit(self, request: Request, *, writes: bool) -> Receipt:
        path = request.path_params
        with self._state.lock:
            token = self._token(request.headers.get("authorization"))
            try:
                which = self._state.repository(f"{path['owner']}/{path['repo']}")
            except Refused as missing:
                raise Refused(404, "Repository not found.") from missing
            if not reaches(self._state, token, which) or not token.allows("contents", "read"):
                raise Refused(404, "Repository not found.")
            if writes and not token.allows("contents", "write"):
                raise Refused(403, f"Permission to {which.full_name}.git denied to {self._state.app.bot.login}.")
            return Receipt(which, self._state.app.bot, dict(token.permissions))

    def _token(self, header: str | None) -> Token:
        scheme, _, value = (header or "").partition(" ")
        try:
            user, _, secret = base64.b64decode(value).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            user, secret = "", ""
        found = self._state.tokens.find(secret) if scheme.lower() == "basic" and user == "x-access-token" else None
        if found is None:
            raise Refused(
                401,
                "Invalid username or token. Password authentication is not supported for Git operations.",
                headers=_ASK,
            )
        return found

    def _environment(self, request: Request, receipt: Receipt, key: str) -> dict[str, str]:
        tail = "/info/refs" if request.url.path.endswith("/info/refs") else "/" + request.url.path.rpartition("/")[2]
        headers = request.headers
        return {
            "PATH": os.pathsep.join([str(Path(shutil.which("git") or "/usr/bin/git").parent), "/usr/bin", "/bin"]),
            "HOME": "/nonexistent",
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_PROJECT_ROOT": str(self._state.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": headers.get("git-protocol", ""),
            "PATH_INFO": f"/{receipt.repository.git_dir.relative_to(self._state.root)}{tail}",
            "QUERY_STRING": request.url.query,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": receipt.account.login,
            "HUB_PORT": str(self._port),
            "HUB_KEY": key,
        }

    async def receive(self, request: Request) -> Response:
        """The hook asks: which refs of this push may move? They have moved when it hears so."""
        receipt = self._state.receipts.get(request.headers.get("x-key", ""))
        if receipt is None:
            return PlainTextResponse("", 404)
        first, *rest = (await request.body()).decode("utf-8", "surrogateescape").splitlines()
        commands = [(old, new, ref) for old, new, ref in (line.split(" ", 2) for line in rest)]

        def locked() -> list[str]:
            with self._state.lock:
                return decide(self._state, receipt, commands, atomic=first == "atomic")

        lines = await run_in_threadpool(locked)
        return Response("\n".join(lines).encode("utf-8", "surrogateescape"), media_type="text/plain")


async def _run(request: Request, environment: dict[str, str], done: Callable[[], object]) -> Response:
    process = await asyncio.create_subprocess_exec(
        "git", "http-backend", stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment, cwd="/"
    )
    feed = asyncio.create_task(_feed(request, process))
    assert process.stdout is not None
    status, headers = 200, {}
    while line := (await process.stdout.readline()).strip():
        name, _, value = line.decode("latin-1").partition(": ")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers[name] = value

    return _Streamed(process, feed, done, status_code=status, headers=headers)


class _Streamed(Response):
    """What git writes, as it writes it. Starlette's own streaming would listen for the client's end meanwhile and
    so take away parts of a request that git still reads."""

    def __init__(
        self,
        process: Process,
        feed: asyncio.Task[None],
        done: Callable[[], object],
        *,
        status_code: int,
        headers: dict[str, str],
    ) -> None:
        super().__init__(None, status_code, headers)
        del self.headers["content-length"]
        self._process, self._feed, self._done = process, feed, done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends everything and ends the process."""
        stdout, finished = self._process.stdout, False
        assert stdout is not None
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while chunk := await stdout.read(_CHUNK):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            finished = True
            await send({"type": "http.response.body", "body": b""})
        finally:
            await _end(self._process, self._feed, finished=finished)
            self._done()


async def _feed(request: Request, process: Process) -> None:
    """Sends the request's body, whatever its framing; git undoes gzip itself and reads to the end."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, ClientDisconnect):
        async for chunk in request.stream():
            process.stdin.write(chunk)
            await process.stdin.drain()
    process.stdin.close()


async def _end(process: Process, feed: asyncio.Task[None], *, finished: bool) -> None:
    feed.cancel()
    if not finished and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)  # Process.kill would reap it behind the loop's back
    await process.wait()
