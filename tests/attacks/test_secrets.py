"""Narrow tokens that die early, secrets masked wherever they are written down, and changes that may not go out."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from github_world import NAME, WANTED, World, world

from jobs.protect import escapes, protected
from jobs.redact import Redactor
from jobs.repo.workspace import Workspace
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
from jobs.trace.store import FileTrace

LONG = "ghs_12345_" + "eyJhbGciOiJSUzI1NiJ9." + "Ab0-_" * 110 + ".c2lnbmF0dXJl"
KNOWN = "canary:s3cr3t/value+with=signs"


@pytest.fixture
def gh(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "hub") as made:
        yield made


@pytest.mark.threat(25)
def test_a_token_is_for_one_repository_and_dead_after_its_step(gh: World) -> None:
    other = gh.hub.add_repository("acme/other", {"README.md": "1"})
    installation = gh.hub.installation_id(NAME)
    narrow = {"contents": "write", "pull_requests": "write"}

    def seen(name: str) -> int:
        headers = {"Authorization": f"Bearer {token.value}"}
        return httpx.get(f"{gh.hub.url}/repos/{name}/contents/README.md", headers=headers, trust_env=False).status_code

    with suppress(RuntimeError), gh.tokens.borrowed(installation, gh.repository_id, narrow) as token:
        assert (seen(NAME), seen("acme/other")) == (200, 404)
        raise RuntimeError("the step fails")
    assert seen(NAME) == 401
    asked = json.loads(next(r for r in gh.hub.requests if r.route.endswith("/access_tokens")).body)
    assert asked == {"repository_ids": [gh.repository_id], "permissions": narrow}
    assert int(other) != gh.repository_id
    assert not {"workflows", "administration", "secrets"} & (set(asked["permissions"]) | set(WANTED))
    assert [r.method for r in gh.hub.requests if r.route == "/installation/token"] == ["DELETE"]
    assert token.value not in repr(token)


@pytest.mark.threat(29)
@pytest.mark.parametrize(
    "text",
    [
        f"token {LONG} end",
        LONG[:300] + "\x1b[0m\x1b[31m" + LONG[300:],
        f"https://x-access-token:{LONG}@127.0.0.1/a.git",
        json.dumps({"deep": [{"header": f"Authorization: Bearer {LONG}"}]}),
        KNOWN,
        KNOWN[:9] + "\x1b[1m" + KNOWN[9:],
        KNOWN[:9] + "\x1b]8;;x\x07" + KNOWN[9:],
        base64.b64encode(f"user:{KNOWN}".encode()).decode(),
        base64.urlsafe_b64encode(f"xx{KNOWN}yy".encode()).decode(),
    ],
)
def test_no_form_of_a_secret_is_written_down(tmp_path: Path, text: str) -> None:
    redact = Redactor([KNOWN])
    trace = FileTrace(tmp_path / "trace.jsonl", "r-1", redact)
    trace.emit("round", calls=[{"args": {"command": text}, text: 1}])
    trace.close()
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s", (redact(text),), None)
    for written in ((tmp_path / "trace.jsonl").read_text(), record.getMessage()):
        plain = json.loads(f'"{written}"') if written.startswith("\\u") else written
        for part in (
            LONG[40:280],
            LONG[320:560],
            KNOWN[:9],
            KNOWN[9:],
            base64.b64encode(KNOWN.encode()).decode()[4:20],
        ):
            assert part not in plain


@pytest.mark.threat(32)
def test_a_secret_in_a_change_is_known_in_most_forms() -> None:
    """Turned around it is not: whoever means to can always smuggle; so nothing secret is where a command runs."""
    redact = Redactor([KNOWN])
    diff = "diff --git a/README b/README\n+++ b/README\n+key = {}\n"
    assert redact.knows(diff.format(KNOWN))
    assert redact.knows(diff.format(base64.b64encode(KNOWN.encode()).decode()))
    assert not redact.knows(diff.format("nothing of that kind"))
    assert not redact.knows(diff.format(KNOWN[::-1]))


# What a command does to a tree, and the path that must end the run.
PROTECTED = {
    "a workflow": ("mkdir -p .github/workflows; echo 'on: push' > .github/workflows/x.yml", ".github/workflows/x.yml"),
    "in other letters": ("mkdir -p .GitHub/Workflows; echo x > .GitHub/Workflows/x.yml", ".GitHub/Workflows/x.yml"),
    "a link for the folder": ("mkdir x; ln -s x .github", ".github"),
    "moved into it": ("mkdir -p .github/workflows; mv app.py .github/workflows/app.yml", ".github/workflows/app.yml"),
    "an action": ("mkdir -p a/b; echo x > a/b/Action.YAML", "a/b/Action.YAML"),
    "owners": ("mkdir docs; echo '* @me' > docs/CodeOwners", "docs/CodeOwners"),
    "orders for agents": ("echo x > src/CLAUDE.md", "src/CLAUDE.md"),
    "an agent's settings": ("mkdir .claude; echo x > .claude/settings.json", ".claude/settings.json"),
    "a link for an agent's settings": ("mkdir x; ln -s x .claude", ".claude"),
    "a link for an editor's tasks": ("mkdir x; ln -s x .vscode", ".vscode"),
    "a link for git's hooks": ("mkdir x; ln -s x .husky", ".husky"),
    "tools for agents": ("echo '{}' > .mcp.json", ".mcp.json"),
    "an editor's tasks": ("mkdir .vscode; echo '{}' > .vscode/tasks.json", ".vscode/tasks.json"),
    "a container": (
        "mkdir .devcontainer; echo '{}' > .devcontainer/devcontainer.json",
        ".devcontainer/devcontainer.json",
    ),
    "submodules": ("echo x > .gitmodules", ".gitmodules"),
    "large files": ("echo x > .lfsconfig", ".lfsconfig"),
    "a registry": ("echo 'registry=http://127.0.0.1/' > .npmrc", ".npmrc"),
}


@pytest.mark.threat(61)
@pytest.mark.parametrize("name", PROTECTED)
def test_what_acts_outside_the_reviewed_code_is_not_published(workspace: Workspace, cells: Cells, name: str) -> None:
    line, path = PROTECTED[name]
    with workspace.checkout(workspace.base) as folder:
        cells.own(folder)
        assert cells.on(folder).run(Command.shell(f"set -e; {line}")).ok
        tree = workspace.harvest(folder, None).tree
    changes = workspace.trees.patch(workspace.base, tree).files
    assert path in protected(changes)


@pytest.mark.threat(61, 56)
def test_a_link_out_of_the_repository_is_not_published(workspace: Workspace, cells: Cells) -> None:
    ways = {"a": "/etc/passwd", "b": "../x", "src/c": "../../x", "src/d": "./../.././x", "e": "src/../../x"}
    with workspace.checkout(workspace.base) as folder:
        cells.own(folder)
        line = "; ".join(f"ln -s {target} {path}" for path, target in {**ways, "fine": "src/../app.py"}.items())
        assert cells.on(folder).run(Command.shell(line)).ok
        tree = workspace.harvest(folder, None).tree
    links = [f.path for f in workspace.trees.patch(workspace.base, tree).files if f.new_mode == "120000"]
    out = {path for path in links if escapes(path, (workspace.trees.read(tree, path) or b"").decode())}
    assert out == set(ways)
    assert "fine" in links
