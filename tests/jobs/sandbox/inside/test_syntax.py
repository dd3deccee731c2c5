"""The script that finds new syntax errors, over a real repository."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import gitrepo
import pytest

WIRE = Path(__file__).parents[4] / "jobs" / "sandbox" / "inside" / "wire.py"
BAD, GOOD = "def a(:\n", "a = 1\n"


def errors(root: Path, *paths: str) -> dict[str, str]:
    request = json.dumps({"root": str(root), "paths": list(paths)})
    command = [sys.executable, "-I", "-S", str(WIRE), "syntax"]
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout)["errors"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return gitrepo.make(tmp_path / "repo", {"was_bad.py": BAD, "was_good.py": GOOD, "x.json": "{}"})


def test_only_errors_that_the_last_commit_had_not_count(tree: Path) -> None:
    (tree / "was_bad.py").write_text("def b(:\n")
    (tree / "was_good.py").write_text("\n" + BAD)
    (tree / "new.py").write_text(BAD)
    (tree / "x.json").write_text("{")
    (tree / "y.toml").write_text("a = ")
    found = errors(tree, "was_bad.py", "was_good.py", "new.py", "x.json", "y.toml", "gone.py")
    assert found.keys() == {"was_good.py", "new.py", "x.json", "y.toml"}
    assert found["was_good.py"].startswith("line 2: ")


def test_nothing_outside_the_tree_is_read(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "out.py").write_text(BAD)
    (tree / "link.py").symlink_to(tmp_path / "out.py")
    assert errors(tree, "../out.py", "link.py", str(tmp_path / "out.py")) == {}
