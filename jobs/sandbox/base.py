"""What the rest of Patchwright knows of a cell: a command in, a result out. Pure.

A cell is one command run in containment. The tree is always at /src, the layer at /env, reports go
to /out (fresh for each command), HOME and /tmp are private.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Ended = Literal["exit", "timeout", "output", "killed"]


@dataclass(frozen=True)
class Command:
    """One command for a cell. `collect` names files that it may leave in /out (paths relative to /out)."""

    argv: tuple[str, ...]
    timeout_s: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/src"
    stdin: bytes = b""
    max_output: int = 4 << 20  # bytes of stdout and stderr together; more ends the command
    collect: tuple[str, ...] = ()

    @classmethod
    def shell(cls, line: str, *, timeout_s: float = 120.0, env: Mapping[str, str] | None = None) -> Command:
        """`line` as bash runs it, with failures in a pipeline not hidden."""
        return cls(("bash", "-o", "pipefail", "-c", line), timeout_s=timeout_s, env=env or {})


@dataclass(frozen=True)
class Result:
    """How a command ended. `exit_code` is None unless it exited by itself; stdout and stderr are merged
    in `output` in the order written. `files` holds what was collected from /out; `reason` says in a sentence
    why the command was ended, if it was."""

    exit_code: int | None
    output: bytes
    seconds: float
    ended: Ended = "exit"
    files: Mapping[str, bytes] = field(default_factory=dict)
    reason: str = ""

    @property
    def ok(self) -> bool:
        """True if it exited by itself with 0."""
        return self.ended == "exit" and self.exit_code == 0

    @property
    def text(self) -> str:
        """The output as text; undecodable bytes are replaced."""
        return self.output.decode("utf-8", "replace")


class Cell(Protocol):
    """Runs commands on one tree. Every call is a fresh sandbox over the same tree."""

    def run(self, command: Command) -> Result:
        """Runs `command`; never raises for what the command does.

        Raises EnvironmentFault if the sandbox itself can't start.
        """
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """`size:mtime_ns:ctime_ns:mode` of every file of the tree by path, read from outside between two commands: no
        content, no link followed, generated folders left out. Equal fingerprints mean an unchanged file."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of the regular file at `path` (relative to the tree), read from outside between two commands; None
        where there is none, where a part of `path` is a link, or above 10 MB."""
        ...
