"""Which files of a tree a JavaScript or TypeScript file imports. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

ENDINGS = (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue", ".svelte")
_TYPED = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_SOURCES = ("src/index", "index", "lib/index", "source/index", "src/main")  # where a main file comes from that is built
_DEEPEST = 12  # conditions of `exports` inside each other


class Scripts:
    """The files of a tree that import each other by specifier."""

    def __init__(self, files: Collection[str], settings: Mapping[str, Mapping[str, Any]]) -> None:
        """`settings` are what package.json and tsconfig.json files say, by path."""
        self._files = frozenset(files)
        self._packages = {posixpath.dirname(p): data for p, data in settings.items() if p.endswith("package.json")}
        self._named = {str(data["name"]): folder for folder, data in self._packages.items() if data.get("name")}
        self._paths = list(_aliases(settings))

    def imports(self, path: str, specifiers: Sequence[str]) -> tuple[str, ...]:
        """The files of the tree that `specifiers`, which stand in `path`, lead to."""
        found: dict[str, None] = {}
        for specifier in specifiers:
            one = next((file for file in self._ways(path, specifier) if file is not None), None)
            if one is not None and one != path:
                found[one] = None
        return tuple(found)

    def _ways(self, path: str, specifier: str) -> Iterator[str | None]:
        plain = specifier.removeprefix("node:").split("?")[0]
        if plain in (".", "..") or plain.startswith(("./", "../")):
            yield self._file(posixpath.normpath(posixpath.join(posixpath.dirname(path), plain)))
            return
        for pattern, target in self._paths:
            if (filled := _filled(plain, pattern, target)) is not None:
                yield self._file(posixpath.normpath(filled))
        if plain.startswith("#"):
            for folder, data in self._packages.items():
                if f"{path}/".startswith(f"{folder}/" if folder else ""):
                    yield from self._exported(folder, data.get("imports"), plain)
            return
        yield from self._of_package(plain)
        if plain.endswith(ENDINGS):  # the path of a script, as seen from the top or from here
            yield self._file(posixpath.normpath(plain))
            yield self._file(posixpath.normpath(posixpath.join(posixpath.dirname(path), plain)))

    def _of_package(self, specifier: str) -> Iterator[str | None]:
        """A package of this tree by its own name, or something in it."""
        parts = specifier.split("/")
        name = "/".join(parts[: 2 if specifier.startswith("@") else 1])
        folder = self._named.get(name)
        if folder is None:
            return
        inner = specifier[len(name) + 1 :]
        yield from self._exported(folder, self._packages[folder].get("exports"), f"./{inner}" if inner else ".")
        yield self._file(posixpath.join(folder, inner).rstrip("/")) if inner else self._main(folder)

    def _exported(self, folder: str, table: Any, key: str) -> Iterator[str | None]:
        entries = table if isinstance(table, dict) and any(str(k)[:1] in (".", "#") for k in table) else {".": table}
        for pattern, value in entries.items():
            for target in _targets(value):
                if (filled := _filled(key, str(pattern), target)) is not None:
                    yield self._file(posixpath.normpath(posixpath.join(folder, filled)))

    def _main(self, folder: str) -> str | None:
        data = self._packages.get(folder, {})
        named = [str(data[key]) for key in ("source", "main", "module", "browser") if isinstance(data.get(key), str)]
        for name in [*named, *_SOURCES]:
            place = posixpath.normpath(posixpath.join(folder, name))
            if (found := self._plain(place)) is not None:
                return found
        return None

    def _file(self, place: str) -> str | None:
        """The file at `place`, or the main file of the package there."""
        place = "" if place == "." else place
        main = self._main(place) if place not in self._files and place in self._packages else None
        return main or self._plain(place)

    def _plain(self, place: str) -> str | None:
        """The file at `place`, by the endings and index files that runtimes and compilers try."""
        place = "" if place == "." else place
        stem, ending = posixpath.splitext(place)
        candidates = [place, *(f"{place}{e}" for e in ENDINGS), *(f"{stem}{e}" for e in _TYPED.get(ending, ()))]
        found = next((one for one in candidates if one in self._files), None)
        if found is not None:
            return found
        return next((one for e in ENDINGS if (one := posixpath.join(place, f"index{e}")) in self._files), None)


def _aliases(read: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """(pattern, target) of every path that a tsconfig.json gives another name."""
    for path, data in read.items():
        options = data.get("compilerOptions")
        paths = options.get("paths") if isinstance(options, dict) else None
        base = str(options.get("baseUrl", ".")) if isinstance(options, dict) else "."
        for pattern, targets in (paths if isinstance(paths, dict) else {}).items():
            for target in targets if isinstance(targets, list) else ():
                yield str(pattern), posixpath.join(posixpath.dirname(path), base, str(target))


def _targets(value: Any, deep: int = _DEEPEST) -> Iterator[str]:
    """Every file that an entry of `exports` may mean, whatever its conditions."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and deep:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _targets(inner, deep - 1)


def _filled(key: str, pattern: str, target: str) -> str | None:
    """`target` for `key`, whose `*` is what the one of `pattern` stands for; None if the pattern does not fit."""
    before, star, after = pattern.partition("*")
    if not star:
        return target if key == pattern else None
    if len(key) < len(before) + len(after) or not (key.startswith(before) and key.endswith(after)):
        return None
    return target.replace("*", key[len(before) : len(key) - len(after)])
