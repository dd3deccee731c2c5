from __future__ import annotations

import json

import pytest

from jobs.suite import junit, records
from jobs.suite.parsed import MAX_BYTES, Parsed, Unreadable

CASE = '<testcase classname="{}" name="{}" file="{}"/>'


def document(*cases: str) -> bytes:
    return (
        f'<?xml version="1.0"?><testsuites><testsuite name="pytest">{"".join(cases)}</testsuite></testsuites>'.encode()
    )


@pytest.mark.parametrize(
    ("classname", "name", "file", "expected"),
    [
        ("tests.test_a", "test_x", "tests/test_a.py", "tests/test_a.py::test_x"),
        ("tests.a.b.test_q", "test_q", "tests/a.b/test_q.py", "tests/a.b/test_q.py::test_q"),
        (
            "tests.test_a.TestC.TestD",
            "test_x[a.b::c]",
            "tests/test_a.py",
            "tests/test_a.py::TestC::TestD::test_x[a.b::c]",
        ),
        ("tests.test_b.TestB", "test_inherited", "tests/base.py", "tests/test_b.py::TestB::test_inherited"),
        ("", "tests.test_c", "tests/test_c.py", "tests/test_c.py"),
        ("", "tests.test_c", "", "tests/test_c.py"),
    ],
)
def test_junit_gives_node_ids(classname: str, name: str, file: str, expected: str) -> None:
    assert junit.parse(document(CASE.format(classname, name, file))).tests == {expected: "passed"}


def test_junit_states_and_messages() -> None:
    cases = (
        '<testcase classname="t" name="a" file="t.py"><failure message="m">E  1 != 2 &lt;x&gt;</failure></testcase>',
        '<testcase classname="t" name="b" file="t.py"><skipped message="why"/></testcase>',
        '<testcase classname="t" name="c" file="t.py"/>',
        '<testcase classname="t" name="c" file="t.py"><error message="m">teardown</error></testcase>',
    )
    assert junit.parse(document(*cases)) == Parsed(
        {"t.py::a": "failed", "t.py::b": "skipped", "t.py::c": "error"},
        {"t.py::a": "E  1 != 2 <x>", "t.py::c": "teardown"},
    )


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    b"<testsuite><testcase classname='t' name='&b;'/></testsuite>"
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        b"<testsuite><testcase",
        b"<other/>",
        BOMB,
        b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite/>',
        b"<testsuite>" * 40,
        b"\0" * 100,
        b" " * (MAX_BYTES + 1),
    ],
    ids=["empty", "garbage", "cut", "other", "bomb", "outside", "deep", "nul", "big"],
)
def test_bad_xml_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        junit.parse(data)


def test_endless_message_is_shortened() -> None:
    found = junit.parse(
        document(f'<testcase classname="t" name="a" file="t.py"><failure>{"x" * 100_000}</failure></testcase>')
    )
    assert 100 < len(found.failures["t.py::a"]) < 10_000


@pytest.mark.parametrize(
    "data", [b"[]\n", b"{}\n", b'{"id": 1, "state": "passed"}\n', b'{"id": "a", "state": "new"}\n', b"\xff\n"]
)
def test_bad_lines_are_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        records.parse_lines(data)


def test_of_two_lines_about_one_test_the_worse_counts() -> None:
    lines = b'{"id": "a", "state": "failed", "message": "m"}\n{"id": "a", "state": "passed"}\n'
    assert records.parse_lines(lines) == Parsed({"a": "failed"}, {"a": "m"})


def test_jest_report() -> None:
    cases = [
        {"ancestorTitles": ["calc"], "title": "adds", "status": "failed", "failureMessages": ["\x1b[31mno\x1b[39m"]},
        {"ancestorTitles": [], "title": "later", "status": "todo"},
    ]
    files = [
        {"name": "/src/a.test.js", "status": "failed", "assertionResults": cases},
        {"name": "/src/b.test.js", "status": "failed", "assertionResults": [], "message": "SyntaxError"},
    ]
    assert records.parse_jest(json.dumps({"testResults": files}).encode()) == Parsed(
        {"a.test.js > calc > adds": "failed", "a.test.js > later": "skipped", "b.test.js": "error"},
        {"a.test.js > calc > adds": "no", "b.test.js": "SyntaxError"},
    )
