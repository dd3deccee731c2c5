from __future__ import annotations

import pytest
from github_world import NAME, World, routes

from jobs.errors import EnvironmentFault, Fenced, UserError
from jobs.github.checks import Action, CheckReport
from jobs.github.client import GitHub
from jobs.github.errors import NotFound, Rejected

REPORT = CheckReport("in_progress", "Working", "Running the suite.")


def test_an_issue_and_its_comments_on_all_pages(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken", "It breaks.")
    ids = [gh.hub.comment(NAME, number, "rob", f"comment {n}") for n in range(205)]
    issue = gh.github.issue(number)
    assert (issue.title, issue.body, issue.author.login, issue.is_pull) == ("Broken", "It breaks.", "ann", False)
    assert [c.id for c in gh.github.comments(number)] == ids


def test_commenting_editing_and_reading_back(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    said = gh.github.comment(number, "Hello @ann, see #1")
    assert (said.body, said.author.login) == ("Hello `@ann`, see `#1`", gh.tokens.identity().bot_login)
    edited = gh.github.edit_comment(said.id, "Better")
    assert gh.github.get_comment(said.id) == edited
    assert edited.body == "Better"


def test_only_our_own_comment_is_found_by_its_marker(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    gh.hub.comment(NAME, number, "rob", "<!-- patchwright:run=r-1 --> mine now")
    assert gh.github.find_comment(number, "patchwright:run=r-1") is None
    said = gh.github.comment(number, "r-1 is `patchwright:run=r-1`")
    assert gh.github.find_comment(number, "patchwright:run=r-1") == said


def test_reactions_are_added_once(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    comment_id = gh.hub.comment(NAME, number, "ann", "/agent fix")
    for _ in range(2):
        gh.github.react("eyes", comment_id=comment_id)
        gh.github.react("hooray", issue=number)
    assert [r["content"] for r in gh.hub.reactions(NAME, number, comment_id)] == ["eyes"]
    assert [r["content"] for r in gh.hub.reactions(NAME, number)] == ["hooray"]


@pytest.mark.parametrize("role", ["read", "triage", "write", "maintain", "admin"])
def test_the_permission_is_the_role(gh: World, role: str) -> None:
    gh.hub.grant(NAME, "sue", role)
    assert gh.github.permission("sue") == role


def test_the_permission_of_an_unknown_account_is_an_error(gh: World) -> None:
    with pytest.raises(NotFound):
        gh.github.permission("nobody/../ann")


def test_branches_heads_and_files(gh: World) -> None:
    sha = gh.hub.push(NAME, "agent/fix-1-x#y", {"new.txt": "new\n"}, "ann")
    assert gh.github.default_branch == "main"
    assert gh.github.branch_head("agent/fix-1-x#y") == sha
    assert gh.github.branch_head("agent/fix-1") is None
    assert gh.github.branches("agent/fix-1") == {"agent/fix-1-x#y": sha}
    assert gh.github.file("new.txt", sha) == b"new\n"
    assert gh.github.file("new.txt") is None
    assert gh.github.file("README.md") == b"# Tool\n"
    assert gh.github.committer(sha)


def test_a_folder_is_no_file(gh: World) -> None:
    gh.hub.push(NAME, "main", {".github/patchwright.yml/x": "x"}, "ann")
    with pytest.raises(UserError, match="not a plain file"):
        gh.github.file(".github/patchwright.yml")


def test_protection_and_rules_of_a_branch(gh: World) -> None:
    assert gh.github.rules("main") == frozenset()
    gh.hub.protect(NAME, "main", "required_signatures", "pull_request")
    assert gh.github.rules("main") == {"required_signatures", "pull_request"}
    branch = gh.github.branch("main")
    assert branch is not None
    assert branch.protected
    assert gh.github.branch("none") is None


def test_a_pull_request_is_opened_once_found_and_changed(gh: World) -> None:
    gh.hub.push(NAME, "agent/fix-1", {"tool.py": "x = 1\n"}, "ann")
    made = gh.github.create_pull(head="agent/fix-1", base="main", title="Fix @all #1", body="B", draft=True)
    again = gh.github.create_pull(head="agent/fix-1", base="main", title="Other", body="B")
    assert made == again
    assert (made.title, made.draft, made.from_fork) == ("Fix all 1", True, False)
    assert gh.github.pulls_by_head("agent/fix-1") == (made,)
    changed = gh.github.update_pull(made.number, title="New", body="Body")
    assert (changed.title, changed.body) == ("New", "Body")
    assert gh.github.pull(made.number) == changed
    assert len(gh.hub.pulls(NAME)) == 1


def test_pull_requests_of_forks_are_not_taken_for_ours(gh: World) -> None:
    fork = gh.hub.fork(NAME, "rob")
    gh.hub.push(fork, "agent/fix-1", {"tool.py": "x = 1\n"}, "rob")
    number = gh.hub.open_pull(NAME, "rob", head="rob:agent/fix-1", base="main", title="Mine")
    assert gh.github.pull(number).from_fork
    assert gh.github.pulls_by_head("agent/fix-1", "all") == ()


def test_a_pull_request_without_commits_is_refused_in_githubs_words(gh: World) -> None:
    gh.hub.push(NAME, "agent/fix-1", {}, "ann")
    with pytest.raises(Rejected) as refused:
        gh.github.create_pull(head="agent/fix-none", base="main", title="T", body="B")
    assert refused.value.status == 422


def test_labels_and_reviewers(gh: World) -> None:
    gh.hub.push(NAME, "agent/fix-1", {"tool.py": "x = 1\n"}, "ann")
    made = gh.github.create_pull(head="agent/fix-1", base="main", title="T", body="B")
    gh.github.add_labels(made.number, ("agent", "bug"))
    gh.github.add_labels(made.number, ("agent",))
    assert sorted(gh.github.issue(made.number).labels) == ["agent", "bug"]
    assert gh.github.request_reviewers(made.number, ("ann",))


def test_a_check_run_is_found_by_the_run(gh: World) -> None:
    sha = str(gh.github.branch_head("main"))
    made = gh.github.show_check(sha, "r-1", REPORT)
    button = Action("Apply", "Push the patch to this branch", "apply")
    done = CheckReport("completed", "Fixed", "All green.", conclusion="success", actions=(button,))
    again = gh.github.show_check(sha, "r-1", done)
    other = gh.github.show_check(sha, "r-2", REPORT)
    assert made.id == again.id != other.id
    assert (again.status, again.conclusion) == ("completed", "success")
    assert [c["external_id"] for c in gh.hub.checks(NAME, sha)] == ["r-1", "r-2"]


def test_what_is_too_long_is_cut_to_githubs_limits(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    long = "word " * 30_000
    assert len(gh.github.comment(number, long).body) <= 65_536
    sha = str(gh.github.branch_head("main"))
    gh.github.show_check(sha, "r-1", CheckReport("in_progress", "t" * 900, long, text=long))
    sent = next(r.json for r in gh.hub.requests if r.route.endswith("/check-runs") and r.method == "POST")
    assert max(len(sent["output"][key]) for key in ("summary", "text")) <= 65_535


def test_the_bots_account_gives_its_commit_address(gh: World) -> None:
    bot = gh.github.bot()
    assert (bot.type, bot.login) == ("Bot", gh.tokens.identity().bot_login)


def test_a_fenced_client_writes_nothing_more(gh: World) -> None:
    def lost() -> None:
        raise Fenced("another attempt owns the run")

    number = gh.hub.open_issue(NAME, "ann", "Broken")
    fenced = gh.github.fenced(lost)
    assert fenced.issue(number).title == "Broken"
    gh.hub.forget_requests()
    for write in (
        lambda: fenced.comment(number, "x"),
        lambda: fenced.react("eyes", issue=number),
        lambda: fenced.add_labels(number, ("a",)),
        lambda: fenced.create_pull(head="agent/x", base="main", title="T", body="B"),
        lambda: fenced.create_check("0" * 40, "r-1", REPORT),
    ):
        with pytest.raises(Fenced):
            write()
    assert routes(gh.hub) == []


def test_the_fence_is_asked_again_before_a_second_try(gh: World) -> None:
    asked: list[int] = []

    def once() -> None:
        asked.append(1)
        if len(asked) > 1:
            raise Fenced("lost meanwhile")

    number = gh.hub.open_issue(NAME, "ann", "Broken")
    gh.hub.fault("POST", "/repos/*/labels", "bad_gateway", times=5)
    with pytest.raises(Fenced):
        gh.github.fenced(once).add_labels(number, ("a",))
    assert gh.github.issue(number).labels == ()


def test_a_missing_permission_is_named(gh: World) -> None:
    number = gh.hub.open_issue(NAME, "ann", "Broken")
    reader = gh.client({"issues": "read"})
    with pytest.raises(EnvironmentFault, match=r"issues.write|issues=write"):
        reader.comment(number, "x")


def test_a_name_that_is_no_repository_is_refused(gh: World) -> None:
    with pytest.raises(UserError, match="owner/name"):
        GitHub(gh.tokens, gh.hub.url, 1, "acme/tool/../../user", 1, {})
