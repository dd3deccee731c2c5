"""symbols: what files define, with the lines that a readfile range would ask for."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.agent.tools import inside
from jobs.agent.tools.further.outline import definitions, is_source
from jobs.agent.tools.further.requests import Symbols
from jobs.agent.tools.inside import FileView, Shown
from jobs.agent.tools.lines import Lines, NotText
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

_FILES = 150  # of all folders together
_WIDTH = 160  # characters of a definition's line
_HEAD, _TAIL = 24_000, 0


def symbols(args: Symbols, bench: Bench) -> ToolResult:
    """`start-end<tab>first line` of every definition, by file; folders and globs stand for the sources in them."""
    if not args.paths:
        raise BadCall('paths is empty: send e.g. {"paths": ["src"]}')
    parts: list[str] = []
    faults: list[str] = []
    left = 0
    for shown in inside.show(bench.cell, args.paths):
        if fault := _fault(shown):
            faults.append(fault)
            continue
        for path, data in _sources(shown, bench):
            if len(parts) < _FILES:
                parts.append(_told(path, data, named=shown.kind == "file"))
            else:
                left += 1
    if not any(parts) and faults:
        raise BadCall(" ".join(faults))
    notes = [f"[… {left} more files: ask for a subfolder …]"] if left else []
    text = "\n\n".join([*filter(None, parts), *notes, *faults]) or "symbols: no definition there; use search."
    output = bench.outputs.capped(text, head=_HEAD, tail=_TAIL)
    return ToolResult(ok=not faults, content=output.text, cut=output.cut, error=faults[0] if faults else None)


def _fault(shown: Shown) -> str:
    if shown.kind == "refused":
        return f"{shown.asked}: {shown.error}."
    if shown.kind == "missing" or (shown.kind == "glob" and not shown.files):
        near = f" Did you mean {', '.join(shown.near)}?" if shown.near else " readfile a folder to see what is there."
        return f"{shown.asked}: no such file.{near}"
    return ""


def _sources(shown: Shown, bench: Bench) -> Iterator[tuple[str, bytes | None]]:
    """(path, bytes) of what is to be outlined; None for what is no text."""
    if shown.kind == "dir":
        paths = (row.path for row in shown.listing if is_source(row.path))
        yield from ((path, bench.cell.read(path)) for path in paths)
    else:
        yield from ((view.path, _bytes(view, bench)) for view in shown.files)


def _bytes(view: FileView, bench: Bench) -> bytes | None:
    return view.data if view.state == "text" else bench.cell.read(view.path) if view.state == "unread" else None


def _told(path: str, data: bytes | None, *, named: bool) -> str:
    """The file's definitions; files that nobody named are left out where they define nothing."""
    try:
        rows = Lines.decode(data).rows if data is not None else ()
    except NotText:
        rows = ()
    found = definitions(path, rows)
    if not found:
        why = "no definition" if is_source(path) else "not a language whose definitions are known: use readfile"
        return f"{path}: {why}" if named else ""
    lines = [f"{_span(one.start, one.end)}\t{_indent(rows[one.start - 1])}{one.text[:_WIDTH]}" for one in found]
    return "\n".join([f"{path} ({len(rows)} lines)", *lines])


def _span(start: int, end: int) -> str:
    return str(start) if start == end else f"{start}-{end}"


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]
