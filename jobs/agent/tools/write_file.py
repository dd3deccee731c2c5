"""write_file: whole files, new or in place of ones that were read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from jobs.agent import guard
from jobs.agent.seen import Seen
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import NewFile, WriteFile
from jobs.agent.tools.blanks import marks
from jobs.agent.tools.card import card
from jobs.agent.tools.inside import Shown, Written
from jobs.agent.tools.lines import Lines, NotText, fold
from jobs.agent.tools.numbers import copied
from jobs.agent.tools.omission import omits
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

# A line that stands for others, which a text this much shorter than the old one hardly means as it is.
_BARE = re.compile(r"^[ \t]*(?:(?:#|//|/\*|--|<!--|;)[ \t]*(?:\.\.\.|…).*|…)$", re.MULTILINE)
_MADE = re.compile(
    r"(?:^|/)(?:node_modules|__pycache__|\.venv|venv|dist|build|target|out|coverage|htmlcov|\.tox|\.nox|\.cache"
    r"|[^/]+\.egg-info)/|\.(?:pyc|pyo|min\.js|min\.css|map|log|tmp|orig|rej)$"
)


@dataclass
class _Out:
    """`ready` maps real paths to (bytes, sha256 that the file must still have), `before` to what stands there."""

    ready: dict[str, tuple[bytes, str | None]] = field(default_factory=dict)
    before: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)


def run(args: WriteFile, bench: Bench) -> ToolResult:
    """Writes every file that may be written; says why the others were not."""
    times = Counter(tidy(one.path) for one in args.files)
    files = {tidy(one.path): one for one in args.files}
    if not files:
        return ToolResult.failed("write_file", 'files is empty: send {"files": [{"path", "content"}]}')
    out = _Out()
    shown = inside.show(bench.cell, list(files))
    real = Counter(_real(one) for one in shown)
    for one in shown:
        try:
            if files[one.asked].path.strip().endswith(("/", "/.")):
                raise BadCall("ends in a slash, so it names a folder: send the path of a file")
            if times[one.asked] > 1:  # which of the texts is meant can't be known
                raise BadCall(f"{times[one.asked]} times in this call, so nothing of it was written: send it once")
            if real[_real(one)] > 1:
                raise BadCall(f"is {_real(one)}, which this call names by another path too: send it once")
            out.ready[_real(one)] = _bytes(files[one.asked], one, bench, out)
        except (BadCall, NotText) as no:
            out.faults[one.asked] = str(no)
    written = inside.write(bench.cell, out.ready) if out.ready else ()
    out.faults |= {w.path: f"{w.error}; look at it again with readfile" for w in written if w.error}
    if any(not w.error for w in written):
        bench.snapshot = None
    return _result(out, [w for w in written if not w.error])


def _real(shown: Shown) -> str:
    """Where links lead to."""
    return shown.files[0].path if shown.kind == "file" else shown.asked


def _bytes(one: NewFile, shown: Shown, bench: Bench, out: _Out) -> tuple[bytes, str | None]:
    """The bytes to write and the sha256 that the file must still have."""
    if shown.kind in ("missing", "glob") and not shown.files:
        _complete(one.content, "")
        return one.content.encode(), None
    if shown.kind != "file":
        raise BadCall(f"{shown.error or 'is a folder'}: name a file of the repository")
    view = shown.files[0]
    if view.state != "text":
        raise BadCall(f"{view.error}: name another file" if view.error else f"is a {view.state} file: use shell")
    lines = Lines.decode(view.data)
    out.before[view.path] = view.data
    known = guard.known(bench.record, view, lines)
    if known.state != "same":
        no = guard.unread(view, lines, known)
        out.seen[view.path] = no.seen
        raise BadCall(no.text)
    if not one.content and view.data:
        raise BadCall("content is empty, which would lose the file's text: to delete it use shell rm")
    _complete(one.content, lines.view)
    new = fold(one.content).split("\n")
    if row := copied(lines, new):
        raise BadCall(f"content carries line numbers ({row!r}): send the text without them")
    return lines.splice(0, lines.pieces, new, new).encode(), view.sha256


def _complete(new: str, old: str) -> None:
    """Raises BadCall for a text in which a mark stands for lines that are not there, unless the old text has it too."""
    if more := Counter(marks(fold(new).split("\n"))) - Counter(marks(old.split("\n"))):
        mark = next(iter(more))
        raise BadCall(f"content holds {mark!r}, a mark of what was not shown: readfile those lines and write them out")
    marker = (omits(fold(new), old) if old else None) or _stands_for_more(new, old)
    if marker:
        raise BadCall(f"content leaves text out ({marker!r}): write every line, or use edit")


def _stands_for_more(new: str, old: str) -> str | None:
    """The mark of left out lines in a text less than half as long as the old one."""
    marks = (found[0].strip() for found in _BARE.finditer(new)) if 2 * len(new) < len(old) else ()
    return next((mark for mark in marks if mark not in old), None)


def _result(out: _Out, written: Sequence[Written]) -> ToolResult:
    parts = []
    for done in written:
        before, after = out.before.get(done.path), out.ready[done.path][0]
        if before is None:
            parts.append(f"write_file {done.path}: created, {_size(after)} lines")
            parts += _astray(done)
        else:
            parts.append(f"write_file {done.path}: {_size(before)} lines -> {_size(after)} lines")
            parts.append(card(done.path, before, after))
        parts += [f"SYNTAX ERROR in {done.path}: {done.syntax}"] if done.syntax else []
    parts += [f"write_file FAILED: {path}: {why}" for path, why in out.faults.items()]
    states = {done.path: done.sha256 for done in written}
    return ToolResult(
        ok=not out.faults,
        content="\n".join(parts),
        changed_files=tuple(states),
        error=next((f"{path}: {why}" for path, why in out.faults.items()), None),
        seen=out.seen | {path: Seen.whole(sha) for path, sha in states.items()},
        states=states,
    )


def _size(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _astray(done: Written) -> list[str]:
    """One line of warning where a new file is likely not to become part of the change."""
    if done.ignored:
        return [
            f"WARNING: git ignores {done.path}, so it is no part of the change: if it should be, write it elsewhere."
        ]
    if _MADE.search(done.path):
        return [f"WARNING: {done.path} stands where generated files do: if it is source, write it elsewhere."]
    return []
