"""Earlier rounds of one call each as rounds of several calls: a model copies the rhythm of its own history. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.model.base import Block, Message

MOST = 8  # calls of one merged round

_Round = tuple[Message, Message]


def merged(messages: Sequence[Message]) -> list[Message]:
    """`messages` with neighbouring one-call rounds joined. A round with thinking blocks stays as it is: they belong to
    the reply that they came with. Order of calls and results is kept, notes stand behind their results."""
    out: list[Message] = []
    run: list[_Round] = []
    n = 0
    while n < len(messages):
        pair = messages[n : n + 2]
        if len(pair) == 2 and _single(pair[0], pair[1]):
            run.append((pair[0], pair[1]))
            n += 2
            continue
        out += [*_joined(run), messages[n]]
        run = []
        n += 1
    return [*out, *_joined(run)]


def _single(reply: Message, results: Message) -> bool:
    if reply["role"] != "assistant" or results["role"] != "user":
        return False
    kinds = [block.get("type") for block in reply["content"]]
    answers = [block.get("type") for block in results["content"]]
    return kinds.count("tool_use") == 1 and set(kinds) <= {"text", "tool_use"} and answers.count("tool_result") == 1


def _joined(run: Sequence[_Round]) -> list[Message]:
    out: list[Message] = []
    for at in range(0, len(run), MOST):
        part = run[at : at + MOST]
        if len(part) == 1:
            out += part[0]
            continue
        said: list[Block] = [b for reply, _ in part for b in reply["content"]]
        heard: list[Block] = [b for _, results in part for b in results["content"]]
        out.append({"role": "assistant", "content": _ordered(said, "text")})
        out.append({"role": "user", "content": _ordered(heard, "tool_result")})
    return out


def _ordered(blocks: Sequence[Block], first: str) -> list[Block]:
    """The blocks of type `first` before the others, each kind in its order."""
    return sorted(blocks, key=lambda block: block.get("type") != first)
