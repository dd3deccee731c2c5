"""Findings about changes that bend tests instead of fixing code, over a whole patch. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from jobs.repo.patch import FileChange, Patch
from jobs.suite import tamper_python, tamper_script
from jobs.suite.finding import Finding
from jobs.suite.inline_tests import holds_inline
from jobs.suite.sections import restore
from jobs.suite.surface import is_configuration, is_mixed, is_test, kind
from jobs.suite.tests_in import Test, named_tests

__all__ = ["Finding", "findings"]

Read = Callable[[str], bytes | None]
MAX_FINDINGS = 100
_MAX_FILE = 2 << 20  # bytes; a bigger file is looked at by its path only

# Python code of one of these names at the top of the tree is found before the real one. (A folder `coverage` of
# reports is not code.)
_SHADOWS = re.compile(
    r"^(pytest|_pytest|pluggy|unittest|coverage|sitecustomize|usercustomize)(\.py|/([^/]+/)*[^/]+\.(py|pyc|so))$|\.pth$"
)
_SNAPSHOT = re.compile(r"(^|/)__snapshots__/|\.(snap|ambr|golden|approved\.\w+)$")
_BENT = re.compile(
    r"pytest_runtest_(makereport|protocol|call)|exitstatus|collect_ignore|--deselect|\|\|\s*true|;\s*true\s*$|"
    r"\bexit 0\b|passWithNoTests|pass-with-no-tests|os\._exit|process\.exit\(0\)|--no-verify"
)


def findings(patch: Patch, read_old: Read, read_new: Read) -> tuple[Finding, ...]:
    """What is suspicious in `patch`; blocking ones first. `read_*` give a path's bytes in the old and new tree."""
    here = _tests_of(patch, read_new)
    found = [
        finding
        for change in patch.files
        for finding in _of_file(change, _small(read_old(change.path)), _small(read_new(change.path)), here)
    ]
    return tuple(sorted(found, key=lambda f: (not f.blocks, f.file, f.line or 0))[:MAX_FINDINGS])


def _small(data: bytes | None) -> bytes:
    return data if data is not None and len(data) <= _MAX_FILE else b""


def _tests_of(patch: Patch, read_new: Read) -> Counter[str]:
    """How often each test name stands in the changed files of the new tree: where a test may have moved to."""
    names: Counter[str] = Counter()
    for path in patch.paths:
        if is_test(path):
            names.update(test.short for test in named_tests(path, _small(read_new(path))).values())
    return names


def _of_file(change: FileChange, old: bytes, new: bytes, here: Counter[str]) -> Iterator[Finding]:
    path = change.path
    if change.status == "A" and _SHADOWS.search(path):
        yield Finding("runner_shadowed", path, None, "a new file that is found instead of the test runner's own", True)
    if _SNAPSHOT.search(path) and change.status != "A":
        yield Finding("snapshot_rewritten", path, None, "recorded expected output changed", False)
    elif is_test(path) and not is_configuration(path):
        yield from _of_tests(change, old, new, here)
    elif holds_inline(path):
        yield from _of_inline(change, old, new)
    elif is_configuration(path) or is_mixed(path):
        yield from _of_configuration(change, old, new)
    elif path.startswith(".github/"):
        yield Finding("ci_changed", path, None, "the repository's own automation changed", False)
    if kind(path) == "product":
        yield from tamper_python.product(path, old, new)
        yield from tamper_script.product(path, old, new)


def _of_tests(change: FileChange, old: bytes, new: bytes, here: Counter[str]) -> Iterator[Finding]:
    before, after = named_tests(change.path, old), named_tests(change.path, new)
    gone = [test for name, test in before.items() if name not in after]
    lost = [test for test in gone if not here[test.short]]
    merged = new.count(b"parametrize") + new.count(b".each") > old.count(b"parametrize") + old.count(b".each")
    if change.status == "D" and lost:
        yield Finding("test_deleted", change.path, None, f"file deleted with {len(lost)} tests", True)
    elif lost:
        for test in lost:
            yield Finding("test_removed", change.path, test.line, f"test {test.name} removed", not merged)
    for name, test in after.items():
        yield from _of_test(change.path, before.get(name), test)


def _of_test(path: str, old: Test | None, new: Test) -> Iterator[Finding]:
    known = old is not None
    skips = new.skips - (old.skips if old else frozenset())
    for skip in sorted(skips):
        always = known and skip.startswith("always")
        yield Finding("skip_added", path, new.line, f"{new.name}: {skip}", always)
    if old is None:
        return
    if old.asserts and not new.asserts:
        yield Finding("test_emptied", path, new.line, f"{new.name} checks nothing any more", True)
    elif new.asserts < old.asserts:
        text = f"{new.name}: {old.asserts - new.asserts} of {old.asserts} checks removed"
        yield Finding("asserts_removed", path, new.line, text, False)
    elif old.body != new.body:
        yield Finding("test_changed", path, new.line, f"{new.name} changed", False)


def _of_inline(change: FileChange, old: bytes, new: bytes) -> Iterator[Finding]:
    """Tests inside product code: the base's are run in any case, so a change of them is only shown."""
    if change.status != "A" and restore(change.path, new, old) != new:
        yield Finding("test_changed", change.path, None, "tests inside this file changed", False)


def _of_configuration(change: FileChange, old: bytes, new: bytes) -> Iterator[Finding]:
    if is_mixed(change.path):
        if change.status == "D":
            yield Finding("test_config_changed", change.path, None, "file with test settings deleted", False)
            return
        if restore(change.path, new, old) == new:
            return
    added = Counter(new.splitlines()) - Counter(old.splitlines())
    for number, line in enumerate(new.splitlines(), 1):
        if line in added and (bent := _BENT.search(line.decode("utf-8", "replace"))):
            yield Finding("runner_bent", change.path, number, f"`{bent.group(0)}` decides over results", True)
    yield Finding("test_config_changed", change.path, None, "how tests are found or run changed", False)
