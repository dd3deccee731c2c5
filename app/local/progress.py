"""The progress of a run as lines on a terminal or in a log."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

_STAGES = {
    "workspace": "workspace: checking the commit out",
    "setup": "set-up: installing what the suite needs",
    "baseline": "baseline: the full suite on the base commit",
    "fixers": "fixers: the repository's own, before any model",
    "attempt": "agent: at work, network off",
    "verify": "verify: the full suite on the result, in fresh cells",
    "score": "score: is every hunk needed?",
    "publish": "publish: branch and receipt",
}
_LONGEST = 120  # characters of a command
_NODE_ID = re.compile(r"(?:^|[\s'\"])([^\s'\"]+?)::")
_SCRIPT = re.compile(r"(?:^|\s)(?![-/])([^\s'\"=]+\.[cm]?[jt]sx?)(?=\s|$)")


class Progress:
    """Prints what happens to `out`: one line an event that people care for, with the time since the start."""

    def __init__(self, out: TextIO, *, indent: str = "") -> None:
        # soft_wrap: a log file or a narrow terminal gets each line whole.
        self._console = Console(file=out, highlight=False, soft_wrap=True)
        self._indent = indent
        self._began = time.monotonic()

    def __call__(self, type: str, fields: Mapping[str, Any]) -> None:
        """Tells one event of the trace."""
        line = describe(type, fields)
        if line is not None:
            self.say(line, dim=type not in ("stage.started", "run.finished"))

    def say(self, line: str, *, dim: bool = False) -> None:
        """Prints `line` with the time since the start."""
        clock = f"{time.monotonic() - self._began:6.1f}s "
        style = "dim" if dim else "bold"
        self._console.print(Text.assemble((clock, "cyan"), self._indent, (line, style)))


def describe(type: str, fields: Mapping[str, Any]) -> str | None:
    """One event as a line, None for those that only the trace needs. Pure."""
    if type == "stage.started":
        return _STAGES.get(str(fields.get("stage")), str(fields.get("stage")))
    if type == "round":
        tools = ", ".join(str(call["tool"]) for call in fields.get("calls", ())) or _without_calls(fields)
        usd = fields.get("usd")
        return f"  round {fields.get('n')}: {tools}" + ("" if usd is None else f" (${usd:.4f})")
    if type == "suite":
        return f"  {_suite(fields)}"
    if type in ("verdict", "run.finished"):
        first = str(fields.get("reason") or "").partition("\n")[0]
        return f"{'  ' if type == 'verdict' else ''}{fields.get('outcome')}: {first}"
    return None


def _without_calls(fields: Mapping[str, Any]) -> str:
    return "cut short" if fields.get("stop_reason") == "tool_use" else "no call: done"


def _suite(fields: Mapping[str, Any]) -> str:
    counts = fields.get("counts")
    seconds = f"{fields.get('seconds', 0):.1f} s"
    what = _what(fields)
    if not counts:
        return f"{what}: exit code {fields.get('exit_code')} in {seconds}"
    told = ", ".join(f"{n} {state}" for state, n in counts.items() if n or state == "passed")
    return f"{what}: {told} in {seconds}"


def _what(fields: Mapping[str, Any]) -> str:
    """The command, short; of a run of `wanted` tests their number and file, since the ids would fill the screen."""
    command = str(fields.get("what") or fields.get("command") or "suite")
    wanted = fields.get("wanted")
    if not isinstance(wanted, int) or not wanted:
        return command if len(command) <= _LONGEST else f"{command[: _LONGEST - 2]} …"
    files = list(dict.fromkeys(_NODE_ID.findall(command) or _SCRIPT.findall(command)))
    of = "" if not files else f" of {files[0] if len(files) == 1 else f'{len(files)} files'}"
    return f"{wanted} test{'' if wanted == 1 else 's'}{of}"
