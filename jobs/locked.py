"""The packages that lock files name, and how two of them differ. Pure."""

from __future__ import annotations

import json
import re

_PACKAGE = re.compile(r'^\[\[package\]\]\nname = "([^"\n]+)"\n(?:version = "([^"\n]+)"\n)?', re.MULTILINE)
_NAMED = 20  # packages of one kind of difference


def packages(path: str, data: bytes) -> dict[str, str]:
    """Package to version, of a uv.lock or package-lock.json; empty for what can't be read."""
    text = data.decode("utf-8", "replace")
    if not path.endswith(".json"):
        return dict(_PACKAGE.findall(text))
    try:
        rows = json.loads(text).get("packages", {}).items()
        return {name.removeprefix("node_modules/"): str(row.get("version", "")) for name, row in rows if name}
    except (ValueError, AttributeError):
        return {}


def difference(path: str, before: bytes, after: bytes) -> str:
    """Added, changed and removed packages in a sentence; empty if there are none."""
    old, new = packages(path, before), packages(path, after)
    parts = {
        "added": [f"{name} {new[name]}".strip() for name in new if name not in old],
        "changed": [f"{name} {old[name]} -> {new[name]}" for name in new if name in old and old[name] != new[name]],
        "removed": [name for name in old if name not in new],
    }
    return "; ".join(f"{kind}: {_listed(names)}" for kind, names in parts.items() if names)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
