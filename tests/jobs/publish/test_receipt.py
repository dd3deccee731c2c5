from __future__ import annotations

import json
import re
from dataclasses import replace

from receipt_facts import BASE, COMMIT, TAMPER, TREE, bare, ended, report, verdict

from jobs.outcome import Level, Outcome
from jobs.publish.receipt import Ended, receipt, restored
from jobs.suite.verdict import Matrix

KEYS = [
    *("run", "outcome", "reason", "level", "branch", "commit", "tree", "base", "files", "added", "removed"),
    *("suite", "tamper", "minimality", "cost", "rounds", "calls", "seconds", "pr_url", "trace"),
]


def _counts(passed: int, failed: int, skipped: int = 0) -> dict[str, int]:
    return {"passed": passed, "failed": failed, "errors": 0, "skipped": skipped}


def test_a_proven_fix_in_full() -> None:
    out = json.loads(receipt(ended(verdict=verdict(tamper=(TAMPER,)), pr_url="https://x/1")).to_json())
    assert list(out) == KEYS
    assert (out["outcome"], out["level"], out["commit"], out["tree"], out["base"]) == ("fixed", "A", COMMIT, TREE, BASE)
    assert (out["files"], out["added"], out["removed"]) == (["src/dates.py"], 2, 1)
    assert out["suite"] == {
        "command": "pytest -q",
        "seconds": 2.5,
        "before": _counts(1, 1, 1),
        "after": _counts(3, 0, 1),
        "matrix": {
            "old_tests_old_code": _counts(1, 1, 1),
            "old_tests_new_code": _counts(2, 0, 1),
            "new_tests_old_code": _counts(0, 1),
            "new_tests_new_code": _counts(3, 0, 1),
        },
        "fixed": ["b", "n"],
        "broken": [],
        "flaky": [],
        "missing": [],
    }
    assert out["tamper"] == [
        {"kind": "skip_added", "file": "tests/test_dates.py", "line": 9, "text": "`@skip` was added for @all"}
    ]
    assert out["minimality"] == {
        "score": 100,
        "changed_lines": 3,
        "needed_lines": 3,
        "unproven_lines": 0,
        "waste_lines": 0,
        "hunks": [
            {
                "file": "src/dates.py",
                "header": "@@ -3,1 +3,2 @@",
                "lines": ["-x", "+y", "+z"],
                "state": "needed",
                "proof": "tests/test_dates.py::b | fails",
            }
        ],
    }
    assert out["cost"] == {
        "usd": 0.0421,
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_tokens": 3000,
        "cache_write_tokens": 500,
        "cache_hit_rate": 0.6667,
        "budget_usd": 2.0,
    }
    assert (out["rounds"], out["calls"], out["pr_url"], out["trace"]) == (7, 15, "https://x/1", None)
    assert out["seconds"] == {
        "total": 75.0,
        "setup": 3.0,
        "baseline": 2.0,
        "model": 12.5,
        "tools": 3.25,
        "verify": 9.0,
        "score": 4.0,
    }


def test_a_written_receipt_is_read_again() -> None:
    full = receipt(ended(verdict=verdict(tamper=(TAMPER,)), pr_url="https://x/1"))
    bare_one = receipt(Ended("r-1", Outcome.ENVIRONMENT, "No test command was found."))
    for one in (full, bare_one):
        again = restored(json.loads(one.to_json()))
        assert again.to_json() == one.to_json()
        assert (again.outcome, again.level, again.cost, again.minimality) == (
            *(one.outcome, one.level, one.cost),
            one.minimality,
        )


def test_an_unproven_change_goes_with_the_receipt_but_not_into_its_json() -> None:
    for outcome in (Outcome.NOT_FIXED, Outcome.OUT_OF_BUDGET):
        assert receipt(ended(outcome=outcome)).patch == "diff"
        assert list(receipt(ended(outcome=outcome)).to_dict()) == KEYS
    assert receipt(ended()).patch == receipt(ended(outcome=Outcome.BLOCKED)).patch == ""


def test_what_a_run_did_not_come_to_is_null() -> None:
    out = receipt(Ended("r-1", Outcome.ENVIRONMENT, "No test command was found.")).to_dict()
    assert list(out) == KEYS
    empty = {"run": "r-1", "outcome": "environment", "reason": "No test command was found.", "tamper": []}
    seconds = dict.fromkeys(("total", "setup", "baseline", "model", "tools", "verify", "score"))
    assert out == {**dict.fromkeys(KEYS), **empty, "seconds": seconds}


def test_with_a_baseline_only_the_before_side_is_filled() -> None:
    out = receipt(Ended("r-1", Outcome.OUT_OF_BUDGET, "Rounds.", baseline=report(a="failed"))).to_dict()
    assert out["suite"]["before"] == _counts(0, 1)
    assert out["suite"]["after"] is None
    assert out["suite"]["matrix"]["old_tests_new_code"] is None
    assert out["level"] is None


def test_a_level_is_told_only_with_a_proof() -> None:
    judged = verdict(outcome=Outcome.NOT_FIXED)
    assert receipt(ended(outcome=Outcome.NOT_FIXED, verdict=judged)).level is None
    assert receipt(ended(outcome=Outcome.NOT_REPRODUCED, verdict=verdict(level=Level.B))).level is Level.B


def test_a_suite_without_ids_has_no_counts() -> None:
    made = verdict(level=Level.C, matrix=Matrix(bare(1), bare(0)))
    shown = receipt(ended(verdict=made))
    assert shown.suite is not None
    assert (shown.suite.before, shown.suite.after) == (None, None)
    assert (shown.proof.green_before, shown.proof.green_after) == (False, True)


def test_a_model_without_a_price_and_odd_paths_are_written() -> None:
    made = ended()
    assert made.attempt is not None
    assert made.patch is not None
    odd = replace(made.patch, files=(replace(made.patch.files[0], path="caf\udce9.py"),))
    text = receipt(ended(attempt=replace(made.attempt, usd=None), patch=odd)).to_json()
    assert json.loads(text)["cost"]["usd"] is None
    assert re.search(r"caf\\udce9", text)
    text.encode()
