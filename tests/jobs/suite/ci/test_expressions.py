from __future__ import annotations

from typing import Any

import pytest

from jobs.suite.ci.axes import combinations
from jobs.suite.ci.expressions import UNKNOWN, evaluate, fill, holds, secrets_in, value

CONTEXTS: dict[str, Any] = {
    "matrix": {"os": "ubuntu-latest", "python": "3.12", "n": 3, "list": ["a", "b"], "deep": {"x": "y"}, "off": False},
    "env": {"A": "1", "*": None},
    "runner": {"os": "Linux"},
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("matrix.os", "ubuntu-latest"),
        ("matrix['python']", "3.12"),
        ("matrix.deep.x", "y"),
        ("matrix.list[1]", "b"),
        ("matrix.absent", None),
        ("env.A", "1"),
        ("env.B", UNKNOWN),
        ("secrets.KEY", UNKNOWN),
        ("steps.x.outputs.y == 'z'", UNKNOWN),
        ("matrix.os == 'UBUNTU-latest'", True),
        ("matrix.n > 2", True),
        ("matrix.python != '3.11'", True),
        ("!matrix.off", True),
        ("matrix.os == 'windows-latest' && 'x' || 'y'", "y"),
        ("runner.os == 'Linux' && matrix.python || 'none'", "3.12"),
        ("secrets.KEY == '' || true", UNKNOWN),
        ("false && secrets.KEY", False),
        ("secrets.KEY && false", False),
        ("contains(matrix.os, 'ubuntu')", True),
        ("contains(matrix.list, 'b')", True),
        ("startsWith(matrix.python, '3.') && endsWith(matrix.os, 'latest')", True),
        ("format('{0}-{1}', matrix.os, matrix.n)", "ubuntu-latest-3"),
        ("join(matrix.list, ' ')", "a b"),
        ("fromJSON('[1, 2]')", [1, 2]),
        ("hashFiles('**/go.sum')", UNKNOWN),
        ("(matrix.n == 3) && !(matrix.n == 4)", True),
        ("'it''s'", "it's"),
        ("always() && !cancelled() && !failure()", True),
        ("", UNKNOWN),
        ("matrix.", UNKNOWN),
        ("a b c", UNKNOWN),
        ("matrix.os ==", UNKNOWN),
        ("((((", UNKNOWN),
        ("$(x)", UNKNOWN),
        ("(" * 5000 + "1" + ")" * 5000, UNKNOWN),
    ],
)
def test_what_can_be_told_is_and_the_rest_is_unknown(expression: str, expected: object) -> None:
    found = evaluate(expression, CONTEXTS)
    assert found is expected if expected is UNKNOWN else found == expected


def test_text_is_filled_where_it_can_be() -> None:
    assert fill("py${{ matrix.python }} on ${{ matrix.os }}${{ matrix.absent }}", CONTEXTS) == "py3.12 on ubuntu-latest"
    assert fill("run ${{ secrets.KEY }}", CONTEXTS) == "run ${{ secrets.KEY }}"
    assert fill("n=${{ matrix.n }} off=${{ matrix.off }}", CONTEXTS) == "n=3 off=false"
    assert value("${{ matrix.list }}", CONTEXTS) == ["a", "b"]
    assert value(["x"], CONTEXTS) == ["x"]


def test_a_step_is_left_out_only_if_its_condition_is_known_not_to_hold() -> None:
    conditions = {
        "runner.os == 'Windows'": False,
        "${{ runner.os == 'Windows' }}": False,
        "matrix.python == '3.12' && runner.os == 'Linux'": True,
        "github.repository == 'a/b'": True,
        "failure()": False,
        "${{ !matrix.off }}": True,
    }
    assert {text: holds(text, CONTEXTS) for text in conditions} == conditions
    assert [holds(one, CONTEXTS) for one in (None, True, False)] == [True, True, False]


def test_secrets_are_named_once_without_the_runs_own_token() -> None:
    text = "${{ secrets.A }} ${{ secrets['B'] || secrets.A }} ${{ secrets.GITHUB_TOKEN }} secrets.C"
    assert secrets_in(text) == ("A", "B")


@pytest.mark.parametrize(
    ("matrix", "rows"),
    [
        (None, [{}]),
        ({"a": [1, 2], "b": ["x"]}, [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]),
        ({"a": [1, 2], "exclude": [{"a": 1}]}, [{"a": 2}]),
        ({"a": [1, 2], "include": [{"a": 2, "c": 3}]}, [{"a": 1}, {"a": 2, "c": 3}]),
        ({"a": [1], "include": [{"c": 3}]}, [{"a": 1, "c": 3}]),
        ({"a": [1], "include": [{"a": 9, "c": 3}]}, [{"a": 1}, {"a": 9, "c": 3}]),
        ({"include": [{"a": 1}, {"a": 2}]}, [{"a": 1}, {"a": 2}]),
        ("${{ fromJSON(needs.x.outputs.m) }}", [{}]),
        ("${{ fromJSON('{\"a\": [5]}') }}", [{"a": 5}]),
        ({"a": "${{ fromJSON('[1]') }}"}, [{"a": 1}]),
        ({"a": "word", "b": [], "include": "x", "exclude": [3]}, [{}]),
    ],
)
def test_a_matrix_gives_its_rows(matrix: object, rows: list[dict[str, Any]]) -> None:
    assert combinations(matrix, {}) == rows


def test_a_matrix_without_end_is_cut() -> None:
    assert len(combinations({name: list(range(99)) for name in "abcdefgh"}, {})) == 256
