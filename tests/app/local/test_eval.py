"""`patchwright eval`: real scenarios end to end with their scripts, what is printed and compared, every wrong input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from scripted_fix import command

from app.local.eval import Evaluation, evaluate
from app.local.eval_score import Run, score
from app.local.eval_suite import load, make
from app.local.eval_table import SCRIPT_ONLY, comparison, table
from app.local.model import ScriptedEndpoint
from jobs.errors import EnvironmentFault, UserError

SUITE = Path(__file__).parents[2] / "scenarios"
RESULT = {
    "outcome": "fixed",
    "reason": "",
    "rounds": 4,
    "calls": 6,
    "minimality": {"score": 97},
    "seconds": {"total": 6.5},
    "cost": {
        "usd": 0.02,
        "input_tokens": 100,
        "cache_read_tokens": 700,
        "cache_write_tokens": 200,
        "output_tokens": 50,
        "cache_hit_rate": 0.7,
    },
}


def a_run(rounds: int = 4, *, passed: bool = True, **more: object) -> Run:
    """A run with the figures of RESULT, but for its rounds and `more`."""
    return score({**RESULT, "rounds": rounds, **more}, (passed, "" if passed else "1 failed"), (8, 5000), None)


def copied(folder: Path, *names: str) -> Path:
    """A suite of a few scenarios, to be changed."""
    for name in names:
        shutil.copytree(SUITE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_two_scenarios_are_played_judged_and_compared(tmp_path: Path) -> None:
    first, traces = tmp_path / "first.json", tmp_path / "traces"
    names = ("--only", "two-places", "--only", "ledger-js")
    done = command("eval", "--model", "scripted", *names, "--json", str(first), "--traces", str(traces))
    assert done.returncode == 0, done.stdout + done.stderr
    assert SCRIPT_ONLY in done.stdout
    assert "2 scenarios, 2 runs: hidden check 2/2 pass" in done.stdout
    written = json.loads(first.read_text())
    assert (written["model"], written["scripted"]) == ("scripted", True)
    assert {path.name for path in traces.iterdir()} == {"two-places-1.jsonl", "ledger-js-1.jsonl"}
    for name in ("two-places", "ledger-js"):
        (run,) = written["scenarios"][name]["runs"]
        assert (run["outcome"], run["passed"], run["broken"]) == ("fixed", True, [])
        assert 0 < run["rounds"] <= run["calls"]
        assert run["input_tokens"] > 1000
        assert 0 < run["cache_share"] < 1
        assert run["minimality"] == 100
    assert [row.split()[:3] for row in done.stdout.splitlines()[1:3]] == [
        ["ledger-js", "fixed", "pass"],
        ["two-places", "fixed", "pass"],
    ]


def test_a_fix_of_one_place_only_fails_the_hidden_check(tmp_path: Path) -> None:
    suite, out = copied(tmp_path / "suite", "two-places"), tmp_path / "out.json"
    script = json.loads((suite / "two-places" / "model.json").read_text())
    for reply in script:
        for call in reply.get("calls", ()):
            if call["name"] == "edit":
                edits = call["input"]["edits"]
                call["input"]["edits"] = [edit for edit in edits if "manifest" not in edit["path"]]
    (suite / "two-places" / "model.json").write_text(json.dumps(script))
    done = command("eval", "--model", "scripted", "--suite", str(suite), "--json", str(out), "--quiet")
    assert done.returncode == 1
    (run,) = json.loads(out.read_text())["scenarios"]["two-places"]["runs"]
    assert (run["outcome"], run["passed"]) == ("fixed", False)  # its own suite is green: only the check sees it
    assert "test_total" in done.stdout
    assert done.stderr == ""


@pytest.mark.thorough
def test_every_scenario_is_solved_by_its_script() -> None:
    done = command("eval", "--model", "scripted")
    assert done.returncode == 0, done.stdout


def test_runs_that_the_endpoint_refused_say_nothing_of_the_model(tmp_path: Path) -> None:
    suite, out = copied(tmp_path / "suite", "two-places"), tmp_path / "out.json"
    with ScriptedEndpoint(suite / "two-places" / "model.json", key="another") as endpoint:
        env = {"ANTHROPIC_BASE_URL": endpoint.url, "ANTHROPIC_API_KEY": "dead"}
        asked = ("--model", "claude-sonnet-5-5", "--suite", str(suite), "--json", str(out))
        done = command("eval", *asked, env=env)
    assert done.returncode == 3, done.stdout
    assert "1 of 1 runs could not be made here, which says nothing of the model" in done.stdout
    (run,) = json.loads(out.read_text())["scenarios"]["two-places"]["runs"]
    assert run["outcome"] == "environment"


def test_a_script_that_is_missing_is_told_before_anything_is_played(tmp_path: Path) -> None:
    suite = copied(tmp_path, "ledger-bugs", "two-places")
    (suite / "two-places" / "model.json").unlink()
    with pytest.raises(UserError, match=r"two-places/model.json is missing: write it, or leave that scenario out"):
        evaluate(Evaluation("scripted", suite))


def test_a_broken_ceiling_is_named_and_counts() -> None:
    run = a_run(9)
    assert run.broken == ("9 rounds of at most 8",)
    assert not run.good
    assert "two-places: ceiling broken: 9 rounds of at most 8" in table({"two-places": [run]}, {"two-places": 8})
    greedy = score(RESULT, (True, ""), (8, 999), None)
    assert greedy.broken == ("1,000 tokens read of at most 999",)


def test_a_run_without_a_result_has_no_figures() -> None:
    run = score({}, (False, "patchwright: no."), (8, 5000), None)
    assert (run.outcome, run.rounds, run.input_tokens, run.usd, run.broken) == ("no result", None, None, None, ())
    assert "x: hidden check failed: patchwright: no." in table({"x": [run]}, {"x": 8})


def test_several_runs_show_their_mean_and_spread() -> None:
    runs = [a_run(4), a_run(6), a_run(8, outcome="not_fixed", passed=False)]
    row = table({"one": runs}, {"one": 8}).splitlines()[1]
    assert "fixed 2, not_fixed 1" in row
    assert "2/3 pass" in row
    assert "6 (4–8) of 8" in row


def test_a_comparison_says_what_lies_inside_the_spread() -> None:
    before = {"a": [a_run(4), a_run(8)], "gone": [a_run()]}
    text = comparison(before, {"a": [a_run(3), a_run(5)], "new": [a_run()]})
    row = text.splitlines()[1]
    assert "2/2 pass → 2/2 pass" in row
    assert "-2 (in the spread)" in row
    assert "Only in one of both: gone, new." in text
    apart = comparison({"a": [a_run(8), a_run(8)]}, {"a": [a_run(4), a_run(5)]})
    assert "-3.5  " in apart
    assert "in the spread" not in apart
    assert "One run each" in comparison({"a": [a_run(4)]}, {"a": [a_run(3)]})


def test_runs_survive_their_json() -> None:
    run = a_run(9)
    assert Run.from_json(json.loads(json.dumps(run.to_json()))) == run


def test_a_scenario_upon_another_starts_from_its_mended_files(tmp_path: Path) -> None:
    (web,) = load(SUITE, ["ledger-web"])
    folder = make(web, tmp_path / "web")
    assert "first <= t.date <= last" in (folder / "ledger" / "book.py").read_text()
    assert (folder / "ledger" / "web.py").is_file()
    one, two = ((folder / ".git" / "refs" / "heads" / "main").read_text(), tmp_path / "again")
    assert (make(web, two) / ".git" / "refs" / "heads" / "main").read_text() == one  # the same commit each time


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("max_rounds", "rounds"), "'max_rounds' is missing."),
        (lambda text: text + "extra = 1\n", "'extra' is not a known key."),
        (lambda text: text.replace('"fix"', '"paint"'), "kind is 'paint', it must be fix or ask."),
        (lambda text: text.replace('"request.md"', '"nothing.md"'), "names a request that is not there"),
        (lambda text: text + "= =\n", "can't be read"),
    ],
    ids=["missing", "unknown", "kind", "request", "no toml"],
)
def test_a_bad_task_file_gets_one_sentence(change, says: str, tmp_path: Path) -> None:
    suite = copied(tmp_path, "two-places")
    task = suite / "two-places" / "task.toml"
    task.write_text(change(task.read_text()))
    with pytest.raises(UserError) as told:
        load(suite)
    assert says in str(told.value)


def test_wrong_usage_gets_one_sentence_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.json").write_text('{"scenarios": {"a": 1}}')
    for asked, says in (
        ({"suite": tmp_path / "nowhere"}, "is not a folder (--suite)"),
        ({"suite": tmp_path}, "holds no scenario"),
        ({"only": ("two-placs",)}, "There is no scenario 'two-placs' (--only): there are failing-test,"),
        ({"against": tmp_path / "old.json"}, "can't be compared with"),
    ):
        with pytest.raises(UserError) as told:
            evaluate(Evaluation("scripted", **asked))
        assert says in str(told.value)
    assert capsys.readouterr().out == ""
    done = command("eval", "--model", "scripted", "--json", "/nowhere/x.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "The folder of /nowhere/x.json does not exist" in done.stderr


def test_figures_of_finished_scenarios_are_kept_when_a_later_one_ends_it_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, out = copied(tmp_path / "suite", "ledger-bugs", "ledger-question", "ledger-web"), tmp_path / "out.json"
    task = suite / "ledger-web" / "task.toml"
    task.write_text(task.read_text().replace('base = "ledger-bugs"', 'base = "bent"'))
    shutil.copytree(suite / "ledger-bugs", suite / "bent")
    (suite / "bent" / "reference.patch").write_text("no patch")
    with pytest.raises(EnvironmentFault, match="git apply failed"):
        evaluate(Evaluation("scripted", suite, only=("ledger-question", "ledger-web"), json=out, quiet=True))
    assert list(json.loads(out.read_text())["scenarios"]) == ["ledger-question"]
    assert "1 scenarios, 1 runs" in capsys.readouterr().out
