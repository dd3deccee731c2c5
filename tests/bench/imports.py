"""How long the import graph of a large tree takes, against parsing all: `python tests/bench/imports.py [FILES]`."""

from __future__ import annotations

import ast
import random
import sys
import tempfile
import time
from pathlib import Path

from jobs.agent.graph import Imports
from jobs.agent.matter import matter
from jobs.sandbox.cell import Cells

_BODY = "def f(x):\n    return x + 1\n\n\n" * 200
_PACKAGES = 40


def grow(tree: Path, files: int) -> list[Path]:
    """Packages whose modules import each other, and a file of tests for every fourth."""
    chance, made = random.Random(1), []
    each = files * 4 // 5 // _PACKAGES
    for number in range(files):
        module = f"pkg/m{number % _PACKAGES}/s{number // _PACKAGES}.py"
        path = tree / (module if number < each * _PACKAGES else f"tests/test_{number}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        wishes = [f"from pkg.m{chance.randrange(_PACKAGES)}.s{chance.randrange(each)} import f\n" for _ in range(8)]
        path.write_text("".join(wishes) + _BODY)
        made.append(path)
    for folder in (tree / "pkg", *(tree / "pkg").iterdir()):
        (folder / "__init__.py").write_text("")
    return made


def main(files: int) -> None:
    """Prints seconds and their ratio to parsing."""
    with tempfile.TemporaryDirectory() as folder, Cells.open(Path(folder, "data")) as cells:
        Path(folder).chmod(0o755)
        tree = Path(folder, "tree")
        paths = grow(tree, files)
        started = time.perf_counter()
        for path in paths:
            ast.parse(path.read_bytes())
        parsing = time.perf_counter() - started
        cells.own(tree)
        imports = Imports(cells.on(tree))
        for name in ("all read", "one read anew"):
            started = time.perf_counter()
            graph = imports.after(["pkg/m1/s1.py"])
            seconds = time.perf_counter() - started
            print(f"{len(graph)} files, {name}: {seconds:.2f} s, {seconds / parsing:.2f} of {parsing:.2f} s of parsing")
        ids = [f"{path}::test_{n}" for path in graph if path.startswith("tests/") for n in range(10)]
        started = time.perf_counter()
        found = matter(["pkg/m1/s1.py"], graph, ids)
        print(f"{len(found)} of {len(ids)} tests chosen in {time.perf_counter() - started:.3f} s")


if __name__ == "__main__":
    main(int("".join(sys.argv[1:]) or 2_000))
