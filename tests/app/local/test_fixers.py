"""The repository's own fixers are tried before any model is asked; what they did is judged as any change is."""

from __future__ import annotations

from pathlib import Path

import gitrepo
import pytest
from scripted_fix import Done, billing, fix, replies

from jobs.suite.fixers import fixers
from jobs.suite.source import Source

STRIP = """\
import pathlib
for path in pathlib.Path("billing").glob("*.py"):
    path.write_text("".join(line.rstrip() + "\\n" for line in path.read_text().splitlines()))
"""
LAYOUT = """\
import pathlib
import unittest


class TestLayout(unittest.TestCase):
    def test_layout(self):
        self.assertNotIn(" \\n", pathlib.Path("billing/loose.py").read_text())
"""
LOOSE = {"billing/loose.py": "VALUE = 1 \n", "billing/other.py": "OTHER = 2 \n", "tests/test_layout.py": LAYOUT}


def mend(tmp_path: Path, line: str, script: list[dict[str, object]]) -> tuple[Path, Done]:
    policy = f'fixers: ["{line}"]\ntest: python -m unittest\n'
    repo = billing(tmp_path / "repo", {**LOOSE, "strip.py": STRIP, ".github/patchwright.yml": policy})
    return repo, fix(repo, script, tmp_path)


def test_what_the_fixers_mend_costs_nothing(tmp_path: Path) -> None:
    repo, done = mend(tmp_path, "python strip.py", [])
    assert (done.code, done.result["outcome"], done.result["rounds"]) == (0, "fixed", 0), done.err
    assert done.result["cost"]["usd"] == 0.0
    assert done.result["files"] == ["billing/loose.py"]  # the other file's layout is none of the target's business
    assert "python strip.py" in gitrepo.run(repo, "log", "-1", "--format=%B", done.result["branch"])


@pytest.mark.parametrize("line", ["no-such-tool .", "echo x >> billing/split.py; exit 1", "true"])
def test_where_they_do_not_help_the_model_works_on_an_untouched_tree(tmp_path: Path, line: str) -> None:
    _, done = mend(tmp_path, line, replies())
    assert done.result["rounds"] == 3
    assert "billing/loose.py" not in done.result["files"]


CONFIGURED = {
    "ruff": ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, ("ruff check --fix --quiet .",)),
    "ruff's format too": (
        {"ruff.toml": "", ".pre-commit-config.yaml": "- id: ruff-format\n"},
        ("ruff check --fix --quiet .", "ruff format --quiet ."),
    ),
    "black and isort": (
        {"pyproject.toml": "[tool.black]\n[tool.isort]\nprofile = 'black'\n"},
        ("isort --quiet .", "black --quiet ."),
    ),
    "eslint and prettier": (
        {"eslint.config.mjs": "", "package.json": '{"prettier": {}}'},
        ("npx --no-install eslint --fix .", "npx --no-install prettier --write --log-level warn ."),
    ),
    "an old eslint": ({"web/.eslintrc.json": "{}"}, ("npx --no-install eslint --fix .",)),
    "Go": ({"go.mod": "module x"}, ("gofmt -w .",)),
    "Rust": ({"Cargo.toml": ""}, ("cargo fmt",)),
    "nothing": ({"setup.py": ""}, ()),
}


@pytest.mark.parametrize("name", CONFIGURED)
def test_fixers_are_those_that_the_repository_is_set_up_for(name: str) -> None:
    files, lines = CONFIGURED[name]
    assert fixers(Source(tuple(files), lambda path: files[path].encode())) == lines


def test_only_fixers_that_changed_something_are_named(tmp_path: Path) -> None:
    policy = 'fixers: ["exit 1", "python strip.py", "true"]\ntest: python -m unittest\n'
    repo = billing(tmp_path / "repo", {**LOOSE, "strip.py": STRIP, ".github/patchwright.yml": policy})
    done = fix(repo, [], tmp_path)
    told = gitrepo.run(repo, "log", "-1", "--format=%B", done.result["branch"])
    assert "no model was asked: `python strip.py`." in told
