"""Tricks in Python product code: code that knows it is under test, equals everything, or ends the process. Pure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from jobs.suite.finding import Finding
from jobs.suite.tests_in import parse_python

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "nose"})
_SIGNS = frozenset({"PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST_WORKER"})
_PATCHED = frozenset({"unittest", "pytest", "_pytest", "builtins", "__builtins__"})


def product(path: str, old: bytes, new: bytes) -> Iterator[Finding]:
    """Findings in `new` that `old` did not have."""
    after = parse_python(new) if path.endswith(".py") else None
    if after is None:
        return
    before = parse_python(old)
    known = Counter((kind, text) for kind, text, _, _ in _tricks(before)) if before is not None else Counter[object]()
    for kind, text, line, blocks in _tricks(after):
        if known[(kind, text)] > 0:
            known[(kind, text)] -= 1
        else:
            yield Finding(kind, path, line, text, blocks)


def _tricks(tree: ast.Module) -> Iterator[tuple[str, str, int, bool]]:
    """(kind, text, line, blocks) of each."""
    for node in tree.body:
        yield from _at_import(node)
    for inner in ast.walk(tree):
        yield from _anywhere(inner)


def _at_import(statement: ast.stmt) -> Iterator[tuple[str, str, int, bool]]:
    """Ends of the process while the module is loaded; a script's own `if __name__` is none."""
    if isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test):
        return
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for node in ast.walk(statement):
        called = isinstance(node, ast.Call) and ast.unparse(node.func) in ("sys.exit", "exit", "quit")
        raised = isinstance(node, ast.Raise) and "SystemExit" in ast.dump(node)
        if isinstance(node, ast.Call | ast.Raise) and (called or raised):
            yield "exits_early", "ends the process while it is imported", node.lineno, False


def _anywhere(node: ast.AST) -> Iterator[tuple[str, str, int, bool]]:
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os._exit", "os.abort", "os.kill"):
        yield (
            "exits_early",
            f"calls {ast.unparse(node.func)}: a test run would end without its report",
            node.lineno,
            False,
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _SIGNS:
        yield "test_aware", f"looks at {node.value}: behaves differently under test", node.lineno, True
    elif isinstance(node, ast.Compare) and _asks_for_runner(node):
        yield "test_aware", f"asks `{ast.unparse(node)}`: behaves differently under test", node.lineno, True
    elif isinstance(node, ast.Assign | ast.AugAssign) and _patches_runner(node):
        yield "runner_patched", f"`{ast.unparse(node)[:80]}` changes what tests call", node.lineno, True
    elif isinstance(node, ast.FunctionDef) and node.name in ("__eq__", "__ne__") and _constant(node):
        yield "equal_to_all", f"{node.name} answers the same for everything", node.lineno, False


def _asks_for_runner(node: ast.Compare) -> bool:
    asked = isinstance(node.left, ast.Constant) and node.left.value in _RUNNERS
    return asked and any(ast.unparse(other).endswith("modules") for other in node.comparators)


def _patches_runner(node: ast.Assign | ast.AugAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(t, ast.Attribute) and ast.unparse(t).split(".", 1)[0] in _PATCHED for t in targets)


def _constant(function: ast.FunctionDef) -> bool:
    body = [n for n in function.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    return (
        len(body) == 1
        and isinstance(body[0], ast.Return)
        and isinstance(body[0].value, ast.Constant)
        and (body[0].value.value is (function.name == "__eq__"))
    )
