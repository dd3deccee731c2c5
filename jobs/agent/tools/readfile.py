"""readfile: files, folders, globs, ranges and match lists, as many as asked for in one call."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from jobs.agent.record import CallRecord
from jobs.agent.seen import Seen, Span, covers, joined, named
from jobs.agent.tools import inside, page
from jobs.agent.tools.arguments import ListMatches, ReadFile
from jobs.agent.tools.inside import FileView, Shown
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.page import View
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.search import find
from jobs.agent.tools.spec import Bench, ToolResult

CALL_CHARS = 120_000  # of one call
_MATCHES = 1000  # line numbers of one match list
_NAMED = 100  # files that are named where they are not shown
_STATES = {
    "binary": "is a binary file of {size:,} bytes; look into it with shell",
    "huge": "has {size:,} bytes: search it, or read part of it with shell",
    "special": "is no regular file, and can't be read; name another",
    "unread": "was not read, this call asks for too much at once: ask for it alone",
}
_SKIPPED = {
    "binary": "binary",
    "huge": "very large: search it",
    "special": "no regular file",
    "lock": "a lock file: search it, or ask for it by name",
    "unread": "ask for it by name",
}
_POINTER = Seen.pointer()  # what a call saw of a file that it only pointed to
_Ask = list[Span] | None  # ranges of a file, None for all of it


@dataclass
class _Out:
    """What the call has to say so far; `skipped` and `left` are (path, why or how long) of files only named."""

    record: CallRecord | None
    parts: list[str] = field(default_factory=list)
    seen: dict[str, Seen] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    whole: set[str] = field(default_factory=set)  # files that stand in it from the first line to the last
    unchanged: int = 0
    cut: bool = False
    used: int = 0

    def fail(self, message: str) -> None:
        self.parts.append(message)
        self.wrong.append(message)

    def add(self, text: str) -> bool:
        """Takes `text` if there is room for it."""
        if self.used and self.used + len(text) > CALL_CHARS:
            return False
        self.used += len(text)
        self.parts.append(text)
        return True


def run(args: ReadFile, bench: Bench) -> ToolResult:
    """Shows what was asked for; what can't be shown is named without hiding the rest."""
    out = _Out(bench.record)
    wanted = _wanted(args, out)
    if not wanted and not out.wrong and args.list_matches is None:
        return ToolResult.failed("readfile", 'nothing was asked for: send e.g. {"paths": ["src/a.py"]}')
    for shown in inside.show(bench.cell, list(wanted)) if wanted else ():
        _section(shown, wanted[shown.asked], out)
    _only_named(out)
    if args.list_matches is not None:
        _matches(args.list_matches, bench, out)
    return ToolResult(
        ok=not out.wrong,
        content="\n\n".join(out.parts),
        error="; ".join(out.wrong) or None,
        seen=out.seen,
        cut=out.cut,
        unchanged=out.unchanged > 0 and not out.used,
    )


def _wanted(args: ReadFile, out: _Out) -> dict[str, list[_Ask]]:
    """What is asked of each path, whole files first; ranges that are none are told in `out`."""
    wanted: dict[str, list[_Ask]] = {tidy(path): [None] for path in args.paths}
    spans: dict[str, list[Span]] = {}
    for part in args.ranges:
        path = tidy(part.path)
        if part.end < part.start:
            ask = f"send start {part.end} and end {part.start}, if those lines are meant"
            out.fail(f"{path}: the range ends at {part.end}, before its start at {part.start}: {ask}.")
        else:
            spans.setdefault(path, []).append((part.start, part.end))
    for anchor in args.anchor_lines:
        path = tidy(anchor.path)
        if anchor.around < 0:
            out.fail(f"{path}: around is {anchor.around}: send how many lines to show on each side, 0 or more.")
        else:
            spans.setdefault(path, []).append((anchor.line - anchor.around, anchor.line + anchor.around))
    for path, asked in spans.items():
        wanted.setdefault(path, []).append(asked)
    return wanted


def _section(shown: Shown, asks: list[_Ask], out: _Out) -> None:
    if shown.kind == "refused":
        out.fail(f"{shown.asked}: {shown.error}. What can be read is the repository, and libraries below /env.")
    elif shown.kind == "missing":
        near = f" Did you mean {', '.join(shown.near)}?" if shown.near else " search or list a folder to find it."
        out.fail(f"{shown.asked}: no such file.{near}")
    elif shown.kind == "dir":
        if not out.add(f"{shown.asked}/: {len(shown.listing)} files\n{page.listing(shown.listing)}"):
            out.left.append((shown.asked, f"{len(shown.listing)} files"))
    elif not shown.files:
        out.fail(f"{shown.asked}: no file matches this glob. readfile a folder to see its files.")
    elif shown.kind == "glob":
        out.parts.append(f"{shown.asked}: {len(shown.files)} file{'s' * (len(shown.files) > 1)}")
    for view in shown.files:
        _file(view, asks, out, found=shown.kind == "glob")


def _file(view: FileView, asks: list[_Ask], out: _Out, *, found: bool) -> None:
    """One file; where a glob found it, what can't be read is no fault of the call."""
    if view.state != "text":
        if found and view.state in _SKIPPED:
            out.skipped.append((view.path, _SKIPPED[view.state]))
        else:
            out.fail(f"{view.path}: {view.error or _STATES[view.state].format(size=view.size)}.")
        return
    try:
        lines = Lines.decode(view.data)
    except NotText as no:
        out.fail(f"{view.path}: {no}; look into it with shell.")
        return
    if view.path in out.whole and asks == [None]:
        out.parts.append(f"{view.path}: shown above.")  # a link led here again
        return
    for ask in asks:
        if ask is None or not _stands(view, ask, lines, out):
            _asked(view, ask, lines, out)


def _stands(view: FileView, ask: list[Span], lines: Lines, out: _Out) -> bool:
    """Whether the call shows the whole file, and of the lines `ask` not only a mark."""
    count = len(lines.rows)
    if view.path not in out.whole or any(start > count for start, _ in ask):
        return False
    return view.path not in out.seen or covers(out.seen[view.path].spans, page.merged(ask, count))


def _asked(view: FileView, ask: _Ask, lines: Lines, out: _Out) -> None:
    count = len(lines.rows)
    shown = page.whole(view.path, lines.rows) if ask is None else page.ranges(view.path, lines.rows, ask)
    beyond = [(start, end) for start, end in ask or () if end < 1 or start > count]
    if beyond:
        out.fail(f"{view.path} has only {count} lines, and none of {named(beyond)}: ask for lines within it.")
    if shown.spans == ():
        return
    if _known(view, shown, count, out) or _show(view, shown, lines, out):
        out.whole |= {view.path} if shown.spans in (None, ((1, count),)) else set()


def _known(view: FileView, shown: View, length: int, out: _Out) -> bool:
    """Points to where all this already stands in the conversation. Once: who asks again has lost it."""
    if out.record is None or _pointed(out.record, view.path):
        return False
    readable = shown.known(length)
    number = out.record.shown(view.path, view.sha256, readable) if readable != () else None
    what = f"lines {_ranges(shown)}" if shown.spans else "it whole"
    if number and shown.outlined:  # whoever showed these lines must have shown what else the file has
        number = number if out.record.calls[number - 1].cut else None
        what = "its head and outline; ask with ranges for more"
    if number is None:
        return False
    did = "wrote" if out.record.calls[number - 1].tool == "write_file" else "showed"
    out.parts.append(f"{view.path}: unchanged since call {number}, which {did} {what}")
    out.seen.setdefault(view.path, _POINTER)
    out.unchanged += 1
    return True


def _pointed(record: CallRecord, path: str) -> bool:
    """Whether the last that the record tells of this file is that it was not shown again."""
    last = next((call.seen[path] for call in reversed(record.calls) if path in call.seen), None)
    return last == _POINTER


def _show(view: FileView, shown: View, lines: Lines, out: _Out) -> bool:
    """Shows it, if there is room for it."""
    count = len(lines.rows)
    kind = ", CRLF line ends" if lines.endings and set(lines.endings) == {"\r\n"} else ""
    kind += "" if lines.encoding == "utf-8" else f", {lines.encoding}"
    what = f"{count} lines" if shown.spans is None else f"lines {_ranges(shown)} of {count}"
    if not out.add(f"{view.path} ({what}{kind})\n{shown.text}"):
        out.left.append((view.path, what))
        return False
    out.cut |= shown.cut
    readable, before = shown.known(count), out.seen.get(view.path, _POINTER).spans
    spans = None if readable is None or before is None else joined([*before, *readable])
    out.seen[view.path] = Seen.part(view.sha256, spans, count)
    return True


def _ranges(shown: View) -> str:
    return ", ".join(f"{start}-{end}" for start, end in shown.spans or ())


def _only_named(out: _Out) -> None:
    """What was not shown, and how to get it."""
    if out.skipped:
        rows = [f"{path} ({why})" for path, why in out.skipped[:_NAMED]]
        others = len(out.skipped) - len(rows)
        out.parts.append("Not shown: " + ", ".join(rows) + (f" and {others} more" if others else ""))
    if out.left:
        paths = json.dumps([path for path, _ in out.left[:_NAMED]], ensure_ascii=False)
        rows = [f"{path} ({what})" for path, what in out.left[:_NAMED]]
        more = f" and {len(out.left) - _NAMED} more" * (len(out.left) > _NAMED)
        out.parts.append(
            f"Left out, since this call already shows {out.used:,} characters: {', '.join(rows)}{more}. "
            f'Ask for them in a call of their own, e.g. {{"paths": {paths}}}'
        )
        out.cut = True


def _matches(asked: ListMatches, bench: Bench, out: _Out) -> None:
    limits = {"context": 0, "per_file": _MATCHES, "limit": _MATCHES}
    found = find(bench, {"patterns": [asked.pattern], "paths": asked.paths, "regex": True, **limits})
    if found.error and not found.matches:
        out.fail(f"list_matches: {found.error}. Mend the pattern, or search for plain text.")
        return
    rows = [f"{g.path}: {', '.join(str(n) for n, hit, _ in g.lines if hit)}" for g in found.groups if g.lines]
    rows += [f"No such path: {', '.join(found.missing)}"] if found.missing else []
    if found.matches >= _MATCHES:
        rows.append(f"[… stopped at {_MATCHES} lines; narrow it with paths …]")
    out.parts.append(f"lines matching {asked.pattern}:\n" + ("\n".join(rows) or "none; search for a part of it"))
