"""Serves one request to a script beside it, in a cell: `python3 -I -S wire.py files`, JSON in, JSON out.

It runs at every call of a tool, so it begins quickly: `json` and `subprocess` would take longer to load than Python
itself to start. Standard library only.
"""

from __future__ import annotations

import os
import select
import sys
import time

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

_KILL = 9  # the signal module takes its time to load
_CHUNK = 1 << 16


class Child:
    """A program whose output is read while it runs; leaving the `with` block ends it, whatever it still does."""

    def __init__(self, argv: list[str], *, seconds: float = 25.0, env: dict[str, str] | None = None) -> None:
        """Starts `argv`; after `seconds` no more is read (`late`). Raises OSError if it can't be started."""
        self.out, out = os.pipe()
        self._words, words = os.pipe()
        self.until = time.monotonic() + seconds
        self.late = self.done = self._over = False
        self._rest = b""
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out, 1),
            (os.POSIX_SPAWN_DUP2, words, 2),
        ]
        try:
            self._pid = os.posix_spawn(argv[0], argv, env or dict(os.environ), file_actions=actions)
        except OSError:
            os.close(self.out)
            os.close(self._words)
            raise
        finally:
            os.close(out)
            os.close(words)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if not self._over:
            os.kill(self._pid, _KILL)
            os.waitpid(self._pid, 0)
        os.close(self.out)
        os.close(self._words)

    def records(self, end: bytes) -> Iterator[bytes]:
        """What it writes, cut at each `end`, until it ends or its time is up (`late`)."""
        for _, batch in first_of([self], end):
            yield from batch

    def pull(self, end: bytes) -> list[bytes] | None:
        """The records that have come; None once it has ended."""
        data = os.read(self.out, _CHUNK)
        if not data and self._rest:
            last, self._rest = self._rest, b""
            return [last]
        self.done = not data
        *whole, self._rest = (self._rest + data).split(end)
        return None if self.done else whole

    def words(self) -> str:
        """What it complained about, up to 64 KiB; waits for its end."""
        return os.read(self._words, _CHUNK).decode("utf-8", "replace").strip()

    def ended(self) -> int:
        """Its exit code; waits for its end."""
        self._over = True
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def first_of(children: list[Child], end: bytes) -> Iterator[tuple[Child, list[bytes]]]:
    """Which of `children` wrote which records, until one of them has ended or their time is up."""
    waiting = select.poll()
    for child in children:
        waiting.register(child.out, select.POLLIN)
    until = min(child.until for child in children)
    while True:
        ready = {fd for fd, _ in waiting.poll(max(0.0, until - time.monotonic()) * 1000)}
        if not ready:
            for child in children:
                child.late = True
            return
        for child in children:
            batch = child.pull(end) if child.out in ready else []
            if batch is None:
                return
            if batch:
                yield child, batch


def program(name: str) -> str:
    """Where PATH has the program; the bare name where it has not."""
    places = (f"{folder}/{name}" for folder in os.get_exec_path())
    return next((place for place in places if os.access(place, os.X_OK)), name)


def parse(text: str) -> Any:
    """What the JSON `text` says."""
    try:
        from _json import make_scanner  # noqa: PLC0415   json without its load of re

        scan: Any = make_scanner  # told by its shape, not by its type
        return scan(_Plain)(text.strip(), 0)[0]
    except (ImportError, AttributeError, TypeError):
        import json  # noqa: PLC0415   slow to load, and needed only where an interpreter differs

        return json.loads(text)


class _Plain:
    """How JSON is read where nothing is special."""

    strict, memo = True, None
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def told(value: Any) -> str:
    """`value` as JSON, in ASCII."""
    try:
        from _json import encode_basestring_ascii, make_encoder  # noqa: PLC0415

        make: Any = make_encoder
        encode = make(None, None, encode_basestring_ascii, None, ":", ",", False, False, True)
        return "".join(encode(value, 0))
    except (ImportError, AttributeError, TypeError):
        import json  # noqa: PLC0415   see parse

        return json.dumps(value)


if __name__ == "__main__":
    sys.modules["wire"] = sys.modules["__main__"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    script: Any = __import__(sys.argv[1])
    sys.stdout.write(told(script.answer(parse(sys.stdin.read()))))
