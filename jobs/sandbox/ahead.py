"""A cell whose next command finds its sandbox standing: the walls go up while the model is thinking."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from jobs.errors import EnvironmentFault
from jobs.sandbox.base import Cell, Command, Result
from jobs.sandbox.cell import BubblewrapCell
from jobs.sandbox.groups import Group
from jobs.sandbox.process import Running

_STANDS_S = 20.0
_MOST = 8192  # bytes of words: bash reads them one by one
# A name that bash would take for an order to itself is none of ours to set there.
_NAME = re.compile(r"(?!BASH|SHELLOPTS|IFS|POSIXLY|(E?UID|PPID|_)$)[A-Za-z_][A-Za-z0-9_]*")
# Reads the words of a command, each ended by NUL, and becomes it; what then is left of its input is the command's.
_LAUNCHER = (
    'IFS= read -r -d "" _given; IFS= read -r -d "" _left; '
    'while ((_left-- > 0)); do IFS= read -r -d "" _word; export "$_word"; done; '
    'IFS= read -r -d "" _left; '
    'while ((_left-- > 0)); do IFS= read -r -d "" _word; set -- "$@" "$_word"; done; '
    '[[ $_given ]] || exec < /dev/null; exec -- "$@"'
)
_WAITING = Command(("/bin/bash", "--noprofile", "--norc", "-c", _LAUNCHER, "cell"))


@contextlib.contextmanager
def ahead(cell: BubblewrapCell) -> Iterator[Cell]:
    """`cell` with one sandbox more, in which nothing of the repository runs, standing ready for the next command.

    Each command still has its own sandbox. As an ordinary user it is `cell` itself: there the bound on processes is
    set when a sandbox starts, and would be an old one.
    """
    if cell.mode != "rootful":
        yield cell
        return
    made = _Ahead(cell)
    try:
        yield made
    finally:
        made.close()


@dataclass(frozen=True)
class _Standing:
    """A sandbox that waits, its group, and what ends both."""

    running: Running
    group: Group
    ends: ExitStack


class _Ahead:
    """The thread that starts what stands lives as long as this does: the sandboxes end with it."""

    def __init__(self, cell: BubblewrapCell) -> None:
        self._cell = cell
        self._starter = ThreadPoolExecutor(1, "cells-ahead")
        self._next: Future[_Standing | None] | None = self._starter.submit(self._stand)

    def close(self) -> None:
        """Ends what stands."""
        if standing := self._taken():
            standing.ends.close()
        self._starter.shutdown()

    def run(self, command: Command) -> Result:
        """As any cell does."""
        words = _words(command)
        standing = self._taken() if words is not None else None
        if words is None or standing is None:
            return self._fresh(command)
        with standing.ends:
            self._next = self._starter.submit(self._stand)
            ending = standing.running.hand(
                words + command.stdin, timeout_s=command.timeout_s, max_output=command.max_output
            )
            if ending is not None:
                return self._cell.result(ending, {}, standing.group)
        return self._cell.run(command)

    def _fresh(self, command: Command) -> Result:
        result = self._cell.run(command)
        if self._next is None:  # what should have stood had failed; the machine may be better now
            self._next = self._starter.submit(self._stand)
        return result

    def fingerprints(self) -> Mapping[str, str]:
        """As any cell does."""
        return self._cell.fingerprints()

    def read(self, path: str) -> bytes | None:
        """As any cell does."""
        return self._cell.read(path)

    def _taken(self) -> _Standing | None:
        waiting, self._next = self._next, None
        return waiting.result() if waiting else None

    def _stand(self) -> _Standing | None:
        """One sandbox more; None where it doesn't come about: the command's own will say why."""
        with ExitStack() as ends, contextlib.suppress(EnvironmentFault, OSError):
            group = ends.enter_context(self._cell.grouped())
            running = ends.enter_context(Running(self._cell.plan(_WAITING, None, group, waits=True)))
            if running.stand(_STANDS_S):
                return _Standing(running, group, ends.pop_all())
        return None


def _words(command: Command) -> bytes | None:
    """`command` as the launcher reads it; None for one that needs a sandbox made for it."""
    if command.collect or command.cwd != "/src" or not all(_NAME.fullmatch(name) for name in command.env):
        return None
    exports = [f"{name}={value}" for name, value in command.env.items()]
    words = ["given" if command.stdin else "", str(len(exports)), *exports, str(len(command.argv)), *command.argv]
    try:
        content = b"".join(word.encode() + b"\0" for word in words)
    except UnicodeEncodeError:
        return None
    whole = len(content) <= _MOST and content.count(b"\0") == len(words)
    return content if whole else None
