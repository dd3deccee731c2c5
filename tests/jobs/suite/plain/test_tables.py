"""Tables of tests as the tools print them, read line by line."""

from __future__ import annotations

import pytest

from jobs.suite.plain import tables
from jobs.suite.plain.any import Reader

CTEST = """\
Test project /src/build
    Start 1: adds
1/4 Test #1: adds .............................***Failed    0.00 sec
sum -1

    Start 2: doubles
2/4 Test #2: doubles ..........................   Passed    0.01 sec
    Start 3: slow
3/4 Test #3: slow .............................***Timeout   1.51 sec
    Start 4: off
4/4 Test #4: off ..............................***Not Run (Disabled)   0.00 sec

33% tests passed, 2 tests failed out of 3
"""
MESON = (
    "1/3 lib - adds        OK       0.01s\n2/3 lib - subs   FAIL     0.02s   exit status 1\n3/3 whole             "
    "SKIP     0.00s\n"
)
MAKE_CHECK = "PASS: a\nFAIL: tests/b.sh\nSKIP: c\nXFAIL: d\n# TOTAL: 4\n"
DOTNET = """\
  Failed Calc.Tests.Adds [3 ms]
  Error Message:
   Assert.Equal() Failure
  Passed Calc.Tests.Doubles(n: 2) [< 1 ms]
  Skipped Calc.Tests.Later
"""
EXUNIT = """\
CalcTest [test/calc_test.exs]
  * test adds (0.01ms) [L#4]
  * test doubles [L#8]
  * test doubles (2.1ms) [L#8]
  * test later (skipped) [L#12]

  1) test adds (CalcTest)
     test/calc_test.exs:4
     Assertion with == failed

Finished in 0.02 seconds
"""
MINITEST = """\
# Running:

CalcTest#test_adds = 0.00 s = F
CalcTest#test_doubles = 0.01 s = .
Admin::UserTest#test_x = 0.02 s = E

  1) Failure:
CalcTest#test_adds [test/calc_test.rb:5]:
Expected: 5
  Actual: -1

"""


@pytest.mark.parametrize(
    ("read", "text", "tests"),
    [
        (tables.ctest, CTEST, {"adds": "failed", "doubles": "passed", "slow": "error", "off": "skipped"}),
        (tables.meson, MESON, {"lib > adds": "passed", "lib > subs": "failed", "whole": "skipped"}),
        (tables.automake, MAKE_CHECK, {"a": "passed", "tests/b.sh": "failed", "c": "skipped", "d": "passed"}),
        (
            tables.dotnet,
            DOTNET,
            {"Calc.Tests.Adds": "failed", "Calc.Tests.Doubles(n: 2)": "passed", "Calc.Tests.Later": "skipped"},
        ),
        (
            tables.exunit,
            EXUNIT,
            {"CalcTest > adds": "failed", "CalcTest > doubles": "passed", "CalcTest > later": "skipped"},
        ),
        (
            tables.minitest,
            MINITEST,
            {"CalcTest#test_adds": "failed", "CalcTest#test_doubles": "passed", "Admin::UserTest#test_x": "error"},
        ),
    ],
)
def test_tables(read: Reader, text: str, tests: dict[str, str]) -> None:
    found = read(text)
    assert found is not None
    assert found.tests == tests


def test_messages_of_what_failed_are_kept() -> None:
    for read, text, test, said in (
        (tables.ctest, CTEST, "adds", "sum -1"),
        (tables.dotnet, DOTNET, "Calc.Tests.Adds", "Assert.Equal() Failure"),
        (tables.exunit, EXUNIT, "CalcTest > adds", "Assertion with == failed"),
        (tables.minitest, MINITEST, "CalcTest#test_adds", "Actual: -1"),
    ):
        found = read(text)
        assert found is not None
        assert said in found.failures[test]
