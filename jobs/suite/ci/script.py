"""Cuts a step's script into its commands, as far as that can be done without running it. Pure."""

from __future__ import annotations

import re
import shlex

_CONTROL = re.compile(
    r"(?m)^[ \t]*+(?:(?:if|for|while|until|case|function|select)\b|\w+[ \t]*+\(\)[ \t]*+\{|[({][ \t]*+$)"
    r"|<<-?[ \t]?['\"]?\w"
)
# Words that only start another program, with the options of theirs that take a value.
_STARTERS = {
    "sudo": ("-u", "-g"),
    "env": ("-u",),
    "time": (),
    "nice": ("-n",),
    "exec": (),
    "command": (),
    "timeout": ("-k", "-s"),
    "xvfb-run": ("-s", "-e", "-n"),
    "dbus-run-session": (),
    "catchsegv": (),
    "stdbuf": (),
    "mise": (),
    "direnv": (),
}
_RUNNERS = {
    # program: the word that must follow for it to start another one
    "poetry": "run",
    "pdm": "run",
    "pipenv": "run",
    "uv": "run",
    "rye": "run",
    "pixi": "run",
    "bundle": "exec",
    "corepack": "",
    "pipx": "run",
    "uvx": "",
}
_VALUED = {
    "uv": ("--python", "-p", "--extra", "--group", "--with", "--package", "--project", "--directory", "--only-group"),
    "uvx": ("--python", "-p", "--with", "--from"),
    "poetry": ("-C", "--directory", "-P"),
    "pixi": ("-e", "--environment"),
}


def commands(script: str) -> list[str]:
    """The commands of `script` in their order; one with control structures stays whole, since its parts mean
    nothing alone."""
    plain = re.sub(r"[ \t]?\\\r?\n[ \t]*+", " ", script).strip()
    if _CONTROL.search(plain):
        return [plain]
    found: list[str] = []
    for line in plain.splitlines():
        text = line.strip()
        if text and not text.startswith("#"):
            found += [part for part in map(str.strip, _split(text)) if part]
    return found


def whole(command: str) -> bool:
    """True if a script with control structures, that `commands` gives uncut."""
    return "\n" in command or _CONTROL.search(command) is not None


def _split(line: str) -> list[str]:
    """A line cut at `&&` and `;` outside of quotes and brackets; `a || b` and `a | b` stay together."""
    parts, start, quote, depth, at = [], 0, "", 0, 0
    while at < len(line):
        sign = line[at]
        if quote:
            quote = "" if sign == quote and line[at - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "({":
            depth += 1
        elif sign in ")}":
            depth -= 1
        elif depth == 0 and (sign == ";" or line.startswith("&&", at)):
            parts.append(line[start:at])
            at += 1 if line.startswith("&&", at) else 0
            start = at + 1
        elif sign == "#" and at and line[at - 1].isspace():
            break
        at += 1
    return [*parts, line[start:at]]


def bare(command: str) -> list[str]:
    """The words of a command from the program on that does the work: without variables, `sudo`, `poetry run` and
    their like. Empty where it can't be read."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    while words:
        step = _started(words)
        if step == 0:
            return words
        words = words[step:]
    return []


def _started(words: list[str]) -> int:
    """How many words before the next program, 0 if the first word is the program."""
    first = words[0].rsplit("/", 1)[-1]
    if re.match(r"^\w+=", words[0]):
        return 1
    if first in _STARTERS:
        at = 1 + _options(words[1:], _STARTERS[first])
        return at + 1 if first == "timeout" and len(words) > at else at
    if first in _RUNNERS and (not _RUNNERS[first] or _RUNNERS[first] in words[1:]):
        at = words.index(_RUNNERS[first], 1) if _RUNNERS[first] else 0
        if all(word.startswith("-") for word in words[1:at][:1]):
            return at + 1 + _options(words[at + 1 :], _VALUED.get(first, ()))
    return 0


def _options(words: list[str], valued: tuple[str, ...]) -> int:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
        if words[at - 1] == "--":
            break
    return at
