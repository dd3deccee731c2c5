"""One rule that moves text from its writer's indentation to the file's, proven on every line. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_Rule = Callable[[str], str | None]


def shift(there: Sequence[str], given: Sequence[str], new: Sequence[str]) -> tuple[str, ...] | None:
    """`new` moved as `given` must be moved to lie on `there`; None if no single rule explains every line, or
    the rule can't be applied to a line of `new`."""
    pairs = [(_indent(t), _indent(g)) for t, g in zip(there, given, strict=True) if t.strip() and g.strip()]
    for rule in (_kept(pairs), _added(pairs), _removed(pairs), _tabs(pairs), _spaces(pairs)):
        if rule is not None:
            break
    else:
        return None
    moved = [_moved(row, rule) for row in new]
    if any(row is None for row in moved) or _mixes(moved, there):
        return None
    return tuple(row for row in moved if row is not None)


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]


def _moved(row: str, rule: _Rule) -> str | None:
    if not row.strip():
        return row
    indent = rule(_indent(row))
    return None if indent is None else indent + row.lstrip()


def _mixes(moved: Sequence[str | None], there: Sequence[str]) -> bool:
    """True if the new lines would begin with tabs and spaces where the file's lines don't."""
    return any(_mixed(row or "") for row in moved) and not any(_mixed(row) for row in there)


def _mixed(row: str) -> bool:
    return {" ", "\t"} <= set(_indent(row))


def _kept(pairs: Sequence[tuple[str, str]]) -> _Rule | None:
    return (lambda indent: indent) if all(f == g for f, g in pairs) else None


def _added(pairs: Sequence[tuple[str, str]]) -> _Rule | None:
    more = {f.removesuffix(g) for f, g in pairs if f.endswith(g)}
    if len(more) != 1 or not all(f.endswith(g) for f, g in pairs):
        return None
    (prefix,) = more
    return lambda indent: prefix + indent


def _removed(pairs: Sequence[tuple[str, str]]) -> _Rule | None:
    less = {g.removesuffix(f) for f, g in pairs if g.endswith(f)}
    if len(less) != 1 or not all(g.endswith(f) for f, g in pairs):
        return None
    (prefix,) = less
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def _tabs(pairs: Sequence[tuple[str, str]]) -> _Rule | None:
    """The file has tabs where the writer has n spaces each."""
    width = _width(pairs)
    if width is None:
        return None
    return lambda indent: "\t" * (len(indent) // width) + " " * (len(indent) % width) if "\t" not in indent else None


def _spaces(pairs: Sequence[tuple[str, str]]) -> _Rule | None:
    """The file has n spaces where the writer has one tab."""
    width = _width([(g, f) for f, g in pairs])
    if width is None:
        return None
    return lambda indent: " " * (len(indent) * width) if " " not in indent else None


def _width(pairs: Sequence[tuple[str, str]]) -> int | None:
    """The n for which every second indent is n spaces for each tab of the first."""
    if any(set(tabs) - {"\t"} or set(spaces) - {" "} for tabs, spaces in pairs):
        return None
    widths = {len(spaces) / len(tabs) for tabs, spaces in pairs if tabs}
    if len(widths) != 1 or any(spaces for tabs, spaces in pairs if not tabs):
        return None
    width = widths.pop()
    return int(width) if width >= 1 and width == int(width) else None
