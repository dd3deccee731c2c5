"""Git questions and writes of the hub, on its bare repositories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jobs.repo.git import GitError, Remote, git, init_bare, text
from jobs.repo.patch import FileChange
from jobs.repo.trees import Trees

ZERO = "0" * 40
_BLOCK = re.compile(rb"(?m)^diff --git ")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")
_KINDS = {"@": "hunk", "+": "plus", "-": "minus", "\\": "hunk"}
_FIELDS = "%x00".join(("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B"))


@dataclass(frozen=True)
class Person:
    """Who wrote or committed, and when (ISO 8601 with offset)."""

    name: str
    email: str
    date: str


@dataclass(frozen=True)
class Commit:
    """One commit."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True)
class FileDiff:
    """One changed file with its part of the unified diff (hunks only; None if binary)."""

    change: FileChange
    hunks: str | None

    def lines(self) -> Iterator[DiffLine]:
        """The hunks line by line, numbered."""
        old = new = 0
        for row in (self.hunks or "").split("\n"):
            start = _HUNK.match(row)
            if start:
                old, new = int(start[1]) - 1, int(start[2]) - 1
            old, new = old + (row[:1] in ("-", " ")), new + (row[:1] in ("+", " "))
            kind = _KINDS.get(row[:1], "same")
            in_old, in_new = kind in ("minus", "same"), kind in ("plus", "same")
            yield DiffLine(kind, old if in_old else None, new if in_new else None, row)


@dataclass(frozen=True)
class DiffLine:
    """One line of a hunk (`kind` hunk, plus, minus, same) with its numbers in the old and new file."""

    kind: str
    old: int | None
    new: int | None
    text: str


def create(path: Path) -> None:
    """A bare repository that can be pushed to and fetched from by commit."""
    init_bare(path)
    settings = {
        "http.receivepack": "true",
        "uploadpack.allowAnySHA1InWant": "true",
        "uploadpack.allowFilter": "true",
        "receive.hideRefs": "refs/pull",
        "receive.procReceiveRefs": "refs",
        "receive.denyDeleteCurrent": "ignore",
        "receive.fsckObjects": "true",
        "core.hooksPath": str(path / "hooks"),
    }
    pairs = ([*name.split("."), value] for name, value in settings.items())
    lines = [f"[{section}]\n\t{key} = {value}\n" for section, key, value in pairs]
    with (path / "config").open("a") as config:
        config.writelines(lines)


def point_head(git_dir: Path, branch: str) -> None:
    """Makes `branch` the one that a clone checks out."""
    git(git_dir, "symbolic-ref", "HEAD", f"refs/heads/{branch}")


def copy(source: Path, target: Path) -> None:
    """All branches and tags of the repository at `source` (bare or not)."""
    remote = Remote(f"file://{source.resolve()}")
    refs = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    git(target, "fetch", "--quiet", "--no-tags", remote.url, *refs, remote=remote)


def borrow(source: Path, target: Path, sha: str, ref: str) -> None:
    """Brings commit `sha` of another repository under `ref`."""
    remote = Remote(f"file://{source.resolve()}")
    git(target, "fetch", "--quiet", "--no-tags", remote.url, f"+{sha}:{ref}", remote=remote)


def refs(git_dir: Path, prefix: str = "refs/") -> dict[str, tuple[str, str]]:
    """Full name to (type, object id), sorted, of every ref that starts with `prefix` (any cut of a name)."""
    out = text(git_dir, "for-each-ref", "--format=%(refname) %(objecttype) %(objectname)", "refs/")
    rows = (line.rsplit(" ", 2) for line in out.splitlines())
    return {name: (kind, sha) for name, kind, sha in rows if name.startswith(prefix)}


def head(git_dir: Path, branch: str) -> str | None:
    """The tip of `branch`."""
    return resolve(git_dir, f"refs/heads/{branch}")


def resolve(git_dir: Path, revision: str) -> str | None:
    """The commit that `revision` (branch, tag, full ref or id) stands for, or None."""
    names = (revision, f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/{revision}")
    for name in names:
        try:
            return text(git_dir, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except GitError:
            continue
    return None


def kind(git_dir: Path, sha: str) -> str | None:
    """The type of object `sha`, or None if there is none."""
    try:
        return text(git_dir, "cat-file", "-t", sha)
    except GitError:
        return None


def commit(git_dir: Path, sha: str) -> Commit:
    """The commit `sha`."""
    return _read_commit(git_dir, sha)


@lru_cache(maxsize=4096)
def _read_commit(git_dir: Path, sha: str) -> Commit:
    return log(git_dir, sha, limit=1)[0]


def log(git_dir: Path, revisions: str, *, limit: int = 250, skip: int = 0, path: str | None = None) -> list[Commit]:
    """Commits of `revisions` (`tip` or `base..tip`), newest first."""
    paths = ("--", path) if path else ("--",)
    out = git(git_dir, "log", "-z", f"--format={_FIELDS}", f"-n{limit}", f"--skip={skip}", revisions, *paths)
    words = out.decode("utf-8", "replace").split("\0")
    rows = [words[at : at + 10] for at in range(0, len(words) - 9, 10)]
    return [_commit(row) for row in rows]


def _commit(row: Sequence[str]) -> Commit:
    sha, tree, parents = row[0].strip(), row[1], tuple(row[2].split())
    return Commit(sha, tree, parents, Person(*row[3:6]), Person(*row[6:9]), row[9].rstrip("\n"))


def count(git_dir: Path, revisions: str) -> int:
    """How many commits `revisions` (`base..tip`) holds."""
    return int(text(git_dir, "rev-list", "--count", revisions, "--"))


@lru_cache(maxsize=4096)
def merge_base(git_dir: Path, one: str, other: str) -> str | None:
    """The best common ancestor, or None."""
    try:
        return text(git_dir, "merge-base", one, other).split("\n")[0]
    except GitError:
        return None


@lru_cache(maxsize=1024)
def merged_tree(git_dir: Path, base: str, tip: str) -> str | None:
    """The tree of merging `tip` into `base`, or None on a conflict."""
    try:
        return text(git_dir, "merge-tree", "--write-tree", base, tip).split("\n")[0]
    except GitError:
        return None


@lru_cache(maxsize=1024)
def changes(git_dir: Path, base: str, tip: str) -> tuple[FileDiff, ...]:
    """What differs between two commits or trees, file by file."""
    patch = Trees(git_dir).patch(base, tip)
    blocks = iter(_BLOCK.split(patch.text)[1:])
    return tuple(FileDiff(change, _hunks(change, blocks)) for change in patch.files)


def _hunks(change: FileChange, blocks: Iterator[bytes]) -> str | None:
    block = next(blocks, b"")
    if change.status == "T":  # a change of type is shown as two blocks
        block += next(blocks, b"")
    start = block.find(b"\n@@ ")
    if change.added is None or start < 0:
        return None
    return block[start + 1 :].decode("utf-8", "replace").rstrip("\n")


def diff(git_dir: Path, base: str, tip: str) -> bytes:
    """The unified diff between two commits."""
    return Trees(git_dir).patch(base, tip).text


def blob(git_dir: Path, data: bytes) -> str:
    """Stores `data`; its id."""
    return text(git_dir, "hash-object", "-w", "--stdin", stdin=data)


def empty_tree(git_dir: Path) -> str:
    """The id of the empty tree, stored."""
    return text(git_dir, "mktree", stdin=b"")


def with_files(git_dir: Path, tree: str, files: Mapping[str, bytes | str | None]) -> str:
    """`tree` with `files` written; None removes. New files are not executable, present ones keep their mode."""
    trees = Trees(git_dir)
    modes = {path: mode for mode, _, _, path in trees.entries(tree)}
    lines = []
    for path, data in files.items():
        if data is None:
            lines.append(f"0 {ZERO}\t{path}")
        else:
            sha = blob(git_dir, data.encode() if isinstance(data, str) else data)
            lines.append(f"{modes.get(path, '100644')} {sha}\t{path}")
    return trees.edit(tree, lines)


def write_commit(
    git_dir: Path, tree: str, parents: Sequence[str], message: str, author: Person, committer: Person | None = None
) -> str:
    """A new commit; its id. An empty date means now."""
    return text(
        git_dir,
        "commit-tree",
        tree,
        *(part for parent in parents for part in ("-p", parent)),
        stdin=message.encode(),
        env=_identity("AUTHOR", author) | _identity("COMMITTER", committer or author),
    )


def _identity(role: str, person: Person) -> dict[str, str]:
    env = {f"GIT_{role}_NAME": person.name, f"GIT_{role}_EMAIL": person.email}
    return env | ({f"GIT_{role}_DATE": person.date} if person.date else {})


def update_ref(git_dir: Path, ref: str, new: str, old: str | None = None) -> None:
    """Moves `ref` to `new` (ZERO deletes), only from `old` where given. Raises GitError."""
    command = ("-d", ref) if new == ZERO else (ref, new)
    git(git_dir, "update-ref", *command, *((old,) if old is not None else ()))


def is_ancestor(git_dir: Path, older: str, newer: str) -> bool:
    """True if `newer` contains `older`."""
    return merge_base(git_dir, older, newer) == older


def is_ref_name(name: str) -> bool:
    """True for a full ref name that git would take (git check-ref-format's rules)."""
    parts = name.split("/")
    bad = re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//", name)
    ends = name.endswith(("/", ".")) or any(p.startswith(".") or p.endswith(".lock") or not p for p in parts)
    return name.startswith("refs/") and len(parts) > 2 and not bad and not ends
