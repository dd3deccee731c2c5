"""readfile: files, folders, globs, ranges and match lists, as many as asked for in one call."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs.agent.record import Seen
from jobs.agent.tools import inside, page
from jobs.agent.tools.arguments import ReadFile
from jobs.agent.tools.cap import middle
from jobs.agent.tools.inside import FileView, Shown
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.search import find
from jobs.agent.tools.spec import Bench, ToolResult

CALL_CHARS = 120_000  # of one call
_STATES = {
    "binary": "is a binary file of {size:,} bytes",
    "huge": "has {size:,} bytes: search it instead",
    "special": "is not a regular file",
    "unread": "also matches; ask for it by name",
}


@dataclass
class _Out:
    parts: list[str] = field(default_factory=list)
    seen: dict[str, Seen] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    cut: bool = False
    used: int = 0

    def fail(self, message: str) -> None:
        self.parts.append(message)
        self.wrong.append(message)


def run(args: ReadFile, bench: Bench) -> ToolResult:
    """Shows what was asked for; what can't be shown is named without hiding the rest."""
    wanted = _wanted(args)
    out = _Out()
    if not wanted and args.list_matches is None:
        return ToolResult.failed("readfile", 'nothing was asked for: send e.g. {"paths": ["src/a.py"]}')
    for shown in inside.show(bench.cell, list(wanted)) if wanted else ():
        _section(shown, wanted[shown.asked], out)
    if args.list_matches is not None:
        out.parts.append(_matches(args, bench))
    return ToolResult(
        ok=not out.wrong,
        content="\n\n".join(out.parts),
        error="; ".join(out.wrong) or None,
        seen=out.seen,
        cut=out.cut,
    )


def _wanted(args: ReadFile) -> dict[str, list[page.Span]]:
    """Each path with the ranges asked of it; none means the whole file."""
    whole = {tidy(path) for path in args.paths}
    wanted: dict[str, list[page.Span]] = {path: [] for path in whole}
    spans = [(tidy(r.path), (r.start, r.end)) for r in args.ranges]
    spans += [(tidy(a.path), (a.line - a.around, a.line + a.around)) for a in args.anchor_lines]
    for path, span in spans:
        if path not in whole:
            wanted.setdefault(path, []).append(span)
    order = [tidy(p) for p in args.paths] + [path for path, _ in spans]
    return {path: wanted[path] for path in dict.fromkeys(order)}


def _section(shown: Shown, spans: list[page.Span], out: _Out) -> None:
    if shown.kind == "refused":
        out.fail(f"{shown.asked}: {shown.error}.")
    elif shown.kind == "missing":
        near = f" Did you mean {', '.join(shown.near)}?" if shown.near else " search or list a folder to find it."
        out.fail(f"{shown.asked}: no such file.{near}")
    elif shown.kind == "dir":
        out.parts.append(f"{shown.asked}/: {len(shown.listing)} files\n{page.listing(shown.listing)}")
    elif not shown.files:
        out.fail(f"{shown.asked}: no file matches this glob.")
    for view in shown.files:
        _file(view, spans, out)


def _file(view: FileView, spans: list[page.Span], out: _Out) -> None:
    if view.state != "text":
        out.fail(f"{view.path}: {view.error or _STATES[view.state].format(size=view.size)}.")
        return
    try:
        lines = Lines.decode(view.data)
    except NotText as no:
        out.fail(f"{view.path}: {no}.")
        return
    text, cut = _shown(view, lines, spans)
    if out.used + len(text) > CALL_CHARS:
        out.fail(f"{view.path}: left out, this call already shows {out.used:,} characters. Ask again for the rest.")
        return
    out.used += len(text)
    out.cut |= cut
    out.parts.append(text)
    out.seen[view.path] = Seen(view.sha256)


def _shown(view: FileView, lines: Lines, spans: list[page.Span]) -> tuple[str, bool]:
    rows = lines.rows
    kind = ", CRLF line ends" if lines.endings and set(lines.endings) == {"\r\n"} else ""
    kind += "" if lines.encoding == "utf-8" else f", {lines.encoding}"
    if not spans:
        body, cut = page.whole(view.path, rows)
        return f"{view.path} ({len(rows)} lines{kind})\n{body}", cut
    ranges = page.merged(spans, len(rows))
    if not ranges:
        return f"{view.path} has only {len(rows)} lines.", False
    body = "\n…\n".join(page.numbered(rows, span) for span in ranges)
    named = ", ".join(f"{start}-{end}" for start, end in ranges)
    shown = middle(body, head=page.WHOLE_CHARS, tail=0)
    return f"{view.path} (lines {named} of {len(rows)}{kind})\n{shown.text}", shown.cut


def _matches(args: ReadFile, bench: Bench) -> str:
    assert args.list_matches is not None
    asked = args.list_matches
    found = find(
        bench, {"patterns": [asked.pattern], "paths": asked.paths, "regex": True, "context": 0, "per_file": 1000}
    )
    rows = [f"{g.path}: {', '.join(str(n) for n, hit, _ in g.lines if hit)}" for g in found.groups]
    return f"lines matching {asked.pattern}:\n" + ("\n".join(rows) or found.error or "none")
