"""REST: refs, blobs, trees and commits as git has them."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from app.local.hub import history, moves
from app.local.hub.calls import Call, Reply, Route
from app.local.hub.history import ZERO
from app.local.hub.records import Body, Repository
from app.local.hub.refusal import Refused, invalid, malformed, not_found
from app.local.hub.views import commits, repositories
from jobs.repo.git import GitError, git, text
from jobs.repo.trees import Trees

_MODES = ("100644", "100755", "040000", "160000", "120000")


def get_ref(call: Call) -> Reply:
    """Exactly one ref."""
    name = f"refs/{call.path['ref']}"
    kind, sha = _ref(call, name)
    return Reply(200, repositories.ref(call.links, call.repository, name, kind, sha))


def _ref(call: Call, name: str) -> tuple[str, str]:
    found = history.refs(call.repository.git_dir, name).get(name)
    if found is None:
        raise not_found()
    return found


def matching_refs(call: Call) -> Reply:
    """All refs whose name starts so; maybe none."""
    which = call.repository
    found = history.refs(which.git_dir, f"refs/{call.path['ref']}")
    return Reply(200, [repositories.ref(call.links, which, name, *target) for name, target in found.items()])


def create_ref(call: Call) -> Reply:
    """A new branch or tag at a commit that is here."""
    which, name, sha = call.repository, call.text("ref"), call.text("sha")
    if not history.is_ref_name(name):
        raise Refused(422, "Reference name is not valid" if name.startswith("refs/") else "Reference does not exist")
    kind = history.kind(which.git_dir, sha)
    if kind is None:
        raise Refused(422, "Object does not exist")
    if name in history.refs(which.git_dir, name):
        raise Refused(422, "Reference already exists")
    moves.advance(call, name, ZERO, sha)
    return Reply(201, repositories.ref(call.links, which, name, kind, sha), {"Location": _where(call, name)})


def _where(call: Call, name: str) -> str:
    return call.links.repo(call.repository.full_name, "git", name)


def update_ref(call: Call) -> Reply:
    """Moves a ref forward, or with `force` anywhere."""
    which, name, sha = call.repository, f"refs/{call.path['ref']}", call.text("sha")
    found = history.refs(which.git_dir, name).get(name)
    if found is None:
        raise Refused(422, "Reference does not exist")
    if history.kind(which.git_dir, sha) != "commit":
        raise Refused(422, "Object does not exist")
    if not call.fields.get("force") and not history.is_ancestor(which.git_dir, found[1], sha):
        raise Refused(422, "Update is not a fast forward")
    if found[1] != sha:
        moves.advance(call, name, found[1], sha)
    return Reply(200, repositories.ref(call.links, which, name, "commit", sha))


def delete_ref(call: Call) -> Reply:
    """Deletes a branch or tag."""
    name = f"refs/{call.path['ref']}"
    found = history.refs(call.repository.git_dir, name).get(name)
    if found is None:
        raise Refused(422, "Reference does not exist")
    moves.advance(call, name, found[1], ZERO)
    return Reply(204)


def create_blob(call: Call) -> Reply:
    """Stores bytes."""
    content, encoding = call.text("content"), call.fields.get("encoding") or "utf-8"
    try:
        data = base64.b64decode(content) if encoding == "base64" else content.encode()
    except binascii.Error as bad:
        raise Refused(422, "content is not valid Base64") from bad
    sha = history.blob(call.repository.git_dir, data)
    return Reply(201, {"sha": sha, "url": call.links.repo(call.repository.full_name, "git/blobs", sha)})


def get_blob(call: Call) -> Reply:
    """Bytes by id."""
    which, sha = call.repository, call.path["sha"]
    if history.kind(which.git_dir, sha) != "blob":
        raise not_found()
    data = git(which.git_dir, "cat-file", "blob", sha)
    encoded = base64.encodebytes(data).decode()
    url = call.links.repo(which.full_name, "git/blobs", sha)
    return Reply(
        200,
        {"sha": sha, "node_id": f"B_{sha}", "size": len(data), "url": url, "content": encoded, "encoding": "base64"},
    )


def create_tree(call: Call) -> Reply:
    """A tree from entries, on top of `base_tree` where given; a null sha removes."""
    which, entries, base = call.repository, call.fields.get("tree"), call.fields.get("base_tree")
    if not isinstance(entries, list):
        raise malformed('"tree" wasn\'t supplied.')
    start = base or history.empty_tree(which.git_dir)
    if history.kind(which.git_dir, start) not in ("tree", "commit"):
        raise Refused(404, "base_tree is not a valid tree oid")
    trees = Trees(which.git_dir)
    tree = start
    lines = [_line(which, entry) for entry in entries]
    try:
        tree = trees.edit(start, lines)
    except GitError as bad:
        raise Refused(422, "GitRPC::BadObjectState") from bad
    return Reply(201, _tree(call, tree, recursive=False))


def _line(which: Repository, entry: Body) -> str:
    mode, path, sha = entry.get("mode") or "100644", entry.get("path") or "", entry.get("sha")
    if mode not in _MODES:
        raise malformed("Must supply a valid tree.mode")
    if not path or path.startswith("/") or {"..", ".", "", ".git"} & set(path.split("/")):
        raise Refused(422, "tree.path contains a malformed path component")
    if "content" in entry:
        sha = history.blob(which.git_dir, entry["content"].encode())
    elif sha is None:
        return f"0 {ZERO}\t{path}"
    elif mode != "160000" and history.kind(which.git_dir, sha) is None:
        raise Refused(422, f"tree.sha {sha} is not a valid blob")
    return f"{mode} {sha}\t{path}"


def get_tree(call: Call) -> Reply:
    """A tree by its id, a commit's or a branch; `recursive` for everything below."""
    which, asked = call.repository, call.path["sha"]
    sha = history.resolve(which.git_dir, asked) or asked
    if history.kind(which.git_dir, sha) not in ("tree", "commit"):
        raise not_found()
    return Reply(200, _tree(call, Trees(which.git_dir).tree_of(sha), recursive="recursive" in call.query))


def _tree(call: Call, sha: str, *, recursive: bool) -> Body:
    which = call.repository
    out = text(which.git_dir, "ls-tree", "-z", "-l", *(("-r", "-t") if recursive else ()), sha)
    rows = (row.partition("\t") for row in out.split("\0") if row)
    shown: list[dict[str, Any]] = []
    for meta, _, path in rows:
        mode, kind, oid, size = meta.split()
        item = {"path": path, "mode": mode, "type": kind, "sha": oid}
        part = {"blob": "git/blobs", "tree": "git/trees", "commit": "git/commits"}[kind]
        item["url"] = call.links.repo(which.full_name, part, oid)
        shown.append({**item, "size": int(size)} if size.isdigit() else item)
    return {"sha": sha, "url": call.links.repo(which.full_name, "git/trees", sha), "tree": shown, "truncated": False}


def create_commit(call: Call) -> Reply:
    """A commit object; no ref moves."""
    which, message, tree = call.repository, call.text("message"), call.text("tree")
    parents = call.fields.get("parents") or []
    if history.kind(which.git_dir, tree) != "tree":
        raise Refused(422, "Tree SHA does not exist")
    if any(history.kind(which.git_dir, parent) != "commit" for parent in parents):
        raise invalid("Commit", "parents", "invalid", "Parent SHA does not exist or is not a commit object")
    who = moves.author(call, "author")
    committer = moves.author(call, "committer") if call.fields.get("committer") else who
    sha = history.write_commit(which.git_dir, tree, parents, message, who, committer)
    return Reply(201, commits.git_commit(call.links, which, history.commit(which.git_dir, sha)))


def get_commit(call: Call) -> Reply:
    """A commit object by id."""
    which, sha = call.repository, call.path["sha"]
    if history.kind(which.git_dir, sha) != "commit":
        raise not_found()
    return Reply(200, commits.git_commit(call.links, which, history.commit(which.git_dir, sha)))


_GIT = "/repos/{owner}/{repo}/git"
ROUTES = (
    Route("GET", f"{_GIT}/ref/{{ref:path}}", "contents=read", get_ref),
    Route("GET", f"{_GIT}/matching-refs/{{ref:path}}", "contents=read", matching_refs),
    Route("POST", f"{_GIT}/refs", "contents=write", create_ref),
    Route("PATCH", f"{_GIT}/refs/{{ref:path}}", "contents=write", update_ref),
    Route("DELETE", f"{_GIT}/refs/{{ref:path}}", "contents=write", delete_ref),
    Route("POST", f"{_GIT}/blobs", "contents=write", create_blob),
    Route("GET", f"{_GIT}/blobs/{{sha}}", "contents=read", get_blob),
    Route("POST", f"{_GIT}/trees", "contents=write", create_tree),
    Route("GET", f"{_GIT}/trees/{{sha:path}}", "contents=read", get_tree),
    Route("POST", f"{_GIT}/commits", "contents=write", create_commit),
    Route("GET", f"{_GIT}/commits/{{sha}}", "contents=read", get_commit),
)
