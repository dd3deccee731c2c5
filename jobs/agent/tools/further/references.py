"""references: where a name is defined and used, as a whole word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jobs.agent.seen import Seen
from jobs.agent.tools.further.outline import defines
from jobs.agent.tools.further.requests import References
from jobs.agent.tools.search import Found, Group, find, literal, spans
from jobs.agent.tools.spec import BadCall, Bench, ToolResult

_LIMIT, _PER_FILE = 300, 40
_HEAD, _TAIL = 24_000, 0


def references(args: References, bench: Bench) -> ToolResult:
    """Definitions first, then every line with the word, by file; case counts."""
    name = args.name.strip()
    if not name or "\n" in name:
        raise BadCall('name is one word: send e.g. {"name": "total_price"}')
    request = {"patterns": [_word(name)], "paths": args.paths, "regex": True, "context": 0}
    found = find(bench, {**request, "limit": _LIMIT, "per_file": _PER_FILE})
    if found.missing and not found.files:
        raise BadCall(f"no such path: {', '.join(found.missing)}. readfile a folder to see what is there.")
    if found.error and not found.matches:
        raise BadCall(f"{found.error} Narrow it with paths.")
    if not found.matches:
        return ToolResult(ok=True, content=f"references {name}: none as a whole word; search finds parts of words too.")
    output = bench.outputs.capped(_told(name, found), head=_HEAD, tail=_TAIL)
    seen = {} if output.cut else {g.path: Seen.pointer(spans(g)) for g in found.groups if g.lines}
    return ToolResult(ok=True, content=output.text, cut=output.cut or found.more, seen=seen)


def _word(name: str) -> str:
    """`name` with nothing of a word beside it, whatever the search makes of lower case."""
    before = r"\b" if re.match(r"\w", name) else ""
    after = r"\b" if re.search(r"\w$", name) else ""
    return f"(?-i:{before}{literal(name)}{after})"


def _told(name: str, found: Found) -> str:
    simple = re.split(r"\.|::|#|->", name)[-1]
    defined = [f"{g.path}:{n}: {text.strip()}" for g in found.groups for n, text in _definitions(g, simple)]
    total = f"{found.matches:,} of {found.total:,}" if found.more else f"{found.matches:,}"
    rows = [f"references {name}: {total} lines in {len(found.groups)} files"]
    if defined:
        rows.append("\n".join(["Defined:", *defined]))
    rows += filter(None, (_uses(group, simple) for group in found.groups))
    if found.more:
        rows.append("[… not all are shown: narrow it with paths …]")
    return "\n\n".join(rows)


def _definitions(group: Group, name: str) -> Iterable[tuple[int, str]]:
    return ((n, text) for n, _, text in group.lines if defines(group.path, text, name))


def _uses(group: Group, name: str) -> str:
    rows = [f"{n}:{text}" for n, _, text in group.lines if not defines(group.path, text, name)]
    more = [f"[… {group.count - group.hits} more in this file …]"] if group.more else []
    return "\n".join([group.path, *rows, *more]) if rows or more else ""
