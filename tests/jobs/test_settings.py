"""Settings: read once, wrong ones named in one line, secrets gone from the environment afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.settings import ControlSettings, ReceiverSettings
from jobs.errors import UserError
from jobs.settings import WorkerSettings, check, child_environment, take, variables

WORKER = {"GITHUB_APP_ID": "1", "GITHUB_APP_PRIVATE_KEY": "line\\nline", "REDIS_URL": "redis://:pw@h/0"}


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("REDIS_URL", raising=False)
    for name, value in WORKER.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def test_taken_settings_hold_what_was_told(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.setenv("PATCHWRIGHT_DATA", str(tmp_path))
    env.setenv("PATCHWRIGHT_MAX_MODELS", "a, b ,")
    env.setenv("ANTHROPIC_API_KEY", "canary-key-value")
    settings = take(WorkerSettings)
    assert (settings.app_id, settings.private_key, settings.data) == ("1", "line\nline", tmp_path)
    assert (settings.models, settings.keep_s, settings.model) == (("a", "b"), 30 * 86_400, "claude-sonnet-5-5")
    assert set(settings.secrets()) == {"line\nline", "canary-key-value", "redis://:pw@h/0"}
    assert "canary-key-value" not in repr(settings)
    assert "line" not in repr(settings)


def test_taking_leaves_no_secret_and_no_git_behind(env: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "MY_TOKEN", "DB_PASSWORD", "aws_secret_access_key", "X_CREDENTIALS", "GIT_DIR"):
        env.setenv(name, "canary")
    take(WorkerSettings)
    assert "canary" not in os.environ.values()
    assert not [n for n in os.environ if n.startswith("GIT_") or (n in WORKER and n != "GITHUB_APP_ID")]
    assert "PATH" in os.environ


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("GITHUB_APP_ID", None, "GITHUB_APP_ID is missing: set it in the environment."),
        ("REDIS_URL", None, "REDIS_URL is missing: set it in the environment."),
        ("PATCHWRIGHT_KEEP_DAYS", "soon", "PATCHWRIGHT_KEEP_DAYS is wrong: "),
        ("PATCHWRIGHT_KEEP_DAYS", "0", "PATCHWRIGHT_KEEP_DAYS is wrong: "),
        ("PATCHWRIGHT_MAX_USD_PER_RUN", "-1", "PATCHWRIGHT_MAX_USD_PER_RUN is wrong: "),
        ("PATCHWRIGHT_QUEUE", "later", "PATCHWRIGHT_QUEUE is wrong: "),
        ("PATCHWRIGHT_RUNNER", "os.system", "PATCHWRIGHT_RUNNER is wrong: "),
    ],
)
def test_wrong_setting_is_named_in_one_line(
    env: pytest.MonkeyPatch, name: str, value: str | None, sentence: str
) -> None:
    if value is None:
        env.delenv(name)
    else:
        env.setenv(name, value)
    with pytest.raises(UserError) as wrong:
        take(WorkerSettings)
    assert str(wrong.value).startswith(sentence)
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize("secret", [None, ""])
def test_receiver_without_a_secret_does_not_start(env: pytest.MonkeyPatch, secret: str | None) -> None:
    if secret is not None:
        env.setenv("GITHUB_WEBHOOK_SECRET", secret)
    with pytest.raises(UserError, match=r"^GITHUB_WEBHOOK_SECRET is "):
        take(ReceiverSettings)


def test_private_key_comes_from_text_or_file(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env.delenv("GITHUB_APP_PRIVATE_KEY")
    with pytest.raises(UserError, match="GITHUB_APP_PRIVATE_KEY is missing"):
        _ = check(ControlSettings).private_key
    env.setenv("GITHUB_APP_PRIVATE_KEY_FILE", str(tmp_path / "key.pem"))
    with pytest.raises(UserError, match="GITHUB_APP_PRIVATE_KEY_FILE can't be read"):
        _ = check(ControlSettings).private_key
    (tmp_path / "key.pem").write_text("PEM")
    assert check(ControlSettings).private_key == "PEM"


def test_each_process_reads_its_own_secrets_only() -> None:
    assert "GITHUB_APP_PRIVATE_KEY" not in variables(ReceiverSettings)
    assert "ANTHROPIC_API_KEY" not in variables(ReceiverSettings) | variables(ControlSettings)
    assert "GITHUB_WEBHOOK_SECRET" not in variables(ControlSettings) | variables(WorkerSettings)


def test_child_gets_what_is_harmless_and_what_is_named(env: pytest.MonkeyPatch) -> None:
    env.setenv("MY_TOKEN", "canary")
    env.setenv("SOMETHING", "else")
    env.setenv("HTTPS_PROXY", "http://proxy:3128")
    child = child_environment({"GITHUB_APP_ID"})
    assert child["GITHUB_APP_ID"] == "1"
    assert child["HTTPS_PROXY"] == "http://proxy:3128"
    assert {"PATH", "HOME"} <= child.keys()
    assert not child.keys() & {"MY_TOKEN", "SOMETHING", "REDIS_URL", "GIT_AUTHOR_NAME"}


def test_every_field_has_its_sentence() -> None:
    for model in (ReceiverSettings, ControlSettings, WorkerSettings):
        assert all((f.description or "").endswith(".") for f in model.model_fields.values())
