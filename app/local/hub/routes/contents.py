"""REST: files read and written by path."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import quote

from app.local.hub import history, moves
from app.local.hub.calls import Call, Reply, Route
from app.local.hub.links import Links
from app.local.hub.records import Body, Repository
from app.local.hub.refusal import Refused, malformed, not_found
from app.local.hub.views import commits
from jobs.repo.git import git, text

_KIND = {"040000": "dir", "160000": "submodule", "120000": "symlink"}
_RAW = ("application/vnd.github.raw", "application/vnd.github.raw+json", "application/vnd.github.v3.raw")


def get(call: Call) -> Reply:
    """A file with its content, or a folder's entries."""
    which, path = call.repository, call.path.get("path", "").strip("/")
    ref = call.query.get("ref") or which.default_branch
    sha = history.resolve(which.git_dir, ref)
    if sha is None:
        raise Refused(404, f"No commit found for the ref {ref}")
    entry = _entry(which, sha, path)
    if entry is None:
        raise not_found()
    if entry[1] == "tree":
        return Reply(200, [_item(call.links, which, ref, e) for e in _list(which, f"{sha}:{path}", path)])
    data = git(which.git_dir, "cat-file", "blob", entry[2]) if entry[1] == "blob" else b""
    if call.headers.get("accept", "").split(",")[0].strip() in _RAW:
        return Reply(200, raw=data, headers={"Content-Type": "application/vnd.github.raw; charset=utf-8"})
    return Reply(200, {**_item(call.links, which, ref, entry), **_content(data)})


def _content(data: bytes) -> Body:
    if len(data) > 1 << 20:  # larger files come without content
        return {"encoding": "none", "content": "", "size": len(data)}
    return {"encoding": "base64", "content": base64.encodebytes(data).decode(), "size": len(data)}


Entry = tuple[str, str, str, str, int]  # mode, type, object id, path, size


def _entry(which: Repository, sha: str, path: str) -> Entry | None:
    if not path:
        return "040000", "tree", sha, "", 0
    found = _ls(which, sha, path)
    return found[0] if found else None


def _list(which: Repository, tree: str, folder: str) -> list[Entry]:
    prefix = f"{folder}/" if folder else ""
    return [(m, k, s, prefix + p, n) for m, k, s, p, n in _ls(which, tree)]


def _ls(which: Repository, tree: str, *paths: str) -> list[Entry]:
    out = text(which.git_dir, "ls-tree", "-z", "-l", tree, "--", *paths)
    rows = (row.partition("\t") for row in out.split("\0") if row)
    split = ((*meta.split(), path) for meta, _, path in rows)
    return [(m, k, s, path, int(n) if n.isdigit() else 0) for m, k, s, n, path in split]


def _item(links: Links, which: Repository, ref: str, entry: Entry) -> Body:
    mode, kind, sha, path, size = entry
    where = quote(path)
    url = f"{links.repo(which.full_name, 'contents', where)}?ref={quote(ref)}"
    git_url = links.repo(which.full_name, "git", "trees" if kind == "tree" else "blobs", sha)
    page = links.page(which.full_name, "tree" if kind == "tree" else "blob", ref, where)
    download = links.page(which.full_name, "raw", ref, where) if kind == "blob" else None
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": sha,
        "size": size,
        "url": url,
        "html_url": page,
        "git_url": git_url,
        "download_url": download,
        "type": _KIND.get(mode, "file"),
        "_links": {"self": url, "git": git_url, "html": page},
    }


def put(call: Call) -> Reply:
    """Creates (201) or replaces (200, with the blob id it replaces) one file in one commit."""
    try:
        data = base64.b64decode(call.text("content"), validate=False)
    except binascii.Error as bad:
        raise Refused(422, "content is not valid Base64") from bad
    return _write(call, data)


def delete(call: Call) -> Reply:
    """Removes one file in one commit."""
    call.text("sha")
    return _write(call, None)


def _write(call: Call, data: bytes | None) -> Reply:
    which, path = call.repository, call.path["path"].strip("/")
    message, branch = call.text("message"), call.fields.get("branch") or which.default_branch
    tip = history.head(which.git_dir, branch)
    if tip is None:
        raise Refused(404, f"Branch {branch} not found")
    old = _entry(which, tip, path)
    _check_replaced(path, old, call.fields.get("sha"), deleting=data is None)
    tree = history.with_files(which.git_dir, tip, {path: data})
    sha = history.write_commit(which.git_dir, tree, [tip], message, moves.author(call, "author"))
    moves.advance(call, f"refs/heads/{branch}", tip, sha, conflict=409)
    shown: Any = None
    if data is not None:
        new = _entry(which, sha, path)
        assert new is not None
        shown = _item(call.links, which, branch, new)
    commit = commits.git_commit(call.links, which, history.commit(which.git_dir, sha))
    return Reply(201 if old is None else 200, {"content": shown, "commit": commit})


def _check_replaced(path: str, old: Entry | None, sha: object, *, deleting: bool) -> None:
    if old is None:
        if deleting:
            raise not_found()
        return
    if sha is None:
        raise malformed('"sha" wasn\'t supplied.')
    if sha != old[2]:
        raise Refused(409, f"{path} does not match {sha}")


_CONTENTS = "/repos/{owner}/{repo}/contents"
ROUTES = (
    Route("GET", _CONTENTS, "contents=read", get),
    Route("GET", f"{_CONTENTS}/{{path:path}}", "contents=read", get),
    Route("PUT", f"{_CONTENTS}/{{path:path}}", "contents=write", put),
    Route("DELETE", f"{_CONTENTS}/{{path:path}}", "contents=write", delete),
)
