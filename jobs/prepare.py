"""Makes a repository runnable: what it is, its layer, and the cells over its checkouts."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jobs.errors import Stopped
from jobs.order import Means
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
from jobs.suite.named_projects import Named
from jobs.suite.suite import Service, Suite, Toolchain

SETUP_S = 1800.0
_INSTALLED = ("go", "rust", "ruby", "php", "java", "dotnet", "elixir")


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
            lay(self.layer.src, checkout)
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
    named = tuple(Named(one.path, one.setup, one.test) for one in policy.projects)
    return detect(trees.paths(base), lambda path: trees.read(base, path), policy.setup, policy.test, named)


def prepare(workspace: Workspace, means: Means, policy: Policy, *, key: str) -> Prepared:
    """Detects, sets up (network on, by the allow-list), and returns what runs need. `key` names the repository.

    Raises SetupFailed where set-up fails, Stopped(environment) for what is not supported.
    """
    toolchain = _with_services(toolchain_of(workspace, policy), policy)
    _refuse_empty(toolchain, policy)
    policy = policy.model_copy(update={"env": {**toolchain.env, **policy.env}})
    history = skeleton.build(workspace.git_dir, workspace.base_sha, workspace.root / "history")
    with workspace.fresh(workspace.base) as folder:
        chosen = choose(folder)
        _refuse_missing(toolchain, chosen)
        layer = _layer(folder, chosen, means, toolchain.setup, policy, key)
    return Prepared(means.cells, toolchain, layer, history, policy.env, chosen.versions)


def _refuse_empty(toolchain: Toolchain, policy: Policy) -> None:
    """A project that is named must be tested: what is left out in silence would count as green."""
    tested = {project.path for project in toolchain.projects}
    missing = [one.path for one in policy.projects if one.path.strip("/") not in tested]
    if missing and policy.test is None:
        why = f"no test command was found in {', '.join(missing)}: name it there as `test:`."
        raise Stopped(Outcome.ENVIRONMENT, f"`projects` of {PATH}: {why}")


def _layer(
    folder: Path, chosen: Interpreters, means: Means, lines: tuple[str, ...], policy: Policy, key: str
) -> Layer | None:
    if not lines:
        return None
    cells = means.cells
    exports = "".join(f"export {name}={shlex.quote(value)}; " for name, value in sorted(policy.env.items()))
    commands = tuple(exports + line for line in lines)
    return setup.build(
        cells,
        folder,
        commands,
        store=means.data / "layers" / key,
        key=LayerKey.of(folder, repository=key, trust="default", commands=commands, tools=chosen.versions),
        hosts=hosts.find(folder, chosen, uv=cells.programs.uv, more=policy.hosts, credentials=means.registries),
        timeout_s=SETUP_S,
        trace=means.trace,
    )


def _with_services(found: Toolchain, policy: Policy) -> Toolchain:
    if found.suite is None or not policy.services:
        return found
    services = tuple(Service(one.run, one.ready) for one in policy.services)
    why = f"{len(services)} services start beside the suite, as {PATH} says."
    return dataclasses.replace(found, suite=dataclasses.replace(found.suite, services=services), why=(*found.why, why))


def _refuse_missing(found: Toolchain, chosen: Interpreters) -> None:
    """A language that is not on this machine ends the run by its name: another is never taken for it."""
    if found.language in _INSTALLED and found.language not in chosen.versions:
        version, where = found.versions.get(found.language, ("", ""))
        named = f"{found.language} {version}".strip() + (f" ({where})" if where else "")
        raise Stopped(Outcome.ENVIRONMENT, f"The tests need {named}, which is not on this machine: install it there.")


def _no_suite(toolchain: Toolchain) -> str:
    found = " ".join(toolchain.why)
    return f"No test command was found. Name it in {PATH}, such as `test: python -m unittest`.\n{found}".rstrip()
