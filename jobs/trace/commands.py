"""What a shell command does, as far as its words tell: reads files, looks for something, runs tests. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

_READERS = {"cat", "head", "tail", "sed", "nl", "less", "more", "bat", "awk"}
_LOOKERS = {"grep", "egrep", "rg", "ag", "find", "ls", "tree", "fd", "wc"}
_SCRIPTED = {"sed", "awk", "grep", "egrep", "rg", "ag"}  # their first word is no file
_VALUED = {"head": "nc", "tail": "nc", "grep": "ABCme", "rg": "ABCgmt", "egrep": "ABCme", "sed": "e", "nl": "bsw"}
_QUIET = {"cd", "echo", "true", "set", "export", "pwd"}
_BREAKS = {"&&", "||", ";", "|", "&", "\n", "(", ")", ";;", "|&"}
_TESTS = re.compile(
    r"^(?:\S*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|unittest)\b"
    r"|^(?:\S*/)?python[\d.]*(?: -[A-Za-z]+)* (?:-m )?(?:pytest|unittest|\S*manage\.py test\b|\S*runtests\.py)"
    r"|^(?:npm|yarn|pnpm|bun)(?: run)? (?:-\S+ )*(?:test|t)\b|^node (?:\S+ )*--test\b"
    r"|^(?:npx|pnpm exec|uv run|poetry run|pipenv run|bundle exec|hatch run)(?: -\S+)* (?:python -m )?"
    r"(?:pytest|jest|vitest|mocha|ava|rspec|unittest)\b"
    r"|^(?:go|cargo|dotnet|mix|mvn|gradle|\S*mvnw|\S*gradlew) (?:\S+ )*test\b|^make (?:\S+ )*(?:test|check)\b"
)


@dataclass(frozen=True)
class Doing:
    """What one command is about. `other` says that it also does something that is none of these."""

    reads: frozenset[str] = frozenset()
    looks: int = 0  # searches and listings
    files: frozenset[str] = frozenset()  # that those are about, where named
    tests: bool = False
    diffs: bool = False
    other: bool = False


def doing(command: str) -> Doing:
    """Judges a shell command by the words of each of its parts."""
    base, reads, files = "", set[str](), set[str]()
    looks, tests, diffs, other = 0, False, False, False
    for argv in _parts(command):
        program, plain = argv[0].rpartition("/")[2], _operands(argv)
        if program == "cd" and plain:
            base = plain[0].rstrip("/") + "/"
        elif _TESTS.match(" ".join(argv)):
            tests = True
        elif program in _READERS and "-i" not in argv:
            reads |= {place(base + path) for path in plain}
        elif program in _LOOKERS:
            looks += 1
            files |= {place(base + path) for path in plain}
        elif program == "git" and plain[:1] and plain[0] in ("diff", "status", "show"):
            diffs = True
            files |= {place(base + path) for path in plain[1:] if "." in path}
        else:
            other = other or program not in _QUIET
    looks = 0 if reads and not files else looks  # `cat a | grep x` is a read
    return Doing(frozenset(reads), looks, frozenset(files), tests, diffs, other)


def place(path: str) -> str:
    """A path as the trace names it: relative to the tree."""
    short = path.removeprefix("/src/")
    return re.sub(r"^(?:\./)+", "", short)


def _parts(command: str) -> list[list[str]]:
    """The simple commands of a line, without redirections, variables and wrappers in front."""
    parts: list[list[str]] = [[]]
    skip = False
    for word in _words(command):
        if skip:
            skip = False
        elif word in _BREAKS:
            parts.append([])
        elif word[0] in "<>" or word == "&>":
            if parts[-1] and parts[-1][-1].isdigit():
                parts[-1].pop()
            skip = True
        else:
            parts[-1].append(word)
    return [bare for part in parts if (bare := _bare(part))]


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.commenters = ""
    lexer.whitespace_split = True
    try:
        return [word for word in lexer if word]
    except ValueError:  # an open quote
        return command.split()


def _bare(part: Sequence[str]) -> list[str]:
    assigned = len(list(takewhile(lambda w: re.match(r"\w+=", w) or w in ("time", "sudo", "env", "command"), part)))
    words = list(part[assigned:])
    return words[2:] if words[:1] == ["timeout"] else words


def _operands(argv: Sequence[str]) -> list[str]:
    """The words of a command that are neither options nor their values nor a script or pattern."""
    program = argv[0].rpartition("/")[2]
    found: list[str] = []
    valued = False
    for word in argv[1:]:
        if valued:
            valued = False
        elif word.startswith("-") and len(word) > 1:
            valued = len(word) == 2 and word[1] in _VALUED.get(program, "")
        else:
            found.append(word)
    return found[1:] if program in _SCRIPTED and "-e" not in argv else found
