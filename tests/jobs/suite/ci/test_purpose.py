from __future__ import annotations

import pytest

from jobs.suite.ci.purpose import purpose
from jobs.suite.ci.script import bare, commands

COMMANDS = {
    "test": [
        "pytest -q",
        "poetry run pytest --cov",
        "uv run --python 3.12 --extra dev pytest",
        "uv run pytest",
        "python -m pytest tests",
        "python -W error manage.py test",
        "python manage.py test",
        "tox -e py",
        "python -m tox",
        "nox -s tests",
        "hatch test",
        "hatch run test:all",
        "npm test",
        "npm run test:unit",
        "npm t",
        "yarn test --ci",
        "pnpm -r test",
        "pnpm --filter foo test",
        "yarn workspaces foreach -A run test",
        "bun test",
        "npx vitest run",
        "npx nx run-many -t test",
        "npx turbo run test",
        "node --test",
        "npx mocha",
        "c8 node --test",
        "go test -race ./...",
        "cargo test --workspace",
        "cargo nextest run",
        "bundle exec rake",
        "bundle exec rake test",
        "bundle exec rspec",
        "bin/rails test",
        "vendor/bin/phpunit",
        "composer test",
        "mvn -B verify",
        "./mvnw test",
        "./gradlew build",
        "gradle :app:test",
        "dotnet test --no-build",
        "mix test",
        "ctest --test-dir build",
        "meson test -C build",
        "make test",
        "make -C tests check",
        "just test",
        "make check",
        "./test.sh",
        "bash scripts/run_tests.sh",
        "prove -lr t",
        "bats test",
        "zig build test",
        "swift test",
        "dune runtest",
        "deno test -A",
        "xvfb-run -a npm test",
        "timeout 10m go test ./...",
        "coverage run -m unittest",
        "python -m coverage run -m pytest",
        "vendor/bin/pest",
        "if [ x ]; then\n  pytest\nfi",
        "make unit-tests",
        "./bin/test",
        "pnpm test",
        "npm run coverage",
        "sbt test",
        "ruby -Itest test/all.rb",
        "julia --project -e 'Pkg.test()'",
    ],
    "other": [
        "pytest --collect-only",
        "npm run lint",
        "npm run test:lint",
        "go vet ./...",
        "cargo clippy",
        "cargo fmt --check",
        "ruff check .",
        "codecov",
        "echo hello",
        "make lint",
        "coverage report",
        "coverage xml",
        "mypy .",
        "npm publish",
        "testing",
        "python setup.py sdist",
    ],
    "build": [
        "npm run build",
        "cargo build --verbose",
        "cmake -B build",
        "cmake --build build",
        "make -j4",
    ],
    "setup": [
        "go mod download",
        "bundle install --jobs 4",
        "composer install --prefer-dist",
        "mvn -DskipTests install",
        "dotnet restore",
        "mix deps.get",
        "npm ci",
        "yarn --frozen-lockfile",
        "yarn",
        "pip install -r requirements.txt",
        "python -m pip install -U pip",
        "pnpm install --frozen-lockfile",
    ],
    "system": [
        "sudo apt-get update",
        "sudo apt-get install -y libxml2-dev",
    ],
    "container": [
        "docker compose up -d",
        "docker run --rm x",
    ],
}


@pytest.mark.parametrize(("expected", "command"), [(name, one) for name, many in COMMANDS.items() for one in many])
def test_commands_are_told_apart_by_what_they_are_for(expected: str, command: str) -> None:
    assert purpose(command) == expected


@pytest.mark.parametrize(
    ("script", "parts"),
    [
        (
            "pip install x && pytest -q # why\necho a; make \\\n  test\n",
            ["pip install x", "pytest -q", "echo a", "make test"],
        ),
        ("# nothing\n\n", []),
        ("echo 'a && b; c' && x | tee log || true", ["echo 'a && b; c'", "x | tee log || true"]),
        ("(cd a && make) && b", ["(cd a && make)", "b"]),
        ("if x; then\n  y\nfi", ["if x; then\n  y\nfi"]),
        ("cat <<EOF\na\nEOF\ny", ["cat <<EOF\na\nEOF\ny"]),
    ],
)
def test_a_script_is_cut_into_its_commands(script: str, parts: list[str]) -> None:
    assert commands(script) == parts


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("sudo -E env A=1 B=2 pytest", "pytest"),
        ("timeout -k 5 10m go test ./...", "go test ./..."),
        ("uv run --python 3.12 --group dev pytest -x", "pytest -x"),
        ("poetry run python -m pytest", "python -m pytest"),
        ("bundle exec rspec", "rspec"),
        ("xvfb-run --auto-servernum npm test", "npm test"),
        ("poetry install", "poetry install"),
        ("uvx --with a nox -s tests", "nox -s tests"),
        ("'unclosed", ""),
    ],
)
def test_what_only_starts_another_program_is_left_out(command: str, program: str) -> None:
    assert " ".join(bare(command)) == program
