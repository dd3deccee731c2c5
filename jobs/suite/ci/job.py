"""What is read of a repository's own automation: jobs as they run on one machine, with their steps. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

System = Literal["linux", "windows", "macos", "own", "unknown"]


@dataclass(frozen=True)
class Step:
    """One step. `run` is its script with expressions put in (empty for an action, which `uses` and `given` name);
    `folder` is where it runs, below the repository, empty at its top; `env` is all it sees."""

    name: str
    run: str
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    uses: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    shell: str = ""


@dataclass(frozen=True)
class CiJob:
    """One job with one row of its matrix. `workflow` is the file; `services` maps names to images; `container` is
    the image that it runs in; `labels` are what it asks of a machine; `versions` are all that its set-up actions name,
    over all rows, by language."""

    workflow: str
    name: str
    triggers: frozenset[str]
    labels: tuple[str, ...]
    steps: tuple[Step, ...]
    services: Mapping[str, str]
    container: str
    row: Mapping[str, str]
    versions: Mapping[str, tuple[str, ...]]

    @property
    def system(self) -> System:
        """What kind of machine the labels ask for."""
        text = " ".join(self.labels).lower()
        if "windows" in text:
            return "windows"
        if "macos" in text or "mac-os" in text:
            return "macos"
        if "ubuntu" in text or "linux" in text or "debian" in text:
            return "linux"
        return "own" if "self-hosted" in text else "unknown"

    @property
    def title(self) -> str:
        """For people: file and job."""
        return f"{self.workflow}, job {self.name}"
