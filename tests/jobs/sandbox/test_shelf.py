"""Layers are kept as long as there is room, the last used ones longest."""

from __future__ import annotations

import os
import time
from pathlib import Path

from jobs.sandbox import shelf


def made(root: Path, name: str, *, age_s: float, size: int = 100_000) -> Path:
    layer = root / name
    (layer / "env").mkdir(parents=True)
    (layer / "env" / "file").write_bytes(b"x" * size)
    (layer / "layer.json").write_text("{}")
    shelf.weighed(layer)
    os.utime(layer / "layer.json", (time.time() - age_s,) * 2)
    return layer


def test_the_longest_unused_go_until_the_rest_fits(tmp_path: Path) -> None:
    old, middle, new = (made(tmp_path, f"r{n}/layer{n}", age_s=age) for n, age in enumerate((3e6, 2e6, 1e6)))
    assert shelf.prune(tmp_path, limit=1 << 30) == 0
    assert shelf.prune(tmp_path, limit=250_000) == 1
    assert (old.exists(), middle.exists(), new.exists()) == (False, True, True)
    shelf.used(middle)
    assert shelf.prune(tmp_path, limit=150_000) == 1
    assert (middle.exists(), new.exists()) == (True, False)
    assert not list(tmp_path.glob("*/.gone-*"))


def test_what_a_run_may_be_using_stays_however_large_it_is(tmp_path: Path) -> None:
    used = made(tmp_path, "r/layer", age_s=3600)
    assert shelf.prune(tmp_path, limit=0) == 0
    assert used.exists()
    assert shelf.prune(tmp_path, limit=0, safe_s=60) == 1


def test_a_layer_without_its_size_is_weighed(tmp_path: Path) -> None:
    layer = made(tmp_path, "r/layer", age_s=1e6, size=500_000)
    (layer / "size").unlink()
    assert shelf.prune(tmp_path, limit=400_000) == 1
