"""Which tests a pattern means, tests of this session included."""

from __future__ import annotations

import pytest

from jobs.agent.tools.known import Chosen, chosen

PY = b"""
import pytest

def test_old(): pass

@pytest.mark.parametrize("n", [1, 2, 3])
def test_many(n): pass

class TestNew:
    def test_inside(self): pass

class Odd:
    def test_perhaps(self): pass
"""
JS = b"""
describe('input', () => {
  it('reads a line', () => {});
  it('reads two lines', () => {});
  it.each([1, 2])('reads %i words', () => {});
});
"""
KNOWN = ("tests/test_a.py::test_old", "tests/test_a.py::test_many[1]", "tests/test_b.py::test_many")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("old", Chosen(("tests/test_a.py::test_old",), ("tests/test_a.py",))),
        ("TestNew", Chosen(("tests/test_a.py::TestNew::test_inside",))),
        ("inside", Chosen(("tests/test_a.py::TestNew::test_inside",))),
        ("many", Chosen(("tests/test_b.py::test_many", "tests/test_a.py::test_many"), ("tests/test_a.py",))),
        ("perhaps", Chosen((), ("tests/test_a.py",))),
        ("nothing", Chosen(())),
    ],
)
def test_python_ids_follow_from_the_file(pattern: str, expected: Chosen) -> None:
    assert chosen(pattern, KNOWN, {"tests/test_a.py": PY}) == expected


def test_a_test_that_is_gone_is_not_chosen_any_more() -> None:
    assert chosen("old", KNOWN, {"tests/test_a.py": b"def test_new(): pass\n"}) == Chosen(())


def test_without_touched_files_the_reported_ids_count_and_brackets_are_text() -> None:
    assert chosen("MANY[1]", KNOWN, {}).ids == ("tests/test_a.py::test_many[1]",)
    assert chosen("a.py*old", KNOWN, {}).ids == ("tests/test_a.py::test_old",)


def test_unittest_ids_follow_where_the_class_is_known() -> None:
    data = b"class OldTest:\n    def test_a(self): pass\n    def test_b(self): pass\n"
    assert chosen("test_b", ("tests.test_x.OldTest.test_a",), {"tests/test_x.py": data}) == Chosen(
        ("tests.test_x.OldTest.test_b",)
    )


def test_a_new_file_of_another_kind_of_suite_has_no_known_ids() -> None:
    data = b"class NewTest:\n    def test_a(self): pass\n"
    for known in (("tests.test_x.OldTest.test_a",), ()):
        assert chosen("test_n", known, {"tests/test_n.py": data}) == Chosen((), ("tests/test_n.py",))


def test_an_inherited_test_stays_known_as_long_as_its_class_stands() -> None:
    known = ("tests/test_a.py::TestNew::test_of_base", "tests/test_a.py::TestOld::test_of_base")
    assert chosen("of_base", known, {"tests/test_a.py": PY}).ids == known[:1]


def test_titles_that_no_report_had_ask_for_the_whole_suite() -> None:
    known = ("in.test.js > input > reads a line", "in.test.js > input > reads 1 words", "z.test.js > z")
    assert chosen("two lines", known, {"in.test.js": JS}) == Chosen((), ("in.test.js",))
    assert chosen("input", known, {"in.test.js": JS}).unknown == ("in.test.js",)
    assert chosen("z.test", known, {"in.test.js": JS}) == Chosen(("z.test.js > z",))
    every = (*known, "in.test.js > input > reads two lines")
    assert chosen("input", every, {"in.test.js": JS}).unknown == ()
