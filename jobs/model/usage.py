"""Token counts and their price. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_MOST = 1 << 40  # more tokens than any reply has


def counted(value: object) -> int:
    """A count as an endpoint told it; 0 for anything that is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST
    return int(value) if known else 0  # type: ignore[call-overload] # a number by the line above


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more replies, as the endpoint finally reported them. `input` excludes cached ones."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write_5m + other.cache_write_5m,
            self.cache_write_1h + other.cache_write_1h,
        )

    @property
    def cache_write(self) -> int:
        """Tokens written to the prompt cache, whatever their lifetime."""
        return self.cache_write_5m + self.cache_write_1h

    @property
    def total_input(self) -> int:
        """Everything the model read: fresh, cached and newly cached."""
        return self.input + self.cache_read + self.cache_write
