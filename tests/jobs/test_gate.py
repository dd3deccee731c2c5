from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from github_world import NAME, World, world

from jobs import gate, messages
from jobs.gate import Allowed, Ceilings, Limits, Refused, decide, limits
from jobs.github.errors import RateLimited, Unclear
from jobs.job import Job
from jobs.policy import default, parse

CEILINGS = Ceilings(usd_per_run=10.0, minutes=180.0, model="claude-sonnet-5-5")
WITHIN = Limits(usd=2.0, minutes=45.0, verify_minutes=60.0, rounds=60, model="claude-sonnet-5-5")


@pytest.fixture
def gh(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "hub") as made:
        yield made


def _asked(gh: World, login: str = "ann", body: str = "/agent fix  please") -> Job:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    comment_id = gh.hub.comment(NAME, number, login, body)
    comment = gh.github.get_comment(comment_id)
    return Job(
        run="r-1",
        kind="fix",
        repository_id=gh.repository_id,
        repository=NAME,
        installation_id=gh.hub.installation_id(NAME),
        issue=number,
        comment_id=comment_id,
        comment_updated_at=comment.updated_at,
        requester=login,
        text="please",
    )


@pytest.mark.parametrize("role", ["write", "maintain", "admin"])
def test_people_who_may_write_may_ask(gh: World, role: str) -> None:
    gh.hub.grant(NAME, "ann", role)
    assert decide(_asked(gh), gh.github, default(), CEILINGS) == Allowed(WITHIN)


@pytest.mark.parametrize("role", ["none", "read", "triage"])
def test_others_may_not(gh: World, role: str) -> None:
    gh.hub.grant(NAME, "ann", role)
    refused = decide(_asked(gh), gh.github, default(), CEILINGS)
    assert isinstance(refused, Refused)
    assert refused.tell
    assert "ann may not ask" in refused.sentence


def test_the_file_may_widen_or_narrow_the_roles(gh: World) -> None:
    gh.hub.grant(NAME, "ann", "triage")
    assert isinstance(decide(_asked(gh), gh.github, parse(b"who: {roles: [triage, admin]}"), CEILINGS), Allowed)
    gh.hub.grant(NAME, "ann", "write")
    assert isinstance(decide(_asked(gh), gh.github, parse(b"who: {roles: [admin]}"), CEILINGS), Refused)


@pytest.mark.parametrize("kind", ["not_found", "unauthorized", "forbidden", "unprocessable"])
def test_a_permission_that_cannot_be_read_means_no(gh: World, kind: str) -> None:
    job = _asked(gh)
    gh.hub.fault("GET", "/repos/*/permission", kind, times=9)
    assert isinstance(decide(job, gh.github, default(), CEILINGS), Refused)


def test_a_rate_limit_starts_nothing_and_can_be_asked_later(gh: World) -> None:
    job = _asked(gh)
    gh.hub.fault("GET", "/repos/*/permission", "primary")
    with pytest.raises(RateLimited):
        decide(job, gh.github, default(), CEILINGS)


@pytest.mark.parametrize("kind", ["server_error", "cut"])
def test_no_readable_answer_starts_nothing_and_can_be_asked_later(gh: World, kind: str) -> None:
    job = _asked(gh)
    gh.hub.fault("GET", "/repos/*/permission", kind, times=3)
    with pytest.raises(Unclear):
        decide(job, gh.github, default(), CEILINGS)
    assert isinstance(decide(job, gh.github, default(), CEILINGS), Allowed)


def test_a_job_tried_again_carries_earlier_words_and_a_later_comment(gh: World) -> None:
    first = _asked(gh, body="/agent fix some words")
    again = replace(_asked(gh, body="/agent retry"), run="r-2", issue=first.issue, text="some words")
    assert isinstance(decide(again, gh.github, default(), CEILINGS), Allowed)


def test_an_edited_a_deleted_and_another_comment_are_refused(gh: World) -> None:
    changed = Refused(messages.COMMENT_CHANGED)
    job = _asked(gh)
    assert decide(replace(job, comment_updated_at="2020-01-01T00:00:00Z"), gh.github, default(), CEILINGS) == changed
    assert decide(replace(job, requester="rob"), gh.github, default(), CEILINGS) == changed
    gh.hub.delete_comment(NAME, int(job.comment_id or 0), "ann")
    assert decide(job, gh.github, default(), CEILINGS) == changed


def test_bots_are_refused_without_a_word_unless_named_by_id(gh: World) -> None:
    bot = gh.hub.add_user("helper[bot]", kind="Bot")
    gh.hub.grant(NAME, "helper[bot]", "admin")
    job = _asked(gh, "helper[bot]")
    silent = Refused(messages.BOT, tell=False)
    assert decide(job, gh.github, default(), CEILINGS) == silent
    assert decide(replace(job, comment_id=None), gh.github, default(), CEILINGS) == silent
    named = parse(f"who: {{bots: [{bot}]}}".encode())
    assert isinstance(decide(job, gh.github, named, CEILINGS), Allowed)
    edited = replace(job, comment_updated_at="2020-01-01T00:00:00Z")
    assert decide(edited, gh.github, named, CEILINGS) == silent


def test_our_own_comments_start_nothing(gh: World) -> None:
    job = _asked(gh)
    said = gh.github.comment(int(job.issue or 0), "`/agent fix please`")
    ours = replace(job, comment_id=said.id, comment_updated_at=said.updated_at, requester=said.author.login)
    assert decide(ours, gh.github, default(), CEILINGS) == Refused(messages.BOT, tell=False)


def test_a_pull_request_from_a_fork_is_refused_politely(gh: World) -> None:
    fork = gh.hub.fork(NAME, "rob")
    gh.hub.push(fork, "patch", {"tool.py": "x = 1\n"}, "rob")
    number = gh.hub.open_pull(NAME, "rob", head="rob:patch", base="main", title="Mine")
    comment = gh.github.get_comment(gh.hub.comment(NAME, number, "ann", "/agent fix please"))
    job = replace(_asked(gh), issue=number, is_pull=True, comment_id=comment.id, comment_updated_at=comment.updated_at)
    assert decide(job, gh.github, default(), CEILINGS) == Refused(messages.FORK)
    gh.hub.push(NAME, "feature", {"tool.py": "x = 2\n"}, "ann")
    own = gh.hub.open_pull(NAME, "ann", head="feature", base="main", title="Ours")
    comment = gh.github.get_comment(gh.hub.comment(NAME, own, "ann", "/agent fix please"))
    job = replace(job, issue=own, comment_id=comment.id, comment_updated_at=comment.updated_at)
    assert isinstance(decide(job, gh.github, default(), CEILINGS), Allowed)


@pytest.mark.parametrize(
    ("kind", "on"),
    [
        ("ci", b"triggers: {ci: push}"),
        ("bump", b"triggers: {bump: '0 3 * * *'}"),
        ("verify", b"triggers: {verify: {}}"),
    ],
)
def test_jobs_without_a_person_need_the_file(gh: World, kind: str, on: bytes) -> None:
    job = replace(_asked(gh), kind=kind, requester=None, comment_id=None)
    assert decide(job, gh.github, default(), CEILINGS) == Refused(messages.NOT_ASKED, tell=False)
    assert isinstance(decide(job, gh.github, parse(on), CEILINGS), Allowed)
    assert isinstance(decide(replace(job, kind="fix"), gh.github, parse(on), CEILINGS), Refused)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"budget": "5"}, "budget=5 is more than is allowed here: at most 2."),
        ({"budget": "lots"}, "budget=lots can't be read: write dollars, such as budget=1.50."),
        ({"budget": "nan"}, "budget=nan can't be read: write dollars, such as budget=1.50."),
        ({"budget": "-1"}, "budget=-1 can't be read: write dollars, such as budget=1.50."),
        ({"model": "gpt-9"}, "model=gpt-9 is not allowed here: claude-sonnet-5-5."),
        ({"force": "yes"}, "The option force= does not exist yet."),
        ({"budget": "1", "tests": "a"}, "The option tests= does not exist yet."),
        ({"buget": "1"}, "There is no option buget=: the options are model=, budget=, base=."),
    ],
)
def test_options_above_or_beside_what_is_allowed_are_refused(options: dict[str, str], sentence: str) -> None:
    assert limits(options, default(), CEILINGS) == Refused(sentence)


def test_options_within_what_is_allowed_are_taken() -> None:
    wanted = {"budget": "$1.50", "model": "claude-sonnet-5-5", "base": "main"}
    assert limits(wanted, default(), CEILINGS) == Allowed(replace(WITHIN, usd=1.5))


def test_the_operators_ceilings_win_over_the_file() -> None:
    greedy = parse(b"budget: {usd_per_run: 99, usd_per_day: 999, minutes: 999}\nmodel: huge")
    small = Ceilings(usd_per_run=1.0, minutes=10.0, models=("small", "tiny"), model="small")
    assert gate.within(greedy, small) == Limits(1.0, 10.0, 60.0, 60, "small")
    assert limits({"model": "tiny"}, greedy, small) == Allowed(Limits(1.0, 10.0, 60.0, 60, "tiny"))
    assert gate.within(parse(b"model: tiny"), small).model == "tiny"
    assert gate.within(default(), Ceilings(model="m")).usd == 2.0
