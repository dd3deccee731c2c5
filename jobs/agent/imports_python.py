"""Which files of a tree a Python file imports. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

Wish = tuple[str, tuple[str, ...]]  # module (dots in front: relative), names that are taken from it
_ROOTS = ("", "src", "lib", "python")  # where packages stand that no folder above the importing file holds
_DEEPEST = 4  # packages that pass a name on, one to the next


class Modules:
    """The Python modules of a tree, by path."""

    def __init__(self, files: Collection[str], wishes: Mapping[str, Sequence[Wish]]) -> None:
        """`files` are all paths of the tree, `wishes` what each Python file asks to import."""
        self._files = frozenset(path for path in files if path.endswith((".py", ".pyi")))
        self._folders = frozenset(above for path in self._files for above in _above(path))
        self._wishes = wishes
        self._tops: dict[str, list[str]] = {}
        for path in sorted(self._files):
            self._enlist(path)

    def imports(self, path: str) -> tuple[str, ...]:
        """The files that `path` imports by itself, in its own order: named ones first, then the packages that hold
        them and the conftest.py files that pytest loads for a file of tests."""
        direct: dict[str, None] = {}
        around: dict[str, None] = {}
        for module, names in self._wishes.get(path, ()):
            for place in self._places(path, module):
                direct |= dict.fromkeys(self._asked(place, names))
                around |= dict.fromkeys(self._packages(place))
        around |= dict.fromkeys(self._conftests(path))
        return tuple(one for one in {**direct, **around} if one != path)

    def _enlist(self, path: str) -> None:
        """Notes the folder from which the file's outermost package, or the file itself, is imported."""
        folder, name = posixpath.split(path)
        top = posixpath.splitext(name)[0]
        while f"{folder}/__init__.py" in self._files:
            folder, top = posixpath.split(folder)
        roots = self._tops.setdefault(top, [])
        if folder not in roots:
            roots.append(folder)

    def _places(self, path: str, module: str) -> list[str]:
        """Where the module stands, as a path without ending; empty if it is not of this tree."""
        name = module.lstrip(".")
        level = len(module) - len(name)
        parts = name.replace(".", "/")
        if level:
            folder = path
            for _ in range(level):
                folder = posixpath.dirname(folder)
            return [posixpath.join(folder, parts).rstrip("/")]
        top = parts.split("/")[0]
        roots = dict.fromkeys([*_above(path), *_ROOTS, *self._tops.get(top, ())])
        places = [posixpath.join(root, parts) for root in roots if self._is(posixpath.join(root, top))]
        return next(([place] for place in places if self._is(place)), places[:1])

    def _is(self, place: str) -> bool:
        return self._file(place) is not None or place in self._folders

    def _file(self, place: str) -> str | None:
        candidates = (f"{place}/__init__.py", f"{place}.py", f"{place}.pyi") if place else ("__init__.py",)
        return next((one for one in candidates if one in self._files), None)

    def _asked(self, place: str, names: Sequence[str]) -> Iterator[str]:
        """The module's own file, and those that give it the names."""
        own = self._file(place)
        for name in names:
            given = self._gives(place, name, _DEEPEST)
            if given is not None and given != own:
                yield given
        if own is not None:
            yield own

    def _gives(self, place: str, name: str, deep: int) -> str | None:
        """The file that the package's `name` comes from: a module in it, or one that it takes the name from."""
        inner = self._file(f"{place}/{name}" if place else name)
        own = self._file(place)
        if inner is not None or own is None or deep == 0 or not own.endswith("__init__.py"):
            return inner
        for module, names in self._wishes.get(own, ()):
            if name in names:
                origin = next(iter(self._places(own, module)), None)
                if origin is not None and origin != place:
                    return self._gives(origin, name, deep - 1) or self._file(origin)
        return None

    def _packages(self, place: str) -> Iterator[str]:
        """The `__init__.py` of every package around the module: importing it runs them."""
        for folder in _above(place):
            if f"{folder}/__init__.py" in self._files:
                yield f"{folder}/__init__.py"

    def _conftests(self, path: str) -> Iterator[str]:
        name = posixpath.basename(path)
        if name.startswith("test") or name.endswith(("_test.py", "_tests.py")):
            yield from (
                found for above in _above(path) if (found := posixpath.join(above, "conftest.py")) in self._files
            )


def _above(path: str) -> list[str]:
    """The folders above `path`, nearest first, the tree itself (empty) last."""
    found = []
    while path:
        path = posixpath.dirname(path)
        found.append(path)
    return found
