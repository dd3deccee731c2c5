"""Which hosts set-up may reach: asked from this machine's own tools, named by lock files, or by the configuration."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from jobs.errors import UserError
from jobs.sandbox import package_hosts
from jobs.sandbox.ask import BadAsk, HostPort, host_port
from jobs.sandbox.files import read_inside
from jobs.sandbox.interpreters import Interpreters
from jobs.sandbox.programs import on_path
from jobs.settings import child_environment

_PORTS = {"https": 443, "http": 80}
_LARGEST = 64 << 20
_PAGE = 1 << 20
# pip knows its default index and where that one's files lie, and reads its own configuration.
_ASK_PIP = """
import json
from pip._internal.configuration import Configuration
from pip._internal.models.index import PyPI
settings = Configuration(isolated=False)
settings.load()
index = extra = None
for key, value in settings.items():
    name = key.rpartition(".")[2]
    pairs = value.items() if isinstance(value, dict) else [(key, value)]
    for inner, text in pairs:
        name = inner.rpartition(".")[2]
        index = text if name == "index-url" else index
        extra = text if name == "extra-index-url" else extra
print(json.dumps([PyPI.simple_url, PyPI.file_storage_domain, index, (extra or "").split()]))
"""
_NAMED_IN = {
    # lock file: where its packages' addresses stand in it; other addresses (funding, home pages) are not meant
    "uv.lock": r'(?:url|registry) = "(https?://[^"]+)"',
    "pylock.toml": r'(?:url|index) = "(https?://[^"]+)"',
    "poetry.lock": r'url = "(https?://[^"]+)"',
    "pdm.lock": r'url = "(https?://[^"]+)"',
    "Pipfile.lock": r'"url": "(https?://[^"]+)"',
    "requirements.txt": r"(?m)^\s*(?:-i|--index-url|--extra-index-url|-f|--find-links)[ =]+(https?://\S+)",
    "package-lock.json": r'"resolved": "(https?://[^"]+)"',
    "npm-shrinkwrap.json": r'"resolved": "(https?://[^"]+)"',
    "yarn.lock": r'resolved "(https?://[^"]+)"',
    "pnpm-lock.yaml": r"tarball: (https?://[^\s,}]+)",
    "Cargo.lock": r'source = "(?:registry|sparse|git)\+(https?://[^"?#]+)',
    "Gemfile": r"""(?m)^\s*source\s+["'](https?://[^"']+)""",
    "Gemfile.lock": r"(?m)^  remote: (https?://\S+)",
    "composer.lock": r'"url": "(https?://[^"]+)"',
    "pom.xml": r"<repository>\s*(?:<\w+>[^<]*</\w+>\s*)*?<url>(https?://[^<]+)",
}


@dataclass(frozen=True)
class Hosts:
    """`allowed` are exact (host, port) pairs; `env` tells the tools inside which registries this machine uses;
    `credentials` are Authorization headers that the way out adds for some of them."""

    allowed: frozenset[HostPort]
    env: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[HostPort, str] = field(default_factory=dict, repr=False)

    def plus(self, more: Iterable[HostPort]) -> Hosts:
        """With `more` allowed too."""
        return replace(self, allowed=self.allowed | frozenset(more))


def find(
    tree: Path,
    chosen: Interpreters,
    *,
    uv: Path | None = None,
    more: tuple[str, ...] = (),
    credentials: Mapping[HostPort, str] | None = None,
) -> Hosts:
    """The hosts for the set-up of `tree`: this machine's registries, those that lock files name, and `more`
    (`host` or `host:port`, from the repository's configuration on its default branch). A host is not reached for its
    `credentials` alone.

    Raises UserError for an entry of `more` that is no host.
    """
    others = _of(*package_hosts.addresses(chosen))
    found = registries(chosen, uv).plus({*others, *in_lock_files(tree), *map(configured, more)})
    return replace(found, credentials={k: v for k, v in (credentials or {}).items() if k in found.allowed})


def configured(entry: str) -> HostPort:
    """One `hosts:` entry. Raises UserError if it is none."""
    try:
        return host_port(entry, 443)
    except BadAsk:
        raise UserError(f"hosts: {entry!r} is not a host name; write it as host or host:port.") from None


def registries(chosen: Interpreters, uv: Path | None = None) -> Hosts:
    """What this machine's pip, uv and npm use, with what leads the ones inside to the same place."""
    allowed: set[HostPort] = set()
    env: dict[str, str] = {}
    if chosen.python:
        index, extra, own = _pip(chosen.python.executable)
        allowed |= {*own, *(host for address in (index, *extra) for host in _index_hosts(address))}
        if index:
            env |= {"PIP_INDEX_URL": index, "UV_DEFAULT_INDEX": index}
        if extra:
            env |= {"PIP_EXTRA_INDEX_URL": " ".join(extra), "UV_INDEX": " ".join(extra)}
    if uv and "UV_DEFAULT_INDEX" not in env and not _of(default := _uv_default(uv)) <= allowed:
        allowed |= _index_hosts(default)
    if chosen.node and (registry := _npm()):
        allowed |= _of(registry)
        env["npm_config_registry"] = registry
    return Hosts(frozenset(allowed), env)


def in_lock_files(tree: Path) -> set[HostPort]:
    """Hosts that the lock files at the top and one folder down say their packages come from."""
    found: set[HostPort] = set()
    for path in (*tree.iterdir(), *tree.glob("*/*")):
        pattern = _NAMED_IN.get(path.name)
        if pattern:
            try:
                text = read_inside(tree, str(path.relative_to(tree)), _LARGEST).decode("utf-8", "replace")
            except OSError:
                continue
            found |= _of(*re.findall(pattern, text))
    return found


def _of(*addresses: str | None) -> set[HostPort]:
    """The hosts of `addresses`; what is no web address (a folder, a file) has none."""
    found = set()
    for address in addresses:
        try:
            parts = urlsplit(address or "")
            if parts.scheme in _PORTS and parts.hostname:
                found.add(host_port(f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"))
        except ValueError:
            continue
    return found


@functools.cache
def _pip(python: Path) -> tuple[str | None, tuple[str, ...], frozenset[HostPort]]:
    """(configured index if it is not pip's own, more indexes, hosts of pip's own) of `python`'s pip, if it has one.

    Addresses without what is secret in them, and no folders of this machine.
    """
    answer = _ask([str(python), "-c", _ASK_PIP])
    if not answer:
        return None, (), frozenset()
    default, files, index, extra = json.loads(answer)
    # Where the default index is replaced, only the replacement is used and may be reached.
    own = frozenset() if _plain(index) else frozenset({*_of(default), (str(files), 443)})
    return _plain(index), tuple(filter(None, map(_plain, extra))), own


@functools.cache
def _uv_default(uv: Path) -> str | None:
    """The index that uv's help names as its default."""
    named = re.search(
        r"package index \(by\s+default:\s*<(https?://[^>]+)>\)", _ask([str(uv), "pip", "install", "--help"]) or ""
    )
    return named.group(1) if named else None


@functools.cache
def _index_hosts(index: str | None) -> frozenset[HostPort]:
    """The host of a Python index and those that its pages link files of. One small page is asked for; an index
    that does not answer has its own host only."""
    own = _of(index)
    if not own:
        return frozenset()
    try:
        with urllib.request.urlopen(f"{str(index).rstrip('/')}/pip/", timeout=10) as page:
            text = page.read(_PAGE).decode("utf-8", "replace")
    except (OSError, ValueError):
        return frozenset(own)
    return frozenset(own | _of(*re.findall(r'href="(https?://[^"#]+)', text)))


@functools.cache
def _npm() -> str | None:
    """The registry that npm is configured with."""
    npm = next(iter(on_path(("npm",))), None)
    return _plain((_ask([str(npm), "config", "get", "registry"]) or "").strip()) if npm else None


def _plain(address: str | None) -> str | None:
    """A web address without user and password: those never enter a cell. None for anything else."""
    try:
        parts = urlsplit(address or "")
        if parts.scheme not in _PORTS or not parts.hostname:
            return None
        netloc = parts.hostname + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return None
    return parts._replace(netloc=netloc).geturl()


# Where pip, uv and npm look for their configuration, beside files in the user's folder.
_PASSED = (
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE", "npm_config_registry", "NPM_CONFIG_REGISTRY"),
    *("npm_config_userconfig", "NPM_CONFIG_USERCONFIG", "npm_config_globalconfig", "PYENV_ROOT", "NVM_DIR"),
)


def _ask(argv: list[str]) -> str | None:
    """A tool's answer on this machine, with what it needs to find its configuration; None if it gives none."""
    env = child_environment(_PASSED)
    try:
        done = subprocess.run(
            argv, capture_output=True, timeout=30, stdin=subprocess.DEVNULL, env=env, cwd="/", check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")
