"""On real fixes the tests that turn green are among those that matter for the files that the fix changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from matter_pairs import judge, line, pairs, share
from suite_project import layer_with_pytest

from jobs.sandbox.cell import Cells

LEAST, SHARE, LIMIT = 40, 0.9, 1_000


@pytest.mark.thorough
@pytest.mark.registry
@pytest.mark.timeout(2400)
def test_red_tests_of_real_fixes_matter(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "layer").mkdir(mode=0o755)
    layer = layer_with_pytest(tmp_path / "layer")
    with Cells.open(tmp_path / "cells") as cells:
        found = [judge(pair, cells, layer, tmp_path / f"{n}", LIMIT) for n, pair in enumerate(pairs())]
    rows = [row for row in found if row is not None]
    table = "\n".join([*map(line, rows), share(rows)])
    assert len(rows) >= LEAST, table
    assert sum(row.hit for row in rows) >= SHARE * len(rows), table
