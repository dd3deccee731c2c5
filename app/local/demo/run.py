"""`patchwright demo`: the main job, end to end, on embedded parts; only GitHub and the model are stand-ins."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError

from app.local.free_port import free_port
from app.local.hub.server import Hub
from app.local.model import ScriptedEndpoint
from app.local.progress import Progress
from app.local.valkey import ValkeyFiles
from jobs.connection import connect
from jobs.errors import EnvironmentFault
from jobs.outcome import EXIT_INTERRUPTED, Outcome, exit_code
from jobs.parent import die_with
from jobs.runs import Run, Runs
from jobs.settings import child_environment
from jobs.trace.store import read

REPOSITORY, MAINTAINER = "acme/billing", "ann"
_KEY = "demo-key-of-the-scripted-model"
_READY_S, _RUN_S = 60.0, 240.0


@dataclass(frozen=True)
class Stage:
    """The parts that are up: the hub, where the receiver listens, where Valkey is, where the parts log to."""

    hub: Hub
    receiver: str
    redis_url: str
    log: Path


def demonstrate(*, keep: bool) -> int:
    """Shows one issue becoming a verified pull request; returns the exit code of that run's outcome.

    With `keep` the parts stay up until Ctrl-C. Raises EnvironmentFault if a part does not come up.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends in as good order as Ctrl-C
    say = Progress(sys.stdout)
    root = Path(tempfile.mkdtemp(prefix="pw-demo-"))  # short: a socket's path may have 107 bytes
    try:
        with _parts(root, say) as stage:
            number = _ask(stage.hub, say)
            run = _follow(stage, say)
            _show(stage.hub, number, run)
            if keep:
                _stay(stage, number)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return exit_code(run.outcome or Outcome.ERROR)


@contextmanager
def _parts(root: Path, say: Progress) -> Iterator[Stage]:
    """Hub, scripted model, and `patchwright up` as a process of its own, as on a real machine."""
    here = files("app.local.demo")
    with (
        as_file(here / "repository") as repository,
        as_file(here / "model.json") as script,
        Hub(root / "hub") as hub,
        ScriptedEndpoint(script, key=_KEY) as model,
    ):
        hub.add_user(MAINTAINER)
        hub.add_repository(REPOSITORY, repository)
        hub.grant(REPOSITORY, MAINTAINER, "maintain")
        say.say(f"a small GitHub on loopback: {hub.url}/{REPOSITORY}")
        receiver = f"http://127.0.0.1:{free_port()}"
        hub.webhook_to(f"{receiver}/webhook")
        log = root / "up.log"
        with _up(_settings(hub, model, root), receiver, log):
            say.say("up: Valkey, receiver, control, workers")
            yield Stage(hub, receiver, ValkeyFiles(root / "data" / "valkey").url, log)


def _settings(hub: Hub, model: ScriptedEndpoint, root: Path) -> dict[str, str]:
    return child_environment() | {
        "GITHUB_APP_ID": str(hub.app_id),
        "GITHUB_APP_PRIVATE_KEY": hub.private_key,
        "GITHUB_WEBHOOK_SECRET": hub.webhook_secret,
        "GITHUB_API_URL": hub.url,
        "GITHUB_SERVER_URL": hub.url,
        "ANTHROPIC_API_KEY": _KEY,
        "ANTHROPIC_BASE_URL": model.url,
        "PATCHWRIGHT_DATA": str(root / "data"),
    }


@contextmanager
def _up(env: Mapping[str, str], receiver: str, log: Path) -> Iterator[None]:
    port = receiver.rpartition(":")[2]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "app.cli", "up", "--port", port],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(die_with, os.getpid()),
        )
    try:
        _wait_ready(process, receiver, log)
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_ready(process: subprocess.Popen[bytes], receiver: str, log: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{receiver}/readyz", timeout=2):
            return  # anything but a success raises
        time.sleep(0.1)
    raise EnvironmentFault(f"The parts did not come up:\n{_last(log)}")


def _ask(hub: Hub, say: Progress) -> int:
    """The maintainer opens the issue and writes the command."""
    title, _, body = files("app.local.demo").joinpath("issue.md").read_text("utf-8").partition("\n")
    number = hub.open_issue(REPOSITORY, MAINTAINER, title.lstrip("# "), body.strip())
    say.say(f"{MAINTAINER} opens issue #{number}: {title.lstrip('# ')}")
    hub.comment(REPOSITORY, number, MAINTAINER, "/agent fix")
    say.say(f"{MAINTAINER} comments: /agent fix")
    return number


def _follow(stage: Stage, say: Progress) -> Run:
    """Tells the run's events as they come, until it has ended."""
    redis = connect(stage.redis_url)
    runs = Runs(redis, keep_s=86_400)
    deadline = time.monotonic() + _RUN_S
    seen, told = "-", False
    try:
        while time.monotonic() < deadline:
            run = next(iter(runs.recent(1)), None)
            if run is not None:
                if not told:
                    say.say(f"the delivery is in the inbox, control found it allowed: run {run.id} waits for a worker")
                    told = True
                for event in read(redis, run.id, after=seen):
                    seen = str(event["id"])
                    say(str(event["type"]), event)
                if run.state == "finished":
                    return run
            time.sleep(0.1)
    except RedisError as away:
        raise EnvironmentFault(f"Valkey went away: {away}\n{_last(stage.log)}") from away
    finally:
        redis.close()
    raise EnvironmentFault(f"The run did not end within {_RUN_S:.0f} s.\n{_last(stage.log)}")


def _show(hub: Hub, number: int, run: Run) -> None:
    out = sys.stdout
    for pull in hub.pulls(REPOSITORY):
        out.write(f"\n{pull['html_url']}\n{pull['title']}\n\n{_visible(pull)}\n")
    for comment in hub.comments(REPOSITORY, number)[1:]:
        out.write(f"\nstatus comment on #{number}:\n{_visible(comment)}\n")
    out.write(f"\n{run.outcome} in {((run.finished_ms or 0) - run.created_ms) / 1000:.1f} s, ${run.usd:.4f}\n")
    out.write("The model's replies came from a script; everything else was real.\n")


def _visible(thing: Mapping[str, Any]) -> str:
    """The body without its hidden marker."""
    return "\n".join(line for line in str(thing["body"]).splitlines() if not line.startswith("<!--")).strip()


def _stay(stage: Stage, number: int) -> None:
    out = sys.stdout
    out.write(f"\nhub       {stage.hub.url}/{REPOSITORY}\nissue     {stage.hub.url}/{REPOSITORY}/issues/{number}\n")
    for pull in stage.hub.pulls(REPOSITORY):
        out.write(f"pull      {pull['html_url']}\n")
    out.write(f"receiver  {stage.receiver}\nlog       {stage.log}\nCtrl-C ends all.\n")
    out.flush()
    with suppress(KeyboardInterrupt):  # the way to end it, and no failure
        while True:
            time.sleep(3600)


def _last(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-25:])
