"""The progress lines."""

from __future__ import annotations

from typing import Any

import pytest

from app.local.progress import describe

IDS = " ".join(f"test/test_input.py::test_{n}" for n in range(33))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"command": f"pytest {IDS}", "wanted": 33}, "33 tests of test/test_input.py"),
        ({"command": "pytest 'a.py::b[x y]' c.py::d", "wanted": 2}, "2 tests of 2 files"),
        (
            {"command": "npx jest --ci -t '^(a)$' --runTestsByPath src/a.test.ts", "wanted": 1},
            "1 test of src/a.test.ts",
        ),
        ({"command": "python -m unittest", "wanted": 4}, "4 tests"),
        ({"command": "npm test", "wanted": None}, "npm test"),
        ({"command": "x" * 300}, "x" * 118 + " …"),
    ],
)
def test_a_run_of_the_suite_is_one_short_line(fields: dict[str, Any], expected: str) -> None:
    counts = {"passed": 3, "failed": 0}
    assert describe("suite", {**fields, "counts": counts, "seconds": 1.25}) == f"  {expected}: 3 passed in 1.2 s"
