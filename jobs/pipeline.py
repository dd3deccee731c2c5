"""The steps of a run, in order: workspace, set-up, baseline, attempt, verdict, score, receipt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from jobs import answer as answers
from jobs import free
from jobs.attempt import judge, propose
from jobs.errors import Broken, EnvironmentFault, Interrupted, PatchwrightError, Stopped, machine_fault
from jobs.model.base import Model
from jobs.order import Means, Order
from jobs.outcome import Level, Outcome
from jobs.prepare import prepare
from jobs.publish import branch
from jobs.publish.clean import message
from jobs.publish.publisher import Proposal, Published, Publisher
from jobs.publish.pull_request import title
from jobs.publish.receipt import Ended, Receipt, receipt
from jobs.repo.workspace import Workspace, open_workspace
from jobs.score import minimality
from jobs.site import Site
from jobs.story import Story
from jobs.suite.report import Report
from jobs.suite.run import FreshRuns, Limits
from jobs.suite.verdict import Verdict

_PUBLISHED = (Outcome.FIXED, Outcome.NOT_REPRODUCED)
_SCORE_SHARE = 0.5  # of the minutes for verification


@dataclass(frozen=True)
class Ending:
    """How a run ends, and where its result went."""

    outcome: Outcome
    reason: str
    published: Published | None = None


def fix(order: Order, means: Means, model: Model, publisher: Publisher) -> Receipt:
    """Carries `order` out and says how it ended; a result that was proven is published on the way.

    Raises Fenced and Retry (not an ending), and nothing else that is meant.
    """

    def steps(site: Site, baseline: Report) -> Ending:
        verdict = free.mend(site, baseline) or propose(site, model, baseline)
        if verdict.outcome not in _PUBLISHED:
            return Ending(verdict.outcome, verdict.reason)
        _score(site, verdict)
        return Ending(verdict.outcome, verdict.reason, _publish(site, verdict, publisher))

    return _run(order, means, steps)


def answer(order: Order, means: Means, model: Model) -> Receipt:
    """Answers the order's question, or plans its change, and says how it ended. Nothing is set up, nothing is changed.

    Raises Fenced and Retry, as `fix`.
    """

    def steps(story: Story, workspace: Workspace) -> Ending:
        means.guard()
        outcome, text = answers.answer(order, means, model, story, workspace)
        return Ending(outcome, text)

    return _told(order, means, steps)


def verify(order: Order, means: Means, head: str) -> Receipt:
    """Judges the change from the order's base to the commit `head`, whoever wrote it. Publishes nothing.

    Raises Fenced and Retry, as `fix`.
    """

    def steps(site: Site, baseline: Report) -> Ending:
        tree = site.workspace.trees.tree_of(head)
        site.story.learn(commit=head)
        verdict = judge(site, tree, baseline)
        if verdict.outcome in _PUBLISHED:
            _score(site, verdict)
        return Ending(verdict.outcome, verdict.reason)

    return _run(order, means, steps)


def _run(order: Order, means: Means, steps: Callable[[Site, Report], Ending]) -> Receipt:
    """Set-up and baseline, then `steps`; whatever ends the run becomes its receipt."""

    def begun(story: Story, workspace: Workspace) -> Ending:
        with story.stage("setup"):
            site = _set_up(order, means, story, workspace)
        with story.stage("baseline"):
            means.guard()
            baseline = _usable(site.suite(workspace.base))
            story.learn(baseline=baseline)
        return steps(site, baseline)

    return _told(order, means, begun)


def _told(order: Order, means: Means, steps: Callable[[Story, Workspace], Ending]) -> Receipt:
    """`steps` in a workspace; whatever ends them becomes the run's receipt."""
    story = Story(means.trace)
    try:
        with open_workspace(
            means.data / "runs", order.run, order.objects, order.base_sha, owner=means.cells.owner
        ) as workspace:
            ending = steps(story, workspace)
    except Stopped as stopped:
        ending = Ending(stopped.outcome, stopped.reason)
    except EnvironmentFault as known:
        ending = Ending(Outcome.ENVIRONMENT, str(known))
    except PatchwrightError:
        raise  # Fenced and Retry are no endings
    except KeyboardInterrupt as stop:
        told = _receipt(order, means, story, Ending(Outcome.CANCELLED, "Interrupted."))
        spent = f"; ${told.cost.usd:.4f} were spent" if told.cost and told.cost.usd else ""
        raise Interrupted(f"interrupted: nothing was published{spent}", told.to_dict()) from stop
    except Exception as error:  # a bug is told with all that is known, and goes on to the boundary
        fault = machine_fault(error) if isinstance(error, OSError) else None
        if fault is None:
            sentence = f"A bug in Patchwright ended this run; its id is {order.run}."
            raise Broken(sentence, _receipt(order, means, story, Ending(Outcome.ERROR, sentence)).to_dict()) from error
        ending = Ending(Outcome.ENVIRONMENT, str(fault))
    return _receipt(order, means, story, ending)


def _set_up(order: Order, means: Means, story: Story, workspace: Workspace) -> Site:
    ready = prepare(workspace, means, order.policy, key=order.key)
    story.learn(toolchain=ready.toolchain, layer=ready.layer, tools=ready.tools)
    limits = Limits.of_minutes(order.policy.budget.verify_minutes)
    suite = FreshRuns(workspace.checkout, ready, ready.layer, ready.suite, limits, trace=means.trace)
    return Site(order, means, story, workspace, ready, suite)


def _usable(baseline: Report) -> Report:
    """A baseline that later runs can be compared with."""
    if baseline.unready:
        raise Stopped(Outcome.ENVIRONMENT, baseline.unready)
    if baseline.ended != "exit" and not baseline.tests:
        last = "\n".join(baseline.output.splitlines()[-20:])
        why = f"The suite did not finish on the base commit ({baseline.ended} after {baseline.seconds:.0f} s)."
        raise Stopped(Outcome.ENVIRONMENT, f"{why}\n{last}")
    return baseline


def _score(site: Site, verdict: Verdict) -> None:
    """Measures how much of the patch is needed."""
    trees, base, patch = site.workspace.trees, site.workspace.base, site.story.facts.known_patch
    deadline = time.monotonic() + site.verify_s * _SCORE_SHARE
    with site.story.stage("score"):
        site.means.guard()
        score = minimality.score(trees, base, patch.tree, patch, verdict, site.suite, deadline)
        site.story.learn(minimality=score)
    for hunk in score.hunks:
        site.means.trace.emit("hunk", file=hunk.file, header=hunk.header, state=hunk.state, proof=hunk.proof)


def _publish(site: Site, verdict: Verdict, publisher: Publisher) -> Published:
    """Commits the very tree that was tested, and proposes it."""
    order, means, story, workspace = site.order, site.means, site.story, site.workspace
    patch, summary = story.facts.known_patch, story.facts.summary
    signed = f"\n\nSigned-off-by: {order.author.name} <{order.author.email}>" if order.policy.commit.signoff else ""
    words = f"\n\n{message(summary)}" if summary else ""
    commit = workspace.commit(patch.tree, f"{title(order.task, summary)}{words}{signed}\n", order.author)
    story.learn(commit=commit)
    wishes = order.policy.pull_request
    proposal = Proposal(
        run=order.run,
        task=order.task,
        git_dir=workspace.git_dir,
        commit=commit,
        branch=branch.name(order.task.kind, order.task.number, order.task.title),
        base_branch=order.base_branch,
        receipt=_receipt(order, means, story, Ending(verdict.outcome, verdict.reason)),
        summary=summary,
        draft=wishes.draft == "always" or (wishes.draft == "unproven" and _unproven(verdict)),
        paths=patch.paths,
        labels=wishes.labels,
        reviewers=wishes.reviewers,
        requester=order.requester,
    )
    with story.stage("publish"):
        means.guard()
        published = publisher.publish(proposal)
    means.trace.emit("publish", branch=published.branch, commit=commit, tree=patch.tree, url=published.url)
    return published


def _unproven(verdict: Verdict) -> bool:
    return verdict.outcome is not Outcome.FIXED or verdict.level not in (Level.A, Level.B)


def _receipt(order: Order, means: Means, story: Story, ending: Ending) -> Receipt:
    facts, published = story.facts, ending.published
    return receipt(
        Ended(
            run=order.run,
            outcome=ending.outcome,
            reason=ending.reason,
            base=order.base_sha,
            branch=published.branch if published else None,
            commit=facts.commit,
            baseline=facts.baseline,
            verdict=facts.verdict,
            minimality=facts.minimality,
            attempt=facts.attempt,
            patch=facts.patch,
            seconds={**facts.seconds, "total": story.elapsed},
            budget_usd=order.budget.usd,
            pr_url=published.url if published else None,
            trace=means.where,
            layer=facts.layer.key if facts.layer else None,
            tools={**facts.tools, **(facts.layer.tools if facts.layer else {})},
        )
    )
