"""The files of a tree as detection reads them. Pure but for `read`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any

Read = Callable[[str], bytes | None]


class Source:
    """A tree's paths and, on demand, texts; an unreadable or broken file counts as empty."""

    def __init__(self, paths: tuple[str, ...], read: Read) -> None:
        self.paths = paths
        self._known = frozenset(paths)
        self._read = read
        self._texts: dict[str, str] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def text(self, path: str) -> str:
        """The file's text, empty if there is none."""
        if path not in self._texts:
            data = self._read(path) if path in self._known else None
            self._texts[path] = (data or b"").decode("utf-8", "replace")
        return self._texts[path]

    def below(self, folder: str) -> Source:
        """The files below `folder`, as seen from there."""
        before = f"{folder}/"
        inner = tuple(path[len(before) :] for path in self.paths if path.startswith(before))
        return Source(inner, lambda path: self._read(before + path))

    def matching(self, pattern: str) -> list[str]:
        """The paths that match a regular expression as a whole."""
        rule = re.compile(pattern)
        return [path for path in self.paths if rule.fullmatch(path)]

    def first(self, *paths: str) -> str | None:
        """The first of `paths` that there is."""
        return next((path for path in paths if path in self._known), None)

    def toml(self, path: str) -> dict[str, Any]:
        """The parsed file, empty if there is none or it is broken."""
        try:
            return tomllib.loads(self.text(path))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, path: str) -> dict[str, Any]:
        """The parsed object, empty if there is none or it is broken."""
        try:
            value = json.loads(self.text(path) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def ini(self, path: str) -> ConfigParser:
        """The parsed file, empty if there is none or it is broken."""
        reader = ConfigParser(interpolation=None, strict=False)
        try:
            reader.read_string(self.text(path))
        except ConfigError:
            return ConfigParser(interpolation=None)
        return reader


def table(value: object) -> dict[str, Any]:
    """`value` if it is a table, else an empty one: manifests are other people's."""
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """The strings of a list, nothing if it is none."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
