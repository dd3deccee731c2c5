"""Serves the table of routes: authentication, permission, act, rate limit, conditional requests."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from app.local.hub.access import authorize, identify, repository_for
from app.local.hub.calls import Call, Caller, Reply, Route
from app.local.hub.limits import Budget
from app.local.hub.links import Links
from app.local.hub.refusal import Refused
from app.local.hub.state import State

ENTERPRISE = "/api/v3"
_VERSIONS = ("2022-11-28", "2026-03-10")


def mount(app: FastAPI, state: State, routes: Iterable[Route]) -> None:
    """Adds each route twice: at the root, and where an enterprise server has it."""
    for route in routes:
        endpoint = _endpoint(state, route)
        for prefix in ("", ENTERPRISE):
            app.add_route(prefix + route.path, endpoint, methods=[route.method])


def _endpoint(state: State, route: Route) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_serve, state, route, request, body)

    return endpoint


def _serve(state: State, route: Route, request: Request, body: bytes) -> Response:
    caller = Caller()
    try:
        with state.lock:
            _check_headers(request)
            caller = identify(state, request.headers)
            reply = route.act(_call(state, route, request, caller, body))
    except Refused as no:
        reply = Reply(no.status, no.body(), no.headers)
    return respond(request, reply, state.budget, caller)


def respond(request: Request, reply: Reply, budget: Budget, caller: Caller) -> Response:
    """The reply as HTTP, with the headers that GitHub puts on everything."""
    content, headers = reply.content(), _standing_headers(reply)
    if request.method == "GET" and reply.status == 200:
        headers["ETag"] = f'W/"{hashlib.sha256(content).hexdigest()}"'
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers | budget.headers(caller.key, spend=False))
    free = request.url.path.endswith("/rate_limit")
    return Response(content, reply.status, headers | budget.headers(caller.key, spend=not free))


def _standing_headers(reply: Reply) -> dict[str, str]:
    headers = {
        "X-GitHub-Request-Id": secrets.token_hex(10).upper(),
        "X-GitHub-Media-Type": "github.v3; format=json",
        "Cache-Control": "private, max-age=60, s-maxage=60",
        "Vary": "Accept, Authorization, Cookie, X-GitHub-OTP",
        **reply.headers,
    }
    if reply.raw is None and reply.status != 204:
        headers["Content-Type"] = "application/json; charset=utf-8"
    return headers


def _call(state: State, route: Route, request: Request, caller: Caller, body: bytes) -> Call:
    path, query = request.path_params, dict(request.query_params)
    if not ("repo" in path and caller.token):  # a known repository may be hidden: looked up before permissions
        authorize(route, caller)
    repository = repository_for(state, caller, path)
    authorize(route, caller)
    prefix = ENTERPRISE if request.url.path.startswith(ENTERPRISE) else ""
    links = Links(state.links.web + prefix, state.links.web, state.links.files)
    url = state.links.web + request.url.path
    return Call(state, links, caller, path, query, request.headers, _json(body), url, repository)


def _check_headers(request: Request) -> None:
    if not request.headers.get("user-agent"):
        raise Refused(
            403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
        )
    version = request.headers.get("x-github-api-version")
    if version is not None and version not in _VERSIONS:
        raise Refused(400, f'"{version}" is not a supported version')


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body.strip() else None
    except ValueError as bad:
        raise Refused(400, "Problems parsing JSON") from bad
