"""Outputs as the tools print them, read test by test."""

from __future__ import annotations

import pytest

from jobs.suite.parsed import Parsed, Unreadable
from jobs.suite.plain import any as anything
from jobs.suite.plain import cargo, go, tap

CARGO = """\
   Compiling calc v0.1.0 (/src)
     Running unittests src/lib.rs (target/debug/deps/calc-0f3dd1b2ccf8a0d2)

running 3 tests
test tests::later ... ignored, for now
test tests::adds ... FAILED
test tests::panics - should panic ... ok

failures:

---- tests::adds stdout ----
seen
thread 'tests::adds' panicked at src/lib.rs:10:5:
assertion `left == right` failed

failures:
    tests::adds

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/whole.rs (target/debug/deps/whole-45b08f2f8a3e6c21)

running 1 test
test outside ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests calc

running 1 test
test src/lib.rs - twice (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s
"""
NEXTEST = """\
    Starting 3 tests across 2 binaries
        PASS [   0.004s] calc tests::doubles
        FAIL [   0.005s] (2/3) calc tests::adds
        PASS [   0.010s] calc::whole outside
     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 0 skipped
"""
GO = """\
{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestAdd"}
{"Action":"run","Package":"m/a","Test":"TestAdd/two"}
{"Action":"output","Package":"m/a","Test":"TestAdd/two","Output":"    a_test.go:8: no sum\\n"}
{"Action":"fail","Package":"m/a","Test":"TestAdd/two","Elapsed":0}
{"Action":"fail","Package":"m/a","Test":"TestAdd","Elapsed":0}
{"Action":"run","Package":"m/a","Test":"TestEnds"}
{"Action":"output","Package":"m/a","Test":"TestEnds","Output":"panic: oh\\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.1}
# m/b [m/b.test]
{"Action":"output","Package":"m/b","Output":"FAIL\\tm/b [build failed]\\n"}
{"Action":"fail","Package":"m/b","Elapsed":0}
{"Action":"skip","Package":"m/c","Elapsed":0}
{"Action":"pass","Package":"m/d","Test":"TestFine","Elapsed":0}
{"Action":"pass","Package":"m/d","Elapsed":0.2}
"""
GO_TEXT = """\
=== RUN   TestAdd
    a_test.go:8: no sum
--- FAIL: TestAdd (0.00s)
--- PASS: TestTwice (0.00s)
FAIL
FAIL\texample.com/m/a\t0.003s
ok  \texample.com/m/b\t(cached)
?   \texample.com/m/c\t[no test files]
FAIL
"""
NODE_TAP = """\
TAP version 13
# Subtest: math
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.5
      ...
    # Subtest: inner
        # Subtest: deep
        not ok 1 - deep
          ---
          error: 'boom'
          ...
        1..1
    not ok 2 - inner
    1..2
not ok 1 - math
# Subtest: later
ok 2 - later # SKIP not yet
1..2
# tests 3
"""
TAPE = (
    "TAP version 13\n# adds\nok 1 should be equal\nok 2 should be equal\n# subtracts\nnot ok 3 should be equal\n  "
    "---\n    at: x\n  ...\n\n1..3\n"
)
PROVE = (
    "t/a.t .. ok\nt/b.t .. Failed 1/2 subtests \nt/c.t .. skipped: no network\n\nTest Summary Report\nResult: FAIL\n"
)
PROVE_V = "t/a.t .. \nok 1 - loads\nnot ok 2 - adds\n#   Failed test 'adds'\n1..2\nFailed 1/2 subtests \n"
BATS = "1..2\nok 1 prints help\nnot ok 2 fails # TODO later\n"


def test_cargo_names_target_and_test() -> None:
    found = cargo.parse(CARGO)
    assert found is not None
    assert found.tests == {
        "calc src/lib.rs > tests::later": "skipped",
        "calc src/lib.rs > tests::adds": "failed",
        "calc src/lib.rs > tests::panics": "passed",
        "whole tests/whole.rs > outside": "passed",
        "calc doc > src/lib.rs - twice (line 3)": "passed",
    }
    assert "assertion `left == right` failed" in found.failures["calc src/lib.rs > tests::adds"]


def test_cargo_tests_that_can_not_be_told_apart_are_no_report() -> None:
    with pytest.raises(Unreadable):
        cargo.parse(CARGO.replace("test tests::adds ... FAILED", "test tests::adds ... seenFAILED"))


def test_cargo_says_what_ended_early_and_what_did_not_compile() -> None:
    cut = CARGO[: CARGO.index("failures:")] + "error: test failed, to rerun pass `--lib`\nCaused by: signal: 6\n"
    found = cargo.parse(cut)
    assert found is not None
    assert found.tests["calc src/lib.rs"] == "error"
    broken = cargo.parse(
        "error[E0425]: cannot find value `x`\n --> src/lib.rs:1:5\nerror: could not compile `calc` (lib)\n"
    )
    assert broken is not None
    assert broken.tests == {"calc": "error"}
    assert "cannot find value" in broken.failures["calc"]


def test_nextest() -> None:
    assert cargo.parse(NEXTEST) == Parsed(
        {"calc > tests::doubles": "passed", "calc > tests::adds": "failed", "calc::whole > outside": "passed"},
        {"calc > tests::adds": ""},
    )


def test_go_events() -> None:
    found = go.parse(GO)
    assert found is not None
    assert found.tests == {
        "m/a > TestAdd/two": "failed",
        "m/a > TestAdd": "failed",
        "m/a > TestEnds": "error",
        "m/b": "error",
        "m/d > TestFine": "passed",
    }
    assert found.failures["m/a > TestAdd/two"] == "    a_test.go:8: no sum\n"
    assert go.readable(GO) == "    a_test.go:8: no sum\npanic: oh\n# m/b [m/b.test]\nFAIL\tm/b [build failed]\n"


def test_go_text_names_packages_and_what_failed() -> None:
    found = go.parse(GO_TEXT)
    assert found is not None
    assert found.tests == {
        "example.com/m/a > TestAdd": "failed",
        "example.com/m/a > TestTwice": "passed",
        "example.com/m/b": "passed",
    }
    assert "no sum" in found.failures["example.com/m/a > TestAdd"]


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        (NODE_TAP, {"math > adds": "passed", "math > inner > deep": "failed", "later": "skipped"}),
        (
            TAPE,
            {
                "adds > should be equal": "passed",
                "adds > should be equal (2)": "passed",
                "subtracts > should be equal": "failed",
            },
        ),
        (PROVE, {"t/a.t": "passed", "t/b.t": "failed", "t/c.t": "skipped"}),
        (PROVE_V, {"t/a.t > loads": "passed", "t/a.t > adds": "failed"}),
        (BATS, {"prints help": "passed", "fails": "skipped"}),
    ],
)
def test_tap(text: str, tests: dict[str, str]) -> None:
    found = tap.parse(text)
    assert found is not None
    assert found.tests == tests
    assert all(found.failures[test] for test, state in tests.items() if state == "failed")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        "ok\n",
        "ok then\nnot ok at all\n",
        "make: *** [test] Error 1\n",
        "FAIL\nPASS\n",
        "12/13 Tests\n",
        "test of nothing ... maybe\n",
        "1 passed in 0.02s\n",
        "Ran 3 tests in 0.001s\n\nOK\n",
        "build ok 3s\n",
        "x" * 100_000,
    ],
)
def test_plain_words_are_no_report(text: str) -> None:
    assert anything.parse(text) is None


def test_several_runners_in_one_output_are_added_up() -> None:
    found = anything.parse(CARGO + BATS)
    assert found is not None
    assert {"prints help", "whole tests/whole.rs > outside"} <= found.tests.keys()
