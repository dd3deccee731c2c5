"""Which threats are tried, and where: the list of their numbers against what the tests are marked with."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
THREATS = {
    25: "a token that is too wide or lives too long",
    26: "a token in an argument list, an address or a file",
    27: "a token sent to another server",
    28: "a token that a command can read: environment, /proc, descriptors, files",
    29: "a secret in logs, traces and transcripts",
    30: "the model's key within a command's reach",
    31: "the App's key within a command's reach",
    32: "a secret in a change",
    33: "a sandbox that is root outside",
    34: "nested user name spaces",
    35: "tracing and reading of other processes",
    36: "unix sockets, abstract and by path",
    37: "loopback, metadata, names",
    38: "odd socket families and io_uring",
    39: "typing into the harness's terminal",
    40: "set-id programs and devices",
    41: "the kernel's keyring",
    42: "fork bombs",
    43: "memory bombs",
    44: "disk: many files, large ones, hidden ones",
    45: "processes that outlive their time",
    46: "floods, and what terminals obey",
    47: "output that is a file",
    48: "file tools that leave the tree or never end",
    49: "patterns that explode",
    50: "a sandbox that is silently off",
    51: "a replaced .git, commondir, hooks",
    52: "nested repositories with filters",
    53: "drivers named by attributes",
    54: "large-file pointers that lead elsewhere",
    55: "submodules that run or fetch",
    56: "links, pipes and devices in a tree",
    57: "names that are .git on other systems",
    58: "branches named like options or commands",
    59: "option injection through a library",
    60: "replaced and borrowed objects",
    61: "changes to workflows, owners, agents' orders",
    63: "set-up that sends, and layers that are shared",
}
ESCAPES = ("A1", "A2", "A3", "A4", "A5", "A6", "A8", "A9", "A10", "A11", "A12", "B1", "T9")
# Tried where the part itself is tested.
ELSEWHERE = {
    59: ("tests/test_layers.py", "test_one_file_calls_git"),
    50: ("tests/jobs/sandbox/test_cell.py", "test_without_bubblewrap_one_sentence_says_what_to_install"),
    42: ("tests/jobs/sandbox/test_cell.py", "test_a_fork_bomb_stays_in_its_cell"),
    36: ("tests/jobs/sandbox/test_cell.py", "test_every_wall_holds"),
    33: ("tests/jobs/sandbox/test_userns.py", "test_every_wall_holds"),
    34: ("tests/jobs/sandbox/test_seccomp.py", "test_clone_makes_no_name_space"),
    45: ("tests/jobs/sandbox/test_harness_death.py", "test_a_cell_dies_with_the_harness"),
    57: ("tests/jobs/test_protect.py", "test_built_in_paths_are_protected"),
    25: ("tests/jobs/github/test_auth.py", "test_a_token_is_as_narrow_as_asked"),
    58: ("tests/jobs/publish/test_branch.py", "test_names_are_readable_and_harmless"),
}

# The promises of the product, each kept by a test; in this folder where no other is named.
PROMISES = {
    "nothing of a delivery is read before its signature": ("tests/app/test_webhook.py", "test_headers_decide"),
    "one delivery, one job": ("tests/app/test_webhook.py", "test_fifty_copies_at_once_make_one_entry"),
    "only who may write may ask": ("tests/jobs/test_gate.py", "test_others_may_not"),
    "only a fresh comment counts": (
        "tests/jobs/test_gate.py",
        "test_an_edited_a_deleted_and_another_comment_are_refused",
    ),
    "no secret is within reach": ("test_obedient_model.py", "test_a_model_that_obeys_gives_nothing_away"),
    "not a byte gets out": ("test_kernel.py", "test_neither_metadata_nor_names_nor_the_world_are_reached"),
    "never without walls": ("test_kernel.py", "test_a_machine_without_walls_is_not_worked_on"),
    "dead in time": ("test_limits.py", "test_what_hides_from_signals_is_dead_soon_after_its_time"),
    "bounded, and neighbours do not notice": ("test_limits.py", "test_a_fork_bomb_leaves_a_neighbour_room"),
    "git runs nothing of the tree": ("test_git_traps.py", "test_a_trap_fires_for_a_person_and_not_for_us"),
    "file tools stay in the tree": ("test_file_tools.py", "test_nothing_outside_the_tree_is_written"),
    "a token is narrow and dies": ("test_secrets.py", "test_a_token_is_for_one_repository_and_dead_after_its_step"),
    "only branches of ours": ("tests/jobs/publish/test_branch.py", "test_other_branches_are_never_pushed"),
    "no workflow, no owner": ("test_secrets.py", "test_what_acts_outside_the_reviewed_code_is_not_published"),
    "no cheat is a fix": ("tests/jobs/suite/test_cheats.py", "test_cheat_is_not_fixed_and_named"),
    "bent tests are named": ("tests/jobs/suite/test_tamper.py", "test_suspicious_change_is_shown"),
    "nothing goes from one to the next": ("test_kept_trees.py", "test_the_next_run_gets_the_tree_and_nothing_else"),
    "layers are not shared": ("test_setup.py", "test_what_one_repository_plants_no_other_one_and_no_other_trust_gets"),
    "caps hold": ("tests/jobs/test_account.py", "test_nothing_left_is_out_of_budget"),
    "nothing live goes out": (
        "tests/jobs/publish/test_clean.py",
        "test_nothing_is_live_outside_of_code_whatever_is_put_together",
    ),
}  # fmt: skip


def attacks_in(path: Path) -> list[ast.FunctionDef]:
    """The test functions of a module."""
    body = ast.parse(path.read_text()).body
    return [one for one in body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")]


def numbers(test: ast.FunctionDef) -> set[int]:
    """What `@pytest.mark.threat(…)` says of a test."""
    calls = [one for one in test.decorator_list if isinstance(one, ast.Call)]
    marks = [one for one in calls if ast.unparse(one.func) == "pytest.mark.threat"]
    return {int(ast.literal_eval(argument)) for mark in marks for argument in mark.args}


def always_fails(test: ast.FunctionDef) -> bool:
    """Whether a test is expected to fail: then it shows a hole, not a wall."""
    return any(ast.unparse(one).startswith("pytest.mark.xfail") for one in test.decorator_list)


def test_every_threat_is_tried_by_a_test_that_holds() -> None:
    holding = [test for path in HERE.glob("test_*.py") for test in attacks_in(path) if not always_fails(test)]
    assert set().union(*map(numbers, holding)) == set(THREATS)


def test_every_attack_of_ours_says_what_it_tries() -> None:
    silent = [
        f"{path.name}::{test.name}"
        for path in HERE.glob("test_*.py")
        if path != Path(__file__)
        for test in attacks_in(path)
        if not numbers(test)
    ]
    assert silent == []


@pytest.mark.parametrize("number", ELSEWHERE)
def test_what_is_tried_elsewhere_is_there(number: int) -> None:
    path, name = ELSEWHERE[number]
    assert name in {test.name for test in attacks_in(ROOT / path)}
    assert number in THREATS


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_is_kept_by_a_test(promise: str) -> None:
    path, name = PROMISES[promise]
    tests = attacks_in(ROOT / path if "/" in path else HERE / path)
    assert [test for test in tests if test.name == name and not always_fails(test)]


@pytest.mark.parametrize("escape", ESCAPES)
def test_every_escape_by_git_is_tried(escape: str) -> None:
    """Their names stand where they are tried: A1 to A12 are of the work tree, B1 of attributes, T9 of hooks."""
    texts = [path.read_text() for path in HERE.glob("test_git_*.py")]
    assert any(re.search(rf"\b{escape}\b", text) for text in texts)
