"""No secret of ours reaches a child: not git, not a cell, not set-up, not Valkey; nor anything that leaves or stays."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from scripted_fix import replies
from whole import KEY, REPO, whole

from jobs.trace.store import read

CANARIES = {
    "AWS_SECRET_ACCESS_KEY": "canary-aws-0123456789",
    "NPM_TOKEN": "canary-npm-0123456789",
    "GIT_TRACE_CURL": "/tmp/canary-git-trace",
    "DATABASE_PASSWORD": "canary-password-0123456789",
}
SHIM = """#!/bin/sh
env -0 | tr '\\n\\0' ' \\n' >> "{record}"
echo "ARGS $*" >> "{record}"
exec {git} "$@"
"""
LOOK = "env; cat /proc/self/environ /proc/1/environ; cat /proc/*/environ; ls /root /home; cat /etc/shadow"


def _shim(folder: Path) -> Path:
    """A git that writes down what it was given before it becomes the real one."""
    real = shutil.which("git")
    folder.mkdir()
    record = folder / "seen"
    record.touch()
    (folder / "git").write_text(SHIM.format(record=record, git=real))
    (folder / "git").chmod(0o755)
    return record


def test_no_child_and_no_text_holds_a_secret(tmp_path: Path) -> None:
    seen = _shim(tmp_path / "bin")
    spy = {"calls": [{"name": "shell", "input": {"command": LOOK}}]}
    first, second, last = replies()
    policy = {".github/patchwright.yml": f'setup: ["({LOOK}) 2>&1 | tee setup-saw.txt || true"]\n'}
    env = {**CANARIES, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    with whole(script=[spy, first, second, last], files=policy, env=env) as all_of_it:
        run = all_of_it.finished(all_of_it.ask())
        assert run.outcome == "fixed", (run.reason, all_of_it.log[-3000:])
        secrets = [KEY, *CANARIES.values(), all_of_it.hub.webhook_secret, *_lines(all_of_it.hub.private_key)]
        valkey = Path(f"/proc/{all_of_it.pid('valkey')}/environ").read_text()
        receiver = Path(f"/proc/{all_of_it.pid('receiver')}/environ").read_text()
        git = seen.read_text()
        events = str(list(read(all_of_it.redis, run.id)))
        stored = _redis_text(all_of_it)
        layers = _texts(all_of_it.root / "data" / "layers")
        told = str([all_of_it.hub.comments(REPO, 1), all_of_it.hub.pulls(REPO)])
        asked = str([r.body for r in all_of_it.model.requests])
        log = all_of_it.log
    assert "ARGS" in git
    assert "Authorization: Basic" in git  # the scoped token is the one secret that git is given, in its environment
    assert "Authorization" not in " ".join(row for row in git.splitlines() if row.startswith("ARGS"))
    assert "HOME=/home" in layers, "set-up's own look at its environment is part of its layer"
    assert "HOME=/home" in asked, "what the agent saw of its environment went to the model"
    for name, text in {
        "valkey": valkey, "git": git, "trace": events, "redis": stored, "layers": layers, "github": told,
        "model": asked, "log": log,
    }.items():  # fmt: skip
        for secret in secrets:
            assert secret not in text, f"{name} holds {secret[:12]}…"
    assert KEY not in receiver, "the receiver holds the webhook secret only"
    assert _lines(all_of_it.hub.private_key)[3] not in receiver


def _lines(pem: str) -> list[str]:
    return [line for line in pem.splitlines() if re.fullmatch(r"[A-Za-z0-9+/=]{40,}", line)]


def _texts(folder: Path) -> str:
    return "\n".join(p.read_text(errors="replace") for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def _redis_text(all_of_it) -> str:
    redis = all_of_it.redis
    parts = []
    for key in redis.keys("*"):
        kind = redis.type(key).decode()
        reader = {
            "string": redis.get, "hash": redis.hgetall, "set": redis.smembers, "list": lambda k: redis.lrange(k, 0, -1),
            "zset": lambda k: redis.zrange(k, 0, -1), "stream": redis.xrange,
        }[kind]  # fmt: skip
        parts.append(f"{key!r} {reader(key)!r}")
    return "\n".join(parts)
