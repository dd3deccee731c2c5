"""Makes room in a session's conversation when the model's window presses, and sees to it that the record knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs.agent import clearing
from jobs.agent.history import History
from jobs.agent.prompt import render
from jobs.agent.record import CallRecord
from jobs.agent.stuck import Stuck
from jobs.model.base import Reply
from jobs.trace.events import Trace

_MOST_FORCED = 5


@dataclass
class Relief:
    """`window` is the model's, in tokens; `numbers` maps ids of calls to their numbers in the session. What is cleared
    may be asked for again: `stuck` forgets it."""

    history: History
    record: CallRecord
    stuck: Stuck
    trace: Trace
    window: int
    numbers: dict[str, int] = field(default_factory=dict)
    forced: int = 0  # how often a request was too long after all

    def after(self, reply: Reply, output: int) -> None:
        """Cuts once most of the window, less `output` tokens for a reply, is used."""
        used = reply.answered.total_input + reply.answered.output
        usable = max(self.window - output, self.window // 2)
        if used > usable * clearing.PRESSED:
            keep = clearing.Keep.within(self.window)
            self._cut(int(used - usable * clearing.RELIEVED), min(clearing.LEAST, self.window // 10), keep)

    def force(self) -> bool:
        """Cuts what the endpoint found too long to about half; False where nothing can go, or it was cut often. Its
        window is smaller than what is known of the model: nothing but the last result is safe, and from here on room
        is made before it is full."""
        if self.forced >= _MOST_FORCED:
            return False
        self.forced += 1
        tokens = int(self.history.size / clearing.BYTES_A_TOKEN)
        self.window = min(self.window, tokens)
        return self._cut(tokens // 2, 1, clearing.Keep.within(tokens, results=1))

    def _cut(self, too_many: int, least: int, keep: clearing.Keep) -> bool:
        done = self.history.cut(too_many, least=least, keep=keep)
        if done is None:
            return False
        gone = {self.numbers[i] for i in done.ids if i in self.numbers}
        self.record.cleared |= gone
        self.stuck.forget({self.record.calls[number - 1].key for number in gone})
        text = render("cleared")
        self.history.say(text)
        self.trace.emit("note", why="cut", text=text, tokens=done.tokens, results=len(done.ids), cleared=sorted(gone))
        return True
