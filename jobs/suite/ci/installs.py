"""What a workflow's set-up commands install for Python: extras, groups, files and packages. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from jobs.suite.ci.choose import Line
from jobs.suite.ci.script import bare, whole
from jobs.suite.source import Source

# What workflows install for themselves, not for the tests.
_TOOLS = re.compile(
    r"(pip|setuptools|wheel|uv|tox|tox-\w+|nox|hatch|hatchling|poetry|pdm|pipenv|virtualenv|build|twine|codecov|coveralls|"
    r"coverage|black|ruff|flake8|isort|mypy|pylint|pyright|pre-commit|safety|bandit|check-manifest|readme-renderer|"
    r"nose|pytest-github-actions-annotate-failures|pytest-cov|cibuildwheel|auditwheel|delocate)(\[.*\])?\s*([<>=!~].*)?",
    re.IGNORECASE,
)
_VALUED = ("-c", "--constraint", "--upgrade-strategy", "--no-binary", "--only-binary", "--python", "-p", "--prefix")
_ELSEWHERE = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--pre")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?([<>=!~]=?[\w.*,<>=!~-]+)?")


@dataclass(frozen=True)
class Installs:
    """What is installed beside what manifests say; `everything` asks for all extras that there are."""

    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    everything: bool = False


@dataclass
class _Seen:
    extras: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    everything: bool = False


def installs(lines: Iterable[Line], source: Source) -> Installs:
    """What the commands install; those with addresses, variables or other indexes say nothing."""
    seen = _Seen()
    for line in lines:
        words = [] if whole(line.text) else bare(line.text)
        if line.folder == "" and words and not any("$" in word for word in words):
            _command(words, seen, source)
            if re.search(r"\buv run\b", line.text):  # it installs what it names before it starts
                _tool(line.text.split(), seen)
    return Installs(
        *(_once(seen.extras), _once(seen.groups), _once(seen.files), _once(seen.packages)),
        everything=seen.everything,
    )


def _once(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _command(words: list[str], seen: _Seen, source: Source) -> None:
    if words[:2] == ["uv", "pip"]:
        words = words[1:]
    if re.fullmatch(r"python[\d.]*", words[0]) and words[1:2] == ["-m"]:
        words = words[2:]
    name = re.sub(r"[\d.]+$", "", words[0]) if words else ""
    if name == "pip" and words[1:2] == ["install"] and not set(words) & set(_ELSEWHERE):
        _pip(words[2:], seen, source)
    elif (name, *words[1:2]) in (("uv", "sync"), ("poetry", "install"), ("pdm", "install"), ("pdm", "sync")):
        _tool(words[2:], seen)


def _pip(words: list[str], seen: _Seen, source: Source) -> None:
    at = 0
    while at < len(words):
        word, following = words[at], words[at + 1 : at + 2]
        at += 1
        if word in ("-r", "--requirement", "--group", *_VALUED):
            at += 1
            if word in ("-r", "--requirement"):
                seen.files += [path for path in map(posixpath.normpath, following) if path in source]
            elif word == "--group":
                seen.groups += following
        elif word.startswith("-r") and word[2:] in source:
            seen.files.append(word[2:])
        elif extras := re.fullmatch(r"\.(?:/)?\[([\w,. -]+)\]", word):
            seen.extras += [one.strip() for one in extras.group(1).split(",")]
        elif _REQUIREMENT.fullmatch(word) and not _TOOLS.fullmatch(word) and word not in source:
            seen.packages.append(word)


def _tool(words: list[str], seen: _Seen) -> None:
    """Options of uv, Poetry and PDM that name extras and groups."""
    text = " ".join(words)
    seen.everything = seen.everything or "--all-extras" in words
    seen.extras += re.findall(r"(?:--extra|-E|--extras)[ =]([\w.-]+)", text)
    for names in re.findall(r"(?:--group|--with|-G|--only-group)[ =]([\w.,-]+)", text):
        seen.groups += names.split(",")
