"""What a Python project's tests need to be installed, and the commands for it. Pure but for reading."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from jobs.suite.ci.installs import Installs
from jobs.suite.source import Source, strings, table

# Names under which projects keep what their tests need. What is kept for developers as a whole (releases, documents)
# counts only where nothing is kept for tests.
_TEST_NAMES = ("test", "tests", "testing")
_DEVELOPER_NAMES = ("dev", "develop", "development")
PYTHON = "/env/venv/bin/python"
# The interpreter that cells run, whatever name of one a repository holds.
_CHOSEN = '--python "$(command -v python)"'


_NOTHING = Installs()

Itself = Literal["yes", "along", "listed", "no"]


@dataclass(frozen=True)
class Needs:
    """What is to be installed. `itself` says how the project is: `yes`, `along` (only if something else must be
    installed too), `listed` (its dependencies only: it can't be built), `no`. `locked`: by uv's lock file; `text`:
    every requirement that was read, to see whether a name is among them."""

    itself: Itself
    locked: bool
    extras: tuple[str, ...]
    groups: tuple[str, ...]
    files: tuple[str, ...]
    extra: tuple[str, ...]
    text: str
    why: tuple[str, ...]

    def names(self, package: str) -> bool:
        """True if `package` is among the requirements."""
        return (
            re.search(rf"(^|[\s'\"]){re.escape(package)}($|[^\w.-])", self.text, re.MULTILINE | re.IGNORECASE)
            is not None
        )

    @property
    def nothing(self) -> bool:
        """True if there is nothing to install."""
        return self.itself in ("no", "along") and not (self.locked or self.groups or self.files or self.extra)


def find(source: Source, asked: Installs = _NOTHING) -> Needs:
    """Reads pyproject.toml, setup.cfg, setup.py, requirements files and tox.ini; `asked` is what the repository's own
    workflow installs, of which what exists here is added."""
    project = source.toml("pyproject.toml")
    offered, named = _extras(source, project)
    tables = {"extra": offered, "group": table(project.get("dependency-groups"))}
    names = _TEST_NAMES if _any_for(source, project, tables, _TEST_NAMES) else _DEVELOPER_NAMES
    extras, groups = (_named(tables[which], names) for which in ("extra", "group"))
    files = (*_filled(source, r"requirements\.txt"), *_files(source, names))
    tools = _poetry(project, names)
    extra = tuple(tools if extras or groups or tools or _files(source, names) else _tox(source))
    more = _more(source, asked, offered, table(project.get("dependency-groups")))
    extras, groups = _merged(extras, more.extras), _merged(groups, more.groups)
    files, extra = (
        (*_merged(files, more.files),),
        (*_merged(extra, _unnamed(more.packages, [*extra, *named.splitlines()])),),
    )
    text = "\n".join([named, repr(table(project.get("dependency-groups"))), *map(source.text, files), *extra])
    itself, reason = _itself(source, project)
    why = [reason] if reason else []
    why += [f"Dependencies of tests: extra `{name}` of the project." for name in extras]
    why += [f"Dependencies of tests: group `{name}` in pyproject.toml." for name in groups]
    why += [f"Dependencies: {path}." for path in files]
    why += [f"Dependencies of tests: {', '.join(extra)}, from {_origin(extra, more.packages, tools)}."] if extra else []
    return Needs(itself, "uv.lock" in source, tuple(extras), tuple(groups), files, extra, text, tuple(why))


def _more(source: Source, asked: Installs, offered: dict[str, object], groups: dict[str, object]) -> Installs:
    """Of what a workflow installs, what exists: names of extras may be other tools' groups and the other way round."""
    wanted = {re.sub(r"[-_.]+", "-", name).lower() for name in (*asked.extras, *asked.groups)}
    poetry = _poetry_groups(source.toml("pyproject.toml"), tuple(wanted))
    named = tuple(name for name in offered if asked.everything or re.sub(r"[-_.]+", "-", name).lower() in wanted)
    grouped = tuple(name for name in groups if re.sub(r"[-_.]+", "-", name).lower() in wanted and name not in named)
    packages = (*asked.packages, *(_poetry(source.toml("pyproject.toml"), tuple(poetry)) if poetry else ()))
    return Installs(named, grouped, tuple(path for path in asked.files if path.endswith((".txt", ".in"))), packages)


def _merged(known: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*known, *more]))


def _unnamed(packages: tuple[str, ...], known: Iterable[str]) -> list[str]:
    """Those of `packages` that `known` does not name, whatever its version."""
    names = {_bare_name(one) for one in known}
    return [one for one in packages if _bare_name(one) not in names]


def _bare_name(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


def _origin(extra: tuple[str, ...], asked: tuple[str, ...], tools: list[str]) -> str:
    own = "pyproject.toml" if tools else "tox.ini"
    if not asked:
        return own
    return "the workflow" if set(extra) <= set(asked) else f"{own} and the workflow"


def setup(needs: Needs, tools: tuple[str, ...]) -> tuple[str, ...]:
    """The set-up commands; `tools` are packages to add where the project does not name them itself."""
    missing = tuple(tool for tool in tools if not needs.names(tool))
    if needs.nothing and not missing:
        return ()
    if needs.locked:
        return _locked(needs, missing)
    words = _project(needs)
    words += [word for group in needs.groups for word in ("--group", group)]
    words += [word for path in needs.files for word in ("-r", path)]
    words += [*needs.extra, *missing]
    return (f"uv venv {_CHOSEN} /env/venv", f"uv pip install --python {PYTHON} {shlex.join(words)}")


def _locked(needs: Needs, missing: tuple[str, ...]) -> tuple[str, ...]:
    words = [word for group in needs.groups for word in ("--group", group)]
    words += [word for extra in needs.extras for word in ("--extra", extra)]
    lines = [" ".join([f"UV_PROJECT_ENVIRONMENT=/env/venv uv sync --frozen {_CHOSEN}", *map(shlex.quote, words)])]
    if missing:
        lines.append(f"uv pip install --python {PYTHON} {shlex.join(missing)}")
    return tuple(lines)


def _project(needs: Needs) -> list[str]:
    if needs.itself == "listed":
        return ["-r", "pyproject.toml", *(word for extra in needs.extras for word in ("--extra", extra))]
    if needs.itself == "no":
        return []
    return ["-e", f".[{','.join(needs.extras)}]" if needs.extras else "."]


def _itself(source: Source, project: dict[str, object]) -> tuple[Itself, str]:
    """How the project itself is installed: if it can be built, and its tests would miss something otherwise."""
    own = table(project.get("project"))
    if "setup.py" in source or source.ini("setup.cfg").has_section("options"):
        path = "setup.py" if "setup.py" in source else "setup.cfg"
        return "yes", f"The project is installed, since {path} describes it."
    if table(table(project.get("tool")).get("poetry")).get("name"):
        return "yes", "The project is installed, since pyproject.toml describes it (Poetry)."
    if not own.get("name"):
        return "no", ""
    wanted = ("dependencies", "optional-dependencies", "scripts", "entry-points", "dynamic")
    needing = next((key for key in wanted if own.get(key)), None)
    if "build-system" not in project:
        lists = needing in ("dependencies", "optional-dependencies")
        return ("listed", "Its dependencies are installed, since pyproject.toml lists them.") if lists else ("no", "")
    if needing:
        return "yes", f"The project is installed, since pyproject.toml has {needing}."
    return "along", ""


def _any_for(
    source: Source, project: dict[str, object], tables: dict[str, dict[str, object]], names: tuple[str, ...]
) -> bool:
    offered = any(_named(one, names) for one in tables.values())
    return offered or bool(_files(source, names) or _poetry_groups(project, names))


def _named(offered: dict[str, object], names: tuple[str, ...]) -> list[str]:
    known = {str(name).lower(): str(name) for name in offered}
    return [known[name] for name in names if name in known]


def _files(source: Source, names: tuple[str, ...]) -> tuple[str, ...]:
    any_name = "|".join(names)
    pattern = (
        rf"({any_name})[-_.]requirements\.txt|requirements[-_.]({any_name})\.txt"
        rf"|requirements/({any_name})\.txt|({any_name})/requirements\.txt"
    )
    return _filled(source, pattern)


def _filled(source: Source, pattern: str) -> tuple[str, ...]:
    found = source.matching(pattern)
    return tuple(path for path in found if re.search(r"^\s*[^\s#]", source.text(path), re.MULTILINE))


def _extras(source: Source, project: dict[str, object]) -> tuple[dict[str, object], str]:
    """What extras there are, and every requirement as text."""
    own = table(project.get("project"))
    modern = table(own.get("optional-dependencies"))
    ini = source.ini("setup.cfg")
    section = "options.extras_require"
    classic = dict(ini[section]) if ini.has_section(section) else {}
    script = _script_extras(source.text("setup.py"))
    text = [*strings(own.get("dependencies")), *(r for rows in modern.values() for r in strings(rows))]
    text += [*classic.values(), *(r for rows in script.values() for r in rows)]
    return {**script, **classic, **modern}, "\n".join(text)


def _script_extras(text: str) -> dict[str, list[str]]:
    """`extras_require` of a setup.py, where it is written out in the call."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "extras_require" and isinstance(node.value, ast.Dict):
            pairs = zip(node.value.keys, node.value.values, strict=True)
            return {str(k.value): _constants(v) for k, v in pairs if isinstance(k, ast.Constant)}
    return {}


def _constants(node: ast.expr) -> list[str]:
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _poetry(project: dict[str, object], names: tuple[str, ...]) -> list[str]:
    """Names in Poetry's groups; its way of writing versions is not understood by other tools."""
    poetry = table(table(project.get("tool")).get("poetry"))
    groups = table(poetry.get("group"))
    rows = [table(table(groups[name]).get("dependencies")) for name in _poetry_groups(project, names)]
    rows.append(table(poetry.get("dev-dependencies")))
    return sorted({name for row in rows for name in row if name != "python"})


def _poetry_groups(project: dict[str, object], names: tuple[str, ...]) -> list[str]:
    return _named(table(table(table(project.get("tool")).get("poetry")).get("group")), names)


def _tox(source: Source) -> list[str]:
    """Plain requirements of tox's default environment."""
    reader = source.ini("tox.ini")
    lines = reader.get("testenv", "deps", fallback="").splitlines() if reader.has_section("testenv") else []
    return [
        line.strip() for line in lines if re.fullmatch(r"\s*[A-Za-z][\w.-]*(\[[\w,-]+\])?\s*([<>=!~][^;{}]*)?\s*", line)
    ]
