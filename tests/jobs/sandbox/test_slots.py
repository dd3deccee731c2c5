from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.errors import EnvironmentFault
from jobs.sandbox import slots
from jobs.sandbox.cell import Cells

_HOLD = """
import sys
from pathlib import Path
from jobs.sandbox import slots
slot = slots.take(Path(sys.argv[1]), None, "userns")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_slot_is_taken_once_and_freed(tmp_path: Path) -> None:
    first = slots.take(tmp_path, None, "userns")
    with pytest.raises(EnvironmentFault, match="in use"):
        slots.take(tmp_path, None, "userns")
    first.free()
    again = slots.take(tmp_path, 0, "userns")
    assert (again.number, again.identity) == (first.number, first.identity)
    again.free()


def test_a_dead_holder_frees_its_slot(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    with holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(EnvironmentFault):
            slots.take(tmp_path, None, "userns")
        holder.kill()
    slots.take(tmp_path, None, "userns").free()


def test_users_of_two_slots_differ_whatever_the_data_folder(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("users of slots are for root only")
    one, two = (slots.take(tmp_path / name, None, "rootful") for name in ("a", "b"))
    assert one.identity.uid != two.identity.uid
    assert one.identity.uid >= slots.FIRST_UID
    for slot in (one, two):
        slot.free()


def test_a_data_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault, match="data folder"):
        slots.take(tmp_path / "file", None, "userns")


def test_what_a_killed_owner_left_goes_whichever_slot_comes_next(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for number in ("7", "8"):
        (data / "slots" / number / "out-left").mkdir(parents=True)
    with (data / "slots" / "8.lock").open("w") as busy:
        fcntl.flock(busy, fcntl.LOCK_EX)
        with Cells.open(data):
            left = sorted(str(path.relative_to(data)) for path in data.glob("slots/*/out-*"))
    assert left == ["slots/8/out-left"]
