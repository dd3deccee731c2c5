"""Makes room in a session's conversation when the model's window presses, and sees to it that the record knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs.agent import clearing
from jobs.agent.history import History
from jobs.agent.prompt import render
from jobs.agent.record import CallRecord
from jobs.model.base import Reply
from jobs.trace.events import Trace


@dataclass
class Relief:
    """`window` is the model's, in tokens; `numbers` maps ids of calls to their numbers in the session."""

    history: History
    record: CallRecord
    trace: Trace
    window: int
    numbers: dict[str, int] = field(default_factory=dict)
    forced: bool = False  # once in a session, a request that was too long after all is made half as long

    def after(self, reply: Reply, output: int) -> None:
        """Cuts once most of the window, less `output` tokens for a reply, is used."""
        used = reply.usage.total_input + reply.usage.output
        usable = self.window - output
        if used > usable * clearing.PRESSED:
            self._cut(int(used - usable * clearing.RELIEVED), clearing.LEAST)

    def force(self) -> bool:
        """Cuts what the endpoint found too long, once; False where nothing can go."""
        if self.forced:
            return False
        self.forced = True
        return self._cut(clearing.estimate("x" * self.history.size) // 2, 1)

    def _cut(self, too_many: int, least: int) -> bool:
        done = self.history.cut(too_many, least=least)
        if done is None:
            return False
        gone = {self.numbers[i] for i in done.ids if i in self.numbers}
        self.record.cleared |= gone
        text = render("cleared")
        self.history.say(text)
        self.trace.emit("note", why="cut", text=text, tokens=done.tokens, results=len(done.ids), cleared=sorted(gone))
        return True
