"""The harness's own words to the model: appended to the conversation, and told to the trace."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.agent.history import History
from jobs.agent.prompt import render
from jobs.trace.events import Trace

# Who may change nothing is told otherwise.
_READING = frozenset({"idle", "feedback", "empty", "one_left", "warning", "last_words"})


@dataclass(frozen=True)
class Voice:
    """`reading` says that the session may change nothing: then some prompts have another text."""

    history: History
    trace: Trace
    reading: bool

    def text(self, prompt: str, **values: str) -> str:
        """The text of a prompt."""
        return render(f"{prompt}_reading" if self.reading and prompt in _READING else prompt, **values)

    def say(self, prompt: str, why: str, **values: str) -> None:
        """Says it now, in a message of its own."""
        self.history.say(self.noted(prompt, why, **values))

    def noted(self, prompt: str, why: str, **values: str) -> str:
        """The text of a prompt that is about to be said behind results, told to the trace."""
        text = self.text(prompt, **values)
        self.trace.emit("note", why=why, text=text)
        return text
