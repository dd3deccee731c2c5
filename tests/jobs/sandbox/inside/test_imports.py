"""The script that reads what files import, as a cell runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_tree import make_tree

WIRE = Path(__file__).parents[4] / "jobs" / "sandbox" / "inside" / "wire.py"


def ask(root: Path, only: list[str] | None = None) -> dict[str, Any]:
    request = json.dumps({"root": str(root), "only": only})
    command = [sys.executable, "-I", "-S", str(WIRE), "imports"]
    done = subprocess.run(command, input=request, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


PYTHON = '''"""Text."""
import os, pkg.a as first
from . import (  # all of them
    one,
    two as other,
)
from pkg.b import \\
    three
from elsewhere import nothing
importlib.import_module("pkg.c")
first.call(); first.VALUE
'''
SCRIPT = """
import a, { b } from './a';
import './side.css';
export * from "../b.js";
const c = require('./c'), d = await import("./d");
import type { T } from './types';
jest.mock('../e');
import {
  long,
} from '@scope/f';
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {"pkg/a.py": PYTHON, "web/x.ts": SCRIPT, "package.json": '{"name": "x", "private": true}'}
    files |= {
        "node_modules/y/index.js": "require('z')",
        "tsconfig.json": '{/* why */ "compilerOptions": {"paths": {},},}',
    }
    return make_tree(tmp_path, files)


def test_every_form_of_import_is_told(tree: Path) -> None:
    answer = ask(tree)
    assert answer["files"] == ["package.json", "tsconfig.json", "web/x.ts", "pkg/a.py"]
    assert answer["found"]["pkg/a.py"] == [
        [".", ["one", "two"]],
        ["pkg.b", ["three"]],
        ["pkg.a", ["call", "VALUE"]],
        ["pkg.c", []],
    ]
    wanted = ["./a", "./side.css", "../b.js", "./c", "./d", "./types", "../e", "@scope/f"]
    assert answer["found"]["web/x.ts"] == wanted
    assert answer["settings"] == {"package.json": {"name": "x"}, "tsconfig.json": {"compilerOptions": {"paths": {}}}}


def test_programs_that_are_started_are_told(tmp_path: Path) -> None:
    started = "run([sys.executable, 'pkg/__init__.py']); run(['python', '-m', 'pkg.a', './pkg/b.py'])\n"
    tree = make_tree(tmp_path, {"pkg/a.py": "", "t.py": started, "t.js": "spawn('node', ['bin/run.mjs'])"})
    found = ask(tree)["found"]
    assert found["t.py"] == [["pkg.a", ["__main__"]], ["pkg", []], ["pkg.b", []]]
    assert found["t.js"] == ["bin/run.mjs"]


def test_only_what_is_asked_for_is_read(tree: Path) -> None:
    assert ask(tree, ["web/x.ts", "gone.py"])["found"].keys() == {"web/x.ts"}


def test_links_and_large_files_are_left_alone(tree: Path, tmp_path: Path) -> None:
    (tree / "large.py").write_text("import pkg\n" * 60_000)
    (tree / "link.py").symlink_to("/etc/passwd")
    assert ask(tree)["found"].keys() == {"pkg/a.py", "web/x.ts"}
