"""Which paths belong to the tests, which to the documents, and how a tree gets another tree's tests. Pure but for
reading trees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from jobs.repo.trees import Trees
from jobs.suite.inline_tests import holds_inline
from jobs.suite.prose import MARKUP, is_aside
from jobs.suite.rewrite import rewrite
from jobs.suite.sections import MIXED, restore

Kind = Literal["test", "doc", "product"]

_TEST_FOLDERS = frozenset(
    {"tests", "__tests__", "__mocks__", "__snapshots__", "testdata", "test-data", "e2e", "cypress"},
)
_LOOSE_FOLDERS = frozenset({"test", "spec", "specs", "testing"})  # as often a product package as a folder of tests
# Folders of tests as Maven, Gradle and .NET name them.
_TEST_PLACES = re.compile(r"(^|/)src/(test|it|testFixtures|\w+Test)/|(^|/)([\w.]*\.)?(\w*Tests|Specs)/")
_CODE = re.compile(r"\.(py|[cm]?[jt]sx?|go|rs|rb|php|java|kt)$")
_TEST_FILES = re.compile(
    r"^(test_.*|.*_test|tests?)\.py$"
    r"|[._-](test|spec)s?\.[cm]?[jt]sx?$|^tests?\.[cm]?[jt]sx?$"
    r"|_test\.(go|rb|exs|dart|cc|cpp)$|^tests?\.rs$|_spec\.rb$|(Test|Tests|TestCase|Spec|IT)\.(java|kt|php|cs|scala)$"
)
_CONFIGURATION = re.compile(
    r"^(conftest\.py|pytest\.(ini|toml)|\.pytest\.(ini|toml)|tox\.(ini|toml)|noxfile\.py|\.coveragerc|sitecustomize\.py|"
    r"usercustomize\.py|.*\.pth|(jest|vitest|vite|karma|playwright|cypress|ava|web-test-runner)\.config(\.\w+)+|"
    r"vitest\.workspace\.\w+|\.?mocharc(\.\w+)*|\.mocharc\.\w+|\.nycrc(\.\w+)?|\.c8rc(\.\w+)?|\.taprc|"
    r"(jest|vitest|test)[.-]setup\.\w+|setup-?tests?\.\w+|phpunit\.xml(\.dist)?|\.rspec|Makefile|GNUmakefile|makefile|"
    r"[Jj]ustfile)$",
    re.IGNORECASE,
)
_SNAPSHOTS = re.compile(r"\.(snap|ambr|golden|approved\.\w+)$")
_DOCUMENTS = re.compile(rf"\.({'|'.join(MARKUP)})$", re.IGNORECASE)
_DOCUMENT_FOLDERS = frozenset(
    {"docs", "doc", "changelog", "changelog.d", "changes", "newsfragments", "news", ".changeset"}
)


def is_test(path: str) -> bool:
    """True for files of tests and what lies with them: fixtures, snapshots, data."""
    folders, name = _split(path)
    if (
        _TEST_PLACES.search(path)
        or _TEST_FOLDERS.intersection(folders)
        or _SNAPSHOTS.search(name)
        or _TEST_FILES.search(name)
    ):
        return True
    loose = [i for i, folder in enumerate(folders) if folder in _LOOSE_FOLDERS]
    # `test/helper.js` at the top is a helper of tests; `django/test/client.py` is product code.
    return bool(loose) and (loose[0] == 0 or not _CODE.search(name))


def is_configuration(path: str) -> bool:
    """True for whole files that say how tests run."""
    return bool(_CONFIGURATION.match(_split(path)[1]))


def is_surface(path: str) -> bool:
    """True if the path as a whole belongs to the test surface: the base's version of it is what counts."""
    return is_test(path) or is_configuration(path)


def is_mixed(path: str) -> bool:
    """True for files that hold test settings beside other things."""
    return _split(path)[1] in MIXED or holds_inline(path)


def kind(path: str) -> Kind:
    """What a change of `path` is: of tests, of documents, or of the product."""
    folders, name = _split(path)
    if is_surface(path):
        return "test"
    if _DOCUMENTS.search(name) or is_aside(name) or (folders and folders[0] in _DOCUMENT_FOLDERS):
        return "doc"
    return "product"


def with_tests_of(trees: Trees, tree: str, source: str, paths: Iterable[str]) -> str:
    """`tree` with the test surface of `source`, where `paths` are all the paths in which the two differ.

    Whole files of the surface come from `source` (those it lacks are removed); of mixed files only the sections
    about tests.
    """
    changed = tuple(paths)
    grafted = trees.graft(tree, source, [p for p in changed if is_surface(p)])
    for path in changed:
        if is_mixed(path) and not is_surface(path):
            grafted = _restore(trees, grafted, source, path)
    return grafted


def _restore(trees: Trees, tree: str, source: str, path: str) -> str:
    ours, theirs = trees.read(tree, path), trees.read(source, path)
    if ours is None and holds_inline(path):
        return tree  # product code that is gone, and its tests with it
    if ours is None:
        return trees.graft(tree, source, [path])  # a deleted package.json: no test command is left in it
    wanted = restore(path, ours, theirs)
    return tree if wanted == ours else rewrite(trees, tree, path, wanted)


def _split(path: str) -> tuple[list[str], str]:
    *folders, name = path.split("/")
    return folders, name
