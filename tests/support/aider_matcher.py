"""Answers edits with aider's own matcher, one JSON object a line: `python aider_matcher.py editblock_coder.py`.

Only the module's functions are loaded: its class needs the whole chat program.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def functions(path: Path) -> dict[str, Any]:
    """The module's functions and constants."""
    tree = ast.parse(path.read_text())
    kept = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.Assign, ast.Import)) or _foreign(n)]
    names: dict[str, Any] = {"__name__": "editblock"}
    exec(compile(ast.Module(kept, []), str(path), "exec"), names)
    return names


def _foreign(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and not node.level and node.module != "aider"


def main(path: Path) -> None:
    """One answer a question: the new bytes (null: refused) and the milliseconds."""
    replace = functions(path)["do_replace"]
    with tempfile.NamedTemporaryFile() as there:
        for line in sys.stdin:
            asked = json.loads(line)
            data, old, new = base64.b64decode(asked["data"]), asked["old"], asked["new"]
            try:
                text = io.TextIOWrapper(io.BytesIO(data), "utf-8").read()  # as aider reads: line ends become \n
                started = time.perf_counter()
                made = replace(there.name, text, old, new, ("```", "```"))
                ms = (time.perf_counter() - started) * 1000
            except (ValueError, AssertionError):
                made, ms = None, 0.0
            answer = None if made is None or made == text else base64.b64encode(made.encode()).decode()
            sys.stdout.write(json.dumps({"data": answer, "ms": ms}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
