"""What a session begins with, and which files are likeliest to matter. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from jobs.agent.tools.inside import Listed
from jobs.agent.tools.search import Found
from jobs.suite.report import Report
from jobs.tasks.task import Task

SMALL = 60_000  # bytes; a repository up to this size is shown whole
SHOWN = 60_000  # bytes of the likeliest files of a larger one
MOST_FILES = 12
MOST_PATTERNS = 8

_CODE = re.compile(r"`([^`\n]{3,80})`")
_NAME = re.compile(r"\b(?:[A-Za-z_]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|\w+(?:\.[a-z_]\w+)+)\b")
_QUOTED = re.compile(r"[\"'“]([^\"'“”\n]{4,60})[\"'”]")
_WORD = re.compile(r"\b[A-Za-z]{5,}\b")
_FRAME = re.compile(r"File \"([^\"\n]+)\", line \d+|([\w./-]+\.\w{1,5}):\d+")
_UNTOLD = re.compile(
    r"(?:^|/)(?:.*\.lock|package-lock\.json|pnpm-lock\.yaml|.*\.min\.\w+|.*\.map|LICENSE.*|COPYING.*|.*\.svg|\.gitignore)$",
    re.IGNORECASE,
)
_PROSE = """
    about above after again always another because before being below between cannot could error every expected fails
    first found given however instead issue maybe might never other please problem really result returns right
    should since something still their there these thing think those though through under until value using wants
    where which while would wrong
"""
_COMMON = frozenset(_PROSE.split())


@dataclass(frozen=True)
class Context:
    """What the pipeline knows before the agent starts. `baseline` is the suite on the base commit, `target` the
    failing output that the run is about, `guidance` the maintainers' own files as (path, text)."""

    baseline: Report | None = None
    target: str = ""
    suite: str = ""
    guidance: tuple[tuple[str, str], ...] = ()

    @property
    def failing(self) -> str:
        """All output that shows what is wrong."""
        parts = [self.target]
        if self.baseline is not None:
            parts += [f"{test}\n{text}" for test, text in self.baseline.failures.items()]
            parts += [self.baseline.output if not self.baseline.green else ""]
        return "\n".join(parts)


def words(task: Task) -> tuple[str, ...]:
    """What to search for: code and names in the request first, plain words where there are none."""
    text = f"{task.title}\n{task.body}\n{task.instructions}"
    prose = _CODE.sub(" ", text)
    strong = [*_CODE.findall(text), *_NAME.findall(prose), *_QUOTED.findall(prose)]
    found = dict.fromkeys(w.strip() for w in strong if not w.startswith("http"))
    if len(found) < 2:
        plain = [w for w in _WORD.findall(text.lower()) if w not in _COMMON]
        found |= dict.fromkeys(plain)
    return tuple(found)[:MOST_PATTERNS]


def likeliest(task: Task, context: Context, listing: Sequence[Listed], found: Found) -> tuple[str, ...]:
    """The files to show whole: everything of a small repository, else the best few that fit."""
    told = [f for f in listing if f.lines and not _UNTOLD.search(f.path)]
    if sum(f.size for f in told) <= SMALL:
        return tuple(f.path for f in told)
    scores = _scores(task, context, told, found)
    chosen: list[str] = []
    room = SHOWN
    for file in sorted(told, key=lambda f: (-scores.get(f.path, 0.0), f.path)):
        if scores.get(file.path, 0.0) <= 0 or len(chosen) == MOST_FILES:
            break
        if file.size <= room:
            chosen.append(file.path)
            room -= file.size
    return tuple(chosen)


def _scores(task: Task, context: Context, listing: Sequence[Listed], found: Found) -> dict[str, float]:
    """Named in a traceback counts most, then named in the request, then hit by the search."""
    request = f"{task.title}\n{task.body}\n{task.instructions}"
    scores: dict[str, float] = {}
    for weight, path in [*_framed(context.failing, 60.0), *_framed(request, 80.0)]:
        for file in listing:
            if path == file.path or path.endswith(f"/{file.path}"):
                scores[file.path] = scores.get(file.path, 0.0) + weight
    for file in listing:
        pure = PurePosixPath(file.path)
        if file.path in request or (len(pure.stem) > 3 and re.search(rf"\b{re.escape(pure.name)}\b", request)):
            scores[file.path] = scores.get(file.path, 0.0) + 50.0
        elif any(test.startswith(file.path) for test in (context.baseline.red if context.baseline else ())):
            scores[file.path] = scores.get(file.path, 0.0) + 40.0
    for group in found.groups:
        hits = sum(hit for _, hit, _ in group.lines)
        scores[group.path] = scores.get(group.path, 0.0) + min(hits, 8) * 2.0
    return scores


def _framed(text: str, weight: float) -> Iterable[tuple[float, str]]:
    """Paths in tracebacks and compiler messages; each counts once, later ones (nearer the fault) more."""
    paths = dict.fromkeys(a or b for a, b in _FRAME.findall(text))
    return [(weight + number, path) for number, path in enumerate(paths)]
