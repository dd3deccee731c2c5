"""What a run is asked to do, as the agent is told. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """`title` and `body` come from people and are untrusted: shown to the model as data, never obeyed as harness
    instructions. `name` is the branch slug's source; `number` the issue or pull request, if any."""

    kind: str
    title: str
    body: str
    number: int | None = None
    instructions: str = ""  # the free text behind the command
