"""The two protocols that the scripted endpoint speaks, side by side. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.local import model_chat, model_stream

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Dialect:
    """How one protocol asks and answers. `asked` gives the Messages request that a body stands for; `stream` the wire
    form of a Messages reply, with the arguments of calls cut in half where asked; the last `ending` parts of it say how
    it ended. `thinks` says whether thinking goes back and forth."""

    chat: bool
    asked: Callable[[Json], Json]
    whole: Callable[[Json], Json]
    stream: Callable[[Json, bool], list[bytes]]
    ending: int
    ping: bytes
    error: Callable[[str, str, str], Json]
    broken: Callable[[str, str, str], bytes]
    thinks: bool


def _messages_stream(message: Json, half: bool) -> list[bytes]:
    events = model_stream.events(message)
    return [model_stream.wire(model_stream.halved(event) if half else event) for event in events]


def _chat_stream(message: Json, half: bool) -> list[bytes]:
    chunks = model_chat.chunks(message)
    return [
        *(model_chat.wire(model_chat.halved(chunk) if half else chunk) for chunk in chunks),
        b"data: [DONE]\n\n",
    ]


MESSAGES = Dialect(
    chat=False,
    asked=lambda body: body,
    whole=model_stream.shown,
    stream=_messages_stream,
    ending=1,
    ping=model_stream.wire({"type": "ping"}),
    error=model_stream.error,
    broken=lambda kind, text, ident: model_stream.wire(model_stream.error(kind, text, ident)),
    thinks=True,
)
CHAT = Dialect(
    chat=True,
    asked=model_chat.asked,
    whole=model_chat.whole,
    stream=_chat_stream,
    ending=model_chat.ENDING,
    ping=model_chat.KEEP_ALIVE,
    error=lambda kind, text, ident: model_chat.error(kind, text),
    broken=lambda kind, text, ident: model_chat.wire(model_chat.error(kind, text)),
    thinks=False,
)
DIALECTS: Mapping[str, Dialect] = {"/v1/messages": MESSAGES, "/v1/chat/completions": CHAT}
