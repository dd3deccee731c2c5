"""search: several patterns over the tree at once, grouped by file, with context lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobs.agent.seen import Seen, Spans, joined
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Search
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.spec import Bench, ToolResult

LIMIT, PER_FILE, MOST_CONTEXT = 100, 20, 20
_CHARS = 40_000  # of one result
_NAMED = 50  # files that are named where there is no room to show them

Row = tuple[int, bool, str]


@dataclass(frozen=True)
class Group:
    """One file's lines: (number, whether it matches, text); `more` says that further matches are not shown, `count`
    how many lines match (0: not counted)."""

    path: str
    lines: tuple[Row, ...]
    more: bool = False
    count: int = 0

    @property
    def hits(self) -> int:
        """Shown lines that match."""
        return sum(hit for _, hit, _ in self.lines)


@dataclass(frozen=True)
class Found:
    """What a search gave, in order of paths; `matches` are shown, `more` says that it stopped at its limit, `absent`
    are patterns without any match. `total` lines match, or more unless `exact`, in `files` files, or more unless
    `whole`. `missing` are places that do not exist, `unfit` globs that no file fits."""

    groups: tuple[Group, ...]
    matches: int
    more: bool
    absent: tuple[str, ...]
    error: str
    total: int = 0
    files: int = 0
    exact: bool = True
    whole: bool = True
    missing: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()


def find(bench: Bench, request: Mapping[str, Any]) -> Found:
    """Runs ripgrep inside the cell."""
    limits = {"limit": LIMIT, "per_file": PER_FILE, **request, "kept": bench.kept}
    row = inside.script(bench.cell, "search", {**limits, "paths": [tidy(p) for p in request.get("paths") or ()]})
    bench.kept = tuple(row["kept"])
    return Found(
        groups=tuple(_read(g) for g in row["groups"]),
        matches=row["matches"],
        more=row["more"],
        absent=tuple(row["absent"]),
        error=row["error"] or "",
        total=row["total"],
        files=row["files"],
        exact=row["exact"],
        whole=row["whole"],
        missing=tuple(row["missing"]),
        unfit=tuple(row["unfit"]),
    )


def _read(row: Mapping[str, Any]) -> Group:
    lines = tuple((n, hit, text) for n, hit, text in row["lines"])
    return Group(tidy(row["path"]), lines, sum(hit for _, hit, _ in lines) < row["count"], row["count"])


def run(args: Search, bench: Bench) -> ToolResult:
    """The matches, then which patterns had none and whether there is more."""
    if not args.patterns or not all(args.patterns):
        return ToolResult.failed("search", 'patterns is empty: send e.g. {"patterns": ["total_price"]}')
    if any("\n" in p for p in args.patterns):
        return ToolResult.failed(
            "search", "a pattern has a line break, and lines are searched one by one: send one line."
        )
    context = max(0, min(args.context, MOST_CONTEXT))
    request = {
        "patterns": args.patterns,
        "paths": args.paths,
        "globs": [args.glob] if args.glob else [],
        "context": context,
        "regex": args.regex,
    }
    found = find(bench, request)
    if found.error and not found.matches:
        hint = "With regex false the patterns are taken literally." if args.regex else "Narrow it with paths or glob."
        return ToolResult.failed("search", f"{found.error}. {hint}")
    if found.missing and not found.files:
        return ToolResult.failed("search", _gone(found))
    groups, left = _fitting(found.groups)
    text = "\n\n".join([_head(args, found), *map(_group, groups), *_rest(args, found, left)])
    if context != args.context:
        text += f"\n\n[… context {args.context} was taken as {context}: send 0 to {MOST_CONTEXT} …]"
    seen = {g.path: Seen.pointer(spans(g)) for g in groups if g.lines}
    return ToolResult(ok=True, content=text, cut=found.more or bool(left), seen=seen)


def spans(group: Group) -> Spans:
    """The ranges of lines that a group shows."""
    return joined((n, n) for n, _, _ in group.lines)


def _fitting(groups: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """(groups within the room of one result, the last perhaps shortened; those with lines that are left out)."""
    out: list[Group] = []
    left: list[Group] = []
    room = _CHARS
    for group in groups:
        rows = list(_within(group.lines, room))
        room -= sum(len(text) + 8 for _, _, text in rows) + len(group.path)
        if len(rows) < len(group.lines):
            left.append(group)
            room = 0
        if rows or not group.lines:
            out.append(replace(group, lines=tuple(rows)))
    return out, left


def _within(rows: Iterable[Row], room: int) -> Iterable[Row]:
    for row in rows:
        room -= len(row[2]) + 8
        if room < 0:
            return
        yield row


def _head(args: Search, found: Found) -> str:
    what = ", ".join(repr(p) for p in args.patterns)
    places = [*args.paths, *([args.glob] if args.glob else [])]
    where = f" in {', '.join(places)}" if places else ""
    total = f"{'' if found.exact else 'at least '}{found.total:,} matches in {found.files:,} files"
    if not found.whole:
        total = f"more than {found.matches:,} matches, in more than {len(found.groups):,} files"
    few = f"; the first {found.matches:,}, by path:" if found.matches < found.total or not found.exact else ""
    return f"search {what}{where}: {total}{few}"


def _rest(args: Search, found: Found, left: Sequence[Group]) -> Iterable[str]:
    """What is not shown, and how to get it."""
    if found.absent and found.matches:
        yield f"No match for: {', '.join(repr(p) for p in found.absent)}"
    if not found.files:
        yield _nothing(args, found)
    if found.missing:
        yield _gone(found)
    if found.error:
        yield f"[… {found.error} …]"
    if found.matches >= LIMIT and found.more:
        yield f"[… stopped at {LIMIT} matches; narrow it with paths or glob …]"
    if partly := [g for g in found.groups if g.lines and g.more]:
        full = [f"{g.path} ({g.hits} of {g.count:,})" for g in partly]
        pattern = "|".join(args.patterns if args.regex else map(literal, args.patterns))
        asked = {"list_matches": {"pattern": pattern, "paths": [partly[0].path]}}
        ask = json.dumps(asked, ensure_ascii=False)
        yield f"[… not all matches are shown of {', '.join(full)}; readfile with e.g. {ask} gives every line number …]"
    if left:
        named = ", ".join(g.path for g in left[:_NAMED]) + (f" and {len(left) - _NAMED} more" * (len(left) > _NAMED))
        yield f"[… left out to keep the result short: lines of {named}; search them with paths, or a smaller context …]"


def _nothing(args: Search, found: Found) -> str:
    if not found.unfit:
        return "Nothing matches: try a shorter text or another spelling, or readfile a folder to see what is there."
    below = f" below {', '.join(args.paths)}" if args.paths and args.glob else ""
    return (
        f"Nothing matches: no file that is searched{below} fits {' and '.join(found.unfit)}. "
        "Next: send another glob or none, or readfile a folder to see what is there."
    )


def literal(text: str) -> str:
    """`text` as a regular expression of the search; it takes escaped angle brackets for ends of words."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", text)


def _gone(found: Found) -> str:
    return f"No such path: {', '.join(found.missing)}. readfile a folder to see what is there, or search without paths."


def _group(group: Group) -> str:
    if not group.lines:
        return f"{group.path}: a binary file that matches; look into it with shell"
    rows, last = [group.path], None
    for number, hit, text in group.lines:
        if last is not None and number > last + 1:
            rows.append("--")
        rows.append(f"{number}{':' if hit else '-'}{text}")
        last = number
    return "\n".join(rows)
