"""A started hub with one repository, `acme/calc`, and a person, `alice`, who may write to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.local.hub.server import Hub

REPO, WRITER = "acme/calc", "alice"
FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": (
        "import unittest\n\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_adds(self):\n        self.assertEqual(add(2, 3), 5)\n"
    ),
    "README.md": "# calc\n",
    ".github/workflows/ci.yml": "on: push\njobs: {}\n",
}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """The hub, serving on loopback until the test ends."""
    with Hub(tmp_path / "hub") as started:
        started.add_user("acme", kind="Organization")
        started.add_repository(REPO, FILES)
        started.grant(REPO, WRITER, "write")
        yield started


def rest(hub: Hub, token: str | None = None, *, base: str = "") -> httpx.Client:
    """A plain client on the hub's REST address, by default with an all-round token for the repository."""
    headers = {"Authorization": f"Bearer {token or hub.token(REPO)}"}
    return httpx.Client(base_url=hub.url + base, headers=headers, trust_env=False, timeout=20)
