"""The control process: turns inbox entries into runs or answers, and keeps every run moving."""

from __future__ import annotations

import dataclasses
import logging
import signal
import threading
import time
from collections.abc import Callable
from functools import partial

from redis import Redis
from redis.exceptions import RedisError

from app import answers
from app.control_desk import Desk
from app.deliveries import redeliver
from app.leader import Leader
from app.reconcile import Reconciler
from app.settings import ControlSettings
from app.trigger import Trigger
from jobs import keys, logs
from jobs.connection import connect
from jobs.errors import EnvironmentFault, Fenced, Retry
from jobs.gate import Ceilings, Refused
from jobs.github.app import App
from jobs.github.auth import AppKey, Tokens, read_key
from jobs.github.desk import GitHubDesk
from jobs.inbox import Entry, Inbox
from jobs.job import Job
from jobs.queue import dispatch
from jobs.redact import Redactor
from jobs.runs import Run, Runs
from jobs.settings import take

MAX_TRIES = 10  # that died; with their waits, some seven minutes
LONGEST_S = 24 * 3600.0  # that an entry is put off while GitHub can't be asked
WORK = ("fix", "plan", "ask", "ci", "bump", "verify")
_TURN_S = 1.0
_RARELY_S = 300.0

logger = logging.getLogger(__name__)

Ending = tuple[str, str]  # (answered | refused | ignored | run, reason)


class Control:
    """Works while it leads. `run` blocks until `stop` is set; `redeliver` asks GitHub for what was missed."""

    def __init__(
        self,
        redis: Redis,
        desk: Desk,
        leader: Leader,
        redeliver: Callable[[], int],
        *,
        keep_s: int,
        prefix: str = "/agent",
    ) -> None:
        self._redis = redis
        self._desk = desk
        self._leader = leader
        self._redeliver = redeliver
        self._prefix = prefix
        self._inbox = Inbox(redis, keep_s=keep_s)
        self._runs = Runs(redis, keep_s=keep_s)
        self._reconciler = Reconciler(redis, self._runs)
        self._rarely_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Leads whenever it can, until told to stop."""
        self._leader.start()
        while not stop.is_set():
            if not self._leader.leads():
                stop.wait(0.2)
                continue
            try:
                self.turn()
            except Fenced:
                logger.warning("leadership lost in the middle of a turn")
        self._leader.stop()

    def turn(self) -> None:
        """Deals with everything that is due, then waits for the bell for a second at most."""
        while self._leader.leads() and (entry := self._inbox.take()) is not None:
            with logs.about(run=entry.id, delivery=entry.delivery):
                self._handle(entry)
        self._leader.check()
        self._reconciler.turn()
        self._reconciler.tell(self._desk)
        self._rarely()
        self._inbox.wait(_TURN_S)

    def _rarely(self) -> None:
        if time.monotonic() < self._rarely_at:
            return
        self._rarely_at = time.monotonic() + _RARELY_S
        self._runs.forget()
        try:
            if count := self._redeliver():
                logger.info("deliveries asked for again", extra={"count": count})
        except (Retry, EnvironmentFault) as later:
            logger.warning("deliveries could not be looked at", extra={"cause": str(later)})

    def _handle(self, entry: Entry) -> None:
        """One entry: ended, or left to come back."""
        trigger = Trigger.from_json(entry.trigger)
        if entry.tries > MAX_TRIES:
            self._give_up(entry, trigger, f"control died {MAX_TRIES} times on it")
            return
        try:
            ending, reason = self._deal(trigger, entry)
        except (Retry, EnvironmentFault) as later:
            self._later(entry, trigger, later)
        else:
            if ending != "run":  # a run's entry was ended together with the making of its record
                self._inbox.end(entry.id, ending, reason)
            logger.info("entry dealt with", extra={"ending": ending, "reason": reason})

    def _later(self, entry: Entry, trigger: Trigger, cause: Retry | EnvironmentFault) -> None:
        if entry.age_s > LONGEST_S:
            self._give_up(entry, trigger, str(cause))
            return
        wait_s = self._inbox.later(entry, cause.after_s if isinstance(cause, Retry) else 0.0)
        logger.warning("entry put off", extra={"seconds": wait_s, "cause": str(cause)})

    def _give_up(self, entry: Entry, trigger: Trigger, reason: str) -> None:
        self._inbox.give_up(entry, trigger.meaning, reason)
        logger.error("entry given up; its delivery can be sent again", extra={"cause": reason})

    def _deal(self, trigger: Trigger, entry: Entry) -> Ending:
        of = self._runs.get(trigger.external_id) if trigger.kind == "button" else None
        if trigger.kind == "button" and (of is None or of.job.repository_id != trigger.repository_id):
            return "ignored", "the check run belongs to no run of this repository"
        draft = trigger.draft(entry.id, of.job if of else None)
        refused = self._desk.permit(_asker(draft) if trigger.kind == "hint" else draft)
        if refused is not None:
            return self._refused(draft, refused)
        if trigger.kind == "hint":
            return self._said(draft, answers.hint_text(self._prefix))
        if of is not None and trigger.verb not in ("stop", "retry"):
            return "ignored", f"there is no button {trigger.verb}"
        if draft.kind in WORK:
            return self._start(draft, entry)
        return self._small(draft, trigger.problem, (of,) if of else self._thread(draft), entry)

    def _small(self, draft: Job, problem: str, thread: tuple[Run, ...], entry: Entry) -> Ending:
        """Commands that control answers by itself; `thread` is what they are about."""
        match draft.kind:
            case "stop":
                return self._said(draft, answers.stopped_text(self._stop(thread, draft)))
            case "status":
                return self._said(draft, answers.status_text(thread[:10]))
            case "retry":
                last = next((r.job for r in thread if r.job.kind in WORK), None)
                if last is None:
                    return self._said(draft, answers.NOTHING_RAN)
                return self._start(_like(draft, last), entry)
            case "undo":
                return self._said(draft, answers.NO_UNDO)
        return self._said(draft, answers.help_text(self._prefix, problem))

    def _start(self, draft: Job, entry: Entry) -> Ending:
        if missing := answers.missing_text(draft):
            return ("ignored", missing) if draft.requester is None else self._said(draft, missing)
        # First of all, so that whoever asked sees it within a second. Should control die before the dispatch, the
        # next leader does all of this again.
        self._leader.check()
        if draft.requester is not None:
            self._desk.acknowledge(draft)
        admitted = self._desk.admit(draft)
        if isinstance(admitted, Refused):
            return self._refused(draft, admitted)
        if moved(self._redis, admitted, entry.at_ms):
            return self._refused(draft, Refused(answers.MOVED))
        self._leader.check()
        if dispatch(self._redis, admitted, busy=lambda: self._at_work(draft) is not None):
            return "run", ""
        if self._runs.get(draft.run) is not None:
            return "run", ""
        if (other := self._at_work(draft)) is not None:
            return self._said(draft, answers.busy_text(other.id))
        raise Retry("another change to this thread came first", after_s=1)

    def _refused(self, draft: Job, refused: Refused) -> Ending:
        """Automatic jobs are refused in silence."""
        self._leader.check()
        if draft.requester is not None:
            self._desk.refuse(draft, refused)
        return "refused", refused.sentence

    def _said(self, draft: Job, text: str) -> Ending:
        self._leader.check()
        if draft.requester is not None:
            self._desk.answer(draft, text)
        return "answered", text.partition("\n")[0]

    def _thread(self, draft: Job) -> tuple[Run, ...]:
        return () if draft.issue is None else self._runs.of_thread(draft.repository_id, draft.issue)

    def _at_work(self, draft: Job) -> Run | None:
        """A run of this thread that is not finished; one thread has one at a time."""
        return next((run for run in self._thread(draft) if run.state != "finished"), None)

    def _stop(self, runs: tuple[Run, ...], draft: Job) -> int:
        reason = f"Stopped by @{draft.requester}."
        return sum(self._runs.stop(run.id, reason) for run in runs if run.state != "finished")


def moved(redis: Redis, job: Job, asked_ms: int) -> bool:
    """True if the head that the pull request has now was pushed after the command came: nobody asked for that one."""
    if not job.is_pull or job.issue is None or job.requester is None:
        return False
    first = redis.get(keys.head(job.repository_id, job.issue, job.base_sha))
    return first is not None and int(first) > asked_ms


def _asker(draft: Job) -> Job:
    """`draft` reduced to who asked: the comment behind a hint was edited, which is what the hint is about."""
    return dataclasses.replace(draft, comment_id=None, comment_updated_at=None, is_pull=False)


def _like(draft: Job, last: Job) -> Job:
    """`draft` asking for what `last` was asked for; what it says itself goes first."""
    options = {**last.options, **draft.options}
    return dataclasses.replace(draft, kind=last.kind, options=options, text=draft.text or last.text)


def main() -> None:
    """Entry point: the control process, its settings taken from the environment.

    Raises UserError for bad settings or an unreadable key before anything is started, EnvironmentFault when Redis
    stays away.
    """
    settings = take(ControlSettings)
    key = AppKey(settings.app_id, read_key(settings.private_key))
    url = settings.redis_url.get_secret_value()
    logs.set_up(Redactor((key.private_key, url)))
    redis = connect(url)
    leader = Leader(redis)
    app = App(Tokens(key, settings.api_url))
    ceilings = Ceilings(
        usd_per_run=settings.max_usd_per_run,
        minutes=settings.max_minutes,
        models=settings.models,
        model=settings.model,
    )
    desk = GitHubDesk(app, ceilings, leader.check)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    logger.info("control started")
    again = partial(redeliver, app, redis)
    control = Control(redis, desk, leader, again, keep_s=settings.keep_s, prefix=settings.prefix)
    try:
        control.run(stop)
    except RedisError as away:
        raise EnvironmentFault(f"Redis can't be reached any more: {away}") from away
