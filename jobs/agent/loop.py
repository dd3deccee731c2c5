"""The session: ask, act, observe, stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from jobs.agent import last, opening, telling, touched
from jobs.agent.attempt import Attempt, AttemptEnd
from jobs.agent.budget import Allowance, Budget
from jobs.agent.calls import Check, Ran, run_calls
from jobs.agent.context import Context, target
from jobs.agent.fence import inert
from jobs.agent.history import History
from jobs.agent.notes import Notes
from jobs.agent.pace import Pace
from jobs.agent.prompt import render
from jobs.agent.record import CallRecord
from jobs.agent.relief import Relief
from jobs.agent.stuck import Stuck
from jobs.agent.tools.known import is_test_file
from jobs.agent.tools.registry import TOOLS, blocks
from jobs.agent.tools.spec import Bench, RunTests, ToolSpec
from jobs.agent.voice import Voice
from jobs.model.base import AskFailed, Ceiling, Model, Reply
from jobs.model.quirks import quirks_of
from jobs.sandbox.base import Cell
from jobs.tasks.task import Task
from jobs.trace.bodies import Bodies
from jobs.trace.events import Trace

OUTPUT = 16_000  # tokens of one reply, at first
SPOILED = 3  # useless replies in a row that end a session
_NO_CALLS = Ran((), (), 1, stuck=False)


def _nothing() -> None:
    """The default of `alive`."""


@dataclass
class Session:
    """One agent at work on one tree. `work` may be called again, with what the verification said.

    `run_tests` runs the repository's tests on the tree as it is; `check`, given the bench, makes what runs behind each
    change. `clock` gives seconds. `alive` is called before each round and may raise to end it (stop command, lost
    lease). `system` names the prompt.
    """

    model: Model
    cell: Cell
    task: Task
    context: Context
    budget: Budget
    trace: Trace
    run_tests: RunTests | None = None
    check: Callable[[Bench], Check] | None = None
    clock: Callable[[], float] = time.monotonic
    alive: Callable[[], None] = _nothing
    tools: Mapping[str, ToolSpec] = field(default_factory=lambda: TOOLS)
    system: str = "system"

    def __post_init__(self) -> None:
        record = CallRecord()
        self.bench = Bench(self.cell, self.run_tests, record=record)
        if self.context.baseline is not None:
            self.bench.learn(self.context.baseline, whole=True)
        self.history = History(render(self.system), blocks(self.tools))
        self._check: Check | None = None
        self._reading = "edit" not in self.tools
        self._voice = Voice(self.history, self.trace, self._reading)
        self._stuck = Stuck()
        self._relief = Relief(self.history, record, self._stuck, self.trace, quirks_of(self.model.name).window)
        self._bodies = Bodies(self.trace)
        self._pace = Pace(self.budget, self.clock)
        self._notes = Notes(reading=self._reading)
        self._reproduced = bool(target(self.task, self.context))  # a test is red for the request
        self._output = OUTPUT
        self._spoiled = 0
        self._mute = False
        self._summary = self._failure = ""
        self._ended: AttemptEnd = "stopped"
        self._ended_early: AttemptEnd = "dollars"

    def work(self, feedback: str | None = None) -> Attempt:
        """Rounds until the model stops calling tools or a cap is reached.

        Raises EnvironmentFault (key dead, endpoint away, sandbox can't start) and whatever `alive` raises.
        """
        if not len(self.history):
            self._open()
        if feedback is not None:
            self._voice.say("feedback", "the verification", feedback=inert(feedback))
        self._ended = "stopped"  # unless it comes to an end of its own
        ended: AttemptEnd | None = None
        while ended is None:
            self.alive()
            ended = self._round()
        self._ended = ended
        if ended != "done" and not self._mute:
            self._last_words(ended)
        return self.so_far

    def _open(self) -> None:
        """The request, and the first look that the harness takes for the model."""
        request = opening.request_text(self.task, self.context, self.budget)
        played = opening.play(self.task, self.context, self.bench)
        if self.model.plays:
            self.history.say(request)
            self.history.reply(played.asked)
            self.history.results(played.results)
            self._relief.numbers |= {block["id"]: n for n, block in enumerate(played.asked, 1)}
        else:
            self.history.say(f"{request}\n\n{played.text()}")
        self._pace.spent = self._pace.spent.called(0, sum(c.ms for c in played.calls) / 1000)
        told = [c.to_trace(n) for n, c in enumerate(played.calls, 1)]
        self.trace.emit("note", why="opening", text="", calls=told)
        self._check = self.check(self.bench) if self.check is not None else None
        self._checkpoint(0)

    def _round(self) -> AttemptEnd | None:
        want = min(self._output, self._relief.most_output)
        allowed = self._pace.next(want, self._ceiling)
        if allowed.ended in ("dollars", "tokens") and self._relief.cheaper():
            allowed = self._pace.next(want, self._ceiling)
        if allowed.ended is not None:
            return allowed.ended
        tool_bytes = self.history.tool_bytes
        asked = self._ask(allowed)
        if asked is None:
            return self._ended_early
        reply, bodies = asked
        made = _NO_CALLS
        try:
            if reply.stop_reason == "tool_use" and reply.calls:
                made = self._act(reply)
                return "stuck" if made.stuck else None
            return self._rest(reply, allowed)
        finally:
            n = self._pace.spent.rounds
            fields = telling.round_fields(n, reply, made.calls, made.first, tool_bytes, bodies)
            self.trace.emit("round", **fields)
            self._checkpoint(n)
            self._relief.after(reply, self._output)

    def _ask(self, allowed: Allowance) -> tuple[Reply, dict[str, object]] | None:
        """The model's reply and the names of what was sent; None (and why in `_ended_early`) where none can be had."""
        request = self.history.request(allowed.max_tokens, allowed.limit_usd, allowed.limit_tokens)
        bodies = self._bodies.request(request)
        try:
            reply = self.model.ask(request)
        except AskFailed as failed:
            self._pace.spent = self._pace.spent.charged(failed.usage, failed.usd)
            self.trace.emit("note", why=failed.why, text=str(failed), usd=failed.usd)
            if failed.why == "too_long" and self._relief.force(request.max_tokens, str(failed)):
                left = allowed.less(failed.usage, failed.usd)
                return self._ask(replace(left, max_tokens=min(left.max_tokens, self._relief.most_output)))
            if failed.why not in ("limit", "too_long"):
                raise
            self._failure, self._mute = str(failed), True
            self._ended_early = allowed.cap if failed.why == "limit" else "stuck"
            return None
        except BaseException:  # a stop or Ctrl-C in the middle of a reply: what it cost is charged all the same
            self._pace.spent = self._pace.spent.charged(*self.model.in_vain())
            raise
        self._pace.spent = self._pace.spent.replied(reply)
        self.history.sent(reply.answered.total_input)
        return reply, bodies

    def _act(self, reply: Reply) -> Ran:
        """Runs the calls of a complete reply and appends reply and results."""
        self._spoiled = 0
        self._output = OUTPUT
        self._summary = reply.text or self._summary
        self.history.reply(reply.blocks)
        self.bench.timeout_s = self._pace.command_s()
        ran = run_calls(reply.calls, self.bench, self._stuck, self._check, self.tools)
        self._pace.spent = self._pace.spent.called(len(ran.calls), ran.seconds)
        self._relief.numbers |= ran.numbers
        self.history.results(ran.results, self._due(ran, reply))
        return ran

    def _due(self, ran: Ran, reply: Reply) -> list[str]:
        """What the model is told behind the results of a round."""
        changed = self.bench.touched
        tested = self._reproduced or any(is_test_file(path) for path in changed)
        names = self._notes.after(ran.calls, in_view=touched.in_view(self.bench), written=bool(changed), tested=tested)
        texts = [self._voice.noted(name, name) for name in names]
        if reply.mended:
            texts.append(self._voice.noted("mended", "mended", what="; ".join(reply.mended)))
        if (warning := self._pace.warning(self._ceiling)) is not None:
            prompt, values = warning
            texts.append(self._voice.noted(prompt, "budget", **values))
        return texts

    def _rest(self, reply: Reply, allowed: Allowance) -> AttemptEnd | None:
        """What to do with a reply without calls to run: it is the last word, or useless."""
        kind = telling.kind_of(reply)
        if kind == "last":  # a call in it was not asked for properly and would stay without a result
            self.history.reply([b for b in reply.blocks if b.get("type") != "tool_use"])
            self._summary = reply.text
            return "done"
        if kind == "paused" and reply.blocks:  # goes back as it is, and the model goes on
            self.history.reply(reply.blocks)
            return self._useless()
        if kind == "refused":
            self._summary, self._mute = reply.text or "The model declined the request.", True
            return "stuck"
        if reply.stop_reason == "model_context_window_exceeded" and self._relief.force(allowed.max_tokens):
            return self._useless()
        if kind == "cut":
            self._voice.say("cut", "cut reply", tokens=str(allowed.max_tokens))
            self._output *= 2  # as far as the window goes
        else:
            self._voice.say("empty", "empty reply")
        return self._useless()

    def _useless(self) -> AttemptEnd | None:
        self._spoiled += 1
        self._mute = self._spoiled >= SPOILED  # another question would be answered no better
        return "stuck" if self._mute else None

    def _last_words(self, ended: AttemptEnd) -> None:
        """Asks once for an honest end, where the caps leave room; what it calls is not run."""
        allowed = self._pace.last(self._ceiling)
        if allowed is None or ended == "minutes":
            return
        self._voice.say("last_words", "last words", reason=last.WHY[ended])
        tool_bytes = self.history.tool_bytes
        try:
            asked = self._ask(allowed)
        except AskFailed:  # noted and charged there; what was done before counts all the same
            return
        if asked is not None:
            reply, bodies = asked
            self._summary = reply.text or self._summary
            fields = telling.round_fields(self._pace.spent.rounds, reply, (), 1, tool_bytes, bodies)
            self.trace.emit("round", **fields)

    def _checkpoint(self, number: int) -> None:
        """Keeps the tree as it is behind this round."""
        if (name := touched.kept(self.bench, number)) is not None:
            self.trace.emit("checkpoint", n=number, tree=name)

    def _ceiling(self, max_tokens: int) -> Ceiling:
        return self.model.ceiling(self.history.outline(max_tokens))

    @property
    def left_by_tests(self) -> frozenset[str]:
        """Paths (relative to the tree) that appeared while run_tests ran and that no other call wrote."""
        return frozenset(p for p in self.bench.left_by_tests if self.bench.touched.get(p) is None)

    @property
    def so_far(self) -> Attempt:
        """The totals up to now, whatever ended the last call of `work`."""
        calls = self.bench.record.calls if self.bench.record is not None else []
        words = f"{self._summary}\n{self._failure}".strip()
        told = last.message(self._ended, words, calls, touched.changed(self.bench), self._reading)
        return self._pace.attempt(self._ended, told, self._summary)
