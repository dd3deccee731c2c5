"""The Model Protocol: what the loop asks of any model endpoint. Pure.

Messages and blocks have the shape of the Anthropic Messages API (`role`, `content` blocks of type text,
tool_use, tool_result, thinking …); other endpoints translate at their edge. A reply's blocks go back into
the history exactly as received. What was sent once must never be changed in place: its bytes are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from jobs.errors import EnvironmentFault
from jobs.model.usage import Usage

Block = dict[str, Any]
Message = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One call: `system` and `tools` are frozen for a run; `messages` only ever grows. No try is made that could make
    all of them together cost more than `limit_usd`, or `limit_tokens` read and written. `size` is an upper bound of the
    bytes of all texts in it, which a growing conversation counts as it grows; the first `known_size` of them were
    `known_tokens` when the endpoint counted them last."""

    system: tuple[Block, ...]
    tools: tuple[Block, ...]
    messages: tuple[Message, ...]
    max_tokens: int
    limit_usd: float | None = None
    size: int = 0
    known_size: int = 0
    known_tokens: int = 0
    limit_tokens: int | None = None


@dataclass(frozen=True)
class Ceiling:
    """What one try of a request can cost at most: `tokens` read and written together, and dollars (`usd`), None where
    the model has no price."""

    tokens: int
    usd: float | None = None


class AskFailed(EnvironmentFault):
    """No reply. `why`: the endpoint stayed `away`, it `refused` (key, model, spend limit), the request is `too_long`,
    or another try could pass the `limit`. `usage` and `usd` are what the failed tries cost."""

    def __init__(
        self, reason: str, *, why: Literal["away", "refused", "too_long", "limit"], usage: Usage, usd: float | None
    ) -> None:
        super().__init__(reason)
        self.why = why
        self.usage = usage
        self.usd = usd


@dataclass(frozen=True)
class Reply:
    """One complete reply. `stop_reason` is never None here: a cut stream is retried or raised by the model.

    `usage`, `usd` and `seconds` include tries that failed; `usd` is None where the model has no price. `answered` is
    the usage of the last try alone, the one that was answered: what the request held.
    """

    blocks: tuple[Block, ...]
    stop_reason: str
    usage: Usage
    answered: Usage
    usd: float | None
    model: str
    request_bytes: int
    first_token_ms: int
    seconds: float
    writing_s: float = 0.0  # from the first token to the last
    mended: tuple[str, ...] = ()  # what was put right in the reply before anybody saw it, one phrase each

    @property
    def calls(self) -> tuple[Block, ...]:
        """The tool_use blocks, in order."""
        return tuple(b for b in self.blocks if b.get("type") == "tool_use")

    @property
    def text(self) -> str:
        """The text blocks, joined by blank lines."""
        return "\n\n".join(b["text"] for b in self.blocks if b.get("type") == "text").strip()


class Model(Protocol):
    """An endpoint that answers requests."""

    name: str
    plays: bool  # whether it takes an assistant turn that it did not write itself

    def ceiling(self, request: Request) -> Ceiling:
        """An upper bound for `ask(request)`, one try. It never falls when `max_tokens` grows."""
        ...

    def ask(self, request: Request) -> Reply:
        """The reply. Raises AskFailed, an EnvironmentFault (key dead, endpoint away after retries …)."""
        ...

    def in_vain(self) -> tuple[Usage, float | None]:
        """Tokens and dollars of the last `ask` if neither a reply nor AskFailed told them: something else ended it,
        such as a stop while it waited or Ctrl-C in the middle of a stream."""
        ...
