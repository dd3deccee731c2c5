"""What the opening takes from the request's words: searches, the red tests that count, the files that are shown."""

from __future__ import annotations

import re

import pytest

from jobs.agent.budget import Budget
from jobs.agent.context import Context, Pick, likeliest, target
from jobs.agent.opening import request_text
from jobs.agent.tools.inside import Listed
from jobs.agent.tools.search import Found, Group
from jobs.agent.words import loose, specific, words
from jobs.suite.report import Report, State
from jobs.tasks.task import Task

NOTHING = Found((), 0, False, (), "")
FILLER = [Listed(f"lib/m{n}.py", 9_000, 300) for n in range(20)]


def red(**failures: str) -> Report:
    ids = {f"tests/test_{name}.py::test_{name}": text for name, text in failures.items()}
    states: dict[str, State] = dict.fromkeys(ids, "failed")
    return Report("pytest", 1, "exit", 1.0, "", states, ids)


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        (
            "Crash in parse_date",
            'Calling `to_utc()` raises ValueError: "month must be in 1..12".',
            ("to_utc", "parse_date", "month must be in 1..12"),
        ),
        ("It raises ValueError", "", ("ValueError",)),
        ("`humanize.naturalsize(999_999)` is off", "see filesize.py", ("naturalsize", "filesize.py")),
        ('`tabulate([["a", None]], maxcolwidths=[3])`', "", ("tabulate", "maxcolwidths")),
        ("os.path.join breaks", "", ("join",)),
    ],
)
def test_code_and_names_of_the_request_are_searched(title: str, body: str, expected: tuple[str, ...]) -> None:
    assert words(Task("fix", title, body)) == (expected, True)


def test_plain_words_only_help_to_choose_files() -> None:
    assert words(Task("fix", "Totals differ between months", "")) == (("totals", "differ", "months"), False)


def test_the_package_s_own_name_is_searched_only_if_there_is_nothing_else() -> None:
    paths = ["tabulate/__init__.py", "setup.py"]
    assert specific(("tabulate", "missingval"), paths) == ("missingval",)
    assert specific(("tabulate",), paths) == ("tabulate",)


def test_red_tests_count_if_they_share_a_word_with_the_request() -> None:
    report = red(parser="tests/test_parser.py:3: ValueError", network="tests/test_network.py:9: no route to host")
    task = Task("fix", "The parser loses the last row", "")
    assert target(task, Context(baseline=report)) == {"tests/test_parser.py::test_parser"}
    files = [*FILLER, Listed("tests/test_network.py", 900, 30), Listed("tests/test_parser.py", 900, 30)]
    assert [p.path for p in likeliest(task, Context(baseline=report), files, NOTHING)] == ["tests/test_parser.py"]


def test_all_red_tests_count_where_words_tell_nothing() -> None:
    report = red(parser="boom", network="boom")
    assert target(Task("fix", "Please mend it", ""), Context(baseline=report)) == report.red
    assert target(Task("fix", "x", ""), Context()) == frozenset()


@pytest.mark.parametrize(
    "path", ["CHANGELOG.md", "docs/CHANGES", "NEWS.rst", "PKG-INFO", "HISTORY.txt", "x.egg-info/SOURCES.txt", "AUTHORS"]
)
def test_change_logs_and_the_like_are_opened_only_if_named(path: str) -> None:
    listing = [Listed("a.py", 10, 1), Listed(path, 10, 1)]
    assert likeliest(Task("fix", "x", ""), Context(), listing, NOTHING) == (Pick("a.py"),)
    named = likeliest(Task("fix", f"wrong year in {path}", ""), Context(), listing, NOTHING)
    assert named == (Pick("a.py"), Pick(path))


def test_code_with_the_name_of_a_change_log_is_code() -> None:
    listing = [Listed("history.py", 10, 1), Listed("news/license.ts", 10, 1)]
    assert len(likeliest(Task("fix", "x", ""), Context(), listing, NOTHING)) == 2


def test_a_file_too_large_to_show_is_shown_around_its_hits_definitions_first() -> None:
    big = Listed("big.py", 300_000, 6_000)
    lines = (*((n, True, "wrap(x)") for n in range(100, 5_000, 100)), (5_500, True, "def wrap(text):"))
    found = Found((Group("big.py", lines),), 50, False, (), "")
    (pick,) = likeliest(Task("fix", "x", ""), Context(), [*FILLER, big], found)
    assert pick.path == "big.py"
    assert pick.spans[0] == (5_490, 5_530)
    assert 1 < len(pick.spans) <= 10
    frame = Context(target='File "/src/big.py", line 3000, in wrap')
    (pick,) = likeliest(Task("fix", "x", ""), frame, [*FILLER, big], found)
    assert pick.spans[0] == (2_970, 3_030)


def test_a_large_file_that_the_request_names_is_begun() -> None:
    listing = [*FILLER, Listed("big.py", 300_000, 6_000)]
    assert likeliest(Task("fix", "see big.py", ""), Context(), listing, NOTHING) == (Pick("big.py", ((1, 120),)),)


def test_a_test_file_that_only_a_search_named_is_glanced_at() -> None:
    tests = Listed("tests/test_all.py", 19_000, 500)
    hits = tuple((n, True, "wrap(x)") for n in range(40, 440, 50))
    found = Found((Group("tests/test_all.py", hits),), 8, False, (), "")
    (pick,) = likeliest(Task("fix", "x", ""), Context(), [*FILLER, tests], found)
    assert len(pick.spans) == 3


def test_the_first_message_names_target_and_caps() -> None:
    report = red(parser="boom", network="boom")
    text = request_text(Task("fix", "The parser fails", ""), Context(baseline=report), Budget(9, 1.5, 20.0))
    assert "what the request is about: tests/test_parser.py::test_parser.\n" in text
    assert "This run may use 9 rounds (one is one reply of yours), $1.50, 20 minutes." in text
    unknown = request_text(Task("fix", "x", ""), Context(), Budget())
    assert "The target is a test that you write, since none is known" in unknown


@pytest.mark.parametrize(
    ("word", "found", "not_found"),
    [
        ("strip_comments", ["strip_comments", "class StripCommentsFilter", "stripcomments"], ["strip comments"]),
        ("getName", ["get_name", "getName"], ["get name"]),
        ("a.b(c)", ["a.b(c)"], ["axb(c)"]),
        ("[^a-z]", ["x [^a-z] y"], ["b"]),
    ],
)
def test_a_name_is_found_however_its_parts_are_joined(word: str, found: list[str], not_found: list[str]) -> None:
    pattern = re.compile(loose(word), re.IGNORECASE)
    assert all(pattern.search(text) for text in found)
    assert not any(pattern.search(text) for text in not_found)


def test_a_fixture_that_is_called_like_it_does_not_take_the_telling_word_away() -> None:
    paths = ["src/mistune/markdown.py", "tests/fixtures/mark.txt", "tests/test_mark.py", "docs/mark.rst"]
    assert specific(("mark", "markdown"), paths) == ("mark",)


@pytest.mark.parametrize(
    ("text", "hit"), [("def render_mark(text):", True), ("'mark'", True), ("markdown", False), ("remarks", False)]
)
def test_a_short_word_is_searched_as_a_part_of_names_only(text: str, hit: bool) -> None:
    assert bool(re.search(loose("mark"), text)) is hit
