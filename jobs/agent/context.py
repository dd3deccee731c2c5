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
SHORT = 20_000  # bytes; a longer test file is shown around its failures only
AROUND = 30  # lines on each side of what a failure names
MOST_FILES = 12
MOST_PATTERNS = 8
_PROSE_FILES = (".md", ".rst", ".txt", ".adoc")

_CODE = re.compile(r"`([^`\n]{3,80})`")
_NAME = re.compile(r"\b(?:[A-Za-z_]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|\w+(?:\.[a-z_]\w+)+)\b")
_QUOTED = re.compile(r"[\"'“]([^\"'“”\n]{4,60})[\"'”]")
_WORD = re.compile(r"\b[A-Za-z]{5,}\b")
_FRAME = re.compile(r"File \"([^\"\n]+)\", line (\d+)|([\w./-]+\.\w{1,5}):(\d+)")
_TEST = re.compile(r"(?:^|[/_.])(?:tests?|spec)(?:[/_.]|$)")
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
class Pick:
    """A file to show: whole, or only the lines of `spans`."""

    path: str
    spans: tuple[tuple[int, int], ...] = ()


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


def words(task: Task) -> tuple[tuple[str, ...], bool]:
    """What to search for, and whether it is worth showing: code and names of the request are; where there are none,
    its plain words only help to choose files."""
    text = asked(task)
    prose = _CODE.sub(" ", text)
    strong = [*_CODE.findall(text), *_NAME.findall(prose), *_QUOTED.findall(prose)]
    found = dict.fromkeys(w.strip() for w in strong if not w.startswith("http"))
    if found:
        return tuple(found)[:MOST_PATTERNS], True
    plain = dict.fromkeys(w for w in _WORD.findall(text.lower()) if w not in _COMMON)
    return tuple(plain)[:MOST_PATTERNS], False


def likeliest(task: Task, context: Context, listing: Sequence[Listed], found: Found) -> tuple[Pick, ...]:
    """What to show: everything of a small repository, else the best few files that fit, whole or around what the
    failure names in them."""
    told = [f for f in listing if f.lines and not _UNTOLD.search(f.path)]
    if sum(f.size for f in told) <= SMALL:
        return tuple(Pick(f.path) for f in told)
    frames = [*_frames(context.failing), *_frames(asked(task))]
    scores = {f.path: _score(f.path, task, context, frames) for f in told}
    for group in found.groups:
        if group.path in scores:
            scores[group.path] += 2 * min(sum(hit for _, hit, _ in group.lines), 8)
    least = max(1, max(scores.values()) // 4)
    ranked = sorted((f for f in told if scores[f.path] >= least), key=lambda f: (-scores[f.path], f.path))
    return tuple(_fitting(ranked[:MOST_FILES], frames))


def asked(task: Task) -> str:
    """All words of the request."""
    return f"{task.title}\n{task.body}\n{task.instructions}"


def _fitting(ranked: Sequence[Listed], frames: Sequence[tuple[str, int]]) -> Iterable[Pick]:
    room = SHOWN
    for file in ranked:
        lines = sorted({line for path, line in frames if _is(path, file.path)})
        whole = file.size <= room and (file.size <= SHORT or not _TEST.search(file.path))
        pick = Pick(file.path) if whole else Pick(file.path, tuple((n - AROUND, n + AROUND) for n in lines[:8]))
        cost = file.size if whole else len(pick.spans) * AROUND * 100  # 50 bytes a line, both sides
        if cost <= room and (whole or pick.spans):
            room -= cost
            yield pick


def _score(path: str, task: Task, context: Context, frames: Sequence[tuple[str, int]]) -> int:
    """Named in a traceback counts most, the more often the more; then named in the request; prose counts less."""
    framed = min(sum(_is(named, path) for named, _ in frames), 5)
    pure = PurePosixPath(path)
    named = path in asked(task) or (len(pure.stem) > 3 and re.search(rf"\b{re.escape(pure.name)}\b", asked(task)))
    red = any(test.startswith(path) for test in (context.baseline.red if context.baseline else ()))
    score = (60 + 8 * framed if framed else 0) + (50 if named else 0) + (40 if red else 0)
    return score - (20 if path.endswith(_PROSE_FILES) else 0)


def _frames(text: str) -> list[tuple[str, int]]:
    """(path, line) of each place that tracebacks and compiler messages name."""
    return [(a or c, int(b or d)) for a, b, c, d in _FRAME.findall(text)]


def _is(named: str, path: str) -> bool:
    return f"/{named}".endswith(f"/{path}")
