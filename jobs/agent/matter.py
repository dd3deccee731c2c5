"""Which of the known tests matter for changed files, best first. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jobs.agent.tools.known import is_test_file
from jobs.suite.compare import holds

Graph = Mapping[str, Sequence[str]]  # file -> files that it imports
_FILE_PART = re.compile(r"::| > ")
_AFFIX = re.compile(r"^(?:tests?|spec)[_.-]|[_.-](?:tests?|spec)$|^Test(?=[A-Z])|Tests?$")
_FAR = 1_000  # longer than any way through imports


@dataclass(frozen=True)
class Place:
    """Where tests stand: the file, and how near it is to what changed. `way` is the length of the shortest way through
    imports (0: it changed itself), `_FAR` where there is none."""

    file: str
    way: int = _FAR
    covers: bool = False
    alike: bool = False

    @property
    def matters(self) -> bool:
        """True if anything speaks for it."""
        return self.way < _FAR or self.covers or self.alike

    @property
    def rank(self) -> tuple[int, bool, bool, str]:
        """Nearest first; among equally near ones those that are known to run the change, then those named alike."""
        return (self.way, not self.covers, not self.alike, self.file)


def matter(
    changed: Collection[str],
    graph: Graph,
    tests: Sequence[str],
    *,
    targets: Collection[str] = (),
    covered: Mapping[str, Collection[str]] | None = None,
    limit: int = 1_000,
) -> tuple[str, ...]:
    """The tests of `tests` (ids as the suite's reports name them) that matter for the `changed` paths, at most
    `limit` with all their parameters: a function with a thousand of them must not crowd out the others.

    First the `targets`; then tests in changed files; then those whose file reaches a changed one by `graph`, nearest
    first; then those that ran one when coverage was taken (`covered`: file of tests or id -> files that it executes);
    last those whose file has a changed file's name.
    """
    wanted = frozenset(targets)
    first = [test for test in tests if test in wanted or any(holds(target, test) for target in wanted)]
    first += sorted(wanted.difference(first))
    where = Homes(graph)
    ran = frozenset(one for one, files in (covered or {}).items() if not frozenset(changed).isdisjoint(files))
    distances = reach(changed, graph)
    places: dict[str, Place] = {}
    ranked: list[tuple[bool, Place, str]] = []
    for test in tests:
        file = where.of(test)
        if file not in places:
            places[file] = _place(file, changed, distances, ran)
        own = test in ran or test.split("[")[0] in ran
        if places[file].matters or own:
            ranked.append((own, places[file], test))
    ranked.sort(key=lambda row: (row[1].way, not (row[0] or row[1].covers), row[1].rank))
    return tuple(_first(dict.fromkeys([*first, *(test for *_, test in ranked)]), limit))


def _first(tests: Iterable[str], limit: int) -> Iterator[str]:
    """The first `limit` tests; the parameters of one count once."""
    stems: set[str] = set()
    for test in tests:
        stems.add(test.split("[")[0])
        if len(stems) > limit:
            return
        yield test


def reach(changed: Iterable[str], graph: Graph) -> dict[str, int]:
    """How many imports each file is away from the nearest of `changed`, for those that reach one."""
    users: dict[str, list[str]] = {}
    for file, imported in graph.items():
        for one in imported:
            users.setdefault(one, []).append(file)
    found = dict.fromkeys(changed, 0)
    front = list(found)
    while front:
        after = [user for file in front for user in users.get(file, ()) if user not in found]
        for user in after:
            found.setdefault(user, 1 + min(found[f] for f in graph[user] if f in found))
        front = list(dict.fromkeys(after))
    return found


@dataclass
class Homes:
    """The file that each id stands in, by the files of a graph; unittest's ids name modules, from any folder."""

    graph: Graph
    _known: dict[str, str] = field(default_factory=dict)
    _modules: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file in sorted(self.graph, key=len, reverse=True):  # the shortest path of several keeps the name
            parts = file.removesuffix(".py").split("/") if file.endswith(".py") else []
            parts = parts[:-1] if parts[-1:] == ["__init__"] else parts
            self._modules |= {".".join(parts[n:]): file for n in range(len(parts))}

    def of(self, test: str) -> str:
        """The path; the id itself where no file is known for it."""
        head = _FILE_PART.split(test, maxsplit=1)[0]
        if head != test or head in self.graph:
            return posixpath.normpath(head)
        words = test.split("[")[0].split(".")
        for end in range(len(words), 0, -1):
            module = ".".join(words[:end])
            if module in self._modules:
                return self._modules[module]
        return test


def stem(path: str) -> str:
    """A file's name without endings and without what says that it holds tests; an index file has its folder's."""
    name = posixpath.basename(path)
    bare = re.sub(r"(?<=.)\.\w{1,6}$", "", name)
    bare = _AFFIX.sub("", bare) if is_test_file(path) or bare != name else bare
    if bare in ("__init__", "index", "main", "mod"):
        bare = posixpath.basename(posixpath.dirname(path)) or bare
    return bare.strip("_-.").replace("-", "_").lower()


def _place(file: str, changed: Collection[str], distances: Mapping[str, int], ran: frozenset[str]) -> Place:
    own = stem(file)
    alike = bool(own) and any(_alike(own, other) for other in map(stem, changed))
    return Place(file, distances.get(file, _FAR), file in ran, alike)


def _alike(one: str, other: str) -> bool:
    """True if one stem is the other, or stands in it as words of its own."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) > 3 and f"_{short}_" in f"_{long}_")
