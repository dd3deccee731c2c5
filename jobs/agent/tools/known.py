"""Which tests a pattern means: the ids of earlier reports, and those of tests written in this session. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jobs.suite.tests_in import named_tests

_TEST_FILE = re.compile(r"(?:^|[/_.])(?:tests?|spec)(?:[/_.]|$)", re.IGNORECASE)
MARKS = ("::", " > ")  # between the parts of a test's id; unittest's dots stand in file names too
_FILLED = re.compile(r"%\w|\$\{[^}]*\}|\$[\w.]+")  # what a table of cases fills into its title


@dataclass(frozen=True)
class Chosen:
    """`ids` are what the pattern means as far as ids are known; `unknown` are files with tests that it may mean too
    and whose ids only a run of the whole suite can tell."""

    ids: tuple[str, ...]
    unknown: tuple[str, ...] = ()


def is_test_file(path: str) -> bool:
    """True if a path's names say that it holds tests."""
    return _TEST_FILE.search(path) is not None


def chosen(pattern: str, known: Iterable[str], touched: Mapping[str, bytes]) -> Chosen:
    """The tests whose id contains `pattern` (`*` stands for anything; case does not matter). `touched` are the test
    files that were changed since `known` was reported, with their bytes."""
    wanted = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.IGNORECASE)
    ids = list(known)
    style = next((mark for mark in MARKS if any(mark in test for test in ids)), "." if ids else "")
    unknown = []
    for path, data in touched.items():
        own = [test for test in ids if _file(test) == path or test.startswith(_module(path) + ".")]
        ids = [test for test in ids if test not in own]
        now, strange = _of_file(path, data, own, style)
        ids += now
        meant = [f"{path} > {name}" for name in strange] + [f"{path}::{name}" for name in strange]
        # A new test may stand in a group that the pattern names, which its own title does not tell.
        if strange and any(wanted.search(test) for test in [*meant, *own]):
            unknown.append(path)
    return Chosen(tuple(test for test in dict.fromkeys(ids) if wanted.search(test)), tuple(unknown))


def _of_file(path: str, data: bytes, own: list[str], style: str) -> tuple[list[str], list[str]]:
    """(ids, names without an id) of the tests that the file holds now; `own` are the ids it had, `style` is what
    stands between the parts of this suite's ids."""
    names = list(named_tests(path, data))
    if not path.endswith(".py"):
        return own, [name for name in names if not _reported(name, own)]
    text = data.decode("utf-8", "replace")
    kept = [test for test in own if _stands(test, text)]
    if style != "::":
        return _unittest(path, names, kept) if style == "." else (kept, names)
    classes = {part for test in own for part in test.split("[")[0].split("::")[1:-1]}
    able = [n for n in names if all(part in classes or part.startswith("Test") for part in n.split(".")[:-1])]
    derived = [f"{path}::{name.replace('.', '::')}" for name in able]
    # The bare id stands for all its parameters, new ones too.
    other = [test for test in kept if test.split("[")[0] not in derived]
    return [*other, *derived], [name for name in names if name not in able]


def _unittest(path: str, names: list[str], kept: list[str]) -> tuple[list[str], list[str]]:
    module = _module(path)
    classes = {test.split(".")[-2] for test in kept if "." in test}
    able = [name for name in names if name.split(".")[0] in classes]
    return [*kept, *(f"{module}.{name}" for name in able)], [name for name in names if name not in able]


def _reported(title: str, own: list[str]) -> bool:
    wanted = ".* > " + ".*".join(map(re.escape, _FILLED.split(title)))
    return any(re.fullmatch(wanted, test, re.DOTALL) for test in own)


def _file(test: str) -> str:
    """The file that an id names."""
    return re.split("|".join(MARKS), test, maxsplit=1)[0]


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _stands(test: str, text: str) -> bool:
    """False for a test that was renamed or taken out; one that its class inherits stands as long as the class."""
    *_, outer, leaf = ["", *re.split(r"::|\.", test.split("[")[0])]
    return leaf in text or (bool(outer) and re.search(rf"\bclass {re.escape(outer)}\b", text) is not None)
