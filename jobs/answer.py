"""Answers a question about a repository, or plans a change of it, on a tree that can't be written to."""

from __future__ import annotations

from functools import partial

from jobs.agent.attempt import Attempt
from jobs.agent.citations import missing, places
from jobs.agent.context import Context
from jobs.agent.loop import Session
from jobs.agent.prompt import render
from jobs.agent.tools.registry import READING
from jobs.caps import reached
from jobs.guidance import guidance
from jobs.model.base import Model
from jobs.order import Means, Order
from jobs.outcome import Outcome
from jobs.repo.workspace import Workspace
from jobs.sandbox import skeleton
from jobs.sandbox.ahead import ahead
from jobs.story import Story

_TRIES = 2


def answer(order: Order, means: Means, model: Model, story: Story, workspace: Workspace) -> tuple[Outcome, str]:
    """The outcome, and the answer or why there is none. Every `file:line` in an answer exists: a wrong one goes back to
    the model once; what is still wrong then is named behind the answer."""
    history = skeleton.build(workspace.git_dir, workspace.base_sha, workspace.root / "history")
    lines_of = partial(_lines_of, workspace)
    with (
        workspace.checkout(workspace.base) as folder,
        ahead(means.cells.on(folder, writable=False, git=history)) as cell,
        story.stage("attempt"),
    ):
        means.cells.own(folder)
        session = Session(
            model=model,
            cell=cell,
            task=order.task,
            context=Context(guidance=guidance(workspace)),
            budget=order.budget,
            trace=means.trace,
            alive=means.guard,
            tools=READING,
            system=order.task.kind,
        )
        session.bench.read_only = True
        feedback: str | None = None
        for _ in range(_TRIES):
            try:
                attempt = session.work(feedback)
            finally:
                story.learn(attempt=session.so_far)
            wrong = missing(attempt.summary, lines_of)
            if attempt.ended != "done" or (not wrong and places(attempt.summary, lines_of)):
                break
            feedback = _feedback([str(place) for place in wrong])
    return _told(order, attempt, [str(place) for place in wrong])


def _lines_of(workspace: Workspace, path: str) -> int | None:
    data = workspace.trees.read(workspace.base, path)
    return None if data is None else data.count(b"\n") + (not data.endswith(b"\n"))


def _feedback(wrong: list[str]) -> str:
    if wrong:
        return render("wrong_places", places=", ".join(wrong))
    return render("no_places")


def _told(order: Order, attempt: Attempt, wrong: list[str]) -> tuple[Outcome, str]:
    if attempt.ended == "stuck":
        return Outcome.NOT_FIXED, attempt.summary
    if attempt.ended != "done":
        return Outcome.OUT_OF_BUDGET, f"Stopped at {reached(attempt.ended, order.budget)}. So far: {attempt.summary}"
    behind = f"\n\nNot in this commit, though named above: {', '.join(wrong)}." if wrong else ""
    return Outcome.ANSWERED, attempt.summary + behind
