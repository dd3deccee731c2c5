"""`up`: everything on one machine, each part told its own secrets only, nothing left when it ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from service_processes import Process, children, environment_of, exists, until
from whole import whole

CANARIES = {
    "ANTHROPIC_API_KEY": "canary-anthropic-0123456789",
    "SOME_OTHER_TOKEN": "canary-other-0123456789",
    "GIT_ASKPASS": "canary-git-0123456789",
}
_UP = "import sys; from app.cli import main; sys.argv = ['patchwright', 'up', '--port', '0']; main()"


def test_each_part_is_told_its_own_secrets_and_ctrl_c_ends_all() -> None:
    with whole(env=CANARIES) as everything:
        told = {name: environment_of(everything.pid(name)) for name in ("worker", "control", "receiver", "valkey")}
        assert CANARIES["ANTHROPIC_API_KEY"] in told["worker"]
        for part, text in told.items():
            assert CANARIES["SOME_OTHER_TOKEN"] not in text, part
            assert CANARIES["GIT_ASKPASS"] not in text, part
            assert (everything.hub.webhook_secret in text) == (part == "receiver"), part
            assert ("PRIVATE KEY" in text) == (part in ("worker", "control")), part
            assert (CANARIES["ANTHROPIC_API_KEY"] in text) == (part == "worker"), part
        parts = children(everything.up.pid)
        assert len(parts) == 6, "valkey, receiver, control and three workers"
        everything.up.send_signal(signal.SIGINT)
        assert everything.up.wait(30) == 0
        assert not any(map(exists, parts))
        for canary in (*CANARIES.values(), everything.hub.webhook_secret):
            assert canary not in everything.log


def test_killed_up_leaves_nothing() -> None:
    with whole() as everything:
        parts = children(everything.up.pid)
        everything.up.kill()
        everything.up.wait()
        until(lambda: not any(map(exists, parts)), timeout_s=5)


@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        ({}, "GITHUB_APP_ID is missing: set it in the environment."),
        ({"GITHUB_APP_ID": "1"}, "GITHUB_WEBHOOK_SECRET is missing: set it in the environment."),
        (
            {"GITHUB_APP_ID": "1", "GITHUB_WEBHOOK_SECRET": "s" * 20},
            "GITHUB_APP_PRIVATE_KEY is missing: set it, or GITHUB_APP_PRIVATE_KEY_FILE to its file.",
        ),
        (
            {"GITHUB_APP_ID": "1", "GITHUB_WEBHOOK_SECRET": "s" * 20, "GITHUB_APP_PRIVATE_KEY_FILE": "/nonexistent"},
            "GITHUB_APP_PRIVATE_KEY_FILE can't be read",
        ),
        (
            {"GITHUB_APP_ID": "1", "GITHUB_WEBHOOK_SECRET": "s" * 20, "GITHUB_APP_PRIVATE_KEY": "no PEM"},
            "The App's private key",
        ),
    ],
)
def test_missing_and_wrong_settings_stop_it_with_one_line(tmp_path: Path, env: dict[str, str], sentence: str) -> None:
    up = Process(_UP, {**env, "PATCHWRIGHT_DATA": str(tmp_path / "data")}, tmp_path / "log")
    assert up.wait(20) == 2
    up.kill()
    (line,) = up.text().splitlines()
    assert sentence in line
    assert not (tmp_path / "data").exists()
