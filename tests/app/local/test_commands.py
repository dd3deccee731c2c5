"""The other commands on a person's repository, and how all of them end when something outside goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest
from scripted_fix import BILLING, KEY, billing, command, fix, replies

from app.local.model import ScriptedEndpoint
from app.local.valkey import Valkey, ValkeyFiles

FIXED = {
    "billing/split.py": (
        '"""Splitting a bill."""\n\nfrom billing import money\n\n\ndef split(total, people):\n'
        '    """The share of each of `people` persons in `total` cents, as a list."""\n    if people < 1:\n'
        '        raise ValueError("a bill needs at least one person")\n    share, left = divmod(total, people)\n'
        "    return [share + 1] * left + [share] * (people - left)\n\n\ndef invoice(total, names):\n"
        '    """One line a person: \'Ann owes 3.34\'."""\n    shares = split(total, len(names))\n'
        '    return [f"{name} owes {money.show(share)}" for name, share in zip(names, shares)]\n'
    )
}
SUM = (
    "import unittest\n\nfrom billing.split import split\n\n\nclass SumTest(unittest.TestCase):\n"
    "    def test_sum(self):\n        self.assertEqual(sum(split(1000, 3)), 1000)\n"
)


@pytest.fixture
def data(tmp_path: Path) -> dict[str, str]:
    return {"PATCHWRIGHT_DATA": str(tmp_path / "data")}


def _verified(repo: Path, base: str, data: dict[str, str]) -> tuple[int, dict[str, object]]:
    done = command("verify", "--repo", str(repo), "--base", base, "--json", "-", env=data)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_verify_judges_changes_of_people(tmp_path: Path, data: dict[str, str]) -> None:
    repo = billing(tmp_path / "repo")
    gitrepo.commit(repo, {**FIXED, "tests/test_sum.py": SUM}, "A fix with its test")
    code, good = _verified(repo, "HEAD~1", data)
    assert (code, good["outcome"], good["level"], good["cost"]) == (0, "fixed", "A", None)
    assert good["minimality"]["score"] == 100  # type: ignore[index]
    gitrepo.commit(repo, {"billing/split.py": FIXED["billing/split.py"].replace("+ 1]", "+ 2]")}, "Break it")
    code, bad = _verified(repo, "HEAD~1", data)
    assert (code, bad["outcome"]) == (1, "not_fixed")
    assert "test_sum" in str(bad["reason"])


def test_verify_names_the_commit_that_does_not_exist(tmp_path: Path) -> None:
    done = command("verify", "--repo", str(billing(tmp_path / "r")), "--base", "HEAD", "--head", "nope")
    assert done.returncode == 2
    assert "no branch, tag or commit named 'nope' (--head)" in done.stderr


def test_a_tool_works_on_a_copy_and_writes_back_what_it_changed(tmp_path: Path, data: dict[str, str]) -> None:
    repo = billing(tmp_path / "repo")
    (repo / "new.txt").write_text("mine\n")
    edits = [{"path": "new.txt", "old_string": "mine", "new_string": "ours"}]
    done = command("tool", "edit", "--repo", str(repo), env=data, stdin=json.dumps({"edits": edits}))
    result = json.loads(done.stdout)
    assert (done.returncode, result["ok"], result["changed_files"]) == (0, True, ["new.txt"]), done.stderr
    assert (repo / "new.txt").read_text() == "ours\n"
    assert gitrepo.run(repo, "status", "--porcelain").split() == ["??", "new.txt"]
    missed = command("tool", "edit", "--repo", str(repo), env=data, stdin=json.dumps({"edits": edits}))
    assert missed.returncode == 1
    assert json.loads(missed.stdout)["ok"] is False
    for name, stdin, says in (("nope", "{}", "There is no tool 'nope'"), ("edit", "{", "are not JSON")):
        wrong = command("tool", name, "--repo", str(repo), env=data, stdin=stdin)
        assert wrong.returncode == 2
        assert says in wrong.stderr


def test_a_cell_runs_as_the_agent_would(tmp_path: Path, data: dict[str, str]) -> None:
    repo = billing(tmp_path / "repo")
    seen = command("cell", "--repo", str(repo), "--", "sh", "-c", "pwd; git log --format=%s; touch x; exit 7", env=data)
    assert (seen.returncode, seen.stdout) == (7, "/src\nStart\n")
    assert not (repo / "x").exists()
    shut = command(
        "cell", "--repo", str(repo), "--", "sh", "-c", "cat /etc/shadow; ls /root; env", env={**data, "X_TOKEN": KEY}
    )
    assert "root:" not in shut.stdout
    assert KEY not in shut.stdout
    blocked = command("cell", "--repo", str(repo), "--setup", "--", "curl", "-sS", "http://example.invalid", env=data)
    assert "example.invalid:80 is not" in blocked.stdout


def test_rounds_shows_the_table_and_refuses_other_files(tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    fix(billing(tmp_path / "repo"), replies(), tmp_path, "--trace", str(trace))
    shown = command("rounds", str(trace))
    assert shown.returncode == 0
    assert "run_tests" in shown.stdout
    (tmp_path / "other").write_bytes(b"\xff\x00 no trace")
    for path in (tmp_path / "other", tmp_path / "missing"):
        wrong = command("rounds", str(path))
        assert wrong.returncode == 2
        assert "trace" in wrong.stderr


def test_doctor_tells_what_was_detected(tmp_path: Path, data: dict[str, str]) -> None:
    done = command("doctor", "--repo", str(billing(tmp_path / "repo")), env=data)
    assert done.returncode == 0, done.stdout
    assert "wall no way outside" in done.stdout
    assert 'test: "python -m unittest discover"' in done.stdout


def test_doctor_explains_a_redis_that_loses_work(tmp_path: Path, data: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="pw", dir="/tmp") as short:
        server = Valkey(ValkeyFiles(Path(short)), durable=False)
        server.start()
        try:
            done = command("doctor", env={**data, "REDIS_URL": server.files.url})
        finally:
            server.stop()
    assert done.returncode == 3
    assert "appendonly yes" in done.stdout


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_leaves_its_record_and_nothing_else(tmp_path: Path, ending: signal.Signals) -> None:
    repo, out = billing(tmp_path / "repo"), tmp_path / "out.json"
    slow = {"calls": [{"name": "shell", "input": {"command": "sleep 60"}}]}
    with ScriptedEndpoint([slow], key=KEY) as model:
        env = {
            **os.environ,
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "PATCHWRIGHT_DATA": str(tmp_path / "d"),
        }
        argv = ("fix", "--repo", str(repo), "--issue", str(BILLING / "issue.md"), "--json", str(out))
        run = subprocess.Popen(
            [sys.executable, "-P", "-m", "app.cli", *argv], env=env, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 60
        while not model.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        run.send_signal(ending)
        _, err = run.communicate(timeout=30)
    assert run.returncode == 130, err
    assert "interrupted: nothing was published; $0.0" in err
    result = json.loads(out.read_text())
    assert (result["outcome"], result["rounds"]) == ("cancelled", 1)
    assert list((tmp_path / "d" / "runs").iterdir()) == []
    assert gitrepo.run(repo, "branch", "--format=%(refname:short)") == "main"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 KB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    place = tmp_path / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_sentence(tmp_path: Path, small_disk: Path) -> None:
    done = fix(billing(tmp_path / "repo"), replies(), tmp_path, env={"PATCHWRIGHT_DATA": str(small_disk)})
    assert done.code == 3
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--model", "nosuchmodel", "--budget-usd", "1"), "No price is known for 'nosuchmodel'"),
        (("--json", "/tmp"), "/tmp is a folder: give a file (--json)"),
        (("--config", "/nowhere.yml"), "/nowhere.yml is not a file (--config)"),
    ],
    ids=["no price", "a folder", "no configuration"],
)
def test_what_can_not_work_is_refused_before_it_costs(args: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = fix(billing(tmp_path / "repo"), replies(), tmp_path, *args)
    assert (done.code, done.result) == (2, {})
    assert says in done.err


def test_a_configuration_elsewhere_is_named_in_its_errors(tmp_path: Path) -> None:
    (tmp_path / "c.yml").write_text("tests: make\n")
    done = fix(billing(tmp_path / "repo"), replies(), tmp_path, "--config", str(tmp_path / "c.yml"))
    assert done.code == 2
    assert f'{tmp_path / "c.yml"}, line 1: unknown key "tests"' in done.err


def test_without_a_key_it_says_so(tmp_path: Path) -> None:
    done = command("fix", "--repo", str(billing(tmp_path / "r")), "--text", "x")
    assert done.returncode == 2
    assert "ANTHROPIC_API_KEY is not set" in done.stderr
