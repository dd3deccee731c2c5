"""The pages for people: repositories, issues, pull requests with their diff, checks, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from app.local.hub import history
from app.local.hub.markdown import render
from app.local.hub.records import Repository
from app.local.hub.refusal import Refused, not_found
from app.local.hub.state import State
from app.local.hub.views import pulls
from app.local.hub.views.checks import runs_of
from jobs.repo.trees import Trees

_HERE = Path(__file__).parent
_EMOJI = {
    "+1": "👍",
    "-1": "👎",
    "laugh": "😄",
    "hooray": "🎉",
    "confused": "😕",
    "heart": "❤️",
    "rocket": "🚀",
    "eyes": "👀",
}
_AVATAR = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">'
    '<rect width="8" height="8" fill="hsl({hue} 45% 55%)"/></svg>'
)


def _emoji(name: str) -> str:
    return _EMOJI.get(name, name)


class Renderer:
    """Templates to pages, with the lock held and refusals shown."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        self._templates.filters |= {"markdown": render, "emoji": _emoji}

    def guarded(self, page: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """`page` as an endpoint."""

        def endpoint(request: Request) -> Response:
            try:
                with self._state.lock:
                    return page(request)
            except Refused as no:
                return self.page("missing.html", message=no.message, status_code=no.status)

        return endpoint

    def page(self, template: str, *, status_code: int = 200, **values: Any) -> Response:
        """A page that may load nothing but our own styles and pictures."""
        text = self._templates.get_template(template).render(**values)
        policy = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'"}
        return HTMLResponse(text, status_code, headers=policy)


class Pages:
    """The routes of the pages."""

    def __init__(self, state: State) -> None:
        self._state, self._show = state, Renderer(state)

    def routes(self) -> list[Route]:
        """Everything that a browser may open."""
        repo = "/{owner}/{repo}"
        table: dict[str, Callable[[Request], Response]] = {
            "/": self.index,
            "/static/avatar.svg": _avatar,
            "/static/hub.css": _stylesheet,
            repo: self.repository,
            f"{repo}/issues/{{number:int}}": self.issue,
            f"{repo}/pull/{{number:int}}.diff": self.diff,
            f"{repo}/pull/{{number:int}}": self.issue,
            f"{repo}/commit/{{sha}}": self.commit,
            f"{repo}/runs/{{check_id:int}}": self.check,
            f"{repo}/raw/{{where:path}}": self.raw,
            f"{repo}/blob/{{where:path}}": self.file,
        }
        return [Route(path, self._show.guarded(page), methods=["GET"]) for path, page in table.items()]

    def _which(self, request: Request) -> Repository:
        return self._state.repository(f"{request.path_params['owner']}/{request.path_params['repo']}")

    def index(self, _: Request) -> Response:
        """All repositories."""
        return self._show.page("index.html", repositories=list(self._state.repositories.values()))

    def repository(self, request: Request) -> Response:
        """One repository's issues and pull requests."""
        which = self._which(request)
        every = sorted(which.issues.values(), key=lambda one: one.number, reverse=True)
        tips = history.refs(which.git_dir, "refs/heads/").items()
        branches = [(ref.removeprefix("refs/heads/"), sha) for ref, (_, sha) in tips]
        return self._show.page("repository.html", repository=which, issues=every, branches=branches)

    def issue(self, request: Request) -> Response:
        """An issue, or a pull request with checks and diff."""
        which = self._which(request)
        one = self._state.issue(which, request.path_params["number"])
        if one.pull is None:
            return self._show.page("issue.html", repository=which, issue=one, checks=[], files=[], commits=[])
        suites = [suite for suite in which.suites if suite.head_sha == one.pull.head_sha]
        checks = [run for suite in suites for run in runs_of(which, suite)]
        commits = history.log(which.git_dir, f"{pulls.base_of(which, one.pull)}..{one.pull.head_sha}")[::-1]
        files = pulls.files(which, one)
        return self._show.page("issue.html", repository=which, issue=one, checks=checks, files=files, commits=commits)

    def diff(self, request: Request) -> Response:
        """A pull request's unified diff."""
        which = self._which(request)
        pull = self._state.issue(which, request.path_params["number"]).pull
        if pull is None:
            raise not_found()
        return _plain(history.diff(which.git_dir, pulls.base_of(which, pull), pull.head_sha))

    def commit(self, request: Request) -> Response:
        """One commit with its diff."""
        which = self._which(request)
        sha = history.resolve(which.git_dir, request.path_params["sha"])
        if sha is None:
            raise not_found()
        one = history.commit(which.git_dir, sha)
        base = one.parents[0] if one.parents else history.empty_tree(which.git_dir)
        return self._show.page(
            "commit.html", repository=which, commit=one, files=history.changes(which.git_dir, base, sha)
        )

    def check(self, request: Request) -> Response:
        """One check run's output."""
        which = self._which(request)
        found = next((c for c in which.checks if c.id == request.path_params["check_id"]), None)
        if found is None:
            raise not_found()
        return self._show.page("check.html", repository=which, check=found)

    def raw(self, request: Request) -> Response:
        """A file's bytes."""
        return _plain(self._bytes(request))

    def file(self, request: Request) -> Response:
        """A file as text."""
        text = self._bytes(request).decode("utf-8", "replace")
        return self._show.page(
            "file.html", repository=self._which(request), where=request.path_params["where"], text=text
        )

    def _bytes(self, request: Request) -> bytes:
        which = self._which(request)
        parts = request.path_params["where"].split("/")
        for cut in range(1, len(parts)):  # a branch's name may hold slashes
            sha = history.resolve(which.git_dir, "/".join(parts[:cut]))
            data = Trees(which.git_dir).read(sha, "/".join(parts[cut:])) if sha else None
            if data is not None:
                return data
        raise not_found()


def _plain(data: bytes) -> Response:
    return PlainTextResponse(data.decode("utf-8", "replace"), headers={"X-Content-Type-Options": "nosniff"})


def _stylesheet(_: Request) -> Response:
    return FileResponse(_HERE / "static" / "hub.css", media_type="text/css")


def _avatar(request: Request) -> Response:
    number = request.query_params.get("u", "0")
    hue = int(number) * 47 % 360 if number.isdigit() else 0
    return Response(_AVATAR.format(hue=hue), media_type="image/svg+xml")
