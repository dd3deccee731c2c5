"""The arguments of the tools behind call_tool. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.agent.tools.arguments import Strict, Texts


@dataclass(frozen=True)
class Log(Strict):
    """Arguments of log: the last `count` commits (of `path`; that added, removed or changed `pattern`)."""

    path: str | None = None
    count: int = 15
    pattern: str | None = None


@dataclass(frozen=True)
class Blame(Strict):
    """Arguments of blame: lines from 1, both included."""

    path: str
    start: int
    end: int


@dataclass(frozen=True)
class Show(Strict):
    """Arguments of show: a commit's change (in `path`); `commit:path` as `commit` is a file as it was."""

    commit: str
    path: str | None = None


@dataclass(frozen=True)
class Symbols(Strict):
    """Arguments of symbols: files, folders or globs."""

    paths: Texts


@dataclass(frozen=True)
class References(Strict):
    """Arguments of references: a whole word."""

    name: str
    paths: Texts = ()


@dataclass(frozen=True)
class Undo(Strict):
    """Arguments of undo: the round behind which the tree was as it shall be again; 0 is before the first."""

    round: int


@dataclass(frozen=True)
class More(Strict):
    """Arguments of more: lines of a kept output, from 1, both included; of line `start` from its `character` on."""

    output: int
    start: int = 1
    end: int | None = None
    character: int = 1


@dataclass(frozen=True)
class Lock(Strict):
    """Arguments of lock: none."""
