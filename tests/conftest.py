"""Guards for every test: pinned git identity, a home folder of its own, nothing inherited that could leak in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private HOME and git identity; GIT_* and GitHub or model credentials of the host are gone."""
    home = tmp_path_factory.mktemp("home")
    for name in [n for n in os.environ if n.startswith(("GIT_", "GITHUB_", "ANTHROPIC_", "OPENAI_", "PATCHWRIGHT_"))]:
        monkeypatch.delenv(name)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home
