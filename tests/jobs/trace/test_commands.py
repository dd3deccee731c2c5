"""What shell commands do, by their words."""

from __future__ import annotations

import pytest

from jobs.trace.commands import Doing, doing


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a.py", {"a.py"}),
        ("cd web && sed -n '1,40p' app.js | head -20", {"web/app.js"}),
        ("sed -n 1,40p /src/app.js 2>/dev/null", {"app.js"}),
        ("head -n 20 ./x.py; tail -5 y.py", {"x.py", "y.py"}),
        ("cat a.py | grep -n foo", {"a.py"}),
        ("timeout 5 cat a.py", {"a.py"}),
    ],
)
def test_reads(command: str, files: set[str]) -> None:
    assert doing(command) == Doing(reads=frozenset(files))


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("grep -rn foo src", {"src"}),
        ("rg foo", set()),
        ("ls -la src", {"src"}),
        ("grep -A 3 foo a.py b.py", {"a.py", "b.py"}),
    ],
)
def test_looks(command: str, files: set[str]) -> None:
    assert doing(command) == Doing(looks=1, files=frozenset(files))


@pytest.mark.parametrize(
    "command",
    [
        *("pytest", "python -m pytest -q 2>&1 | tail -5", "python3 -m unittest discover", "cd web && npm test"),
        *(
            "npm run test -- --watch=false",
            "npx jest a",
            "uv run pytest -x",
            "CI=1 yarn test",
            "node --test",
            "go test ./...",
        ),
        *("cargo test", "make test", "python manage.py test", "timeout 60 .venv/bin/pytest tests"),
    ],
)
def test_tests(command: str) -> None:
    assert doing(command) == Doing(tests=True)


def test_diffs() -> None:
    assert doing("git diff") == Doing(diffs=True)
    assert (
        doing("git --no-pager diff -- src/a.py")
        == doing("git diff src/a.py")
        == Doing(diffs=True, files=frozenset({"src/a.py"}))
    )


@pytest.mark.parametrize(
    "command", ["sed -i s/a/b/ x.py", "cat > notes.md <<'EOF'\nhi\nEOF", "npm install", "python app.py", "echo 'oops"]
)
def test_anything_else_is_none_of_these(command: str) -> None:
    did = doing(command)
    assert did == Doing(other=did.other)


def test_a_command_may_do_several_things() -> None:
    assert doing("cat a.py && pytest") == Doing(reads=frozenset({"a.py"}), tests=True)
    assert doing("python app.py; cat out.txt") == Doing(reads=frozenset({"out.txt"}), other=True)
