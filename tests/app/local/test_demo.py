"""The demo: every stage told, a proven pull request at the end, nothing left behind; its page in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_DEMO = (sys.executable, "-P", "-m", "app.cli", "demo")
_CHROMIUM = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder for temporary files whose name is short enough for sockets below it."""
    with tempfile.TemporaryDirectory(prefix="pw", dir="/tmp") as folder:
        yield Path(folder)


@contextmanager
def _kept(tmp: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`demo --keep`, once it has printed its addresses."""
    env = {**os.environ, "TMPDIR": str(tmp), "PYTHONUNBUFFERED": "1"}
    with tempfile.NamedTemporaryFile("w+") as out:
        demo = subprocess.Popen((*_DEMO, "--keep"), stdout=out, stderr=subprocess.STDOUT, env=env, text=True)
        try:
            deadline = time.monotonic() + 200
            while "Ctrl-C ends all." not in (said := Path(out.name).read_text()):
                assert demo.poll() is None, said
                assert time.monotonic() < deadline, said
                time.sleep(0.2)
            yield demo, said
        finally:
            if demo.poll() is None:
                demo.send_signal(signal.SIGINT)
            demo.wait(timeout=60)


def test_one_comment_becomes_a_verified_pull_request(short: Path) -> None:
    env = {**os.environ, "TMPDIR": str(short)}
    done = subprocess.run(_DEMO, capture_output=True, text=True, timeout=240, env=env, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    stages = ("/agent fix", "set-up:", "baseline:", "agent:", "round 1", "verify:", "fixed:", "score:", "publish:")
    places = [done.stdout.find(stage) for stage in stages]
    assert places == sorted(places)
    assert -1 not in places
    assert re.search(r"http://127\.0\.0\.1:\d+/acme/billing/pull/2\n", done.stdout)
    assert "Fixes #1" in done.stdout
    assert "tests.test_split.SplitTest.test_shares_add_up_to_the_total" in done.stdout
    assert list(short.iterdir()) == []


def test_kept_parts_end_with_the_demo_and_leave_nothing(short: Path) -> None:
    with _kept(short) as (demo, said):
        data = re.search(r"log +(\S+)/up\.log", said)
        assert data is not None
        assert _mentioning(data[1])
    assert demo.returncode == 0
    assert _mentioning(data[1]) == []
    assert list(short.iterdir()) == []


def _mentioning(text: str) -> list[str]:
    """Command lines of living processes whose environment or arguments name `text`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in told:
            found.append(told.decode("utf-8", "replace")[:200])
    return found


@pytest.mark.browser
def test_the_pull_request_page_looks_right(short: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: .ci/run installs it.")
        pytest.skip("Chromium is not installed here.")
    with _kept(short) as (_, said):
        page = re.search(r"pull +(http\S+)", said)
        assert page is not None
        shot = tmp_path / "pull.png"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        look = (chromium, *_CHROMIUM, profile, "--window-size=1200,1600")
        dom = subprocess.run((*look, "--dump-dom", page[1]), capture_output=True, text=True, timeout=90, check=True)
        subprocess.run((*look, f"--screenshot={shot}", page[1]), capture_output=True, timeout=90, check=True)
    assert "Splitting 10.00 between three people loses a cent" in dom.stdout
    assert "share, left = divmod(total, people)" in dom.stdout
    assert "<table>" in dom.stdout
    assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert shot.stat().st_size > 40_000  # a page that failed to load is a few kilobytes
