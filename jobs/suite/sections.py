"""The sections about tests inside files that hold other things too, and how they are put back. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any

from jobs.suite.inline_tests import holds_inline, restore_inline

_TOML_TOOLS = ("pytest", "coverage", "tox", "nox", "hatch", "pdm", "poe", "taskipy", "unittest")
_INI_SECTION = re.compile(r"^(tool:pytest|pytest|coverage(:.*)?|tox(:.*)?|testenv(:.*)?|aliases|nosetests|unittest)$")
_JSON_KEYS = ("scripts", "jest", "mocha", "vitest", "ava", "nyc", "c8", "tap", "wireit", "nx")


def restore(path: str, ours: bytes, theirs: bytes | None) -> bytes:
    """`ours` with the sections about tests as they are in `theirs` (none there: removed).

    Equal sections leave `ours` as it is, byte for byte. A file that can't be read section by section is taken from
    `theirs` as a whole.
    """
    name = path.rsplit("/", 1)[-1]
    old = theirs or b""
    try:
        return restore_inline(ours, old) if holds_inline(path) else MIXED[name](ours, old)
    except (ValueError, ConfigError, RecursionError):
        return old


def _restore_toml(ours: bytes, theirs: bytes) -> bytes:
    mine, old = ours.decode(), theirs.decode()
    if _toml_tests(mine) == _toml_tests(old):
        return ours
    kept = "".join(text for name, text in _tables(mine) if not _toml_owned(name))
    put = "".join(text for name, text in _tables(old) if _toml_owned(name))
    whole = f"{kept.rstrip()}\n\n{put}" if put else kept
    if _toml_tests(whole) != _toml_tests(old) or _toml_rest(whole) != _toml_rest(mine):
        raise ValueError("sections can't be told apart by their headers")
    return whole.encode()


def _tables(text: str) -> list[tuple[str, str]]:
    """The text cut at table headers: (name of the table, its lines)."""
    parts: list[tuple[str, str]] = [("", "")]
    for line in text.splitlines(keepends=True):
        header = re.match(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$", line)
        if header:
            parts.append((header.group(1), line))
        else:
            parts[-1] = (parts[-1][0], parts[-1][1] + line)
    return parts


def _toml_owned(table: str) -> bool:
    return any(table == f"tool.{tool}" or table.startswith(f"tool.{tool}.") for tool in _TOML_TOOLS)


def _toml_tests(text: str) -> dict[str, Any]:
    tools = tomllib.loads(text).get("tool", {})
    return {name: tools[name] for name in _TOML_TOOLS if name in tools}


def _toml_rest(text: str) -> dict[str, Any]:
    whole = tomllib.loads(text)
    tools = {name: value for name, value in whole.pop("tool", {}).items() if name not in _TOML_TOOLS}
    return {**whole, "tool": tools}


def _restore_ini(ours: bytes, theirs: bytes) -> bytes:
    mine, old = ours.decode(), theirs.decode()
    if _ini_tests(mine) == _ini_tests(old):
        return ours
    kept = "".join(text for name, text in _tables(mine) if not _INI_SECTION.match(name))
    put = "".join(text for name, text in _tables(old) if _INI_SECTION.match(name))
    whole = f"{kept.rstrip()}\n\n{put}"
    if _ini_tests(whole) != _ini_tests(old):
        raise ValueError("sections can't be told apart by their headers")
    return whole.encode()


def _ini_tests(text: str) -> dict[str, dict[str, str]]:
    reader = ConfigParser(interpolation=None, strict=False)
    reader.read_string(text)
    return {name: dict(reader[name]) for name in reader.sections() if _INI_SECTION.match(name)}


def _restore_json(ours: bytes, theirs: bytes) -> bytes:
    mine, old = json.loads(ours), json.loads(theirs or b"{}")
    if not isinstance(mine, dict) or not isinstance(old, dict):
        raise ValueError("no object")
    if all(mine.get(key) == old.get(key) for key in _JSON_KEYS):
        return ours
    kept = {key: value for key, value in mine.items() if key not in _JSON_KEYS}
    put = {key: old[key] for key in _JSON_KEYS if key in old}
    return (json.dumps({**kept, **put}, indent=2, ensure_ascii=False) + "\n").encode()


MIXED: dict[str, Callable[[bytes, bytes], bytes]] = {
    "pyproject.toml": _restore_toml,
    "setup.cfg": _restore_ini,
    "package.json": _restore_json,
}
