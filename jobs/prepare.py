"""Makes a repository runnable: what it is, its layer, and the cells over its checkouts."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import Stopped
from jobs.outcome import Outcome
from jobs.policy import PATH, Policy
from jobs.repo.workspace import Workspace
from jobs.sandbox import hosts, setup, skeleton
from jobs.sandbox.ahead import ahead
from jobs.sandbox.base import Cell, Command, Result
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import Interpreters, choose
from jobs.sandbox.layer import Layer, LayerKey, lay
from jobs.sandbox.skeleton import Skeleton
from jobs.suite.detect import detect
from jobs.suite.suite import Service, Suite, Toolchain
from jobs.trace.events import Trace

SETUP_S = 1800.0


@dataclass(frozen=True)
class Prepared:
    """A repository at one commit, ready to run. `layer` is None where nothing had to be set up; `tools`
    maps interpreters to versions."""

    cells: Cells
    toolchain: Toolchain
    layer: Layer | None
    history: Skeleton
    env: Mapping[str, str]
    tools: Mapping[str, str]

    def own(self, tree: Path) -> None:
        """Gives a checkout to the user that cells run as."""
        self.cells.own(tree)

    def on(self, tree: Path, layer: Layer | None = None) -> Cell:
        """A cell over `tree`, on which the layer was laid and which was given away; it has history and variables."""
        return _WithEnvironment(self.cells.on(tree, layer, git=self.history), self.env)

    def open(self, checkout: Path) -> Cell:
        """A cell over a clean checkout."""
        self._lay(checkout)
        return self.on(checkout, self.layer)

    @contextlib.contextmanager
    def ahead(self, checkout: Path) -> Iterator[Cell]:
        """As `open`, for a session: while the model thinks, the sandbox of the next command is made."""
        self._lay(checkout)
        with ahead(self.cells.on(checkout, self.layer, git=self.history)) as cell:
            yield _WithEnvironment(cell, self.env)

    def _lay(self, checkout: Path) -> None:
        if self.layer:
            lay(self.layer, checkout)
        self.own(checkout)

    @property
    def suite(self) -> Suite:
        """The full test command. Raises Stopped(environment) where there is none."""
        if self.toolchain.suite is None:
            raise Stopped(Outcome.ENVIRONMENT, _no_suite(self.toolchain))
        return self.toolchain.suite

    @property
    def layer_source(self) -> Path | None:
        """What set-up wrote beside tracked files: never part of a change."""
        return self.layer.src if self.layer else None


@dataclass(frozen=True)
class _WithEnvironment:
    """A cell whose commands all see the variables of the repository's own file."""

    cell: Cell
    env: Mapping[str, str]

    def run(self, command: Command) -> Result:
        return self.cell.run(dataclasses.replace(command, env={**self.env, **command.env}))

    def fingerprints(self) -> Mapping[str, str]:
        return self.cell.fingerprints()

    def read(self, path: str) -> bytes | None:
        return self.cell.read(path)


def toolchain_of(workspace: Workspace, policy: Policy) -> Toolchain:
    """What is detected for the base commit."""
    trees, base = workspace.trees, workspace.base
    return detect(trees.paths(base), lambda path: trees.read(base, path), policy.setup, policy.test)


def prepare(workspace: Workspace, cells: Cells, policy: Policy, *, key: str, data: Path, trace: Trace) -> Prepared:
    """Detects, sets up (network on, by the allow-list), and returns what runs need. `key` names the repository.

    Raises SetupFailed where set-up fails, Stopped(environment) for what is not supported.
    """
    _refuse_unknown(policy)
    toolchain = _with_services(toolchain_of(workspace, policy), policy)
    history = skeleton.build(workspace.git_dir, workspace.base_sha, workspace.root / "history")
    with workspace.checkout(workspace.base) as folder:
        chosen = choose(folder)
        layer = _layer(folder, chosen, cells, toolchain.setup, policy, key=key, data=data, trace=trace)
    return Prepared(cells, toolchain, layer, history, policy.env, chosen.versions)


def _layer(  # noqa: PLR0913 (each is a thing of its own)
    folder: Path,
    chosen: Interpreters,
    cells: Cells,
    lines: tuple[str, ...],
    policy: Policy,
    *,
    key: str,
    data: Path,
    trace: Trace,
) -> Layer | None:
    if not lines:
        return None
    exports = "".join(f"export {name}={shlex.quote(value)}; " for name, value in sorted(policy.env.items()))
    commands = tuple(exports + line for line in lines)
    return setup.build(
        cells,
        folder,
        commands,
        store=data / "layers" / key,
        key=LayerKey.of(folder, repository=key, trust="default", commands=commands, tools=chosen.versions),
        hosts=hosts.find(folder, chosen, uv=cells.programs.uv, more=policy.hosts),
        timeout_s=SETUP_S,
        trace=trace,
    )


def _with_services(found: Toolchain, policy: Policy) -> Toolchain:
    if found.suite is None or not policy.services:
        return found
    services = tuple(Service(one.run, one.ready) for one in policy.services)
    why = f"{len(services)} services start beside the suite, as {PATH} says."
    return dataclasses.replace(found, suite=dataclasses.replace(found.suite, services=services), why=(*found.why, why))


def _refuse_unknown(policy: Policy) -> None:
    if policy.projects:
        raise Stopped(Outcome.ENVIRONMENT, f"`projects` of {PATH} is not supported yet: remove it, or wait for it.")


def _no_suite(toolchain: Toolchain) -> str:
    found = " ".join(toolchain.why)
    return f"No test command was found. Name it in {PATH}, such as `test: python -m unittest`.\n{found}".rstrip()
