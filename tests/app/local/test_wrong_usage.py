"""Every command with wrong input, as a new user would give it: one sentence, exit code 2, and nothing is lost."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gitrepo
import pytest

from app.cli import cli
from app.local.boundary import ended
from app.local.copy import copied
from jobs.errors import UserError
from jobs.repo.local import find

UNREADABLE = "/proc/self/mem"  # a file that even root can't read from its start
TRACE = '{"type": "run.started", "run": "r-1"}\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with all kinds of wrong things in it."""
    repo = gitrepo.make(tmp_path / "repo", {"a.py": "A = 1\n"})
    gitrepo.run(tmp_path, "init", "--quiet", "empty")
    gitrepo.run(tmp_path, "clone", "--quiet", "--bare", str(repo), "bare.git")
    for name in ("folder", "nothing", "broken/.git", "linked"):
        (tmp_path / name).mkdir(parents=True)
    texts = {"linked/.git": "gitdir: /nowhere", "file": "mine", "blank": " \n", "cut.jsonl": TRACE[:-5]}
    texts |= {"list.jsonl": '[{"type": 1, "run": 2}]\n', "wrong.jsonl": TRACE + '{"type": "round", "calls": 5}\n'}
    texts |= {"trace.jsonl": TRACE, "bad.yml": "tests: make\n", "latin.yml": "\xff: [", "old.json": '{"scenarios": 5}'}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
    saved = dict(os.environ)
    endings = [(one, signal.getsignal(one)) for one in (signal.SIGTERM, signal.SIGHUP)]
    for name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "OPENAI_", "GITHUB_", "REDIS_"))]:
        del os.environ[name]
    os.environ["PATCHWRIGHT_DATA"] = str(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.environ.clear()
    os.environ.update(saved)
    for one, handler in endings:
        signal.signal(one, handler)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below it, but for Patchwright's own data."""
    files = (path for path in folder.rglob("*") if path.is_file() and folder / "data" not in path.parents)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


REPOSITORIES = (
    ("nowhere", "nowhere is not a folder (--repo)"),
    ("file", "file is not a folder (--repo)"),
    ("x" * 5000, "is not a folder (--repo)"),
    ("nothing", "is not inside a git repository (--repo): run 'git init'"),
    ("empty", "has no commits yet: commit something first"),
    ("bare.git", "is a bare repository (--repo): name a work tree"),
    ("broken", "is not a usable git repository"),
    ("linked", "is not a usable git repository"),
)
ON_REPOSITORIES = (
    *(("fix", "--text", "x"), ("plan", "--text", "x"), ("ask", "--text", "x"), ("verify", "--base", "HEAD")),
    *(("tool", "readfile"), ("cell", "true"), ("doctor",)),
)
FIX, REPLAY, EVAL = ("fix", "--repo", "repo", "--text", "x"), ("replay", "trace.jsonl"), ("eval", "--model", "scripted")
ASKING = (
    (("--base", "nope"), "no branch, tag or commit named 'nope' (--base)"),
    (("--base", ""), "no branch, tag or commit named '' (--base)"),
    (("--base=--all",), "no branch, tag or commit named '--all' (--base)"),
    (("--config", "nowhere"), "nowhere is not a file (--config)"),
    (("--config", "folder"), "folder is not a file (--config)"),
    (("--config", UNREADABLE), "can't be read (--config)"),
    (("--config", "bad.yml"), 'bad.yml, line 1: unknown key "tests"'),
    (("--config", "latin.yml"), "latin.yml"),
    (("--json", "nowhere/x"), "does not exist (--json): make it"),
    (("--json", "folder"), "is a folder: give a file (--json)"),
    (("--trace", "nowhere/x"), "does not exist (--trace): make it"),
    (("--trace", "folder"), "is a folder: give a file (--trace)"),
    (("--trace", "file"), "is there and is no trace, so it is left as it is"),
    (("--trace", "list.jsonl"), "is there and is no trace, so it is left as it is"),
    (("--trace", "new", "--json", "./new"), "can't hold both the result and the trace"),
    (("--budget-usd", "-1"), "--budget-usd"),
    (("--budget-usd", "nan"), "--budget-usd"),
    (("--budget-usd", "inf"), "inf is no sum of money"),
    (("--max-rounds", "0"), "--max-rounds"),
    (("--max-rounds", "some"), "--max-rounds"),
    (("--minutes", "0"), "--minutes"),
    (("--model", "openai/x"), "OPENAI_API_KEY is not set"),
    (("--trace", "trace.jsonl"), "ANTHROPIC_API_KEY is not set"),  # and the older trace is still there
    (("--wish", "1"), "No such option: --wish"),
)
OTHERS = (
    (("fly",), "No such command 'fly'"),
    (("fix", "--repo", "repo"), "Give the request once: --issue FILE or --text TEXT"),
    ((*FIX, "--issue", "file"), "Give the request once"),
    (("fix", "--repo", "repo", "--issue", "nowhere"), "nowhere is not a file (--issue)"),
    (("fix", "--repo", "repo", "--issue", "folder"), "folder is not a file (--issue)"),
    (("fix", "--repo", "repo", "--issue", "blank"), "The request is empty"),
    (("fix", "--repo", "repo", "--issue", UNREADABLE), "can't be read (--issue)"),
    (("ask", "--repo", "repo", "--text", " "), "The request is empty"),
    (("ask", "--repo", "repo"), "Missing option '--text'"),
    (("verify", "--repo", "repo"), "Missing option '--base'"),
    (("verify", "--repo", "repo", "--base", "HEAD", "--head", "nope"), "named 'nope' (--head)"),
    (("tool", "fly", "--repo", "repo"), "There is no tool 'fly': the tools are call_tool, edit"),
    (("cell", "--repo", "repo"), "Missing argument"),
    *(((name, "nowhere"), "nowhere is not a file: give the trace") for name in ("rounds", "replay")),
    *(((name, "folder"), "folder is not a file: give the trace") for name in ("rounds", "replay")),
    *(((name, "file"), "file is not a trace: give the file") for name in ("rounds", "replay")),
    *(((name, "blank"), "blank is not a trace: give the file") for name in ("rounds", "replay")),
    *(((name, "list.jsonl"), "list.jsonl is not a trace: give the file") for name in ("rounds", "replay")),
    *(((name, UNREADABLE), "can't be read") for name in ("rounds", "replay")),
    *(
        ((name, "wrong.jsonl"), "Line 2 is no event of a trace (calls: input should be")
        for name in ("rounds", "replay")
    ),
    (REPLAY, "no requests that can be sent again"),
    (("replay", "cut.jsonl"), "no requests that can be sent again"),
    ((*REPLAY, "--runs", "0"), "--runs"),
    ((*REPLAY, "--round", "x"), "--round"),
    ((*REPLAY, "--budget-usd", "nan"), "--budget-usd"),
    ((*REPLAY, "--budget-usd", "inf"), "inf is no sum of money"),
    (("eval",), "Missing option '--model'"),
    (("eval", "--model", "claude-sonnet-5-5"), "ANTHROPIC_API_KEY is not set"),
    (("eval", "--model", "openai/x"), "OPENAI_API_KEY is not set"),
    ((*EVAL, "--traces", "file"), "file is a file, and --traces needs a folder"),
    ((*EVAL, "--traces", "file/below"), "file is a file, and --traces needs a folder"),
    ((*EVAL, "--json", "folder"), "is a folder: give a file (--json)"),
    ((*EVAL, "--json", "nowhere/x"), "does not exist (--json)"),
    ((*EVAL, "--against", "nowhere"), "nowhere is not a file (--against)"),
    ((*EVAL, "--against", "old.json"), "can't be compared with"),
    ((*EVAL, "--suite", "nowhere"), "is not a folder (--suite)"),
    ((*EVAL, "--suite", "folder"), "holds no scenario"),
    ((*EVAL, "--only", "nope"), "There is no scenario 'nope' (--only)"),
    ((*EVAL, "--runs", "0"), "--runs"),
    (("up", "--port", "99999"), "--port"),
    (("up",), "GITHUB_APP_ID is missing: set it"),
    (("serve", "--port", "http"), "--port"),
    (("serve",), "GITHUB_WEBHOOK_SECRET is missing: set it"),
    (("control",), "GITHUB_APP_ID is missing: set it"),
    (("worker",), "GITHUB_APP_ID is missing: set it"),
    (("doctor", "--repo"), "requires an argument"),
)
EVERY = (
    *(((words[0], "--repo", repo, *words[1:]), says) for words in ON_REPOSITORIES for repo, says in REPOSITORIES),
    *(((*FIX, *words), says) for words, says in ASKING),
    *OTHERS,
)


@pytest.mark.parametrize(("words", "says"), EVERY, ids=[" ".join(words)[:70] for words, _ in EVERY])
def test_wrong_input_is_one_sentence_and_exit_2(
    words: tuple[str, ...], says: str, place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    before = contents(place)
    with pytest.raises(SystemExit) as left:
        ended(lambda: cli(words, prog_name="patchwright"))
    told = capfd.readouterr()
    assert left.value.code == 2, told.err
    *_, last = told.err.strip().splitlines()
    assert last.startswith(("patchwright: ", "Error: ")), told.err
    assert says in last
    assert "Traceback" not in told.err
    assert told.out == ""
    assert contents(place) == before


@pytest.mark.parametrize(
    "given", [b"{", b"[]", b"5", b"\xff", b"[" * 100_000], ids=["cut", "list", "number", "bytes", "deep"]
)
def test_arguments_of_a_tool_that_are_no_object_are_told(
    given: bytes, place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    with pytest.raises(SystemExit) as left:
        ended(lambda: cli(("tool", "readfile", "--repo", "repo")))
    told = capfd.readouterr()
    assert (left.value.code, told.out) == (2, "")
    assert told.err.startswith("patchwright: The arguments on stdin are no")


def test_a_detached_head_is_as_good_as_a_branch(
    place: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    gitrepo.run(place / "repo", "checkout", "--quiet", "--detach")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"paths": ["a.py"]}')))
    with pytest.raises(SystemExit) as left:
        ended(lambda: cli(("tool", "readfile", "--repo", "repo")))
    assert left.value.code == 0
    assert "A = 1" in json.loads(capfdbinary.readouterr().out)["content"]


def test_a_file_that_may_not_be_read_is_named(place: Path) -> None:
    repo = place / "repo"
    (repo / "closed.txt").write_text("mine")
    (repo / "closed.txt").chmod(0)
    for folder in (place, *place.parents[:4]):  # as deep as pytest's workers put it
        if folder.is_relative_to(Path(tempfile.gettempdir())) and folder != Path(tempfile.gettempdir()):
            folder.chmod(0o755)
    child = os.fork()
    if child == 0:  # in a process of its own, which can't go back to being root
        code = 1
        try:
            if os.geteuid() == 0:
                (place / "nothing").chmod(0o777)
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            with copied(find(repo), place / "nothing"):
                code = 2
        except UserError as told:
            code = 0 if str(told).startswith(f"{repo}/closed.txt can't be read: make it readable") else 3
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
