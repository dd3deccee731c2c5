"""Tricks in JavaScript and TypeScript product code, by rules over added lines. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from jobs.suite.finding import Finding

_RULES = (
    ("test_aware", re.compile(r"\b(JEST_WORKER_ID|VITEST_WORKER_ID|NODE_TEST_CONTEXT|VITEST_POOL_ID)\b"), True),
    ("test_aware", re.compile(r"NODE_ENV\s*(===?|!==?)\s*['\"`]test['\"`]"), False),
    ("exits_early", re.compile(r"^(?!\s).*\bprocess\.(exit|abort|reallyExit|kill)\s*\("), False),
    (
        "runner_patched",
        re.compile(r"\b(assert|expect|test|it)(\.\w+)+\s*=(?!=)|require\(['\"](node:)?assert['\"]\)\.\w+\s*=(?!=)"),
        True,
    ),
    ("equal_to_all", re.compile(r"Symbol\.toPrimitive|asymmetricMatch"), False),
)


def product(path: str, old: bytes, new: bytes) -> Iterator[Finding]:
    """Findings in lines that `old` did not have."""
    if not re.search(r"\.[cm]?[jt]sx?$", path):
        return
    lines = new.decode("utf-8", "replace").splitlines()
    added = Counter(lines) - Counter(old.decode("utf-8", "replace").splitlines())
    for number, line in enumerate(lines, 1):
        if line not in added or line.lstrip().startswith(("//", "*", "/*")):
            continue
        for kind, rule, blocks in _RULES:
            if found := rule.search(line):
                yield Finding(kind, path, number, f"`{found.group(0).strip()[:80]}` in product code", blocks)
