"""What tests need that a cell can't give: named, so that a person can decide. Pure but for reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from jobs.suite.source import Source

Kind = Literal["docker", "service", "system", "gpu", "secret", "machine", "packages", "version", "browser"]

# Those without which the suite as a whole means nothing here; what only some tests may want is told, no more.
_DECISIVE = frozenset({"docker", "system", "gpu", "machine"})

_CONTAINERS = (
    # manifests by name: what stands in them when tests start containers of their own
    (
        r"(.*/)?(pyproject\.toml|setup\.(py|cfg)|.*requirements.*\.(txt|in)|Pipfile|tox\.ini)",
        r"\b(testcontainers|pytest-docker(?:-compose)?)\b",
    ),
    (r"(.*/)?package\.json", r'"(testcontainers|@testcontainers/[\w-]+)"'),
    (r"(.*/)?go\.mod", r"\b(testcontainers-go|ory/dockertest)\b"),
    (r"(.*/)?(pom\.xml|build\.gradle(\.kts)?|libs\.versions\.toml)", r"(org\.testcontainers)\b"),
    (r"(.*/)?Cargo\.toml", r"(?m)^(testcontainers[\w-]*)\s*="),
    (r"(.*/)?(.*\.csproj|Directory\.Packages\.props)", r'"(Testcontainers[\w.]*)"'),
    (r"(.*/)?(Gemfile|.*\.gemspec)", r"\b(testcontainers[\w-]*)\b"),
)
_GRAPHICS = re.compile(r"\bgpu\b|nvidia|\bcuda\b|\ba100\b|\bt4\b", re.IGNORECASE)
_READY = {
    # image's name: how such a service starts where its program is installed
    "redis": ("redis-server --port 6379 --save ''", "redis-cli ping"),
    "valkey": ("valkey-server --port 6379 --save ''", "valkey-cli ping"),
    "memcached": ("memcached -p 11211", None),
}


@dataclass(frozen=True)
class Need:
    """One thing, by kind, that this machine's cells do not have; `where` is the file that says so."""

    kind: Kind
    name: str
    where: str

    @property
    def decisive(self) -> bool:
        """True if without it the suite can't be judged here at all: proof level D."""
        return self.kind in _DECISIVE

    @property
    def sentence(self) -> str:
        """For people, with the next step."""
        return f"{_SAID[self.kind].format(name=self.name)} ({self.where})."


_SAID: dict[Kind, str] = {
    "docker": "Tests need Docker ({name}), which no cell has: the repository's own CI must judge them",
    "service": "Tests need the service {name}: name under `services:` how it starts, if its program is on this machine",
    "system": "Tests run on {name} only: the repository's own CI must judge them",
    "gpu": "Tests need a GPU ({name}): the repository's own CI must judge them",
    "secret": "Tests see the secret {name} in CI: those that want it can't run here",
    "machine": "Tests run on a machine of the repository's own ({name}): its CI must judge them",
    "packages": "CI installs system packages: {name}. Install them on this machine if tests miss them",
    "version": "{name}",
    "browser": "Tests drive a browser ({name}): install it in set-up or on this machine if they can't start it",
}


def in_manifests(source: Source) -> Iterator[Need]:
    """Containers that tests start by themselves, as far as manifests name the libraries for it."""
    for pattern, sought in _CONTAINERS:
        for path in source.matching(pattern)[:20]:
            found = re.search(sought, source.text(path))
            if found:
                yield Need("docker", found.group(1), path)
                break


def of_image(name: str, image: str, where: str) -> Need:
    """A service that CI starts beside the tests, with the way to start it here where that is known."""
    plain = image.split("@")[0].split(":")[0].rpartition("/")[2]
    line = _READY.get(plain)
    hint = f" `{line[0]}`" if line else ""
    return Need("service", f"{image or name}{' such as' if hint else ''}{hint}", where)


def is_graphics(labels: tuple[str, ...]) -> bool:
    """True if labels of a machine ask for a graphics card."""
    return any(_GRAPHICS.search(label) for label in labels)
