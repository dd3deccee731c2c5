"""A file's bytes as lines, each with its own ending, and the splice that leaves every other byte alone. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from jobs.agent.tools.runs import runs
from jobs.errors import PatchwrightError

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class NotText(PatchwrightError):
    """The bytes are no text that can be edited line by line, or the new text does not fit their encoding."""


@dataclass(frozen=True)
class Lines:
    """`pieces` are what stands between line feeds (a final line feed leaves a last empty piece); `endings[n]` is
    what follows `pieces[n]`, so there is one ending less than pieces."""

    pieces: tuple[str, ...]
    endings: tuple[str, ...]
    encoding: str
    bom: bytes

    @classmethod
    def decode(cls, data: bytes) -> Lines:
        """Splits on line feeds only: other separators (form feed, U+2028 …) belong to their line."""
        bom, encoding = next((row for row in _BOMS if data.startswith(row[0])), None) or (b"", _encoding(data))
        try:
            text = data[len(bom) :].decode(encoding)
        except UnicodeDecodeError as wrong:
            raise NotText(f"it is not valid {encoding}") from wrong
        raw = text.split("\n")
        if "\r" not in text:
            return cls(tuple(raw), ("\n",) * (len(raw) - 1), encoding, bom)
        endings = tuple("\r\n" if piece.endswith("\r") else "\n" for piece in raw[:-1])
        pieces = (*(p.removesuffix("\r") for p in raw[:-1]), raw[-1])
        return cls(pieces, endings, encoding, bom)

    def encode(self) -> bytes:
        """The bytes: of an unchanged value exactly those that were decoded."""
        if "\r\n" in self.endings:
            text = "".join(p + e for p, e in zip(self.pieces, (*self.endings, ""), strict=True))
        else:
            text = "\n".join(self.pieces)
        return self.bom + text.encode(self.encoding)

    @cached_property
    def view(self) -> str:
        """The text with every line ending as one line feed."""
        return "\n".join(self.pieces)

    @cached_property
    def starts(self) -> list[int]:
        """Where each piece begins in the view."""
        return [n + before for n, before in enumerate(accumulate(map(len, self.pieces[:-1]), initial=0))]

    @cached_property
    def solid(self) -> list[int]:
        """The numbers (from 0) of the rows that hold text."""
        return [n for n, row in enumerate(self.rows) if row and not row.isspace()]

    def with_word(self, word: str, most: int) -> list[int]:
        """The numbers of the pieces that hold `word`; no more than `most`."""
        if (word, most) not in self._held:
            self._held[word, most] = self._with_word(word, most)
        return self._held[word, most]

    @cached_property
    def _held(self) -> dict[tuple[str, int], list[int]]:
        return {}

    def _with_word(self, word: str, most: int) -> list[int]:
        out: list[int] = []
        at = self.view.find(word)
        while at >= 0 and len(out) < most:
            out.append(bisect_right(self.starts, at) - 1)
            at = self.view.find(word, self.starts[out[-1]] + len(self.pieces[out[-1]]))
        return out

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The lines as an editor counts them: without the empty piece behind a final line feed."""
        return self.pieces[:-1] if self.pieces[-1] == "" else self.pieces

    def splice(self, first: int, given: Sequence[str], new: Sequence[str], moved: Sequence[str]) -> Lines:
        """Puts `new` where `given` (the writer's rendition of the pieces from `first`) stands.

        Lines that the writer left as they were keep the file's own bytes; the others are written as `moved` has
        them and take the ending of the line they replace, else of the one before.
        """
        last = first + len(given) - 1
        placed = self._placed(first, given, new, moved)
        self._fits([text for text, source in placed if source is None])
        pieces = [text for text, _ in placed]
        if not pieces:
            return self._without(first, last)
        between = [self._ending(at) for at in _sources(placed, first)][:-1]
        return replace(
            self,
            pieces=(*self.pieces[:first], *pieces, *self.pieces[last + 1 :]),
            endings=(*self.endings[:first], *between, *self.endings[last:]),
        )

    def _placed(
        self, first: int, given: Sequence[str], new: Sequence[str], moved: Sequence[str]
    ) -> list[tuple[str, int | None]]:
        """(text, the piece it is or None) of each line that will stand there."""
        out: list[tuple[str, int | None]] = []
        for equal, i1, i2, j1, j2 in runs(given, new):
            if equal:
                out += [(self.pieces[first + i], first + i) for i in range(i1, i2)]
            else:
                out += [(text, None) for text in moved[j1:j2]]
        return out

    def _without(self, first: int, last: int) -> Lines:
        pieces = (*self.pieces[:first], *self.pieces[last + 1 :])
        cut = slice(first, last + 1) if last < len(self.endings) else slice(max(first - 1, 0), last)
        endings = [e for n, e in enumerate(self.endings) if n not in range(cut.start, cut.stop)]
        return replace(self, pieces=pieces or ("",), endings=tuple(endings))

    def _ending(self, at: int) -> str:
        if 0 <= at < len(self.endings):
            return self.endings[at]
        return self.endings[-1] if self.endings else "\n"

    def _fits(self, texts: Sequence[str]) -> None:
        """8-bit text of unknown kind takes only ASCII, or characters that already stand in the file."""
        if self.encoding != "latin-1":
            return
        known = set("".join(self.pieces))
        strange = sorted({c for text in texts for c in text if ord(c) > 127 and c not in known})
        if strange:
            raise NotText(f"it is not UTF-8 and can't safely take {''.join(strange[:5])!r}")


def fold(text: str) -> str:
    """`text` with CRLF as LF, as old and new text is compared."""
    return text.replace("\r\n", "\n")


def _sources(placed: Sequence[tuple[str, int | None]], first: int) -> list[int]:
    """For each placed line, the old line whose ending it takes: its own, else that of the line before."""
    at, out = first, []
    for _, source in placed:
        at = at if source is None else source
        out.append(at)
    return out


def _encoding(data: bytes) -> str:
    if b"\0" in data[:8192]:
        raise NotText("it is a binary file")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"  # each byte is one character, so untouched bytes survive whatever they mean
    return "utf-8"
