from __future__ import annotations

import pytest

from jobs.suite.inline_tests import inline, restore_inline
from jobs.suite.sections import restore

CODE = "pub fn add(a: i32, b: i32) -> i32 { a - b }\n\n// #[cfg(test)] is below\npub const BRACE: char = '}';\n"
TESTS = (
    "#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    use super::*;\n    /* { /* nested */ { */\n"
    '    #[test]\n    fn adds() {\n        let text = r#"}"{"#;\n        let life: &\'static str = "\\"}";\n'
    "        assert_eq!(add(2, 3), 5);\n    }\n}\n"
)
WEAK = TESTS.replace("assert_eq!(add(2, 3), 5);", "assert!(true);")
FIXED = CODE.replace("a - b", "a + b")


def put(ours: str, theirs: str) -> str:
    return restore_inline(ours.encode(), theirs.encode()).decode()


def test_items_for_tests_are_found_whole() -> None:
    whole = (
        f"{CODE}{TESTS}\n#[cfg(test)]\nuse std::fs;\n\n#[tokio::test]\nasync fn outside() {{ x(); }}\n\nfn more() "
        f"{{}}\n"
    )
    assert [(one.key, whole[one.start : one.end][-2:]) for one in inline(whole)] == [
        ("mod tests", "\n}"),
        ("use std::fs", "s;"),
        ("fn outside", " }"),
    ]
    assert inline(CODE) == []
    assert inline("#[cfg(test)]\nmod tests;\nfn a() {}\n")[0].end == len("#[cfg(test)]\nmod tests;")
    assert inline('const T: &str = "\n#[cfg(test)]\nmod tests {";\n') == []


def test_new_code_gets_the_bases_tests() -> None:
    assert put(FIXED + WEAK, CODE + TESTS) == FIXED + TESTS
    assert put(FIXED, CODE + TESTS).startswith(FIXED.rstrip())
    assert put(FIXED, CODE + TESTS).rstrip().endswith(TESTS.rstrip())  # deleted ones come back
    assert "mod more" not in put(FIXED + TESTS + "#[cfg(test)]\nmod more { }\n", CODE + TESTS)
    assert put(FIXED + WEAK, "") == FIXED + "\n"  # a new file: its tests are new ones


def test_equal_tests_leave_a_file_as_it_is() -> None:
    odd = FIXED + "\n\n\n" + TESTS + "\n\n"
    assert put(odd, CODE + TESTS) == odd


@pytest.mark.parametrize("text", ["#[cfg(test)]\nmod tests {\n", "#[test]\n"])
def test_what_does_not_end_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="does not end"):
        inline(text)
    # and the base's file is what counts then: nobody hides tests behind a missing bracket
    assert restore("src/lib.rs", text.encode(), b"base") == b"base"
