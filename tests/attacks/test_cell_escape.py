"""Ways out of a cell. Each is first shown to work in a naive form, where that is safe, then to fail in a cell."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs.sandbox.base import Command, Result
from jobs.sandbox.cell import Cells

CANARY = "canary-b7c31f"


def naive(line: str, cwd: Path) -> str:
    """What a plain child process gets to say."""
    done = subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, text=True, timeout=20, check=False)
    return done.stdout + done.stderr


def celled(cells: Cells, tree: Path, line: str, **more: float) -> Result:
    return cells.on(tree).run(Command.shell(line, **more))


@pytest.mark.threat(28, 30)
@pytest.mark.parametrize(
    "line",
    ["env", "cat /proc/self/environ", "cat /proc/*/environ", "ps axeww"],
)
def test_secrets_of_the_harness_are_read(cells: Cells, tree: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    assert CANARY in naive(line, tree)
    assert CANARY not in celled(cells, tree, line).text


@pytest.mark.threat(48)
@pytest.mark.parametrize(
    "way", ["cat {0}", "ln -s {0} x; cat x", "cat /proc/self/root{0}", "cat ../secret /src/../secret"]
)
def test_files_beside_the_tree_are_read(cells: Cells, tree: Path, way: str) -> None:
    secret = tree.parent / "secret"
    secret.write_text(CANARY)
    line = way.format(secret)
    assert CANARY in naive(line, tree)
    (tree / "x").unlink(missing_ok=True)
    result = celled(cells, tree, line)
    assert CANARY not in result.text
    assert result.exit_code != 0


@pytest.mark.threat(48)
def test_a_link_left_for_the_next_command_leads_nowhere(cells: Cells, tree: Path) -> None:
    secret = tree.parent / "secret"
    secret.write_text(CANARY)
    cells.on(tree).run(Command.shell(f"ln -s {secret} report; ln -s {secret} /out/report"))
    result = cells.on(tree).run(Command(("bash", "-c", f"ln -s {secret} /out/r; cat report"), collect=("r",)))
    assert result.files == {}
    assert CANARY not in result.text


@pytest.mark.threat(36, 37)
def test_a_service_of_the_machine_is_reached(cells: Cells, tree: Path) -> None:
    """Loopback, by path and by abstract name, in one go."""
    folder = Path("/tmp") / f"pw-{os.getpid()}"
    folder.mkdir()
    abstract = f"pw-{os.getpid()}"
    script = (
        "import socket as s\n"
        "for family, where in ((2, ('127.0.0.1', {port})), (1, '{path}'), (1, chr(0) + '{abstract}')):\n"
        "    try: s.socket(family).connect(where); print('reached')\n"
        "    except OSError as e: print('refused', e)\n"
    )
    with (
        socket.create_server(("127.0.0.1", 0)) as port,
        socket.socket(socket.AF_UNIX) as path,
        socket.socket(socket.AF_UNIX) as name,
    ):
        path.bind(str(folder / "s"))
        name.bind(f"\0{abstract}")
        path.listen()
        name.listen()
        text = script.format(port=port.getsockname()[1], path=folder / "s", abstract=abstract)
        (tree / "reach.py").write_text(text)
        outside = subprocess.run([sys.executable, tree / "reach.py"], capture_output=True, text=True, check=True).stdout
        inside = celled(cells, tree, "python3 reach.py").text
    shutil.rmtree(folder)
    assert outside.split() == ["reached"] * 3
    assert inside.count("refused [Errno") == 3
    assert "reached" not in inside


@pytest.mark.threat(36)
def test_the_tree_is_a_socket_to_nobody(cells: Cells, tree: Path) -> None:
    """A socket file that a command leaves in its tree connects to nothing once the command is gone."""
    line = "python3 -c \"import socket as s; a = s.socket(1); a.bind('/src/s'); a.listen(); print('up')\""
    assert celled(cells, tree, line).text == "up\n"
    with socket.socket(socket.AF_UNIX) as client, pytest.raises(ConnectionRefusedError):
        client.connect(str(tree / "s"))


@pytest.mark.threat(45)
@pytest.mark.timeout(30)
def test_a_process_outlives_its_command(cells: Cells, tree: Path) -> None:
    marker = tree / "alive"
    loop = "while :; do date +%N > alive; sleep 0.1; done"
    line = f"(trap '' TERM HUP; setsid bash -c '{loop}') </dev/null >/dev/null 2>&1 & sleep 0.3"
    started = subprocess.Popen(["bash", "-c", line], cwd=tree, start_new_session=True)
    started.wait()
    time.sleep(0.3)
    before = marker.read_text()
    time.sleep(0.5)
    assert marker.read_text() != before
    for pid in subprocess.run(
        ["pgrep", "-f", "date .%N > alive"], capture_output=True, text=True, check=True
    ).stdout.split():
        if Path(f"/proc/{pid}/cwd").resolve() == tree:
            os.kill(int(pid), 9)
    marker.unlink()
    celled(cells, tree, line)
    before = marker.read_text()
    time.sleep(0.5)
    assert marker.read_text() == before


@pytest.mark.threat(33)
@pytest.mark.parametrize(
    "place",
    [
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/etc/passwd",
        "/usr/bin/env",
        "/dev/x",
        "/x",
        "/opt/patchwright/x",
    ],
)
def test_something_outside_the_tree_is_written(cells: Cells, tree: Path, place: str) -> None:
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    result = celled(cells, tree, f"printf x >> {place} && echo written")
    assert "written" not in result.text
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


@pytest.mark.threat(34, 35, 40)
@pytest.mark.parametrize(
    "line",
    [
        "unshare -U true", "unshare -r -n true", "mount -t tmpfs none /tmp", "chroot / true", "su -c true",
        "mknod d b 8 0", "nsenter -t 1 -a true", "setpriv --reuid=0 true", "kill -9 1 && sleep 1 && kill -0 1",
        "ip link add d type dummy", "sysctl -w kernel.hostname=x", "dmesg",
        "renice -n -5 $$", "ulimit -n 100000", "ulimit -u 100000",
    ],
)  # fmt: skip
def test_a_privilege_is_used(cells: Cells, tree: Path, line: str) -> None:
    assert celled(cells, tree, line, timeout_s=10).exit_code != 0


@pytest.mark.threat(40)
def test_a_set_id_program_of_the_tree_changes_nothing(cells: Cells, tree: Path) -> None:
    shutil.copy("/usr/bin/id", tree / "id")
    (tree / "id").chmod(0o6755)  # root's, if we are root
    assert int(subprocess.run([tree / "id", "-u"], capture_output=True, check=True).stdout) == os.geteuid()
    assert celled(cells, tree, "./id -u").text.strip() == str(cells.slot.identity.shown)


@pytest.mark.threat(28)
def test_the_descriptors_of_the_harness_stay_with_it(cells: Cells, tree: Path) -> None:
    secret = tree.parent / "secret"
    secret.write_text(CANARY)
    with secret.open() as file:
        os.set_inheritable(file.fileno(), True)
        result = celled(
            cells,
            tree,
            "ls -l /proc/self/fd; for f in /proc/self/fd/*; do [ $f -nt /nothing ] && cat $f; done < /dev/null",
        )
    assert CANARY not in result.text
    assert "secret" not in result.text


@pytest.mark.threat(47)
def test_output_is_no_file_that_can_be_turned_back(cells: Cells, tree: Path) -> None:
    result = celled(cells, tree, "echo first; : > /proc/self/fd/1; echo second")
    assert result.text.startswith("first\n")
    assert result.text.endswith("second\n")
