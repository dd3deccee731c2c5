"""What a repository's workflows say over its manifests: fixture trees as real projects write them."""

from __future__ import annotations

import pytest
from workflow_trees import BUILD, PY, PYTEST, found, job

VENV = 'uv venv --python "$(command -v python)" /env/venv'
INTO = "uv pip install --python /env/venv/bin/python"
GO = {"go.mod": "module m\n", "a_test.go": ""}
JS = {
    "package.json": '{"scripts": {"test": "jest", "test:ci": "jest --ci --coverage"}, "devDependencies": {"jest": "1"}}'
}
RS = {"Cargo.toml": "[package]\nname='a'\n", "src/lib.rs": "#[test]\nfn a() {}\n"}
CMAKE = (
    "cmake -S . -B build -DBUILD_TESTING=ON && cmake --build build --parallel && "
    "ctest --test-dir build --output-on-failure"
)
ROWS = {
    "options of pytest": (
        PY,
        job('run: pytest -m "not slow" --maxfail=3'),
        "pytest -m 'not slow' --maxfail=3",
        "pytest",
    ),
    "reports are left out": (
        PY,
        job("run: pytest --cov=pkg --cov-report xml --junitxml=r.xml tests"),
        "pytest tests",
        "pytest",
    ),
    "launchers are left out": (PY, job("run: poetry run pytest -x tests"), "pytest -x tests", "pytest"),
    "uv run": (PY, job("run: uv run --frozen pytest -ra"), "pytest -ra", "pytest"),
    "coverage run": (PY, job("run: coverage run --source pkg -m pytest -q"), "python -m pytest -q", "pytest"),
    "a module": (
        {"a.py": "", "t/t_a.py": ""},
        job("run: python -m unittest -v t.t_a"),
        "python -m unittest -v t.t_a",
        "unittest",
    ),
    "django": (
        {"manage.py": "", "app/tests.py": "from django.test import TestCase\n", "requirements.txt": "django\n"},
        *(job("run: python manage.py test --parallel"), "python manage.py test --parallel", "unittest"),
    ),
    "tox makes its own": (PY, job("run: pip install tox", "run: tox -e py"), "pytest", "pytest"),
    "nox makes its own": (PY, job("run: pipx run nox -s tests-3.12"), "pytest", "pytest"),
    "make is a general recipe": (PY, job("run: make test"), "pytest", "pytest"),
    "a script of its own": (
        {"a.py": "", "runtests.py": ""},
        job("run: python runtests.py -v"),
        "python runtests.py -v",
        "other",
    ),
    "variables before": (PY, job("run: APP_ENV=test pytest -q"), "APP_ENV=test pytest -q", "pytest"),
    "npm script": (JS, job("run: npm ci", "run: npm run test:ci"), "npm run test:ci", "jest"),
    "yarn script": (JS, job("run: yarn install --frozen-lockfile", "run: yarn test"), "npm test", "jest"),
    "pnpm script": (JS, job("run: pnpm install", "run: pnpm run test:ci"), "npm run test:ci", "jest"),
    "npx": (JS, job("run: npx jest --selectProjects unit"), "npx jest --selectProjects unit", "jest"),
    "script that is not there": (JS, job("run: npm run test:all"), "npm test", "jest"),
    "all workspaces": (JS, job("run: pnpm -r test"), "npm test", "jest"),
    "go with its detector": (
        GO,
        job("run: go test -race -v -coverprofile=c.out -covermode=atomic ./..."),
        "go test ./...",
        "go",
    ),
    "go with tags": (
        GO,
        job("run: go vet ./...", "run: go test -tags=unit -timeout 5m ./..."),
        "go test -tags=unit -timeout 5m ./...",
        "go",
    ),
    "go by a tool": (GO, job("run: gotestsum --format dots -- ./..."), "go test ./...", "go"),
    "cargo": (
        RS,
        job("run: cargo build --verbose", "run: cargo test --verbose --all-features"),
        "cargo test --all-features",
        "cargo",
    ),
    "cargo of a channel": (RS, job("run: cargo +stable test --workspace"), "cargo test --workspace", "cargo"),
    "nextest": (RS, job("run: cargo nextest run --profile ci"), "cargo test", "cargo"),
    "rspec": (
        {"Gemfile": "", "spec/a_spec.rb": "", "Rakefile": ""},
        *(job("run: bundle exec rspec --format documentation spec/unit"), "bundle exec rspec spec/unit", "rspec"),
    ),
    "rake": (
        {"Gemfile": "", "test/a_test.rb": "", "Rakefile": ""},
        job("run: bundle exec rake"),
        "bundle exec rake",
        "minitest",
    ),
    "rails with its database": (
        {"Gemfile": "", "bin/rails": "", "test/a_test.rb": ""},
        *(job("run: bin/rails db:test:prepare test test:system"), "bin/rails db:test:prepare test", "minitest"),
    ),
    "a place that only a run can tell": (
        {"CMakeLists.txt": "enable_testing()\n"},
        job("run: ctest -C Debug\n        working-directory: ${{ runner.workspace }}/build", "run: make check"),
        *(CMAKE, "ctest"),
    ),
    "phpunit": (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "1"}}', "phpunit.xml": "", "tests/ATest.php": ""},
        *(
            job("run: vendor/bin/phpunit --coverage-clover c.xml --testsuite unit"),
            "vendor/bin/phpunit --testsuite unit",
            "phpunit",
        ),
    ),
    "maven": ({"pom.xml": "", "src/test/java/A.java": ""}, job("run: mvn -B verify"), "mvn -B -ntp test", "maven"),
    "dotnet": (
        {"A.sln": "", "T/T.csproj": "Microsoft.NET.Test.Sdk"},
        *(
            job("run: dotnet test -c Release --no-build --verbosity normal"),
            "dotnet test -c Release --no-restore",
            "dotnet",
        ),
    ),
    "mix": (
        {"mix.exs": "", "test/a_test.exs": ""},
        job("run: mix test --cover --exclude db"),
        "mix test --exclude db",
        "exunit",
    ),
    "nothing but a workflow": (
        {"build.zig": "", "src/main.zig": ""},
        *(job("run: zig build", "run: zig build test --summary all"), "zig build test --summary all", "other"),
    ),
    "builds before tests": (
        {"configure": "", "a.c": ""},
        *(
            job("run: ./configure --enable-x", "run: make -j4", "run: make check"),
            "./configure --enable-x && make -j4 && make check",
            "other",
        ),
    ),
    "in a script with a condition": (
        {"a.nim": ""},
        *(
            job('run: |\n          if [ -n "$X" ]; then\n            make test\n          fi'),
            '{\nif [ -n "$X" ]; then\n  make test\nfi\n}',
            "other",
        ),
    ),
}


@pytest.mark.parametrize("name", list(ROWS))
def test_the_workflows_test_command_is_run_as_far_as_a_cell_can(name: str) -> None:
    files, workflow, command, runner = ROWS[name]
    toolchain = found(files, workflow)
    assert toolchain.suite is not None, toolchain.why
    assert (toolchain.suite.command, toolchain.suite.runner) == (command, runner)
    told = " ".join(toolchain.why)
    assert ".github/workflows/ci.yml, job test," in told


@pytest.mark.parametrize(
    ("steps", "installed"),
    [
        (("run: pip install -r requirements/ci.txt", "run: pytest"), "-e . -r requirements/ci.txt pytest"),
        (('run: pip install -e ".[tests]" pytest-mock', "run: pytest"), "-e '.[tests]' pytest-mock pytest"),
        (("run: pip install -U pip setuptools coveralls flake8", "run: pytest"), "-e . pytest"),
        (
            ("run: pip install pytest==8.1 hypothesis", "run: pytest -n auto"),
            "-e . pytest==8.1 hypothesis pytest-xdist",
        ),
        (("run: uv sync --extra tests", "run: uv run pytest"), "-e '.[tests]' pytest"),
        (("run: uv run --extra tests pytest",), "-e '.[tests]' pytest"),
        (("run: pip install --index-url https://example.com/simple secretpkg", "run: pytest"), "-e . pytest"),
        (("run: pip install ${{ matrix.deps }} attrs", "run: pytest"), "-e . pytest"),
    ],
)
def test_what_the_workflow_installs_for_tests_is_installed_too(steps: tuple[str, ...], installed: str) -> None:
    offered = BUILD + '[project.optional-dependencies]\ntests = ["mock"]\n'
    if "tests" not in installed:
        offered = BUILD
    files = {"pyproject.toml": offered, "requirements/ci.txt": "mock\n", "tests/test_a.py": PYTEST}
    assert found(files, job(*steps)).setup == (VENV, f"{INTO} {installed}")
