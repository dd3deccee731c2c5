"""What commands on this machine share: the repository, its own file, settings, trace and the way results go out."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ulid import ULID

from app.local.given import started, text_of
from app.local.progress import Progress
from jobs.errors import Broken, Interrupted, UserError
from jobs.model.base import Model
from jobs.model.choose import model_of
from jobs.model.limiter import FileLimiter
from jobs.outcome import exit_code
from jobs.policy import PATH, Policy, default, parse
from jobs.publish.receipt import Receipt
from jobs.redact import Redactor
from jobs.repo.local import LocalRepository, find
from jobs.sandbox.ask import HostPort
from jobs.settings import LocalSettings, take
from jobs.trace.events import Trace
from jobs.trace.listen import Silent, Told
from jobs.trace.store import FileTrace


@dataclass(frozen=True)
class Output:
    """Where a command reports: the JSON file or '-', the trace file, and whether progress is shown."""

    json: str | None
    trace: Path | None
    quiet: bool


@dataclass(frozen=True)
class Here:
    """A person's repository on this machine, at one commit, and what a command on it works with."""

    run: str
    repository: LocalRepository
    base_sha: str
    policy: Policy
    settings: LocalSettings
    redactor: Redactor
    output: Output

    @property
    def key(self) -> str:
        """Names this repository's layers: a hash of where it lies."""
        return "local-" + hashlib.sha256(str(self.repository.common).encode()).hexdigest()[:16]

    @contextmanager
    def trace(self) -> Iterator[Trace]:
        """The trace, told to the progress line."""
        listeners = () if self.output.quiet else (Progress(sys.stderr),)
        if self.output.trace is None:
            yield Told(Silent(), *listeners)
            return
        file = FileTrace(self.output.trace, self.run, self.redactor)
        try:
            yield Told(file, *listeners)
        finally:
            file.close()

    @property
    def where(self) -> str | None:
        """What receipts call the trace."""
        return str(self.output.trace) if self.output.trace else None

    @property
    def registries(self) -> Mapping[HostPort, str]:
        """Authorization headers of private package registries."""
        return self.settings.private_registries.of(None)

    def model(self, name: str) -> Model:
        """The model called `name`. Raises UserError without its key."""
        return model_of(name, self.settings, limiter=lambda key: FileLimiter(self.settings.data / "turns", key))


def at(repo: Path, base: str, config: Path | None, output: Output) -> Here:
    """Everything about `repo` at `base`. Raises UserError for what does not exist or can't be read."""
    started(repo, quiet=True)
    repository = find(repo)
    sha = repository.resolve(base)
    settings = take(LocalSettings)
    policy = _policy(repository, sha, config)
    return Here(f"r-{ULID()}", repository, sha, policy, settings, Redactor(settings.work_secrets()), output)


def _policy(repository: LocalRepository, sha: str, config: Path | None) -> Policy:
    if config is not None:
        written = text_of(config, "--config").encode()
        try:
            return parse(written)
        except UserError as wrong:
            raise UserError(str(wrong).replace(PATH, str(config), 1)) from None
    found = repository.read(sha, PATH)
    return default() if found is None else parse(found)


def nothing() -> None:
    """The guard of a local run: nobody can take it over; Ctrl-C ends it."""


@contextmanager
def telling(trace: Trace, output: Output) -> Iterator[None]:
    """Sees to it that a run which a bug or Ctrl-C ends still ends in its trace and in its JSON."""
    try:
        yield
    except (Broken, Interrupted) as end:
        trace.emit("run.finished", outcome=end.result["outcome"], reason=str(end), cost=end.result["cost"])
        _write(json.dumps(end.result, ensure_ascii=False, indent=2), output)
        raise


def _write(text: str, output: Output) -> None:
    if output.json == "-":
        sys.stdout.write(text + "\n")
    elif output.json is not None:
        Path(output.json).write_text(text + "\n", encoding="utf-8")


def deliver(receipt: Receipt, output: Output) -> int:
    """Writes the JSON where it was wanted, tells how it ended, and returns the exit code."""
    try:
        _write(receipt.to_json(), output)
    finally:  # a full disk under the JSON must not hide what was paid for
        if output.json != "-":
            sys.stdout.write(summary(receipt))
    return exit_code(receipt.outcome)


def summary(receipt: Receipt) -> str:
    """How it ended, for a terminal. Pure."""
    lines = [f"{receipt.outcome}: {receipt.reason}"]
    if receipt.level:
        lines.append(f"level {receipt.level}")
    if receipt.suite and receipt.suite.before and receipt.suite.after:
        for when, counts in (("before", receipt.suite.before), ("after", receipt.suite.after)):
            lines.append(f"suite {when}: " + ", ".join(f"{n} {state}" for state, n in counts.items()))
    if m := receipt.minimality:
        score = "not measured" if m.score is None else str(m.score)
        parts = f"{m.needed_lines} needed, {m.unproven_lines} unproven, {m.waste_lines} waste"
        lines.append(f"minimality {score}: of {m.changed_lines} changed lines {parts}")
    if receipt.cost:
        usd = "price unknown" if receipt.cost.usd is None else f"${receipt.cost.usd:.4f}"
        lines.append(f"{receipt.rounds} rounds, {usd}")
    if receipt.branch:
        lines.append(f"branch {receipt.branch} at {receipt.commit}")
    return "\n".join(lines) + "\n"
