"""Registering an App from a manifest, as the web form does it, and files on the other origin."""

from __future__ import annotations

import json
import secrets
import time
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from app.local.hub.deliveries import Outbox, Target
from app.local.hub.records import Body
from app.local.hub.state import State


class Registration:
    """The form's target, and the store that log addresses point to."""

    def __init__(self, state: State, outbox: Outbox) -> None:
        self._state, self._outbox = state, outbox

    def routes(self) -> list[Route]:
        """For a person's account and an organization's, and for files."""
        forms = ("/settings/apps/new", "/organizations/{org}/settings/apps/new")
        posts = [Route(path, self.register, methods=["POST"]) for path in forms]
        return [*posts, Route("/-/files/{name}", self.file, methods=["GET"])]

    async def register(self, request: Request) -> Response:
        """Takes the manifest and sends the browser back with a code."""
        form = parse_qs((await request.body()).decode())
        manifest = json.loads(form.get("manifest", ["{}"])[0])
        if not manifest.get("redirect_url"):
            return PlainTextResponse("The manifest names no redirect_url.", 422)
        with self._state.lock:
            code = self.accept(manifest)
        state = request.query_params.get("state")
        query = urlencode({"code": code} | ({"state": state} if state else {}))
        return RedirectResponse(f"{manifest['redirect_url']}?{query}", 302)

    def accept(self, manifest: Body) -> str:
        """Gives the hub's App what the manifest asks for; the code to convert."""
        app, hook = self._state.app, manifest.get("hook_attributes") or {}
        app.name = manifest.get("name") or app.name
        app.permissions = {"metadata": "read", **(manifest.get("default_permissions") or app.permissions)}
        app.events = list(manifest.get("default_events") or app.events)
        if hook.get("url") and hook.get("active", True):
            self._outbox.target = Target(hook["url"], self._state.keys.webhook_secret, app.id)
        code = secrets.token_hex(20)
        self._state.manifests[code] = manifest
        return code

    async def file(self, request: Request) -> Response:
        """A file by its signed name; like a blob store, it wants no Authorization header."""
        expires, data = self._state.files.get(request.path_params["name"], (0.0, b""))
        if expires < time.time():
            return PlainTextResponse("Signature not valid in the specified time frame", 403)
        if "authorization" in request.headers:
            return PlainTextResponse("Only one authentication mechanism is allowed", 400)
        return Response(data, media_type="text/plain")
