"""What one request costs the client itself, by the length of the history: ours, and the library's own way.

Run: uv run --no-sync python tests/bench/model.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from anthropic import Anthropic

from app.local.model import ScriptedEndpoint
from jobs.model.anthropic import AnthropicModel
from jobs.model.base import Request

LENGTHS = (10, 100, 400)
ROUNDS = 9
RESULT = "def value(number: int) -> int:\n    return number + 1  # “so” it is\n" * 60  # about 4 kB
TOOL = {"name": "shell", "description": "Runs.", "input_schema": {"type": "object"}}


def history(length: int) -> list[dict[str, Any]]:
    """Turns of one call and its result."""
    made: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "Fix it."}]}]
    for n in range(length // 2):
        call = {"type": "tool_use", "id": f"toolu_x{n}", "name": "shell", "input": {"command": "ls", "n": n}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_x{n}", "content": RESULT}
        made += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return made


def cost(ask: Callable[[list[dict[str, Any]]], object], length: int) -> float:
    """Milliseconds of this thread for one request, the history growing by a turn each time."""
    messages, spent = history(length), []
    for n in range(ROUNDS):
        began = time.thread_time()
        ask(messages)
        spent.append(time.thread_time() - began)
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"ok {n}"}]})
        messages.append({"role": "user", "content": [{"type": "text", "text": f"Go on, {n}."}]})
    return median(spent[1:]) * 1000


def main() -> None:
    """Prints a row for each length, and the ratios."""
    reply = {"text": "Some words about what was done. " * 300, "repeat": True}
    with ScriptedEndpoint([reply], key="key") as endpoint:
        ours = AnthropicModel("claude-sonnet-5-5", api_key="key", base_url=endpoint.url)
        library = Anthropic(api_key="key", base_url=endpoint.url, max_retries=0)

        def typed(messages: Any) -> None:
            options: Any = {"model": "claude-sonnet-5-5", "max_tokens": 8000, "tools": [TOOL], "stream": True}
            with library.messages.create(messages=messages, **options) as stream:
                for event in stream:
                    event.to_dict(mode="json")

        def plain(messages: list[dict[str, Any]]) -> None:
            ours.ask(Request((), (TOOL,), tuple(messages), 8000))

        rows = [(length, cost(plain, length), cost(typed, length)) for length in LENGTHS]
        library.close()
    print(f"{'messages':>8} {'ours ms':>8} {'library ms':>11} {'ratio':>6}")
    for length, mine, theirs in rows:
        print(f"{length:>8} {mine:>8.2f} {theirs:>11.2f} {theirs / mine:>6.1f}")
    print(
        f"from {LENGTHS[0]} to {LENGTHS[-1]} messages: ours x {rows[-1][1] / rows[0][1]:.1f}, "
        f"the library's x {rows[-1][2] / rows[0][2]:.1f}"
    )


if __name__ == "__main__":
    main()
