"""`patchwright doctor`: what works here, each with its mend; and what is detected for a repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.local.given import started
from app.local.here import Output, at
from jobs.connection import connect_quick, durable
from jobs.errors import EnvironmentFault, PatchwrightError, UserError
from jobs.github.auth import AppKey, Tokens, read_key
from jobs.model.choose import model_of
from jobs.model.limiter import Unlimited
from jobs.outcome import EXIT_ENVIRONMENT, EXIT_OK
from jobs.policy import PATH
from jobs.prepare import toolchain_of
from jobs.repo.local import find
from jobs.repo.workspace import open_workspace
from jobs.sandbox import programs
from jobs.sandbox.cell import Cells
from jobs.settings import AppSettings, LocalSettings, check, told
from jobs.suite.suite import Toolchain

_LEAST_DISK = 5 << 30  # bytes


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `needed`: without it no job can run here."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


def examine(repo: Path | None) -> int:
    """Prints what works here; returns 3 if something that every job needs does not. Raises UserError first where
    `repo` is no repository with a commit."""
    if repo is not None:
        started(repo, quiet=True)
        find(repo).resolve("HEAD")
    bad = False
    for finding in _findings():
        sign = "ok  " if finding.ok else "MEND" if finding.needed else "none"
        sys.stdout.write(f"{sign}  {finding.name:<14} {finding.detail}\n")
        if not finding.ok and finding.mend:
            sys.stdout.write(f"      {'':<14} → {finding.mend}\n")
        sys.stdout.flush()
        bad = bad or (finding.needed and not finding.ok)
    if repo is not None:
        sys.stdout.write(_describe(repo))
    return EXIT_ENVIRONMENT if bad else EXIT_OK


def _findings() -> Iterator[Finding]:
    settings = check(LocalSettings)
    yield _git()
    yield from _walls(settings.data)
    yield _disk(settings.data)
    yield _redis()
    yield _github()
    yield _model(settings)


def _git() -> Finding:
    path = shutil.which("git")
    if path is None:
        return Finding("git", False, "not on PATH", "Install git 2.39 or newer.")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return Finding("git", True, f"{version} at {path}")


def _walls(data: Path) -> Iterator[Finding]:
    try:
        tools = programs.find()
        yield Finding("bubblewrap", True, str(tools.bubblewrap))
        rg = str(tools.search) if tools.search else "not found"
        yield Finding("ripgrep", tools.search is not None, rg, "Install ripgrep, or patchwright's extra `local`.")
        with Cells.open(data) as cells:
            yield Finding("cells", True, f"{cells.mode} mode, uid {cells.uid}")
            for wall in cells.self_test():
                yield Finding(f"wall {wall.name}", wall.ok, wall.detail, wall.mend)
    except EnvironmentFault as fault:
        yield Finding("cells", False, str(fault), "No job runs without them; there is no unsafe fallback.")


def _disk(data: Path) -> Finding:
    place = next(p for p in (data, *data.parents) if p.exists())
    free = shutil.disk_usage(place).free
    ok = free >= _LEAST_DISK
    mend = f"Free some space, or set PATCHWRIGHT_DATA to a larger disk (now {data})."
    return Finding("disk", ok, f"{free >> 30} GiB free for {data}", mend)


def _redis() -> Finding:
    url = told("REDIS_URL")
    if not url:
        return Finding("redis", False, "REDIS_URL is not set: `up` starts an embedded Valkey", needed=False)
    try:
        problems = durable(connect_quick(url))
    except UserError as wrong:
        return Finding("redis", False, str(wrong), "Set REDIS_URL to redis://, rediss:// or unix://.")
    if problems:
        return Finding("redis", False, " ".join(problems), "Correct REDIS_URL or the server's configuration.")
    return Finding("redis", True, "reachable and durable")


def _github() -> Finding:
    if not told("GITHUB_APP_ID"):
        return Finding("github", False, "GITHUB_APP_ID is not set: local commands need no GitHub", needed=False)
    try:
        settings = check(AppSettings, redis_url=told("REDIS_URL") or "unix://")
        tokens = Tokens(AppKey(settings.app_id, read_key(settings.private_key)), settings.api_url)
        return Finding("github", True, f"{settings.api_url}, App {tokens.whoami().slug}")
    except PatchwrightError as wrong:
        return Finding("github", False, str(wrong), "See the README: five minutes to a real GitHub App.")


def _model(settings: LocalSettings) -> Finding:
    try:
        model = model_of(settings.model, settings, limiter=lambda key: Unlimited())
    except UserError as wrong:
        return Finding("model", False, str(wrong), "Set it to use fix.", needed=False)
    price = "" if model.price else ", no price known: PATCHWRIGHT_PRICES can name one"
    return Finding("model", True, f"{model.name} at {model.address} (key set; not asked, since asking costs{price})")


def _describe(repo: Path) -> str:
    """What was detected for a repository, from where, and a file to begin with."""
    here = at(repo, "HEAD", None, Output(None, None, True))
    runs = here.settings.data / "runs"
    with open_workspace(runs, here.run, here.repository.objects, here.base_sha) as workspace:
        found = toolchain_of(workspace, here.policy)
    lines = ["", f"{here.repository.top} at {here.base_sha[:12]}", *(f"- {why}" for why in found.why), ""]
    return "\n".join([*lines, f"# {PATH}", *_file(found)]) + "\n"


def _file(found: Toolchain) -> list[str]:
    """The lines of a configuration file that says what was detected."""
    if found.projects:
        return ["# projects: what is found of each stands above; name one here to change it", *_projects(found)]
    lines = ["setup:", *(f"  - {_quoted(line)}" for line in found.setup)] if found.setup else []
    lines += [f"test: {_quoted(found.suite.command)}" if found.suite else "# test: name your full test command here"]
    return [*lines, *(["env:", *(f"  {k}: {_quoted(v)}" for k, v in sorted(found.env.items()))] if found.env else [])]


def _projects(found: Toolchain) -> list[str]:
    return [
        f"#  - {{path: {one.path}, test: {_quoted(one.suite.command.partition(' && ')[2])}}}" for one in found.projects
    ]


def _quoted(line: str) -> str:
    escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
