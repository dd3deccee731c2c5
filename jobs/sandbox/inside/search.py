"""Searches the tree with ripgrep from inside a cell: JSON in, JSON out, standard library only.

    python3 -I -S search.py     {"patterns": [...], "paths": [...], "globs": [...], "context": 2, "regex": false,
                                 "limit": 100, "per_file": 20} on stdin

Answers `{"groups": [{"path", "more", "lines": [[number, is_match, text], …]}], "matches": n, "more": bool,
"absent": [pattern, …], "error": str | null}`. Stops ripgrep once `limit` matches were seen.
"""

from __future__ import annotations

import json
import subprocess
import sys

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from typing import IO, Any

RG = "/opt/patchwright/bin/rg"
BASE = [
    RG,
    "--no-config",
    "--hidden",
    "--no-messages",
    "--smart-case",
    "--glob",
    "!.git",
    "--glob",
    "!**/node_modules/**",
    "--glob",
    "!**/*.egg-info/**",
]
WIDTH = 500  # characters of a line that are shown


def arguments(request: dict[str, Any], patterns: list[str]) -> list[str]:
    """What ripgrep is told about patterns and places."""
    flags = [] if request.get("regex") else ["--fixed-strings"]
    globs = [part for g in request.get("globs") or [] for part in ("--glob", g)]
    wanted = [part for p in patterns for part in ("--regexp", p)]
    return [*flags, *globs, *wanted, "--", *(request.get("paths") or ["."])]


def text_of(field: dict[str, Any]) -> str:
    """A text or bytes field of ripgrep's JSON as one line."""
    text = field.get("text")
    if text is None:
        text = "(a line that is not UTF-8)"
    return text.rstrip("\r\n")[:WIDTH]


def collect(stream: IO[bytes] | None, limit: int, per_file: int) -> tuple[list[dict[str, Any]], int, bool]:
    """Groups by file from ripgrep's JSON lines, until `limit` matches were seen; at most `per_file` in each."""
    groups: list[dict[str, Any]] = []
    matches = hits = 0
    for line in stream or ():
        event = json.loads(line)
        kind, data = event["type"], event["data"]
        if kind == "begin":
            groups.append({"path": text_of(data["path"]).removeprefix("./"), "lines": [], "more": False})
            hits = 0
        elif kind in ("match", "context"):
            hit = kind == "match"
            if hit and matches == limit:
                return groups, matches, True
            groups[-1]["more"] |= hit and hits == per_file
            if groups[-1]["more"]:
                continue
            matches += hit
            hits += hit
            groups[-1]["lines"].append([data["line_number"], hit, text_of(data["lines"])])
    return groups, matches, False


def search(request: dict[str, Any]) -> dict[str, Any]:
    """Matches with their context, and which patterns match nowhere."""
    per_file = request.get("per_file", 20)
    limits = ["--max-count", str(per_file + 1), "--context", str(request.get("context", 2))]
    command = [*BASE, "--json", "--sort", "path", *limits, *arguments(request, request["patterns"])]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as rg:
        groups, matches, more = collect(rg.stdout, request.get("limit", 100), per_file)
        rg.kill()
        assert rg.stderr is not None
        complaint = rg.stderr.read().decode("utf-8", "replace").strip()
    return {
        "groups": groups,
        "matches": matches,
        "more": more,
        "absent": absent(request, matches),
        "error": complaint[:2000] or None,
    }


def absent(request: dict[str, Any], matches: int) -> list[str]:
    """The patterns without any match."""
    patterns = request["patterns"]
    if matches == 0 or len(patterns) == 1:
        return [] if matches else patterns
    quiet = [
        subprocess.run([*BASE, "--quiet", *arguments(request, [p])], check=False, stdin=subprocess.DEVNULL)
        for p in patterns
    ]
    return [p for p, done in zip(patterns, quiet, strict=True) if done.returncode != 0]


if __name__ == "__main__":
    json.dump(search(json.load(sys.stdin)), sys.stdout)
