"""`patchwright fix` in a person's repository: the good end, the honest ends, and every wrong input in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import gitrepo
import pytest
from scripted_fix import KEY, billing, command, edit, fix, replies

LAST, AGAIN = {"text": "Done."}, {"text": "Done again."}


def _state(repo: Path) -> dict[str, str]:
    """Everything of a checkout that a fix must leave alone."""
    every = gitrepo.run(repo, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    refs = "\n".join(row for row in every if not row.startswith("refs/heads/agent/"))
    return {
        "head": (repo / ".git" / "HEAD").read_text(),
        "index": gitrepo.run(repo, "ls-files", "-s"),
        "status": gitrepo.run(repo, "status", "--porcelain", "--ignored"),
        "refs": refs,
        "config": (repo / ".git" / "config").read_text(),
    }


def test_a_fix_lands_on_a_new_branch_and_nothing_else_moves(tmp_path: Path) -> None:
    repo = billing(tmp_path / "repo")
    (repo / "README.md").write_text("half a sentence")  # a dirty checkout is allowed, and left as it is
    (repo / "notes.txt").write_text("mine")
    before = _state(repo)
    done = fix(repo, replies(), tmp_path)
    assert (done.code, done.result["outcome"], done.result["level"]) == (0, "fixed", "A"), done.err
    assert _state(repo) == before
    branch, commit = done.result["branch"], done.result["commit"]
    assert gitrepo.run(repo, "rev-parse", branch) == commit
    assert gitrepo.run(repo, "rev-parse", f"{commit}^") == done.result["base"] == gitrepo.run(repo, "rev-parse", "HEAD")
    assert gitrepo.run(repo, "rev-parse", f"{commit}^{{tree}}") == done.result["tree"]
    assert gitrepo.run(repo, "diff", "--name-only", "HEAD", commit).split() == done.result["files"]


def test_the_result_has_every_documented_key(tmp_path: Path) -> None:
    done = fix(billing(tmp_path / "repo"), replies(), tmp_path, "--trace", str(tmp_path / "t.jsonl"))
    r = done.result
    assert set(r) == {
        "run", "outcome", "reason", "level", "branch", "commit", "tree", "base", "files", "added", "removed", "suite",
        "tamper", "minimality", "cost", "rounds", "calls", "seconds", "pr_url", "trace",
    }  # fmt: skip
    assert (r["added"], r["removed"], r["pr_url"], r["tamper"]) == (6, 1, None, [])
    assert r["suite"]["before"] == {"passed": 6, "failed": 0, "errors": 0, "skipped": 0}
    assert r["suite"]["after"] == {"passed": 7, "failed": 0, "errors": 0, "skipped": 0}
    assert r["suite"]["matrix"]["new_tests_old_code"]["failed"] == 1
    assert (r["minimality"]["score"], r["minimality"]["needed_lines"]) == (100, 3)
    assert {h["state"] for h in r["minimality"]["hunks"]} == {"needed", "evidence"}
    assert r["rounds"] == 3
    assert 0 < r["cost"]["usd"] < r["cost"]["budget_usd"] == 2.0
    types = [json.loads(line)["type"] for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert types[0] == "run.started"
    assert types[-1] == "run.finished"
    assert types.count("round") == 3


def test_a_second_fix_takes_the_next_free_branch(tmp_path: Path) -> None:
    repo = billing(tmp_path / "repo")
    first, second = (fix(repo, replies(), tmp_path) for _ in range(2))
    assert second.result["branch"] == f"{first.result['branch']}-2"


def test_a_wrong_fix_is_not_fixed_and_says_what_fails(tmp_path: Path) -> None:
    wrong = edit("billing/split.py", "total // people] * people", "total // people + 1] * people")
    done = fix(billing(tmp_path / "repo"), [replies()[0], wrong, LAST, AGAIN], tmp_path)
    assert (done.code, done.result["outcome"]) == (1, "not_fixed")
    assert "test_even_split" in done.result["reason"]
    assert "AssertionError" in done.result["reason"]
    assert done.result["branch"] is None


def test_what_was_red_goes_back_once_and_can_still_be_mended(tmp_path: Path) -> None:
    wrong = edit("billing/split.py", "total // people] * people", "total // people + 1] * people")
    good = edit(
        "billing/split.py",
        "    return [total // people + 1] * people",
        "    share, left = divmod(total, people)\n    return [share + 1] * left + [share] * (people - left)",
    )
    done = fix(billing(tmp_path / "repo"), [replies()[0], wrong, LAST, good, AGAIN], tmp_path)
    assert (done.code, done.result["outcome"], done.result["rounds"]) == (0, "fixed", 5), done.err


def test_deleting_the_failing_test_is_not_a_fix(tmp_path: Path) -> None:
    red = billing(tmp_path / "repo", {"tests/test_red.py": RED})
    cheat = {"calls": [{"name": "shell", "input": {"command": "rm tests/test_red.py"}}]}
    done = fix(red, [cheat, LAST, AGAIN], tmp_path)
    assert done.code == 1
    assert done.result["outcome"] in ("not_fixed", "blocked")
    assert done.result["branch"] is None


def test_without_a_red_test_it_is_a_draft_and_not_reproduced(tmp_path: Path) -> None:
    done = fix(billing(tmp_path / "repo"), [replies()[1], LAST, AGAIN], tmp_path)
    assert (done.code, done.result["outcome"]) == (1, "not_reproduced")
    assert done.result["branch"]


def test_protected_paths_block(tmp_path: Path) -> None:
    write = {"path": ".github/workflows/x.yml", "content": "on: push\n"}
    reply = {"calls": [{"name": "write_file", "input": {"files": [write]}}]}
    done = fix(billing(tmp_path / "repo"), [*replies()[:2], reply, LAST, AGAIN], tmp_path)
    assert (done.code, done.result["outcome"], done.result["branch"]) == (1, "blocked", None)
    assert ".github/workflows/x.yml" in done.result["reason"]


def test_caps_end_the_run_before_the_next_call(tmp_path: Path) -> None:
    repo = billing(tmp_path / "repo")
    one = fix(repo, replies(), tmp_path, "--max-rounds", "1")
    assert (one.code, one.result["outcome"], one.result["rounds"]) == (1, "out_of_budget", 1)
    assert "Stopped: the cap of rounds was reached." in one.result["reason"]
    assert "1 rounds" in one.result["reason"]
    poor = fix(repo, replies(), tmp_path, "--budget-usd", "0.0001")
    assert (poor.result["outcome"], poor.result["rounds"], poor.result["cost"]["usd"]) == ("out_of_budget", 0, None)


RED = """import unittest

from billing.split import split


class RedTest(unittest.TestCase):
    def test_shares_add_up(self):
        self.assertEqual(sum(split(1000, 3)), 1000)
"""


@pytest.mark.parametrize(
    ("prepare", "args", "code", "says"),
    [
        (lambda d: d / "nowhere", (), 2, "is not a folder (--repo)"),
        (lambda d: d, (), 2, "is not inside a git repository (--repo)"),
        (lambda d: gitrepo_empty(d / "empty"), (), 2, "has no commits yet"),
        (lambda d: billing(d / "r"), ("--base", "nope"), 2, "no branch, tag or commit named 'nope' (--base)"),
        (
            lambda d: billing(d / "r", {".github/patchwright.yml": "tests: make\n"}),
            (),
            2,
            '.github/patchwright.yml, line 1: unknown key "tests"; did you mean "test"?',
        ),
        (lambda d: gitrepo.make(d / "r", {"a.txt": "no code\n"}), (), 3, "No test command was found"),
        (
            lambda d: billing(d / "r", {".github/patchwright.yml": 'setup: ["echo nope; exit 7"]\n'}),
            (),
            3,
            "Set-up failed: `echo nope; exit 7` exited with 7.",
        ),
        (
            lambda d: billing(d / "r", {".github/patchwright.yml": "projects: [{path: web}]\n"}),
            (),
            3,
            "`projects` of .github/patchwright.yml: no test command was found in web",
        ),
        (lambda d: billing(d / "r"), ("--json", "/nowhere/x.json"), 2, "The folder of /nowhere/x.json does not exist"),
    ],
    ids=["missing", "no repository", "empty", "base", "unknown key", "no tests", "set-up", "projects", "json folder"],
)
def test_bad_input_gets_one_sentence(prepare, args: tuple[str, ...], code: int, says: str, tmp_path: Path) -> None:
    done = fix(prepare(tmp_path), replies(), tmp_path, *args)
    assert done.code == code, done.err
    told = done.err if code == 2 else done.result["reason"]
    assert says in told
    assert "Traceback" not in done.err


def gitrepo_empty(folder: Path) -> Path:
    """A repository without commits."""
    folder.mkdir()
    gitrepo.run(folder, "init", "--quiet")
    return folder


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"ANTHROPIC_API_KEY": "wrong"}, "key"),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "is away"),
    ],
    ids=["wrong key", "away"],
)
def test_a_dead_key_and_a_model_that_is_away_end_as_environment(env: dict[str, str], says: str, tmp_path: Path) -> None:
    done = fix(billing(tmp_path / "repo"), replies(), tmp_path, env=env)
    assert (done.code, done.result["outcome"]) == (3, "environment")
    assert says in done.result["reason"]
    assert KEY not in done.err


def test_the_request_must_be_given_once(tmp_path: Path) -> None:
    repo = str(billing(tmp_path / "repo"))
    for args, says in (
        ((), "--issue FILE or --text TEXT"),
        (("--text", "a", "--issue", "b"), "--issue FILE or --text TEXT"),
        (("--text", "  "), "The request is empty"),
        (("--issue", "/nowhere"), "is not a file (--issue)"),
    ):
        done = command("fix", "--repo", repo, *args)
        assert done.returncode == 2
        assert says in done.stderr


@pytest.mark.parametrize("name", ["ci", "bump"])
def test_commands_to_come_say_so(name: str) -> None:
    done = command(name, "--repo", ".")
    assert done.returncode == 2
    assert done.stderr == f"patchwright: 'patchwright {name}' does not exist yet.\n"
