"""search: several patterns over the tree at once, grouped by file, with context lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.agent.record import Seen
from jobs.agent.tools import inside
from jobs.agent.tools.arguments import Search
from jobs.agent.tools.cap import middle
from jobs.agent.tools.paths import tidy
from jobs.agent.tools.spec import Bench, ToolResult

LIMIT, PER_FILE, MOST_CONTEXT = 100, 20, 20


@dataclass(frozen=True)
class Group:
    """One file's lines: (number, whether it matches, text); `more` says that further matches are not shown."""

    path: str
    lines: tuple[tuple[int, bool, str], ...]
    more: bool = False


@dataclass(frozen=True)
class Found:
    """What a search gave; `more` says that it stopped at its limit; `absent` are patterns without any match."""

    groups: tuple[Group, ...]
    matches: int
    more: bool
    absent: tuple[str, ...]
    error: str


def find(bench: Bench, request: Mapping[str, Any]) -> Found:
    """Runs ripgrep inside the cell."""
    limits = {"limit": LIMIT, "per_file": PER_FILE, **request}
    row = inside.script(bench.cell, inside.SEARCH, {**limits, "paths": [tidy(p) for p in request.get("paths") or ()]})
    groups = tuple(
        Group(tidy(g["path"]), tuple((n, hit, text) for n, hit, text in g["lines"]), g["more"]) for g in row["groups"]
    )
    return Found(groups, row["matches"], row["more"], tuple(row["absent"]), row["error"] or "")


def run(args: Search, bench: Bench) -> ToolResult:
    """The matches, then which patterns had none and whether there is more."""
    if not args.patterns or not all(args.patterns):
        return ToolResult.failed("search", 'patterns is empty: send e.g. {"patterns": ["total_price"]}')
    request = {
        "patterns": args.patterns,
        "paths": args.paths,
        "globs": [args.glob] if args.glob else [],
        "context": min(args.context, MOST_CONTEXT),
        "regex": args.regex,
    }
    found = find(bench, request)
    if found.error and not found.matches:
        hint = " With regex false the patterns are taken literally." if args.regex else ""
        return ToolResult.failed("search", f"{found.error}{hint}")
    text = middle(_told(args, found), head=40_000, tail=2_000)
    return ToolResult(ok=True, content=text.text, cut=text.cut, seen={g.path: Seen(None) for g in found.groups})


def _told(args: Search, found: Found) -> str:
    what = ", ".join(repr(p) for p in args.patterns)
    head = f"search {what}: {found.matches} matches in {len(found.groups)} files"
    parts = [head, *(_group(g) for g in found.groups)]
    if found.absent and found.matches:
        parts.append(f"No match for: {', '.join(repr(p) for p in found.absent)}")
    if found.more:
        parts.append(f"[… stopped at {LIMIT} matches; narrow it with paths or glob …]")
    if full := [g.path for g in found.groups if g.more]:
        parts.append(f"[… only the first {PER_FILE} matches of {', '.join(full)} are shown …]")
    return "\n\n".join(parts)


def _group(group: Group) -> str:
    rows, last = [group.path], None
    for number, hit, text in group.lines:
        if last is not None and number > last + 1:
            rows.append("--")
        rows.append(f"{number}{':' if hit else '-'}{text}")
        last = number
    return "\n".join(rows)
