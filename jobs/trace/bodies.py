"""Keeps what each request held, every block list once by its hash, and builds the requests of a trace again. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, repeat
from typing import Any

from jobs.model.base import Block, Message, Request
from jobs.trace.events import Trace
from jobs.trace.reader import read

_ROLLING = {"type": "ephemeral"}
_MARK = "cache_control"


_Sent = tuple[Message | None, str, bool]  # a message, its hash, whether it has a cache marker
_NONE: _Sent = (None, "", False)


class Bodies:
    """The requests of one session, as its trace keeps them: a `body` event for each block list not yet kept."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: set[str] = set()
        self._frozen: list[tuple[object, str]] = []  # system and tools of the last request, with their hashes
        self._sent: list[_Sent] = []  # messages of the last request

    def request(self, request: Request) -> dict[str, Any]:
        """What the `round` event of this request stores as `request`: {"system": hash, "tools": hash, "kept": how many
        of the messages of the request before stay in front, "added": [hash of each further one], "max_tokens",
        "marks": [index of each message with a cache marker at its end], "all": hash of all messages' hashes}.

        Where the conversation did not only grow, everything is in `added`: such a request needs none before it.
        A message that is the very object sent before is not looked at again.
        """
        system, tools = self._constant(request)
        before = zip(request.messages, chain(self._sent, repeat(_NONE)), strict=False)
        now = [old if old[0] is m else (m, self._keep(_unmarked(m)), _marked(m)) for m, old in before]
        hashes = [h for _, h, _ in now]
        grown = hashes[: len(self._sent)] == [h for _, h, _ in self._sent]
        kept = len(self._sent) if grown else 0
        self._sent = now
        return {
            "system": system,
            "tools": tools,
            "kept": kept,
            "added": hashes[kept:],
            "max_tokens": request.max_tokens,
            "marks": [n for n, (_, _, has) in enumerate(now) if has],
            "all": _all(hashes),
        }

    def _constant(self, request: Request) -> tuple[str, str]:
        parts: tuple[Sequence[Block], ...] = (request.system, request.tools)
        if [part for part, _ in self._frozen] != list(parts):
            self._frozen = [(part, self._keep(list(part))) for part in parts]
        return self._frozen[0][1], self._frozen[1][1]

    def _keep(self, body: Any) -> str:
        name = _hash(body)
        if name not in self._kept:
            self._kept.add(name)
            self._trace.emit("body", hash=name, body=body)
        return name


@dataclass(frozen=True)
class Recorded:
    """One request of a trace as it was sent, cache markers included; `model` is the one that answered round `n`."""

    n: int
    model: str
    system: tuple[Block, ...]
    tools: tuple[Block, ...]
    messages: tuple[Message, ...]
    max_tokens: int

    @property
    def request(self) -> Request:
        """The request itself, without a limit in dollars."""
        size = len(json.dumps([self.system, self.tools, self.messages], ensure_ascii=True))
        return Request(self.system, self.tools, self.messages, self.max_tokens, size=size)


def requests(lines: Iterable[str]) -> list[Recorded]:
    """Every request of a trace (JSON Lines) that can be built again exactly; one that can't is left out.

    Raises UserError for lines that are no trace.
    """
    bodies: dict[str, Any] = {}
    messages: list[str] = []
    found: list[Recorded] = []
    for event in read(lines).events:
        if event.get("type") == "body":
            bodies[str(event.get("hash"))] = event.get("body")
        kept = event.get("request")
        if not isinstance(kept, Mapping):
            continue
        messages = [*messages[: kept["kept"]], *kept["added"]]
        whole = kept.get("all", _all(messages)) == _all(messages)
        if event.get("type") == "round" and whole and {kept["system"], kept["tools"], *messages} <= bodies.keys():
            found.append(_recorded(event, kept, messages, bodies))
    return found


def marked(message: Message) -> Message:
    """The message with a cache marker at its end."""
    *earlier, end = message["content"]
    return {**message, "content": [*earlier, {**end, _MARK: _ROLLING}]}


def _recorded(
    event: Mapping[str, Any], kept: Mapping[str, Any], names: Sequence[str], bodies: Mapping[str, Any]
) -> Recorded:
    marks = set(kept.get("marks", ()))
    return Recorded(
        n=int(event.get("n", 0)),
        model=str(event.get("model", "")),
        system=tuple(bodies[kept["system"]]),
        tools=tuple(bodies[kept["tools"]]),
        messages=tuple(marked(bodies[h]) if n in marks else bodies[h] for n, h in enumerate(names)),
        max_tokens=int(kept["max_tokens"]),
    )


def _marked(message: Message) -> bool:
    content = message["content"]
    return bool(content) and isinstance(content, list) and _MARK in content[-1]


def _unmarked(message: Message) -> Message:
    content = message["content"]
    if not isinstance(content, list):
        return message
    return {**message, "content": [{k: v for k, v in block.items() if k != _MARK} for block in content]}


def _hash(body: Any) -> str:
    plain = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return sha256(plain.encode()).hexdigest()[:16]


def _all(hashes: Sequence[str]) -> str:
    return sha256(" ".join(hashes).encode()).hexdigest()[:16]
