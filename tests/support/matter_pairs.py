"""Real fixes, as two releases of a package that follow each other: what changed, and which tests it turned green."""

from __future__ import annotations

import itertools
import re
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from real_archives import Archive, unpack

from jobs.agent.graph import Imports
from jobs.agent.matter import Homes, matter
from jobs.agent.tools.known import is_test_file
from jobs.sandbox.cell import Cells
from jobs.sandbox.layer import Layer
from jobs.suite.compare import passes
from jobs.suite.report import Report
from jobs.suite.run import run_suite
from jobs.suite.suite import Suite

_SPECS = tomllib.loads((Path(__file__).parents[1] / "real" / "matter.toml").read_text())["package"]
_RUN_S = 60.0
MANY = 8  # files of tests from which their order says something
_VERSION = re.compile(rb"^.*(?:version|release)\w*\W*=.*$|^\W*(?:version|copyright)\b.*$", re.IGNORECASE | re.MULTILINE)
_LEFT_OUT = re.compile(r"(?:^|/)(?:docs?|examples?|benchmarks?|tasks|misc)/|(?:^|/)(?:setup|noxfile|conf)\.py$")


@dataclass(frozen=True)
class Pair:
    """Two releases; each has (version, sha256 of its archive)."""

    name: str
    old: tuple[str, str]
    new: tuple[str, str]

    def __str__(self) -> str:
        return f"{self.name} {self.old[0]} -> {self.new[0]}"


@dataclass(frozen=True)
class Judged:
    """What came of a pair. `red` are the tests of the new release that fail on the old code and pass on the new one,
    `found` those of them that are said to matter for the `changed` files; `chosen` of `files` files of tests do,
    and the first of them with a red test is the one numbered `place`, from 1 (0: none)."""

    pair: Pair
    changed: int
    red: int
    found: int
    chosen: int
    files: int
    place: int

    @property
    def hit(self) -> bool:
        """True if every red test is among those that matter."""
        return self.found == self.red


def line(row: Judged) -> str:
    """One row of the table."""
    found = f"{row.found:5}/{row.red:<5} red tests found"
    chosen = f"{row.chosen:4}/{row.files:<4} files of tests chosen, first red one at {row.place}"
    return f"{'yes' if row.hit else 'NO':4}{row.pair!s:40}{row.changed:4} files changed  {found}  {chosen}"


def share(rows: Sequence[Judged]) -> str:
    """The last row of the table."""
    hits, chosen, files = sum(row.hit for row in rows), sum(r.chosen for r in rows), sum(r.files for r in rows)
    part = hits / max(len(rows), 1)
    many = [row for row in rows if row.files >= MANY]
    early = sum(0 < row.place <= row.files / 4 for row in many)
    order = f"of {len(many)} with {MANY} files of tests or more, {early} have a red one in the first quarter"
    return f"{hits} of {len(rows)} fixes ({part:.1%}), {chosen} of {files} files of tests chosen; {order}"


def pairs() -> Iterator[Pair]:
    """Every two releases that follow each other in matter.toml."""
    for spec in _SPECS:
        releases = [(str(version), str(sha)) for version, sha in spec["releases"]]
        for old, new in itertools.pairwise(releases):
            yield Pair(spec["name"], old, new)


def judge(pair: Pair, cells: Cells, layer: Layer, folder: Path, limit: int) -> Judged | None:
    """Runs the changed tests of a pair on both codes; None if none of them tells the codes apart."""
    folder.mkdir(mode=0o755)
    old, new = (_unpacked(pair.name, release, folder / age) for age, release in (("old", pair.old), ("new", pair.new)))
    changed = sorted(path for path in _differing(old, new) if not is_test_file(path) and not _LEFT_OUT.search(path))
    wanted = sorted(p for p in _differing(old, new) if is_test_file(p) and p.endswith(".py") and (new / p).exists())
    wanted = [path for path in wanted if re.search(r"(?:^|/)(?:test[^/]*|[^/]*_tests?)\.py$", path)]
    if not changed or not wanted:
        return None
    _take_tests(old, new)
    before, after = (_run(cells, layer, tree, wanted) for tree in (old, new))
    red = sorted(t for t in before.red if passes(t, after))
    if not red:
        return None
    graph = Imports(cells.on(old, layer)).after(())
    files = [path for path in _sources(old) if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", path)]
    ids = sorted({*(before.tests or ()), *(path for path in files if path not in wanted)})
    found = matter(changed, graph, ids, limit=limit)
    homes = Homes(graph)
    order = list(dict.fromkeys(homes.of(test) for test in found))
    reds = {homes.of(test) for test in red}
    place = next((number for number, file in enumerate(order, 1) if file in reds), 0)
    hits = len(set(red) & set(found))
    return Judged(pair, len(changed), len(red), hits, len(order), len({*files, *wanted}), place)


def _unpacked(name: str, release: tuple[str, str], into: Path) -> Path:
    tree = unpack(Archive("python", name, *release), into)
    tree.chmod(0o755)
    return tree


def _sources(tree: Path) -> list[str]:
    return sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.py"))


def _differing(old: Path, new: Path) -> set[str]:
    """The Python files that differ in more than the version that they name."""
    names = {*_sources(old), *_sources(new)}
    return {name for name in names if _bytes(old / name) != _bytes(new / name)}


def _bytes(path: Path) -> bytes | None:
    return _VERSION.sub(b"", path.read_bytes()) if path.exists() else None


def _take_tests(old: Path, new: Path) -> None:
    """Gives the old tree all that the new one keeps for tests."""
    for source in sorted(new.rglob("*")):
        name = source.relative_to(new).as_posix()
        if source.is_file() and is_test_file(name):
            (old / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, old / name)


def _run(cells: Cells, layer: Layer, tree: Path, wanted: list[str]) -> Report:
    cells.own(tree)
    suite = Suite("PYTHONPATH=src:. python -m pytest -oaddopts= -ofilterwarnings=", "pytest", "here")
    return run_suite(cells.on(tree, layer), suite, timeout_s=_RUN_S, tests=tuple(wanted))
