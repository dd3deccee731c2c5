"""Reads GitHub's workflow files: the jobs, their matrix, and their steps in order. Pure but for reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from jobs.suite.ci.axes import combinations
from jobs.suite.ci.expressions import Contexts, fill, holds, value
from jobs.suite.ci.job import CiJob, Step
from jobs.suite.ci.steps import Place, steps, words
from jobs.suite.ci.versions import named_by
from jobs.suite.source import Source, table
from jobs.yaml_nodes import load

_FILES = r"\.github/workflows/[^/]+\.ya?ml"
_LARGEST = 256 << 10
_MOST_FILES = 40
_DEEPEST = 3  # workflows that call workflows


def read(source: Source) -> tuple[CiJob, ...]:
    """Every job of every workflow, once for each row of its matrix; what can't be read is left out."""
    found: list[CiJob] = []
    for path in source.matching(_FILES)[:_MOST_FILES]:
        whole = document(source, path)
        triggers = _triggers(whole.get("on"))
        if triggers != {"workflow_call"}:  # such a one is read where it is called
            found += _jobs(source, path, whole, triggers, {}, 0)
    return tuple(found)


def document(source: Source, path: str) -> dict[str, Any]:
    """The table in a YAML file of the repository; empty where it can't be read."""
    text = source.text(path)
    if not text or len(text) > _LARGEST:
        return {}
    try:
        return table(load(text, shared=True)[0])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _triggers(on: object) -> frozenset[str]:
    if isinstance(on, str):
        return frozenset({on})
    return frozenset(str(one) for one in on) if isinstance(on, list | dict) else frozenset()


def _jobs(
    source: Source, path: str, whole: dict[str, Any], triggers: frozenset[str], inputs: dict[str, Any], depth: int
) -> Iterator[CiJob]:
    contexts = {
        "inputs": _defaults(whole, inputs),
        "runner": {"os": "Linux", "arch": "X64", "*": None},
        "github": _GITHUB,
    }
    for name, one in table(whole.get("jobs")).items():
        job = table(one)
        called = str(job.get("uses", ""))
        if called.startswith("./") and depth < _DEEPEST:
            inner = called.removeprefix("./")
            given = {key: value(text, contexts) for key, text in table(job.get("with")).items()}
            yield from _jobs(source, inner, document(source, inner), triggers, given, depth + 1)
        elif not called and holds(job.get("if"), contexts):
            yield from _rows(source, path, str(name), {**job, "env": _both(whole, job, "env")}, triggers, contexts)


_GITHUB = {"event_name": "push", "workspace": "/src", "*": None, "event": {"*": None}}


def _defaults(whole: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What a called workflow's inputs are: as given, else by default."""
    on = table(whole.get("on"))
    wanted = {**table(table(on.get("workflow_dispatch")).get("inputs"))}
    wanted |= table(table(on.get("workflow_call")).get("inputs"))
    return {**{key: table(one).get("default") for key, one in wanted.items()}, **given}


def _both(whole: dict[str, Any], job: dict[str, Any], key: str) -> dict[str, Any]:
    return {**table(whole.get(key)), **table(job.get(key))}


def _rows(
    source: Source, path: str, name: str, job: dict[str, Any], triggers: frozenset[str], contexts: Contexts
) -> Iterator[CiJob]:
    rows = combinations(table(job.get("strategy")).get("matrix"), contexts)
    made = [_job(source, path, name, job, triggers, {**contexts, "matrix": row}) for row in rows]
    versions: dict[str, list[str]] = {}
    for one in made:
        for language, version in named_by(one.steps):
            versions.setdefault(language, []).append(version)
    offered = {language: tuple(dict.fromkeys(found)) for language, found in versions.items()}
    for one in made:
        yield CiJob(**{**one.__dict__, "versions": offered})


def _job(
    source: Source, path: str, name: str, job: dict[str, Any], triggers: frozenset[str], contexts: dict[str, Any]
) -> CiJob:
    env = words(job.get("env"), contexts)
    contexts = {**contexts, "env": {**env, "*": None}}
    defaults = table(table(job.get("defaults")).get("run"))
    place = Place(source, contexts, env, folder=str(defaults.get("working-directory") or ""))
    container = value(job.get("container"), contexts)
    image = container.get("image") if isinstance(container, dict) else container
    row = {str(key): _word(one) for key, one in table(contexts.get("matrix")).items()}
    return CiJob(
        workflow=path,
        name=name,
        triggers=triggers,
        labels=_labels(job.get("runs-on"), contexts),
        steps=_steps(job, place),
        services=_services(job, contexts),
        container=fill(_word(image), contexts),
        row=row,
        versions={},
    )


def _steps(job: dict[str, Any], place: Place) -> tuple[Step, ...]:
    given = job.get("steps")
    return tuple(steps(given, place)) if isinstance(given, list) else ()


def _labels(asked: object, contexts: Contexts) -> tuple[str, ...]:
    found = value(asked, contexts)
    if isinstance(found, dict):
        found = found.get("labels") or found.get("group")
    many = found if isinstance(found, list) else [found]
    return tuple(fill(_word(one), contexts) for one in many[:20])


def _services(job: dict[str, Any], contexts: Contexts) -> Mapping[str, str]:
    named = table(value(job.get("services"), contexts))
    return {str(name): fill(_word(table(one).get("image")), contexts) for name, one in named.items()}


def _word(one: object) -> str:
    """A scalar as text; what is none, or unknown, is empty."""
    if isinstance(one, bool):
        return "true" if one else "false"
    return str(one) if isinstance(one, str | int | float) else ""
