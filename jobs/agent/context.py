"""What a session begins with, and which files are likeliest to matter. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from jobs.agent.tools.inside import Listed
from jobs.agent.tools.known import is_test_file
from jobs.agent.tools.page import merged
from jobs.agent.tools.paths import is_lock
from jobs.agent.tools.reds import FRAME
from jobs.agent.tools.search import Found, Group
from jobs.agent.words import asked, concerned
from jobs.suite.prose import is_aside, is_prose
from jobs.suite.report import Report
from jobs.tasks.task import Task

SMALL = 40_000  # bytes; a repository up to this size is shown whole
SHOWN = 60_000  # bytes of the likeliest files of a larger one
SHORT = 20_000  # bytes; a longer test file is shown around its failures only
GLANCED = 5_000  # the same for one that nothing but a search names
AROUND = 30  # lines on each side of what a failure names
_FRAMES, _HITS, _GLANCES = 8, 10, 3  # places that are shown of one file: of failures, of matches, of matches in tests
MOST_FILES = 12
_EXECUTED = 15  # a file that the red tests execute: tells between files that a search found

_UNTOLD = re.compile(r"\.min\.\w+$|\.(?:map|svg)$|(?:^|/)\.gitignore$", re.IGNORECASE)
_METADATA = re.compile(r"(?:^|/)PKG-INFO$|\.egg-info/", re.IGNORECASE)
# Folders of copies, which a build made of the sources or which came from elsewhere; some are that at the top only.
BUILT = ("dist", "vendor", "third_party", "_vendor", "node_modules", "bower_components")
_BUILT = re.compile(rf"(?:^|/)(?:{'|'.join(BUILT)})/|^(?:build|out|target)/")
_DEFINES = re.compile(r"\s*(?:export\s+|default\s+|pub\s+|public\s+|async\s+)*(?:def|class|function|const|fn|func)\b")


@dataclass(frozen=True)
class Pick:
    """A file to show: whole, or only the lines of `spans`."""

    path: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Context:
    """What the pipeline knows before the agent starts. `baseline` is the suite on the base commit, `target` the
    failing output that the run is about, `guidance` the maintainers' own files as (path, text), `covered` the files
    that the red tests in question execute."""

    baseline: Report | None = None
    target: str = ""
    suite: str = ""
    guidance: tuple[tuple[str, str], ...] = ()
    covered: frozenset[str] = frozenset()

    def failing(self, about: Collection[str]) -> str:
        """All output that shows what is wrong; of the base's red tests, that of `about`."""
        parts = [self.target]
        if self.baseline is not None:
            failures = self.baseline.failures
            parts += [f"{test}\n{failures[test]}" for test in sorted(about) if test in failures]
            parts += [self.baseline.output if not self.baseline.green and not failures else ""]
        return "\n".join(parts)


def target(task: Task, context: Context) -> frozenset[str]:
    """The red tests of the base that the request is about, as far as words tell: all where they tell nothing."""
    if context.baseline is None:
        return frozenset()
    return concerned(f"{asked(task)}\n{context.target}", context.baseline)


def likeliest(task: Task, context: Context, listing: Sequence[Listed], found: Found) -> tuple[Pick, ...]:
    """What to show: everything of a small repository, else the best few files that fit, whole or around what the
    failure and the search name in them."""
    told = [f for f in listing if f.lines and not _untold(f.path) and not aside(f.path, task)]
    told = _sources(told, task, context)
    if sum(f.size for f in told) <= SMALL:
        return tuple(Pick(f.path) for f in told)
    about = target(task, context)
    frames = [*_frames(context.failing(about)), *_frames(asked(task))]
    scores = {f.path: _score(f.path, task, about, frames) for f in told}
    groups = {group.path: group for group in found.groups if group.path in scores}
    for path, group in groups.items():
        scores[path] += _found_score(group)
    for path in context.covered & scores.keys():
        scores[path] += _EXECUTED
    best = max((score for path, score in scores.items() if not is_test_file(path)), default=0)
    least = max(1, best // 4)
    ranked = sorted((f for f in told if scores[f.path] >= least), key=lambda f: (-scores[f.path], f.path))
    weak = frozenset(path for path, score in scores.items() if 2 * score < best or is_test_file(path))
    return tuple(_fitting(ranked[:MOST_FILES], weak, frames, groups))


def _untold(path: str) -> bool:
    """True for what is long and was written by no one."""
    return _UNTOLD.search(path) is not None or is_lock(path)


def _sources(told: Sequence[Listed], task: Task, context: Context) -> list[Listed]:
    """Without what was built or copied in from elsewhere, unless the request names its folder, or it or the failure
    the file."""
    named = f"{asked(task)}\n{context.failing(target(task, context))}"
    kept = [f for f in told if not (built := _BUILT.search(f.path)) or f.path in named or built[0] in asked(task)]
    return kept or list(told)


def aside(path: str, task: Task) -> bool:
    """True for change logs, licences and the like, of no use for a fix unless the request names the file."""
    name = PurePosixPath(path).name
    return (is_aside(name) or _METADATA.search(path) is not None) and name not in asked(task)


def _fitting(
    ranked: Sequence[Listed],
    weak: Collection[str],
    frames: Sequence[tuple[str, int]],
    groups: Mapping[str, Group],
) -> Iterable[Pick]:
    """The files as far as there is room; long ones of `weak`, which are tests and what others are far likelier than,
    around what is named in them."""
    room = SHOWN
    for file in ranked:
        lines = sorted({line for path, line in frames if _is(path, file.path)})[:_FRAMES]
        most = SHORT if lines else GLANCED  # a test file that only a search named is for its style
        if file.size <= room and (file.path not in weak or file.size <= most):
            room -= file.size
            yield Pick(file.path)
            continue
        hits = _hits(groups.get(file.path))[: _GLANCES if file.path in weak else _HITS]
        spans = [(n - AROUND, n + AROUND) for n in lines]
        spans += [(n - AROUND // 3, n + AROUND) for n in hits if not any(abs(n - seen) <= AROUND for seen in lines)]
        spans = spans or [(1, 4 * AROUND)]  # the request names it: its beginning is better than nothing
        while spans and _cost(spans, file) > room:
            spans.pop()
        if spans:
            room -= _cost(spans, file)
            yield Pick(file.path, tuple(spans))


def _hits(group: Group | None) -> list[int]:
    """Line numbers of a file's matches, definitions first."""
    found = [(n, text) for n, hit, text in group.lines if hit] if group else []
    return [n for n, _ in sorted(found, key=lambda row: _DEFINES.match(row[1]) is None)]


def _cost(spans: Sequence[tuple[int, int]], file: Listed) -> int:
    """Bytes of the lines of `spans`, by the file's average."""
    lines = file.lines or 1
    return sum(end - start + 1 for start, end in merged(spans, lines)) * file.size // lines


def _found_score(group: Group) -> int:
    """Matches count, and a definition of what was searched for more than its uses."""
    hits = [text for _, hit, text in group.lines if hit]
    defined = any(_DEFINES.match(text) for text in hits) and not is_test_file(group.path)
    return 2 * min(len(hits), 8) + (30 if defined else 0) - (8 if is_prose(group.path) else 0)


def _score(path: str, task: Task, about: Collection[str], frames: Sequence[tuple[str, int]]) -> int:
    """Named in a traceback counts most, the more often the more; then named in the request; prose counts less."""
    framed = min(sum(_is(named, path) for named, _ in frames), 5)
    pure = PurePosixPath(path)
    named = path in asked(task) or (len(pure.stem) > 3 and re.search(rf"\b{re.escape(pure.name)}\b", asked(task)))
    named = named or _as_module(path, asked(task))
    red = any(test.startswith(path) for test in about)
    score = (60 + 8 * framed if framed else 0) + (50 if named else 0) + (40 if red else 0)
    return score - (20 if is_prose(path) and not named else 0)


def _as_module(path: str, text: str) -> bool:
    """Whether `text` names the Python file as it is imported: `package.module`."""
    parts = path.removesuffix(".py").split("/")
    dotted = ".".join(parts[1:] if parts[0] in ("src", "lib") else parts)
    return path.endswith(".py") and "." in dotted and re.search(rf"\b{re.escape(dotted)}\b", text) is not None


def _frames(text: str) -> list[tuple[str, int]]:
    """(path, line) of each place that tracebacks and compiler messages name."""
    return [(a or c, int(b or d)) for a, b, c, d in FRAME.findall(text)]


def _is(named: str, path: str) -> bool:
    return f"/{named}".endswith(f"/{path}")
