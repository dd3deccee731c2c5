"""Cuts the difference between two versions of a file into small search-and-replace edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """`old` stands exactly once in the file when the edit's turn comes."""

    path: str
    old: str
    new: str

    def apply(self, root: Path) -> None:
        """Changes the file below `root`. Raises ValueError if `old` is not there exactly once."""
        file = root / self.path
        text = file.read_bytes().decode()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path}: the edit's text is there {text.count(self.old)} times")
        file.write_bytes(text.replace(self.old, self.new).encode())


def cut(path: str, old: str, new: str, having: Sequence[str] = ()) -> tuple[Edit, ...]:
    """Edits that turn `old` into `new`, in the order to apply them; of its hunks only those with one of the
    `having` fragments in their text (all, if there are none)."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    edits: list[Edit] = []
    # From the end to the start: line numbers of hunks still to come stay right.
    for tag, i, j, k, m in reversed(matcher.get_opcodes()):
        text = "".join(before[i:j] + after[k:m])
        if tag != "equal" and (not having or any(fragment in text for fragment in having)):
            edits.append(_edit(path, before, (i, j), after[k:m]))
            before[i:j] = after[k:m]
    return tuple(edits)


def reverse(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The edits that undo `edits`."""
    return tuple(Edit(e.path, e.new, e.old) for e in reversed(edits))


def _edit(path: str, lines: list[str], span: tuple[int, int], replacement: list[str]) -> Edit:
    """Takes as many lines around as make both the old and the new text stand once in their file."""
    start, end = span
    changed = "".join([*lines[:start], *replacement, *lines[end:]])
    for around in range(1, len(lines) + 1):
        head, tail = lines[max(0, start - around) : start], lines[end : end + around]
        edit = Edit(path, "".join(head + lines[start:end] + tail), "".join(head + replacement + tail))
        if "".join(lines).count(edit.old) == 1 and changed.count(edit.new) == 1:
            return edit
    raise ValueError(f"{path}: no unique text around lines {start + 1}-{end}")
