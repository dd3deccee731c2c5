"""What a conversation shows of the files at each of its calls. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jobs.trace.steps import Act, Step

_CAT = re.compile(r"cat(?: [\w./@+-]+)+")
_Spans = tuple[tuple[int, int], ...]


@dataclass
class _Shown:
    """One file in one result: the call's number, which bytes, which lines (None: all), whether they still stand."""

    number: int
    sha256: str | None
    spans: _Spans | None
    current: bool = True


@dataclass
class Visible:
    """Walks along the calls of a trace."""

    _files: dict[str, list[_Shown]] = field(default_factory=dict)
    _number: int = 0

    def begin(self, step: Step) -> None:
        """Before the first call of a round: a new session has seen what its opening shows, and nothing else."""
        if step.opens is not None:
            self._files, self._number = {}, 0
            for act in step.opens:
                self.add(act)

    def knows(self, act: Act, step: Step) -> bool:
        """Whether everything that a reading call asks for stands in an earlier result that is still visible."""
        reads = act.doing.reads
        return bool(reads) and (act.unchanged or all(self._knows(path, act, step) for path in reads))

    def met(self, path: str) -> bool:
        """Whether any earlier call showed, read or changed the file."""
        return path in self._files

    def add(self, act: Act) -> None:
        """Takes one more call."""
        self._number += 1
        for path in act.changed:
            for shown in self._files.setdefault(path, []):
                shown.current = False
        whole = _whole(act)
        for path in {*act.shown, *act.doing.reads, *whole} if act.ok or act.shown else whole:
            sha, spans = act.shown.get(path, (None, ()))
            self._files.setdefault(path, []).append(_Shown(self._number, sha, None if path in whole else spans))

    def _knows(self, path: str, act: Act, step: Step) -> bool:
        sha, spans = act.shown.get(path, (None, None))
        return any(
            shown.number not in step.cleared
            and (shown.current or (sha is not None and sha == shown.sha256))
            and _covers(shown.spans, spans)
            for shown in self._files.get(path, ())
        )


def _covers(shown: _Spans | None, asked: _Spans | None) -> bool:
    if shown is None:
        return True
    return bool(asked) and all(any(a <= first and last <= b for a, b in shown) for first, last in asked or ())


def _whole(act: Act) -> set[str]:
    """The files of which a call's own words and result show everything."""
    told = {path for path, (sha, spans) in act.shown.items() if spans is None and sha is not None}
    if act.cut or not act.ok:
        return told
    if act.tool == "write_file":
        return told | act.wanted
    if act.tool == "shell" and _CAT.fullmatch(str(act.args.get("command", "")).strip()):
        return told | act.doing.reads
    if act.tool != "readfile" or act.unchanged:
        return told
    sliced = {row["path"] for key in ("ranges", "anchor_lines") for row in act.args.get(key) or ()}
    spanned = {path for path, (_, spans) in act.shown.items() if spans}
    return told | (act.doing.reads - sliced - spanned)
