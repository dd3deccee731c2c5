"""The supervisor: starts in order, restarts what falls, gives up on what was told wrong, leaves nothing behind."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from service_processes import Process, children, exists, until

from app.local.supervise import Part, Supervisor

ENV = {"PATH": "/usr/bin:/bin"}


def _part(name: str, script: str, **more: object) -> Part:
    return Part(name, ("/bin/sh", "-c", script), ENV, **more)  # type: ignore[arg-type]


def _run(parts: list[Part], out: io.StringIO, until_text: str) -> int:
    """Runs until `until_text` was printed; the supervisor needs the main thread, so the watching has another."""
    supervisor = Supervisor(parts, out)

    def watch() -> None:
        deadline = time.monotonic() + 10
        while until_text not in out.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
        supervisor.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = supervisor.run()
    watcher.join()
    assert until_text in out.getvalue()
    return code


def test_lines_carry_the_name_of_their_part() -> None:
    out = io.StringIO()
    parts = [_part("first", "echo one; echo err >&2; sleep 30"), _part("other one", "echo two; sleep 30")]
    assert _run(parts, out, "two") == 0
    assert sorted(out.getvalue().splitlines()) == ["first     | err", "first     | one", "other one | two"]


def test_fallen_part_is_started_again_and_its_preparation_too(tmp_path: Path) -> None:
    out, prepared = io.StringIO(), []
    part = _part("p", "echo started; exit 3", prepare=lambda: prepared.append(1))
    assert _run([part], out, "starts again in 0.8 s") == 0
    assert out.getvalue().count("started") >= 3
    assert "ended (3); starts again in 0.2 s" in out.getvalue()
    assert len(prepared) >= 3


def test_part_that_was_told_wrong_ends_everything() -> None:
    out = io.StringIO()
    supervisor = Supervisor([_part("good", "sleep 30"), _part("bad", "echo X is missing; exit 2")], out)
    assert supervisor.run() == 2
    assert "bad  | X is missing" in out.getvalue()


def test_part_that_does_not_leave_is_killed_and_nothing_stays() -> None:
    out = io.StringIO()
    supervisor = Supervisor([_part("deaf", "trap '' TERM; echo up; while :; do sleep 0.1; done")], out)
    pids: list[int] = []

    def watch() -> None:
        until(lambda: "up" in out.getvalue())
        pids.extend(supervisor.pids().values())
        supervisor.stop()

    threading.Thread(target=watch).start()
    assert supervisor.run() == 0
    assert not exists(pids[0])


def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    code = (
        "import sys; from app.local.supervise import Part, Supervisor; "
        "Supervisor([Part('p', ('sleep', '60'), {'PATH': '/usr/bin:/bin'})], sys.stderr).run()"
    )
    parent = Process(code, {}, tmp_path / "log")
    until(lambda: len(children(parent.pid)) == 1)
    (child,) = children(parent.pid)
    until(lambda: b"sleep" in Path(f"/proc/{child}/cmdline").read_bytes())
    parent.signal(signal.SIGKILL)
    until(lambda: not exists(child), timeout_s=2)
    parent.kill()


def test_interrupt_ends_it_in_good_order(tmp_path: Path) -> None:
    code = (
        "import sys; from app.local.supervise import Part, Supervisor; "
        "sys.exit(Supervisor([Part('p', ('sleep', '60'), {'PATH': '/usr/bin:/bin'})], sys.stderr).run())"
    )
    done = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: len(children(done.pid)) == 1)
    (child,) = children(done.pid)
    done.send_signal(signal.SIGINT)
    assert done.wait(5) == 0
    assert not exists(child)
