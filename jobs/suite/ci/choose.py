"""Which job of a repository's automation runs its tests, and what that job says about them. Pure but for reading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from jobs.suite.ci.expressions import secrets_in
from jobs.suite.ci.job import CiJob, Step
from jobs.suite.ci.purpose import Purpose, purpose
from jobs.suite.ci.script import bare, commands
from jobs.suite.ci.workflows import read
from jobs.suite.needs import Need, is_graphics, of_image
from jobs.suite.source import Source

_ENDED = frozenset({"release", "schedule", "workflow_dispatch", "workflow_call", "issues", "issue_comment"})
_HINTS = re.compile(
    r"(^|[/_.\s-])(tests?|ci|unit|build|main|check|checks|python|node|go|rust|ruby|php|java|dotnet)([/_.\s-]|$)", re.I
)
_ASIDE = re.compile(
    r"docs?\b|lint|release|publish|deploy|e2e|integration|nightly|bench|fuzz|codeql|wheels?\b|downstream|canary|smoke|"
    r"upstream|minimal|coverage|valgrind|sanit|wasm|miri|cross|mypy|typing|pypy|alpine|32|free.?thread",
    re.IGNORECASE,
)
# Tests of these kinds are no part of what a change is judged by first: they want browsers or whole systems.
_FAR = re.compile(
    r"e2e|end.to.end|playwright|cypress|integration|smoke|bench|visual|browser|acceptance|mutation", re.IGNORECASE
)


@dataclass(frozen=True)
class Line:
    """One command of a step: what it is for, where it runs, what it sees."""

    text: str
    purpose: Purpose
    folder: str
    env: Mapping[str, str]


@dataclass(frozen=True)
class Ci:
    """The job that runs the tests: its commands in order, and what it needs that a cell has not."""

    job: CiJob
    lines: tuple[Line, ...]
    needs: tuple[Need, ...]

    def of(self, *kinds: Purpose) -> tuple[Line, ...]:
        """Its commands for any of these purposes."""
        return tuple(line for line in self.lines if line.purpose in kinds)

    @property
    def tests(self) -> tuple[Line, ...]:
        """Its test commands, without those of whole systems where there are others."""
        found = self.of("test")
        return tuple(line for line in found if not _FAR.search(line.text)) or found


def find(source: Source) -> tuple[Ci, ...]:
    """The jobs that run tests, best first; one for each of a workflow's jobs."""
    rated = [(_rate(one), -at, one) for at, one in enumerate(map(_read, read(source))) if one.of("test")]
    rated.sort(key=lambda row: row[:2], reverse=True)
    best: dict[tuple[str, str], Ci] = {}
    for _, _, one in rated:
        best.setdefault((one.job.workflow, one.job.name), one)
    return tuple(best.values())


def prepared(source: Source) -> tuple[Line, ...]:
    """The commands that prepare a machine for an agent or a person: those of the job `copilot-setup-steps`, then what
    a development container runs when it is made."""
    jobs = [job for job in read(source) if job.name == "copilot-setup-steps"][:1]
    lines = [line for job in jobs for step in job.steps for line in _lines(step)]
    for path in (".devcontainer/devcontainer.json", ".devcontainer.json"):
        plain = re.sub(r"(?m)^[ \t]*+//.*$|,(?=\s*+[}\]])", "", source.text(path))
        created = _object(plain).get("postCreateCommand")
        lines += _lines(Step("postCreateCommand", created)) if isinstance(created, str) else ()
    return tuple(line for line in lines if line.purpose == "setup")


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def below(ci: Ci, folder: str) -> Ci:
    """What `ci` does in `folder` and below, as seen from there."""
    inside = [line for line in ci.lines if f"{line.folder}/".startswith(f"{folder}/")]
    lines = tuple(replace(line, folder=line.folder[len(folder) :].strip("/")) for line in inside)
    return replace(ci, lines=lines)


def _read(job: CiJob) -> Ci:
    lines = tuple(line for step in job.steps for line in _lines(step))
    return Ci(job, lines, tuple(dict.fromkeys(_needs(job, lines))))


def _lines(step: Step) -> Iterator[Line]:
    if step.shell.split(" ")[0] not in ("", "bash", "sh", "${{") or "${{" in step.folder:
        return  # another shell's words, or a place that only a run can tell
    folder = step.folder
    for text in commands(step.run):
        words = bare(text)
        if words[:1] in (["cd"], ["pushd"]) and len(words) == 2:
            folder = _joined(folder, words[1])
        else:
            yield Line(text, purpose(text), folder, step.env)


def _joined(folder: str, more: str) -> str:
    parts: list[str] = [part for part in folder.split("/") if part]
    for part in more.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _needs(job: CiJob, lines: tuple[Line, ...]) -> Iterator[Need]:
    where = job.title
    if job.system in ("windows", "macos"):
        yield Need("system", "Windows" if job.system == "windows" else "macOS", where)
    if is_graphics(job.labels):
        yield Need("gpu", ", ".join(job.labels), where)
    elif job.system == "own":
        yield Need("machine", ", ".join(job.labels), where)
    for name, image in job.services.items():
        yield of_image(name, image, where)
    yield from _needs_of(lines, where)


def _needs_of(lines: tuple[Line, ...], where: str) -> Iterator[Need]:
    for line in lines:
        if line.purpose == "container":
            yield Need("docker", line.text.splitlines()[0][:80], where)
        if line.purpose == "system" and (names := _packages(line.text)):
            yield Need("packages", ", ".join(names), where)
        if line.purpose == "test":
            seen = " ".join((line.text, *line.env.values()))
            for name in secrets_in(seen):
                yield Need("secret", name, where)


def _packages(text: str) -> list[str]:
    words = bare(text)
    if words[:1] not in (["apt-get"], ["apt"]) or "install" not in words:
        return []
    return [word for word in words[words.index("install") + 1 :] if re.fullmatch(r"[a-z0-9][a-z0-9.+:*-]+", word)]


def _rate(one: Ci) -> tuple[int, ...]:
    """How well a job stands for the repository's tests; higher is better, first things first."""
    job = one.job
    text = f"{job.workflow.rpartition('/')[2]} {job.name}"
    usual = bool(job.triggers & {"push", "pull_request", "merge_group", "pull_request_target"}) or not (
        job.triggers and job.triggers <= _ENDED
    )
    return (
        {"linux": 3, "unknown": 2, "own": 1}.get(job.system, 0),
        int(usual),
        -sum(need.decisive for need in one.needs),
        int(any(not _FAR.search(line.text) for line in one.of("test"))),
        -int(bool(_ASIDE.search(text)) or bool(_ASIDE.search(" ".join(job.row.values())))),
        int(bool(_HINTS.search(text))),
        *_newest(job),
    )


def _newest(job: CiJob) -> tuple[int, ...]:
    """The newest released version that the row names; the others only tell what else is tested."""
    numbers = [re.findall(r"\d+", one) for one in job.row.values() if re.fullmatch(r"v?\d+(\.(\d+|x))*", one)]
    best = max(([int(n) for n in one[:2]] for one in numbers if one), default=[0])
    return (best[0], best[1] if len(best) > 1 else 0)
