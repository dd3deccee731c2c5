"""The arguments of each tool, checked, and the JSON Schema that the model is told. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import AllowInfNan, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from jobs.agent.tools import misfit


def _several(value: Any) -> Any:
    """One text where a list of texts is asked for is a list of one."""
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]
Seconds = Annotated[float, AllowInfNan(False)]


class Strict:
    """Arguments of which every one must be known."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Range(Strict):
    """Lines `start` to `end` of a file, from 1, both included."""

    path: str
    start: int
    end: int


@dataclass(frozen=True)
class Anchor(Strict):
    """`around` lines on each side of a line."""

    path: str
    line: int
    around: int = 20


@dataclass(frozen=True)
class ListMatches(Strict):
    """The line numbers on which a regular expression matches."""

    pattern: str
    paths: Texts = ()


@dataclass(frozen=True)
class ReadFile(Strict):
    """Arguments of readfile."""

    paths: Texts = ()
    ranges: tuple[Range, ...] = ()
    anchor_lines: tuple[Anchor, ...] = ()
    list_matches: ListMatches | None = None


@dataclass(frozen=True)
class Search(Strict):
    """Arguments of search."""

    patterns: Texts
    paths: Texts = ()
    glob: str | None = None
    context: int = 2
    regex: bool = False


@dataclass(frozen=True)
class OneEdit(Strict):
    """One replacement in one file."""

    path: str
    old_string: str
    new_string: str
    change_context: str | None = None
    replace_all: bool = False


@dataclass(frozen=True)
class Edit(Strict):
    """Arguments of edit."""

    edits: tuple[OneEdit, ...]


@dataclass(frozen=True)
class NewFile(Strict):
    """One file's whole content."""

    path: str
    content: str


@dataclass(frozen=True)
class WriteFile(Strict):
    """Arguments of write_file."""

    files: tuple[NewFile, ...]


@dataclass(frozen=True)
class Shell(Strict):
    """Arguments of shell."""

    command: str
    timeout_s: Seconds = 120.0


@dataclass(frozen=True)
class RunTests(Strict):
    """Arguments of run_tests."""

    tests: Texts = ()
    pattern: str | None = None


@dataclass(frozen=True)
class CallTool(Strict):
    """Arguments of call_tool: a further tool's name, and what it takes."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def check(kind: type, arguments: Any) -> Any:
    """`arguments` as an instance of `kind`. Raises ValueError that says in one line what is wrong with them."""
    try:
        return TypeAdapter(kind).validate_python(arguments)
    except ValidationError as wrong:
        raise ValueError(misfit.told(wrong.errors(include_url=False))) from None


def schema(kind: type) -> dict[str, Any]:
    """The JSON Schema of `kind`, short: references inlined, titles and descriptions left out."""
    full = TypeAdapter(kind).json_schema()
    return dict(_slim(full, full.get("$defs", {})))


def _slim(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_slim(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _slim(definitions[node["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in node:  # "… or null" is said by leaving it out
        return _slim(next(one for one in node["anyOf"] if one.get("type") != "null"), definitions)
    kept = {k: v for k, v in node.items() if k not in ("$defs", "title", "description", "default")}
    if "properties" in kept:  # an argument may well be called title
        kept["properties"] = {name: _slim(v, definitions) for name, v in node["properties"].items()}
        return {k: v if k == "properties" else _slim(v, definitions) for k, v in kept.items()}
    return {k: _slim(v, definitions) for k, v in kept.items()}
