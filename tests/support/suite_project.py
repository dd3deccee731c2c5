"""A repository under judgement for tests: trees made from real commits, suites run in real cells."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import gitrepo

from jobs.repo.trees import Trees
from jobs.repo.workspace import Workspace, open_workspace
from jobs.sandbox.cell import Cells
from jobs.sandbox.interpreters import choose
from jobs.sandbox.layer import Layer
from jobs.suite.matrix import Verdict, verify
from jobs.suite.run import FreshRuns, Limits
from jobs.suite.suite import Suite

Files = Mapping[str, str | None]  # None removes a file

UNITTEST = Suite("python -m unittest discover", "unittest", "test")
PYTEST = Suite("python -m pytest", "pytest", "test")
MINUTE = Limits(60)


@dataclass(frozen=True)
class Project:
    """A workspace over a person's repository, with a way to run its suite."""

    folder: Path
    workspace: Workspace
    runs: FreshRuns

    @property
    def trees(self) -> Trees:
        return self.workspace.trees

    @property
    def base(self) -> str:
        return self.workspace.base

    def changed(self, files: Files) -> str:
        """The tree of a commit that makes `files` so, on top of the base."""
        gitrepo.run(self.folder, "checkout", "--quiet", "--force", "--detach", self.workspace.base_sha)
        gitrepo.run(self.folder, "clean", "-qfdx")
        for name, content in files.items():
            if content is None:
                (self.folder / name).unlink()
        gitrepo.commit(self.folder, {name: text for name, text in files.items() if text is not None})
        return self.trees.tree_of(gitrepo.run(self.folder, "rev-parse", "HEAD"))

    def verdict(self, files: Files) -> Verdict:
        """What the matrix says of the change that makes `files` so."""
        return verify(self.trees, self.base, self.changed(files), self.runs, self.runs(self.base))


@contextmanager
def project(
    folder: Path,
    cells: Cells,
    files: Mapping[str, str],
    suite: Suite,
    layer: Layer | None = None,
    limits: Limits = MINUTE,
) -> Iterator[Project]:
    """A Project below `folder`, whose base commit holds `files`."""
    repository = gitrepo.make(folder / "repo", files)
    sha = gitrepo.run(repository, "rev-parse", "HEAD")
    with open_workspace(folder / "runs", "run", repository / ".git" / "objects", sha) as workspace:
        yield Project(repository, workspace, FreshRuns(workspace.checkout, cells, layer, suite, limits))


def layer_with_pytest(folder: Path) -> Layer:
    """A layer whose /env/venv holds the pytest that runs this test, copied: nothing is downloaded."""
    venv = folder / "env" / "venv"
    target = venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    target.mkdir(parents=True)
    here = Path(sysconfig.get_paths()["purelib"])
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        shutil.copytree(here / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(here / "py.py", target)
    for info in [*here.glob("pytest-[0-9]*.dist-info"), *here.glob("pluggy-*.dist-info")]:
        shutil.copytree(info, target / info.name)
    chosen = choose(folder)
    python = chosen.python
    assert python is not None, "no Python for cells"
    (venv / "bin").mkdir()
    for name in ("python", "python3"):
        (venv / "bin" / name).symlink_to(python.executable)
    (venv / "pyvenv.cfg").write_text(f"home = {python.executable.parent}\ninclude-system-site-packages = false\n")
    (folder / "src").mkdir()
    return Layer(folder, "pytest", {}, chosen)
