"""Which new files of a hostile work tree its own rules leave out; the tree itself is never shown to git."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from jobs.repo import below
from jobs.repo.folders import folders_of
from jobs.repo.git import git

_RULES = b".gitignore"
_LARGEST = 4 << 20  # bytes of one file of rules; a larger one rules nothing


def ignored(git_dir: Path, folder: Path, paths: Iterable[bytes]) -> frozenset[bytes]:
    """Those of `paths`, files below `folder`, that its .gitignore files exclude.

    git reads copies of the rules: what is named so in the tree may be a pipe that never ends, or a link.
    """
    asked = tuple(paths)
    rules = dict(_rules(folder, asked))
    if not rules:
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="rules-", dir=git_dir) as scratch:
        for path, data in rules.items():
            below.write(Path(scratch), path, "100644", data)
        return _matched(git_dir, Path(scratch), asked)


def _rules(folder: Path, paths: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """(path, bytes) of every plain .gitignore that may say something of `paths`."""
    above = {parent for path in paths for parent in (b"", *folders_of((path,)))}
    for parent in sorted(above):
        path = parent + b"/" + _RULES if parent else _RULES
        try:
            if not stat.S_ISREG(below.status(folder, path).st_mode):
                continue
            data = below.read(folder, path, _LARGEST)
        except OSError:  # there is none, or it is not for us to read
            continue
        if len(data) <= _LARGEST:
            yield path, data


def _matched(git_dir: Path, rules: Path, paths: Iterable[bytes]) -> frozenset[bytes]:
    # check-ignore knows no literal pathspecs, and takes each line literally anyway.
    environment = {"GIT_WORK_TREE": str(rules), "GIT_LITERAL_PATHSPECS": "0"}
    # Four fields a path, matched or not; exit status 1 says that nothing matched.
    out = git(
        git_dir, "check-ignore", "-z", "--stdin", "--no-index", "--verbose", "--non-matching",
        stdin=b"".join(path + b"\0" for path in paths), env=environment, cwd=rules, accept=(0, 1),
    )  # fmt: skip
    fields = out.split(b"\0")
    return frozenset(
        path
        for source, pattern, path in zip(fields[0::4], fields[2::4], fields[3::4], strict=False)
        if source and not pattern.startswith(b"!")
    )
