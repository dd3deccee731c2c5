"""A login feature in 42 rounds, told by hand: a session that wastes most of them, each in a known way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jobs.agent.record import Call, Seen

BASE, VIEWS, AUTH = "templates/base.html", "app/views.py", "app/auth.py"
ROUTES, CSS, NAV, OLD = "app/routes.py", "static/nav.css", "tests/test_nav.py", "tests/test_auth.py"
USD = 0.01  # of each round
Told = dict[str, Any]


def call(tool: str, changed: Sequence[str] = (), green: bool | None = None, **more: Any) -> dict[str, Any]:
    """One call as a session writes it; what is neither named nor a field of a call is an argument."""
    fields = {key: more.pop(key) for key in ("ok", "seen", "result", "cut", "unchanged") if key in more}
    suite = tool == "run_tests"  # its own tests, else checks behind the change
    made = Call(
        tool=tool,
        args=more,
        ok=True,
        ms=120,
        result_bytes=900,
        cut=False,
        rung=None,
        changed_files=tuple(changed),
        key=f"{tool} {json.dumps(more, sort_keys=True)}",
        checks=None if green is None or suite else {"green": green, "ran": 3, "seconds": 0.5},
        tests={"green": green, "ran": 12} if suite and green is not None else None,
    )
    return replace(made, **fields).to_trace(1)


def read(*paths: str, state: str = "1") -> Told:
    """Shows whole files."""
    return call("readfile", paths=list(paths), seen={p: Seen.whole(f"{p}@{state}") for p in paths})


def lines(path: str, start: int, end: int, state: str = "1") -> Told:
    """Shows a part of a file."""
    seen = {path: Seen(f"{path}@{state}", ((start, end),))}
    return call("readfile", ranges=[{"path": path, "start": start, "end": end}], seen=seen)


def look(*patterns: str) -> Told:
    """Searches."""
    return call("search", patterns=list(patterns))


def edit(path: str, *, ok: bool = True, green: bool | None = None) -> Told:
    """Changes one file, or misses."""
    edits = [{"path": path, "old_string": "a", "new_string": "b"}]
    return call("edit", [path] if ok else [], green, ok=ok, edits=edits)


def write(path: str, content: str = "…", green: bool | None = None) -> Told:
    """Writes one file."""
    return call("write_file", [path], green, files=[{"path": path, "content": content}])


def shell(command: str, **more: Any) -> Told:
    """Runs a command."""
    return call("shell", command=command, **more)


def suite(green: bool, **more: Any) -> Told:
    """Runs the suite."""
    return call("run_tests", green=green, **more)


ROUNDS: tuple[tuple[Told, ...], ...] = (
    (read(BASE),),  # 1
    (lines(VIEWS, 1, 40),),
    (lines(VIEWS, 41, 80),),
    (look("logout"),),
    (read(AUTH),),  # 5
    (read(ROUTES, OLD), look("session", "user_name")),
    (suite(False),),
    (edit(BASE, ok=False),),
    (read(BASE),),
    (edit(BASE, ok=False),),  # 10
    (lines(BASE, 1, 30),),
    (edit(BASE, green=False),),
    (shell(f"cat {BASE}"),),
    (shell("git diff"),),
    (edit(VIEWS, green=False),),  # 15
    (shell(f"grep -n user_name {VIEWS}"),),
    (edit(AUTH, green=False),),
    (edit(ROUTES, green=False),),
    (edit(CSS, green=False),),
    (suite(False),),  # 20
    (shell("flask routes", result="same"),),
    (shell("flask routes", result="same"),),
    (shell("flask routes", result="same"),),
    (edit(VIEWS, green=True),),
    (read(VIEWS, state="2"),),  # 25
    (suite(True),),
    (shell("python -m pytest -q 2>&1 | tail -5"),),
    (write(NAV, green=False), suite(False)),
    (edit(BASE, green=True),),
    (shell("pytest tests"),),  # 30
    (read(OLD),),
    (look("nav", "logout"), read(ROUTES, state="2")),
    (edit(CSS, green=True),),
    (suite(True),),
    (write("SUMMARY.md"),),  # 35
    (shell("cat SUMMARY.md"),),
    (suite(True, result="12 passed"),),
    (suite(True, result="12 passed"),),
    (shell("git status"),),
    (write("SUMMARY.md", "more"),),  # 40
    (read(BASE, state="3"),),
    (),  # the last word
)


def trace(
    rounds: Sequence[Sequence[Told]] = ROUNDS, patch: Sequence[str] = (BASE, VIEWS, AUTH, ROUTES, CSS, NAV)
) -> list[str]:
    """The trace's lines: an opening, the rounds, and the hunks of the change that was published."""
    opening = {"type": "note", "run": "r-42", "why": "opening", "text": "", "calls": [call("readfile", paths=["."])]}
    events = [opening, *(_round(n, calls) for n, calls in enumerate(rounds, 1))]
    hunks = [{"type": "hunk", "run": "r-42", "file": path, "state": "needed"} for path in patch]
    end = {"type": "run.finished", "run": "r-42", "outcome": "fixed"}
    return [json.dumps(event) for event in [*events, *hunks, end]]


def _round(n: int, calls: Sequence[Told]) -> dict[str, Any]:
    usage = {"input": 100, "output": 50, "cache_read": 800, "cache_write": 100}
    times = {"first_token_ms": 300, "tokens_per_s": 80.5, "seconds": 1.25}
    size = {"request_bytes": 4000 + 100 * n, "tool_output_bytes": 1000 + 100 * n}
    stop = "tool_use" if calls else "end_turn"
    head = {"type": "round", "run": "r-42", "n": n, "model": "m", "usage": usage, "usd": USD, "stop_reason": stop}
    return {**head, **times, **size, "calls": list(calls)}
