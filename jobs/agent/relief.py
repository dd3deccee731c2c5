"""Makes room in a session's conversation when the model's window presses, and sees to it that the record knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobs.agent import clearing
from jobs.agent.budget import LEAST_OUTPUT
from jobs.agent.history import History
from jobs.agent.prompt import render
from jobs.agent.record import CallRecord
from jobs.agent.room import MOST, reply_in, window_said
from jobs.agent.stuck import Stuck
from jobs.model.base import Reply
from jobs.trace.events import Trace

_MOST_FORCED = 5


@dataclass
class Relief:
    """`window` is the model's, in tokens; `numbers` maps ids of calls to their numbers in the session. What is cleared
    may be asked for again: `stuck` forgets it. `most_output` is the most tokens that one reply may have."""

    history: History
    record: CallRecord
    stuck: Stuck
    trace: Trace
    window: int
    numbers: dict[str, int] = field(default_factory=dict)
    forced: int = 0  # how often in a row a request was too long after all
    most_output: int = MOST

    def __post_init__(self) -> None:
        self.most_output = reply_in(self.window)

    def after(self, reply: Reply, output: int) -> None:
        """Cuts once most of the window, less `output` tokens for a reply, is used."""
        self.forced = 0
        used = reply.answered.total_input + reply.answered.output
        usable = max(self.window - min(output, self.most_output), self.window // 2)
        if used > usable * clearing.PRESSED:
            keep = clearing.Keep.within(self.window)
            self._cut(int(used - usable * clearing.RELIEVED), min(clearing.LEAST, self.window // 10), keep)

    def cheaper(self) -> bool:
        """Takes about half of what the results hold out where a request has become dearer than the caps allow; False
        where that frees too little to pay for a new prefix."""
        tokens = int(self.history.size / clearing.BYTES_A_TOKEN)
        return self._cut(tokens // 2, clearing.LEAST, clearing.Keep.within(tokens))

    def force(self, asked: int, said: str = "") -> bool:
        """Makes the next request smaller than the one that the endpoint, in the words `said`, found too long, with
        `asked` tokens for the reply: a smaller reply if that is enough, else about half of the results, in the end all
        of them. False where nothing can be made smaller, or it was done often in a row. The window is smaller than what
        is known of the model: from here on room is made before it is full."""
        if self.forced >= _MOST_FORCED:
            return False
        self.forced += 1
        tokens = int(self.history.size / clearing.BYTES_A_TOKEN)
        named = window_said(said)
        self.window = min(self.window, tokens if named is None else min(named, tokens + asked))
        if named is not None:
            self.most_output = min(self.most_output, reply_in(named))
            if self.most_output < asked and tokens + self.most_output <= named:
                return True
        if self._cut(tokens // 2, 1, clearing.Keep.within(tokens, results=1)):
            return True
        if named is None:
            self.most_output = min(self.most_output, max(LEAST_OUTPUT, asked // 2))
        return self.most_output < asked or self._cut(tokens, 1, clearing.Keep(0, 0))

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
