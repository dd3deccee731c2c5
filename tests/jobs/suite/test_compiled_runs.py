"""Tiny projects of other languages, detected and run for real in cells: what their runners say, test by test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from suite_project import project

from jobs.outcome import Level, Outcome
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose
from jobs.suite.detect import detect
from jobs.suite.suite import Suite

pytestmark = pytest.mark.thorough

CARGO = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": (
        "/// Adds.\n///\n/// ```\n/// assert_eq!(calc::twice(2), 4);\n/// ```\npub fn twice(a: i32) -> i32 { a * 2 }\n"
        "pub fn add(a: i32, b: i32) -> i32 { a - b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
        '    #[test]\n    fn adds() { println!("seen"); assert_eq!(add(2, 3), 5); }\n'
        "    #[test]\n    #[ignore]\n    fn later() {}\n    #[test]\n    fn doubles() { assert_eq!(twice(2), 4); }\n}\n"
    ),
    "tests/whole.rs": "#[test]\nfn outside() { assert_eq!(calc::twice(3), 6); }\n",
}
GO = {
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a - b }\n\nfunc Twice(a int) int { return a * 2 }\n",
    "calc_test.go": (
        'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tt.Run("two", func(t *testing.T) {\n'
        '\t\tif Add(2, 3) != 5 {\n\t\t\tt.Fatal("no sum")\n\t\t}\n\t})\n}\n\nfunc TestTwice(t *testing.T) {\n'
        '\tif Twice(2) != 4 {\n\t\tt.Fatal("not twice")\n\t}\n}\n\nfunc TestLater(t *testing.T) { t.Skip("later") }\n'
    ),
}
CMAKE = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.16)\nproject(calc C)\nenable_testing()\n"
        "add_executable(check check.c calc.c)\n"
        "add_test(NAME adds COMMAND check add)\nadd_test(NAME doubles COMMAND check twice)\n"
    ),
    "calc.c": "int add(int a, int b) { return a - b; }\nint twice(int a) { return a * 2; }\n",
    "check.c": (
        "#include <stdio.h>\nint add(int, int);\nint twice(int);\nint main(int count, char **words) {\n"
        "  if (words[1][0] == 'a') { printf(\"sum %d\\n\", add(2, 3)); return add(2, 3) != 5; }\n"
        "  return twice(2) != 4;\n}\n"
    ),
}
WAYS = {
    "cargo": (CARGO, "src/lib.rs", "a - b", "calc src/lib.rs > tests::adds", "calc src/lib.rs > tests::doubles"),
    "go": (GO, "calc.go", "a - b", "example.com/calc > TestAdd/two", "example.com/calc > TestTwice"),
    "cmake": (CMAKE, "calc.c", "a - b", "adds", "doubles"),
}


def detected(files: dict[str, str]) -> Suite:
    found = detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, None, None)
    assert found.suite is not None, found.why
    return found.suite


@pytest.mark.parametrize("name", sorted(WAYS))
def test_a_bug_is_reproduced_and_its_fix_proven_by_id(name: str, tmp_path: Path, cells: Cells) -> None:
    files, path, wrong, red, green = WAYS[name]
    tree = tmp_path / "tree"
    for file, text in files.items():
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).write_text(text)
    language = {"cargo": "rust", "go": "go", "cmake": "native"}[name]
    if language not in choose(tree).versions or (name == "cmake" and shutil.which("cc") is None):
        pytest.skip(f"{name} is not on this machine")
    with project(tmp_path, cells, files, detected(files)) as here:
        before = here.runs(here.base)
        assert before.tests is not None, before.output
        assert (before.tests[red], before.tests[green], before.exit_code) == ("failed", "passed", before.exit_code or 1)
        verdict = here.verdict({path: files[path].replace(wrong, "a + b")})
        assert (verdict.outcome, verdict.level) == (Outcome.FIXED, Level.A)
        narrowed = here.runs.again(here.base, (red,))
        assert set(narrowed.tests or {}) <= {red, red.split("/")[0]}
        assert narrowed.failures[red]


def test_tests_inside_rust_code_are_the_bases_whatever_a_change_makes_of_them(tmp_path: Path, cells: Cells) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "Cargo.toml").touch()
    if "rust" not in choose(tree).versions:
        pytest.skip("cargo is not on this machine")
    path, code = "src/lib.rs", CARGO["src/lib.rs"]
    weak = code.replace("assert_eq!(add(2, 3), 5);", "assert_eq!(add(2, 3), -1);")
    with project(tmp_path, cells, CARGO, detected(CARGO)) as here:
        bent = here.verdict({path: weak})
        assert bent.outcome is not Outcome.FIXED
        assert [one.kind for one in bent.tamper] == ["test_changed"]
        added = "    #[test]\n    fn adds_more() { assert_eq!(add(1, 1), 2); }\n    #[test]\n    fn doubles()"
        right = code.replace("a - b", "a + b").replace("    #[test]\n    fn doubles()", added)
        proven = here.verdict({path: right})
        assert (proven.outcome, proven.level) == (Outcome.FIXED, Level.A)
        assert proven.proven == ("calc src/lib.rs > tests::adds_more",)
