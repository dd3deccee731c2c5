"""`patchwright ask` and `patchwright plan`, with the demo's repository and the scripted endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gitrepo
import pytest
from scripted_fix import KEY, Done, billing, command

from app.local.model import ScriptedEndpoint

GOOD = {"text": "Shares are rounded one by one in `billing/split.py:10`."}


def ask(work: Path, script: list[dict[str, Any]], kind: str = "ask", *more: str) -> tuple[Done, ScriptedEndpoint, Path]:
    repo, out = billing(work / "repo"), work / "out.json"
    with ScriptedEndpoint(script, key=KEY) as endpoint:
        env = {"ANTHROPIC_BASE_URL": endpoint.url, "ANTHROPIC_API_KEY": KEY, "PATCHWRIGHT_DATA": str(work / "data")}
        words = ("--repo", str(repo), "--text", "Where is a bill split?", "--json", str(out), *more)
        done = command(kind, *words, env=env)
    result = json.loads(out.read_text()) if out.exists() else {}
    return Done(done.returncode, result, done.stdout, done.stderr), endpoint, repo


@pytest.mark.parametrize("kind", ["ask", "plan"])
def test_an_answer_comes_without_any_tool_that_writes(tmp_path: Path, kind: str) -> None:
    done, endpoint, repo = ask(tmp_path, [GOOD], kind)
    assert (done.code, done.result["outcome"]) == (0, "answered")
    assert "billing/split.py:10" in done.result["reason"]
    names = {tool["name"] for tool in endpoint.requests[0].body["tools"]}
    assert names == {"call_tool", "readfile", "search", "shell"}
    assert gitrepo.run(repo, "status", "--porcelain") == ""


def test_the_tree_can_not_be_written_to(tmp_path: Path) -> None:
    look = {"calls": [{"name": "shell", "input": {"command": "echo x > new.txt; echo y >> billing/split.py; ls"}}]}
    undo = {"calls": [{"name": "call_tool", "input": {"name": "undo", "arguments": {"round": 0}}}]}
    done, endpoint, _ = ask(tmp_path, [look, undo, GOOD])
    assert done.result["outcome"] == "answered"
    first, second = (json.dumps(r.body["messages"][-1]) for r in endpoint.requests[1:])
    assert first.count("Read-only file system") == 2
    assert "new.txt" not in first.replace("/new.txt", "").replace("new.txt: Read-only", "")
    assert "FAILED" in second


def test_places_that_do_not_exist_go_back_once(tmp_path: Path) -> None:
    done, endpoint, _ = ask(tmp_path, [{"text": "In `billing/nothing.py:3` and `billing/split.py:900`."}, GOOD])
    assert "billing/nothing.py:3, billing/split.py:900" in json.dumps(endpoint.requests[1].body["messages"][-1])
    assert done.result["reason"] == GOOD["text"]


def test_what_is_still_wrong_is_named_behind_the_answer(tmp_path: Path) -> None:
    done, endpoint, _ = ask(tmp_path, [{"text": f"{n} `billing/split.py:900`."} for n in ("In", "Still in")])
    assert len(endpoint.requests) == 2
    assert done.result["reason"].endswith("Not in this commit, though named above: billing/split.py:900.")


def test_a_cap_is_told_and_is_no_answer(tmp_path: Path) -> None:
    look = {"calls": [{"name": "search", "input": {"patterns": ["split"]}}], "repeat": True}
    done, endpoint, _ = ask(tmp_path, [look], "ask", "--max-rounds", "2")
    assert (done.code, done.result["outcome"], len(endpoint.requests)) == (1, "out_of_budget", 2)
    assert "the cap of 2 rounds" in done.result["reason"]
