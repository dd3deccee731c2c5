"""The steps of a job in order; those of the repository's own composite actions stand where they are used. Pure but
for reading."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import yaml

from jobs.suite.ci.expressions import Contexts, fill, holds
from jobs.suite.ci.job import Step
from jobs.suite.source import Source, table
from jobs.yaml_nodes import load

_WORKSPACE = re.compile(r"\$GITHUB_WORKSPACE\b|\$\{GITHUB_WORKSPACE\}")
_DEEPEST = 4
_MOST = 300


@dataclass(frozen=True)
class Place:
    """Where steps stand: the contexts that their expressions see, variables, and the folder they start in."""

    source: Source
    contexts: Contexts
    env: Mapping[str, str]
    folder: str = ""
    depth: int = 0


def steps(given: list[Any], place: Place) -> Iterator[Step]:
    """The steps that run, as far as their conditions can be told."""
    for one in given[:_MOST]:
        step = table(one)
        if holds(step.get("if"), place.contexts):
            yield from _step(step, place)


def words(given: object, contexts: Contexts) -> dict[str, str]:
    """A table of variables or inputs as text, expressions put in."""
    return {str(key): fill(_text(one), contexts) for key, one in table(given).items()}


def _step(step: dict[str, Any], place: Place) -> Iterator[Step]:
    env = {**place.env, **words(step.get("env"), place.contexts)}
    contexts = {**place.contexts, "env": {**env, "*": None}}
    name, uses = str(step.get("name") or step.get("id") or ""), str(step.get("uses") or "")
    if uses.startswith("./"):
        inner = table(step.get("with"))
        yield from _action(uses.removeprefix("./"), replace(place, contexts=contexts, env=env), inner)
    elif uses:
        yield Step(name, "", env=env, uses=uses, given=words(step.get("with"), contexts))
    elif isinstance(step.get("run"), str):
        folder = folder_of(fill(str(step.get("working-directory") or place.folder), contexts))
        run = _WORKSPACE.sub("/src", fill(step["run"], contexts))
        yield Step(name, run, folder, env, shell=str(step.get("shell") or ""))


def _action(folder: str, place: Place, given: dict[str, Any]) -> Iterator[Step]:
    path = place.source.first(*(posixpath.normpath(f"{folder}/{name}") for name in ("action.yml", "action.yaml")))
    if path is None or place.depth >= _DEEPEST:
        return
    try:
        whole = table(load(place.source.text(path), shared=True)[0])
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    defaults = {key: table(one).get("default") for key, one in table(whole.get("inputs")).items()}
    inputs = words({**defaults, **given}, place.contexts)
    inner = table(whole.get("runs")).get("steps")
    contexts = {**place.contexts, "inputs": inputs}
    yield from steps(
        inner if isinstance(inner, list) else [],
        replace(place, contexts=contexts, folder="", depth=place.depth + 1),
    )


def folder_of(path: str) -> str:
    """A folder below the repository as it is named there; empty for its top and for what lies elsewhere, and as it is
    written where only a run can tell it."""
    if "${{" in path:
        return path
    inside = path.removeprefix("/src/") if path.startswith("/src/") else path
    plain = posixpath.normpath(inside.strip() or ".")
    return "" if plain in (".", "/src") or plain.startswith(("/", "..", "$")) else plain


def _text(found: object) -> str:
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float) and found.is_integer():
        return str(int(found))
    return str(found) if isinstance(found, str | int | float) else ""
