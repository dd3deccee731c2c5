"""Definitions are found in each language, with the lines that belong to them."""

from __future__ import annotations

import pytest

from jobs.agent.tools.further.outline import defines, definitions

GO = "package x\n\nfunc (s *Shop) Total(p []int) int {\n\treturn 1\n}\n\ntype Shop struct {\n\tid int\n}\n"
RUST = """pub struct Shop<T> {
    id: T,
}

impl<T> Shop<T> {
    pub async fn total(&self) -> u32 {
        if self.id > 1 { 2 } else { 1 }
    }
}

macro_rules! twice {
    () => {};
}
"""
JAVA = """public final class Shop extends Base {
    private int id;

    public static List<String> names(int a) throws E {
        if (a > 1) {
            return many(a);
        }
        throw new E(a);
    }
}
"""
SCRIPT = """export default function run(a) {
  if (a) {
    return call(a);
  }
}

const quick = a => a;
const value = 3;

class Shop {
  #secret() {
  }
  static async names(a, b) {
    for (const x of a) {
      b(x);
    }
  }
}
"""
RUBY = "module Shop\n  def self.total(a)\n    a\n  end\nend\n"
PYTHON = "@cache\nasync def total(\n    a: int,\n) -> int:\n    return a\n\n\nend = total(1)\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("x.go", GO, [("Total", 3, 5), ("Shop", 7, 9)]),
        ("x.rs", RUST, [("Shop", 1, 3), ("Shop<T>", 5, 9), ("total", 6, 8), ("twice", 11, 13)]),
        ("X.java", JAVA, [("Shop", 1, 10), ("names", 4, 9)]),
        ("x.js", SCRIPT, [("run", 1, 5), ("quick", 7, 7), ("Shop", 10, 18), ("secret", 11, 12), ("names", 13, 17)]),
        ("x.rb", RUBY, [("Shop", 1, 5), ("total", 2, 4)]),
        ("x.py", PYTHON, [("total", 2, 5)]),
        ("x.txt", "def f():\n", []),
        ("x.py", "", []),
    ],
)
def test_definitions(path: str, text: str, expected: list[tuple[str, int, int]]) -> None:
    assert [(one.name, one.start, one.end) for one in definitions(path, text.splitlines())] == expected


@pytest.mark.parametrize("row", ["def " * 5_000, "a(" * 5_000, "x = (" + "a, " * 9_000, "<" * 10_000 + " f("])
def test_a_monstrous_line_defines_nothing(row: str) -> None:
    assert not any(definitions(path, [row] * 50) for path in ("x.py", "x.ts", "x.java", "x.rs"))


def test_a_line_of_a_search_is_told_to_define_or_to_use() -> None:
    assert defines("x.py", "    async def total(self):", "total")
    assert not defines("x.py", "    return self.total()", "total")
    assert not defines("x.ts", "  if (total) {", "if")
