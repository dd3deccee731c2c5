"""The session: ask, act, observe, stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.agent import opening, telling
from jobs.agent.attempt import Attempt, AttemptEnd
from jobs.agent.budget import WARN_AT, Allowance, Budget, Spent, allowance, share
from jobs.agent.calls import Ran, run_calls
from jobs.agent.context import Context
from jobs.agent.history import History
from jobs.agent.prompt import render
from jobs.agent.record import Call, CallRecord
from jobs.agent.stuck import Stuck
from jobs.agent.tools.registry import blocks
from jobs.agent.tools.spec import Bench, RunTests
from jobs.model.base import AskFailed, Model, Reply
from jobs.sandbox.base import Cell
from jobs.tasks.task import Task
from jobs.trace.events import Trace

OUTPUT = 16_000  # tokens of one reply, at first
MOST_OUTPUT = 64_000
SPOILED = 3  # useless replies in a row that end a session


def _nothing() -> None:
    """The default of `alive`."""


@dataclass
class Session:
    """One agent at work on one tree. `work` may be called again, with what the verification said.

    `run_tests` runs the repository's tests on the tree as it is. `clock` gives seconds. `alive` is called before
    each round and may raise to end it (stop command, lost lease).
    """

    model: Model
    cell: Cell
    task: Task
    context: Context
    budget: Budget
    trace: Trace
    run_tests: RunTests | None = None
    clock: Callable[[], float] = time.monotonic
    alive: Callable[[], None] = _nothing
    spent: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        self.bench = Bench(self.cell, self.run_tests, record=CallRecord())
        if self.context.baseline is not None:
            self.bench.learn(self.context.baseline, whole=True)
        self.history = History(render("system"), blocks())
        self._started = self.clock()
        self._stuck = Stuck()
        self._output = OUTPUT
        self._spoiled = 0
        self._warned = False
        self._summary = ""
        self._ended: AttemptEnd = "stuck"
        self._ended_early: AttemptEnd = "dollars"

    def work(self, feedback: str | None = None) -> Attempt:
        """Rounds until the model stops calling tools or a cap is reached.

        Raises EnvironmentFault (key dead, endpoint away, sandbox can't start) and whatever `alive` raises.
        """
        if not len(self.history):
            self._open()
        if feedback is not None:
            self._say("feedback", "the verification", feedback=feedback)
        ended: AttemptEnd | None = None
        while ended is None:
            self.alive()
            ended = self._round()
        self._ended = ended
        return self.so_far

    def _open(self) -> None:
        self.history.say(opening.request_text(self.task, self.context, self.budget))
        asked, results, calls = opening.play(self.task, self.context, self.bench)
        self.history.reply(asked)
        self.history.results(results)
        self.spent = self.spent.called(0, sum(c.ms for c in calls) / 1000)
        self.trace.emit("note", why="opening", text="", calls=[c.to_trace() for c in calls])

    def _round(self) -> AttemptEnd | None:
        allowed = allowance(self.budget, self.spent, self._elapsed(), self._output, self._ceiling)
        if allowed.ended is not None:
            return allowed.ended
        tool_bytes = self.history.tool_bytes
        reply = self._ask(allowed)
        if reply is None:
            return self._ended_early
        self.spent = self.spent.replied(reply)
        self.history.sent()
        made: tuple[Call, ...] = ()
        try:
            if reply.stop_reason == "tool_use" and reply.calls:
                ran = self._act(reply)
                made = ran.calls
                return "stuck" if ran.stuck else None
            return self._rest(reply, allowed)
        finally:
            self.trace.emit("round", **telling.round_fields(self.spent.rounds, reply, made, tool_bytes))

    def _ask(self, allowed: Allowance) -> Reply | None:
        """The model's reply; None (and why in `_ended_early`) where none can be had within the caps."""
        try:
            return self.model.ask(self.history.request(allowed.max_tokens, allowed.limit_usd))
        except AskFailed as failed:
            self.spent = self.spent.charged(failed.usage, failed.usd)
            self.trace.emit("note", why=failed.why, text=str(failed), usd=failed.usd)
            if failed.why not in ("limit", "too_long"):
                raise
            self._summary = str(failed)
            self._ended_early = "dollars" if failed.why == "limit" else "stuck"
            return None

    def _act(self, reply: Reply) -> Ran:
        """Runs the calls of a complete reply and appends reply and results."""
        self._spoiled = 0
        self._output = OUTPUT
        self._summary = reply.text or self._summary
        self.history.reply(reply.blocks)
        self.bench.timeout_s = self._command_s()
        ran: Ran | None = None
        try:
            ran = run_calls(reply.calls, self.bench, self._stuck)
            return ran
        finally:
            if ran is not None:
                self.spent = self.spent.called(len(ran.calls), ran.seconds)
                self.history.results(ran.results, self._warning())

    def _rest(self, reply: Reply, allowed: Allowance) -> AttemptEnd | None:
        """What to do with a reply without calls to run: it is the last word, or useless."""
        kind = telling.kind_of(reply)
        if kind == "last":  # a call in it was not asked for properly and would stay without a result
            self.history.reply([b for b in reply.blocks if b.get("type") != "tool_use"])
            self._summary = reply.text
            return "done"
        if kind == "paused":  # goes back as it is, and the model goes on
            self.history.reply(reply.blocks)
            return self._useless()
        if kind == "refused":
            self._summary = reply.text or "The model declined the request."
            return "stuck"
        if kind == "cut":
            self._say("cut", "cut reply", tokens=str(allowed.max_tokens))
            self._output = min(self._output * 2, MOST_OUTPUT)
        else:
            self._say("empty", "empty reply")
        return self._useless()

    def _useless(self) -> AttemptEnd | None:
        self._spoiled += 1
        return "stuck" if self._spoiled >= SPOILED else None

    def _say(self, prompt: str, why: str, **values: str) -> None:
        text = render(prompt, **values)
        self.history.say(text)
        self.trace.emit("note", why=why, text=text)

    def _warning(self) -> str:
        """One warning when most of the scarcest cap is used."""
        used = share(self.budget, self.spent, self._elapsed())
        if self._warned or used < WARN_AT:
            return ""
        self._warned = True
        text = render("warning", percent=f"{used:.0%}".rstrip("%"))
        self.trace.emit("note", why="budget", text=text)
        return text

    def _elapsed(self) -> float:
        return self.clock() - self._started

    def _command_s(self) -> float:
        """The longest that one command may take."""
        if self.budget.minutes is None:
            return 600.0
        return max(5.0, min(600.0, self.budget.minutes * 60 - self._elapsed()))

    def _ceiling(self, max_tokens: int) -> float | None:
        return self.model.ceiling(self.history.request(max_tokens))

    @property
    def left_by_tests(self) -> frozenset[str]:
        """Paths (relative to the tree) that appeared while run_tests ran and that no other call wrote."""
        return frozenset(p for p in self.bench.left_by_tests if self.bench.touched.get(p) is None)

    @property
    def so_far(self) -> Attempt:
        """The totals up to now, whatever ended the last call of `work`."""
        spent = self.spent
        return Attempt(
            ended=self._ended,
            summary=self._summary,
            rounds=spent.rounds,
            calls=spent.calls,
            usage=spent.usage,
            usd=spent.usd,
            model_seconds=spent.model_seconds,
            tool_seconds=spent.tool_seconds,
        )
