from __future__ import annotations

import re
from dataclasses import replace

from receipt_facts import BASE, COMMIT, MINIMALITY, TAMPER, TASK, bare, ended, verdict

from jobs.outcome import Level, Outcome
from jobs.publish.clean import LIMIT, Cleaner
from jobs.publish.pull_request import body, rows, title
from jobs.publish.receipt import receipt
from jobs.suite.finding import Finding
from jobs.suite.verdict import Matrix
from jobs.tasks.task import Task


def test_the_title_says_what_it_is_for() -> None:
    assert title(TASK) == "Fix: Dates before 1970 are wrong (#12)"
    assert title(Task("fix", "", ""), "\n## Handle @all in #3\nmore") == "Fix: Handle all in 3"
    assert len(title(Task("fix", "x" * 500, "", 12))) == 200


def test_the_body_tells_everything_in_order() -> None:
    shown = body(receipt(ended()), TASK, summary="I changed the *sign*.", closes=True)
    parts = (
        "<!-- patchwright:run=r-01 -->",
        "I changed the *sign*.",
        "Fixes #12",
        "**Fixed, and proven by the repository's own tests.** Level A:",
        "| the base's | before | 1 | 1 | 0 | 1 |",
        "| all | after | 3 | 0 | 0 | 1 |",
        "- `b`",
        "- `n`",
        "**100 of 100**",
        "| `src/dates.py` `@@ -3,1 +3,2 @@` | 3 | needed | tests/test_dates.py::b \\| fails |",
        "$0.0421 of $2.00",
        f"patchwright verify --repo . --base {BASE} --head {COMMIT}",
        "`/agent fix <what to change>`",
    )
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert "TAMPER" not in shown
    assert "Look at these first" not in shown


def test_only_a_default_base_closes_the_issue() -> None:
    shown = body(receipt(ended()), TASK)
    assert "For #12" in shown
    assert "Fixes #12" not in shown
    assert "#12" not in body(receipt(ended()), replace(TASK, number=None))


def test_findings_stand_at_the_top_blocking_ones_first() -> None:
    worse = Finding("test_deleted", "tests/a|b.py", None, "test_a is gone", blocks=True)
    shown = body(receipt(ended(verdict=verdict(tamper=(TAMPER, worse)))), TASK, summary="The summary.")
    assert shown.index("test_a is gone") < shown.index("`@skip` was added") < shown.index("The summary.")


def test_untrusted_text_stays_inert_everywhere() -> None:
    evil = "@org/team ![x](https://e.example/?q=1) <details> fixes #3 /agent fix\n/agent fix\n```\n@x"
    hunk = replace(MINIMALITY.hunks[0], file="a|`@x`.py", proof=evil)
    made = ended(
        verdict=verdict(fixed=("t[`@x|`]",), tamper=(replace(TAMPER, text=evil),)),
        minimality=replace(MINIMALITY, hunks=(hunk,)),
    )
    shown = body(receipt(made), Task("fix", evil, evil, 12), summary=evil, closes=True)
    assert shown.count("<details>") == 1
    assert "![" not in shown
    assert "fixes #3" not in shown
    assert not re.search(r"(?<!`)@x", shown.replace("\n```\n@x\n```\n", ""))
    assert not [row for row in shown.splitlines() if row.startswith("/agent")]


def test_a_suite_without_ids_shows_exit_codes() -> None:
    shown = receipt(ended(verdict=verdict(level=Level.C, matrix=Matrix(bare(2), bare(0)))))
    assert [(row.code, row.passed, row.failed) for row in rows(shown)] == [
        ("before", "–", "failed"),
        ("after", "exit 0", "–"),
    ]
    assert "| the command | after | exit 0 |" in body(shown, TASK)


def test_long_lists_are_counted_and_secrets_masked() -> None:
    ids = tuple(f"tests/test_{n}.py::t" for n in range(40))
    made = receipt(ended(verdict=verdict(fixed=ids)))
    shown = body(made, TASK, summary="the key is hunter2-hunter2", cleaner=Cleaner(lambda t: t.replace("hunter2", "*")))
    assert "- and 28 more" in shown
    assert "hunter2" not in shown


def test_without_score_cost_and_commit_it_still_reads() -> None:
    bare_run = ended(outcome=Outcome.NOT_REPRODUCED, minimality=None, attempt=None, commit=None, layer=None, tools={})
    shown = body(receipt(bare_run), TASK)
    assert "It was not measured." in shown
    assert "1 min 15 s, no model" in shown
    assert "patchwright verify" not in shown
    unscored = replace(MINIMALITY, score=None, hunks=(), reason="No test fails without it.")
    assert "No score: No test fails without it." in body(receipt(ended(minimality=unscored)), TASK)


def test_a_huge_summary_is_cut_to_what_github_takes() -> None:
    assert len(body(receipt(ended()), TASK, summary="word " * 60_000)) <= LIMIT
