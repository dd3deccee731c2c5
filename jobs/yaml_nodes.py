"""YAML as people mean it: `off` and `yes` are words, keys come once, nothing is shared; with lines for errors. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

_DEEPEST = 20


class _Loader(yaml.SafeLoader):
    """The safe loader with the newer standard's truth values (true, false) and no dates or base-60 numbers."""


_TAG = "tag:yaml.org,2002:"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in forms if tag not in (f"{_TAG}bool", f"{_TAG}timestamp", f"{_TAG}int")]
    for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(f"{_TAG}int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))


def load(text: str, *, shared: bool = False) -> tuple[Any, yaml.Node | None]:
    """The data of one document, and its nodes for `mark_of`.

    Raises yaml.YAMLError, with a mark, also for keys that come twice, and for anchors unless they are allowed:
    `shared` data may stand for far more than was written, and must never be walked as a whole.
    """
    _refuse_tricks(text, shared)
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None, None
        _refuse_twins(root, set())
        return loader.construct_document(root), root
    finally:
        loader.dispose()


def mark_of(root: yaml.Node | None, path: Sequence[str | int]) -> yaml.Mark | None:
    """Where the value at `path` stands; as near as can be found."""
    node, mark = root, root.start_mark if root is not None else None
    for part in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == part), None)
            if found is None:
                return mark
            mark, node = found[0].start_mark, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            mark = node.start_mark
        else:
            return mark
    return mark


def _refuse_tricks(text: str, shared: bool) -> None:
    """No anchors: a few lines can stand for gigabytes. No deep nesting: reading takes the square of its depth."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if not shared and (isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None)):
            raise _error("anchors and aliases are not supported", event.start_mark)
        if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and shared:  # merging copies what is shared
            raise _error("merge keys are not supported", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise _error("nested too deeply", event.start_mark)


def _refuse_twins(node: yaml.Node, known: set[int]) -> None:
    if id(node) in known:
        return
    known.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_twins(item, known)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if str(key.value) in seen:
                raise _error(f'the key "{key.value}" comes twice', key.start_mark)
            seen.add(str(key.value))
            _refuse_twins(value, known)


def _error(problem: str, mark: Any) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
