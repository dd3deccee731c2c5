"""Which tests matter for a change, and in what order."""

from __future__ import annotations

import pytest

from jobs.agent.choice import packed
from jobs.agent.graph import linked
from jobs.agent.matter import matter, reach, stem

GRAPH = {
    "src/pkg/core.py": (),
    "src/pkg/api.py": ("src/pkg/core.py",),
    "tests/test_api.py": ("src/pkg/api.py",),
    "tests/test_deep.py": ("tests/tools.py",),
    "tests/tools.py": ("src/pkg/api.py",),
    "tests/test_core.py": ("src/pkg/core.py",),
    "tests/test_lone.py": (),
}
IDS = tuple(f"{file}::test_it" for file in sorted(GRAPH) if "test_" in file)


def test_nearer_tests_come_first_and_strangers_not_at_all() -> None:
    found = matter(["src/pkg/core.py"], GRAPH, IDS)
    assert found == ("tests/test_core.py::test_it", "tests/test_api.py::test_it", "tests/test_deep.py::test_it")


def test_targets_come_before_all_even_where_nothing_else_speaks_for_them() -> None:
    found = matter(["src/pkg/core.py"], GRAPH, IDS, targets=["tests/test_lone.py::test_it"], limit=2)
    assert found == ("tests/test_lone.py::test_it", "tests/test_core.py::test_it")


def test_parameters_do_not_crowd_out_other_tests() -> None:
    many = [f"tests/test_core.py::test_many[{n}]" for n in range(50)]
    found = matter(["src/pkg/core.py"], GRAPH, [*many, *IDS], limit=3)
    assert found == (*many, "tests/test_core.py::test_it", "tests/test_api.py::test_it")


def test_a_changed_file_of_tests_comes_before_what_imports() -> None:
    found = matter(["src/pkg/core.py", "tests/test_lone.py"], GRAPH, IDS)
    assert found[0] == "tests/test_lone.py::test_it"


def test_coverage_finds_what_no_import_tells_and_decides_among_equally_near_ones() -> None:
    near = {**GRAPH, "tests/test_also.py": ("src/pkg/core.py",)}
    ids = (*IDS, "tests/test_also.py::test_it", "tests/test_lone.py::test_other[1]")
    covered = {
        "tests/test_core.py": ["src/pkg/core.py"],
        "tests/test_lone.py::test_other[1]": ["src/pkg/core.py"],
        "tests/test_deep.py": ["src/pkg/api.py"],
    }
    found = matter(["src/pkg/core.py"], near, ids, covered=covered)
    assert found[0] == "tests/test_core.py::test_it"
    assert found[-1] == "tests/test_lone.py::test_other[1]"
    assert "tests/test_lone.py::test_it" not in found


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/foo.py", "tests/test_foo.py::test_a"),
        ("lib/foo.js", "test/foo.test.js > group > works"),
        ("pkg/foo.go", "pkg/foo_test.go::TestFoo"),
        ("src/foo/index.ts", "src/foo.spec.ts > works"),
        ("app/user_names.py", "tests/test_names.py::test_a"),
    ],
)
def test_a_name_speaks_where_imports_do_not(changed: str, test: str) -> None:
    assert matter([changed], {}, [test, "tests/test_elsewhere.py::test_b"]) == (test,)


def test_ids_of_unittest_are_found_by_their_module() -> None:
    ids = ["test_api.ApiTest.test_it", "tests.test_deep.DeepTest.test_it", "test_lone.LoneTest.test_it"]
    assert matter(["src/pkg/api.py"], GRAPH, ids) == tuple(ids[:2])


def test_a_target_that_stands_for_a_file_brings_its_tests() -> None:
    assert matter(["x.py"], GRAPH, IDS, targets=["tests/test_lone.py"]) == (
        "tests/test_lone.py::test_it",
        "tests/test_lone.py",
    )


def test_ways_are_the_shortest_and_loops_end() -> None:
    loop = {"a": ("b",), "b": ("c",), "c": ("a",), "d": ("c", "a")}
    assert reach(["a"], loop) == {"a": 0, "c": 1, "d": 1, "b": 2}


def test_the_stem_of_a_file_is_what_it_is_about() -> None:
    names = ["tests/test_a_b.py", "a-b.js", "x/a_b_test.go", "a_b/__init__.py", "a-b/index.ts", "a_b.spec.tsx"]
    assert {stem(name) for name in names} == {"a_b"}


def test_a_file_stands_for_its_tests_only_if_all_are_meant() -> None:
    known = ["a.py::t1", "a.py::t2[x]", "b.py::t1", "b.py::t2"]
    assert packed(["a.py::t1", "a.py::t2", "b.py::t1"], known) == ("a.py", "b.py::t1")
    assert packed(["m.C.a", "m.C.b", "n.C.a"], ["m.C.a", "m.C.b", "n.C.a", "n.C.b"]) == ("m", "n.C.a")


def imports(files: list[str], wishes: dict[str, list[tuple[str, list[str]]]]) -> dict[str, tuple[str, ...]]:
    return linked(files, wishes, {})


def test_python_imports_lead_to_files() -> None:
    files = ["src/p/__init__.py", "src/p/a.py", "src/p/sub/__init__.py", "src/p/sub/b.py", "ns/q/c.py", "ns/q/d.py"]
    found = imports(
        files,
        {
            "src/p/a.py": [(".sub", ["b"]), (".", ["nothing"])],
            "src/p/sub/b.py": [("..a", ["x"]), ("os", [])],
            "ns/q/c.py": [("ns.q", ["d"]), ("p.sub.b", [])],
        },
    )
    assert found["src/p/a.py"] == ("src/p/sub/b.py", "src/p/sub/__init__.py", "src/p/__init__.py")
    assert found["src/p/sub/b.py"] == ("src/p/a.py", "src/p/__init__.py")
    assert found["ns/q/c.py"] == ("ns/q/d.py", "src/p/sub/b.py", "src/p/sub/__init__.py", "src/p/__init__.py")


def test_a_name_that_a_package_passes_on_leads_to_where_it_comes_from() -> None:
    files = ["p/__init__.py", "p/_a.py", "p/_b.py", "tests/test_a.py", "tests/conftest.py", "conftest.py"]
    wishes = {"p/__init__.py": [("._a", ["run"]), ("._b", ["stop"])], "tests/test_a.py": [("p", ["run"])]}
    assert imports(files, wishes)["tests/test_a.py"] == (
        *("p/_a.py", "p/__init__.py"),
        *("tests/conftest.py", "conftest.py"),
    )


def test_packages_that_import_each_other_for_ever_end() -> None:
    wishes = {"p/__init__.py": [("q", ["x"])], "q/__init__.py": [("p", ["x"])], "t.py": [("p", ["x"])]}
    assert imports(["p/__init__.py", "q/__init__.py", "t.py"], wishes)["t.py"][-1] == "p/__init__.py"


def test_specifiers_lead_to_files() -> None:
    settings = {
        "package.json": {
            "name": "own",
            "main": "./dist/x.js",
            "exports": {".": "./lib/main.js", "./x/*": "./lib/*.js"},
        },
        "packages/b/package.json": {"name": "@s/b", "main": "src"},
        "tsconfig.json": {"compilerOptions": {"paths": {"@/*": ["src/*"]}}},
    }
    files = [
        *("lib/main.js", "lib/u.js", "src/a/index.ts", "src/b.tsx", "src/c.json"),
        *("packages/b/src/index.ts", "test/t.js", *settings),
    ]
    asked = {
        "./../lib/u": "lib/u.js",
        "../src/b.js": "src/b.tsx",
        "../src/a": "src/a/index.ts",
        "..": "lib/main.js",
        "own": "lib/main.js",
        "own/x/u": "lib/u.js",
        "@s/b": "packages/b/src/index.ts",
        "@/c.json": "src/c.json",
        "lib/u.js": "lib/u.js",
        "left-pad": None,
    }
    settings["package.json"]["main"] = "lib/main.js"
    for specifier, file in asked.items():
        assert linked(files, {"test/t.js": [specifier]}, settings)["test/t.js"] == ((file,) if file else ()), specifier


def test_main_files_that_name_each_other_end() -> None:
    settings = {"a/package.json": {"main": "../b"}, "b/package.json": {"main": "../a"}}
    assert linked(["t.js", *settings], {"t.js": ["./a"]}, settings) == {"t.js": ()}
