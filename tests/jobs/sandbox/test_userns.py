"""The other mode: an ordinary user's cells."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_parts import STRANGER, as_stranger, readable_copy, system_python

_SCRIPT = """
import json, sys, tempfile
from pathlib import Path
from jobs.sandbox.base import Command
from jobs.sandbox.cell import Cells
data = Path(sys.argv[1])
with Cells.open(data / "data") as cells:
    tree = data / "tree"
    tree.mkdir()
    cells.own(tree)
    cell = cells.on(tree)
    ran = cell.run(Command.shell("id -u; touch made; grep ^agent: /etc/passwd", env={"A": "1"}))
    dead = cell.run(Command.shell("setsid sleep 7733 & sleep 7733", timeout_s=0.5))
    missing = cell.run(Command(("no-such-program",)))
    try:
        Cells.open(data / "data")
        second = "opened"
    except Exception as refused:
        second = str(refused)
    print(json.dumps({
        "mode": cells.mode, "uid": cells.uid, "owner": (tree / "made").stat().st_uid, "text": ran.text,
        "dead": [dead.ended, dead.seconds < 2.5], "missing": missing.exit_code, "second": second,
        "walls": [[wall.name, wall.detail] for wall in cells.self_test() if not wall.ok],
    }))
"""


@pytest.fixture(scope="module")
def said() -> Iterator[dict[str, object]]:
    # Not below the tests' own temporary folder: others can't pass through that one.
    with tempfile.TemporaryDirectory(prefix="pw-stranger-") as folder:
        code, home = Path(folder, "code"), Path(folder, "home")
        for place, mode in ((Path(folder), 0o755), (code, 0o755), (home, 0o777)):
            place.mkdir(exist_ok=True)
            place.chmod(mode)
        done = as_stranger([system_python(), "-c", _SCRIPT, str(home)], readable_copy(code), home)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        yield answer


def test_every_wall_holds(said: dict[str, object]) -> None:
    assert said["walls"] == []


def test_the_cell_is_the_users_own_outside_and_a_neutral_one_inside(said: dict[str, object]) -> None:
    uid = STRANGER if os.geteuid() == 0 else os.getuid()
    assert (said["mode"], said["uid"], said["owner"]) == ("userns", uid, uid)
    assert said["text"] == "1000\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n"


def test_commands_end_as_in_the_other_mode(said: dict[str, object]) -> None:
    assert (said["dead"], said["missing"]) == (["timeout", True], 127)


def test_there_is_one_slot(said: dict[str, object]) -> None:
    assert str(said["second"]).startswith("Every slot for cells below")
