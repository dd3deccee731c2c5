"""Reads a test command: which runner it ends in, and how arguments are added to it. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

# Words that only start another program; what follows them is the command.
_LAUNCHERS = frozenset(
    {"npx", "exec", "run", "env", "cross-env", "uv", "poetry", "pdm", "hatch", "pipenv", "c8", "nyc", "bunx", "dlx"}
)
_OPERATORS = re.compile(r"&&|\|\||;|\||\n|&")
_PACKAGE_MANAGERS = ("npm", "yarn", "pnpm", "bun")
_SIMPLE_RUNNERS = {"py.test": "pytest", "_mocha": "mocha"} | {n: n for n in ("pytest", "jest", "vitest", "mocha")}


def runner_of(command: str, script: str = "") -> str:
    """The runner that `command` (or the package script that it runs) ends in; `other` if none is recognised."""
    words = program(last_command(script or command))
    if not words:
        return "other"
    name = words[0].rsplit("/", 1)[-1]
    if name.startswith("python") or name == "pypy3":
        return _python_runner(words[1:])
    if name.removesuffix(".js") == "node":
        return _node_runner(words[1:])
    if name == "coverage" and words[1:2] == ["run"]:
        return _python_runner(words[2:])
    return _SIMPLE_RUNNERS.get(name, "other")


def runs_script(command: str) -> str | None:
    """The package.json script that `command` runs (`test` for `npm test`), or None."""
    words = program(last_command(command), launchers=False)
    if not words or words[0] not in _PACKAGE_MANAGERS:
        return None
    rest = [w for w in words[1:] if not w.startswith("-")]
    if rest[:1] in (["test"], ["t"]):
        return "test"
    if rest[:1] in (["run"], ["run-script"]) and len(rest) > 1:
        return rest[1]
    return None


def append(command: str, words: Iterable[str]) -> str:
    """`command` with arguments for the runner that it ends in; `npm test` passes them on behind `--`."""
    tail = " ".join(shlex.quote(word) for word in words)
    if not tail:
        return command
    npm = program(last_command(command), launchers=False)[:1] in (["npm"], ["pnpm"])
    between = " -- " if npm and runs_script(command) and " -- " not in command else " "
    return f"{command.rstrip()}{between}{tail}"


def last_command(line: str) -> str:
    """The last simple command of a shell line."""
    return _OPERATORS.split(line)[-1].strip()


def simple(line: str) -> bool:
    """True if `line` is one simple command: no operators, substitutions or redirections."""
    return not re.search(r"[&|;<>`$(){}\n]", line)


def program(line: str, *, launchers: bool = True) -> list[str]:
    """The words of a simple command from its program on; assignments (and launchers, if asked) are left out."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    while words and (re.match(r"^\w+=", words[0]) or (launchers and words[0] in _LAUNCHERS)):
        words = words[1:]
        while launchers and words and words[0].startswith("--"):
            words = words[1:]
    return words


def _python_runner(words: list[str]) -> str:
    if "-m" in words:
        module = words[words.index("-m") + 1 : words.index("-m") + 2]
        return {"pytest": "pytest", "unittest": "unittest"}.get("".join(module), "other")
    scripts = [w for w in words if not w.startswith("-")]
    return "unittest" if scripts[:1] and scripts[0].endswith("manage.py") and "test" in scripts[1:2] else "other"


def _node_runner(words: list[str]) -> str:
    if "--test" in words:
        return "node"
    scripts = [w for w in words if not w.startswith("-")]
    found = re.search(r"node_modules/(?:\.bin/)?(jest|vitest|_?mocha)\b", scripts[0]) if scripts else None
    return _SIMPLE_RUNNERS[found.group(1)] if found else "other"
