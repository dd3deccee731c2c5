"""What a suite needs beside it starts in the suite's own cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from suite_project import project

from jobs.sandbox.cell import Cells
from jobs.suite.run import run_suite
from jobs.suite.suite import Service, Suite

TESTS = """\
import socket
import unittest


class TestIt(unittest.TestCase):
    def test_service_answers(self):
        with socket.create_connection(("127.0.0.1", 6390), timeout=5) as connection:
            self.assertEqual(connection.recv(9), b"from it")
"""
SERVER = """\
import socket, time
time.sleep(0.5)
with socket.create_server(("127.0.0.1", 6390)) as listening:
    while True:
        connection, _ = listening.accept()
        connection.sendall(b"from it")
        connection.close()
"""
FILES = {"test_it.py": TESTS, "server.py": SERVER, "late.py": "import time; time.sleep(1); open('/tmp/up', 'w')\n"}
ASKS = "python -c \"import socket; socket.create_connection(('127.0.0.1', 6390)).close()\""


def suite(*services: Service) -> Suite:
    return Suite("python -m unittest", "unittest", "test", services=services)


@pytest.fixture
def make(cells: Cells, tmp_path: Path) -> Callable[[], Path]:
    def made() -> Path:
        folder = tmp_path / "tree"
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text)
        cells.own(folder)
        return folder

    return made


def test_the_suite_runs_once_its_services_are_ready(cells: Cells, make: Callable[[], Path]) -> None:
    tree = make()
    served = suite(Service("python late.py", "test -e /tmp/up"), Service("python server.py", ASKS))
    report = run_suite(cells.on(tree), served, timeout_s=60)
    assert (report.green, report.unready, report.counts and report.counts["passed"]) == (True, "", 1)
    assert run_suite(cells.on(tree), suite(), timeout_s=60).red  # it was the service indeed


def test_named_tests_have_the_services_too(cells: Cells, make: Callable[[], Path]) -> None:
    whole = run_suite(cells.on(tree := make()), suite(Service("python server.py", ASKS)), timeout_s=60)
    name = next(iter(whole.tests or {}))
    report = run_suite(cells.on(tree), suite(Service("python server.py", ASKS)), timeout_s=60, tests=(name,))
    assert (report.green, report.tests) == (True, {name: "passed"})


@pytest.mark.parametrize(
    ("service", "why"),
    [
        (Service("echo no port here >&2; exit 3", "true && false"), "it ended with 3.\nno port here"),
        (Service("exit 4"), "it ended with 4"),
    ],
)
def test_a_service_that_does_not_come_up_is_named(
    cells: Cells, make: Callable[[], Path], service: Service, why: str
) -> None:
    report = run_suite(cells.on(make()), suite(service), timeout_s=60)
    assert report.unready.startswith(f"The service `{service.run}` did not get ready: {why}")
    assert not report.green
    assert not report.tests


def test_what_goes_to_the_background_by_itself_is_awaited(cells: Cells, make: Callable[[], Path]) -> None:
    report = run_suite(
        cells.on(make()), suite(Service("setsid python server.py > /dev/null 2>&1 &", ASKS)), timeout_s=60
    )
    assert report.green


def test_the_status_of_a_suite_ended_by_a_signal_is_kept(cells: Cells, make: Callable[[], Path]) -> None:
    killed = Suite("kill -9 $$", "other", "test", services=(Service("python server.py", ASKS),))
    assert run_suite(cells.on(make()), killed, timeout_s=60).exit_code == 137


def test_every_run_of_a_verdict_has_its_own(cells: Cells, tmp_path: Path) -> None:
    files = {**FILES, "calc.py": "VALUE = 1\n"}
    with project(tmp_path, cells, files, suite(Service("python server.py", ASKS))) as one:
        verdict = one.verdict({"calc.py": "VALUE = 2\n"})
        assert verdict.broken == ()
        assert one.runs.runs >= 2
