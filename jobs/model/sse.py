"""Server-sent events out of bytes, as chat completions are streamed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_END = re.compile(rb"\r\n|\n|\r(?!\Z)")  # a last CR may be half an end


def data(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The `data` of each event. Lines end with LF, CR LF or CR, and nothing else: a text may hold other separators."""
    lines: list[bytes] = []
    for line in _lines(chunks):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            yield b"\n".join(lines)
            lines = []
    if lines:
        yield b"\n".join(lines)  # many endpoints leave out the last blank line; half a line is no JSON


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = _END.split(rest + chunk)
        yield from whole
    if rest:
        yield rest.removesuffix(b"\r")
