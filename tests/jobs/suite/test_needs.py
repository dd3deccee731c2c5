from __future__ import annotations

import pytest

from jobs.suite.detect import detect
from jobs.suite.suite import Toolchain

PY = {"requirements.txt": "pytest\n", "tests/test_a.py": "def test_a():\n    pass\n"}
APT = "sudo apt-get"
HEAD = "on: push\njobs:\n  test:\n    runs-on: {}\n{}    steps:\n{}      - run: pytest\n"


def found(files: dict[str, str]) -> Toolchain:
    return detect(tuple(sorted(files)), lambda path: files[path].encode() if path in files else None, None, None)


def in_ci(system: str = "ubuntu-latest", more: str = "", steps: str = "") -> Toolchain:
    return found({**PY, ".github/workflows/test.yml": HEAD.format(system, more, steps)})


@pytest.mark.parametrize(
    ("toolchain", "kind", "name", "decisive"),
    [
        (in_ci(steps="      - run: docker compose up -d db\n"), "docker", "docker compose up -d db", True),
        (in_ci(steps="      - run: |\n          docker-compose up -d\n"), "docker", "docker-compose up -d", True),
        (in_ci("windows-latest"), "system", "Windows", True),
        (in_ci("macos-14"), "system", "macOS", True),
        (in_ci("[self-hosted, linux, gpu]"), "gpu", "self-hosted, linux, gpu", True),
        (in_ci("[self-hosted, arm-lab]"), "machine", "self-hosted, arm-lab", True),
        (in_ci(more="    services:\n      db: {image: 'postgres:16'}\n"), "service", "postgres:16", False),
        (
            in_ci(more="    services:\n      cache: {image: 'redis:7-alpine'}\n"),
            *("service", "redis:7-alpine such as `redis-server --port 6379 --save ''`", False),
        ),
        (in_ci(more="    env:\n      KEY: ${{ secrets.STRIPE_KEY }}\n"), "secret", "STRIPE_KEY", False),
        (
            in_ci(
                steps=f"      - run: {APT} update && {APT} install -y --no-install-recommends libxml2-dev gdal-bin\n"
            ),
            *("packages", "libxml2-dev, gdal-bin", False),
        ),
        (found({**PY, "requirements-dev.txt": "pytest\ntestcontainers[postgres]\n"}), "docker", "testcontainers", True),
        (
            found({"go.mod": "require github.com/testcontainers/testcontainers-go v0.30.0\n", "a_test.go": ""}),
            *("docker", "testcontainers-go", True),
        ),
        (
            found({"pom.xml": "<groupId>org.testcontainers</groupId>", "src/test/java/ATest.java": ""}),
            *("docker", "org.testcontainers", True),
        ),
        (
            found({"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"@testcontainers/redis": "1"}}'}),
            *("docker", "@testcontainers/redis", True),
        ),
        (
            found(
                {"Cargo.toml": ('[dev-dependencies]\ntestcontainers = "0.20"\n'), "src/lib.rs": "#[test]\nfn a() {}\n"}
            ),
            *("docker", "testcontainers", True),
        ),
    ],
)
def test_what_a_cell_can_not_give_is_named(toolchain: Toolchain, kind: str, name: str, decisive: bool) -> None:
    (need,) = toolchain.needs
    assert (need.kind, need.name) == (kind, name)
    assert bool(toolchain.unmet) is decisive
    assert need.sentence in toolchain.why
    assert toolchain.suite is not None  # the command is known all the same


def test_the_token_of_every_run_is_no_secret_and_a_plain_job_needs_nothing() -> None:
    assert in_ci(more="    env:\n      GH: ${{ secrets.GITHUB_TOKEN }}\n").needs == ()
    assert in_ci().needs == ()


def test_needs_of_other_jobs_are_not_the_tests_needs() -> None:
    other = "  image:\n    runs-on: ubuntu-latest\n    steps:\n      - run: docker build .\n"
    files = {**PY, ".github/workflows/test.yml": HEAD.format("ubuntu-latest", "", "") + other}
    assert found(files).needs == ()
