"""Adds up what a run left about executed files; started by wire.py, standard library only.

    {"root": "/src", "python": folder, "node": folder}

Answers `{"tests": {test or file of tests: [path, …]}, "together": [[path, …], …]}`: what our pytest plugin wrote,
and the files that each process of Node executed, by its own coverage reports.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_BYTES = 32 << 20  # of one report
MOST_REPORTS = 400


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """See above."""
    tests: dict[str, set[str]] = {}
    for report in reports(request["python"]):
        files = report.get("files") or []
        for name, numbers in (report.get("tests") or {}).items():
            tests.setdefault(name, set()).update(files[number] for number in numbers)
    start = f"file://{os.path.realpath(request['root'])}/"
    together = [executed(report, start) for report in reports(request["node"])]
    return {"tests": {name: sorted(files) for name, files in tests.items()}, "together": [t for t in together if t]}


def reports(folder: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in the folder's files; those that are none are left out."""
    names = sorted(os.listdir(folder))[:MOST_REPORTS] if os.path.isdir(folder) else []
    for name in names:
        path = os.path.join(folder, name)
        try:
            if os.path.getsize(path) > MOST_BYTES:
                continue
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            yield data


def executed(report: dict[str, Any], start: str) -> list[str]:
    """The tree's files of which a function ran; of one without functions, that it was loaded."""
    found = set()
    for script in report.get("result") or []:
        url, functions = script.get("url", ""), script.get("functions") or []
        inner = functions[1:]
        ran = any(function["ranges"][0]["count"] for function in inner) if inner else bool(functions)
        if ran and url.startswith(start) and "/node_modules/" not in url:
            found.add(url[len(start) :].split("?")[0])
    return sorted(found)
