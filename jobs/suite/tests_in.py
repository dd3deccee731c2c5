"""The tests that stand in a file, by language. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_Found = tuple[str, frozenset[str], FunctionNode]  # class prefix, skips of its classes, the test


@dataclass(frozen=True)
class Test:
    """One test in a file: `skips` begin with `always` or `sometimes`, `asserts` counts its checks, `body` is equal
    for equal code whatever its layout."""

    name: str
    line: int
    asserts: int
    skips: frozenset[str]
    body: str

    @property
    def short(self) -> str:
        """The name without its class or group."""
        return re.split(r"\.| > ", self.name)[-1] if "." in self.name or " > " in self.name else self.name


def named_tests(path: str, data: bytes) -> dict[str, Test]:
    """The tests of the file by name; empty for a language without rules, or a file that does not parse."""
    if path.endswith(".py"):
        return {test.name: test for test in _python(data)}
    if re.search(r"\.[cm]?[jt]sx?$", path):
        return {test.name: test for test in _script(data.decode("utf-8", "replace"))}
    return {}


def parse_python(data: bytes) -> ast.Module | None:
    """The syntax tree, None where there is none."""
    try:
        return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python(data: bytes) -> Iterator[Test]:
    tree = parse_python(data)
    if tree is None:
        return
    marks = _module_skips(tree)
    for prefix, skips, function in _functions(tree.body, "", marks):
        own = frozenset(filter(None, map(_skip, function.decorator_list))) | _skips_inside(function)
        yield Test(
            name=prefix + function.name,
            line=function.lineno,
            asserts=sum(map(_is_check, _reached(function))),
            skips=skips | own,
            body=ast.dump(ast.Module([*function.body], [])),
        )


def _functions(body: list[ast.stmt], prefix: str, skips: frozenset[str]) -> Iterator[_Found]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            marks = frozenset(filter(None, map(_skip, node.decorator_list)))
            yield from _functions(node.body, f"{prefix}{node.name}.", skips | marks)
        elif isinstance(node, FunctionNode) and node.name.startswith("test"):
            yield prefix, skips, node


def _module_skips(tree: ast.Module) -> frozenset[str]:
    marks = [n.value for n in tree.body if isinstance(n, ast.Assign) and _dotted(n.targets[0]) == "pytestmark"]
    calls = [n.value for n in tree.body if isinstance(n, ast.Expr) and _dotted(n.value) == "pytest.skip"]
    flat = [m for mark in marks for m in (mark.elts if isinstance(mark, ast.List | ast.Tuple) else [mark])]
    return frozenset(filter(None, map(_skip, [*flat, *calls])))


def _skip(node: ast.expr) -> str | None:
    """`always …` or `sometimes …` for a mark or call that skips, else None."""
    last = _dotted(node).rsplit(".", 1)[-1]
    if last in ("skip", "skipTest", "xfail", "expectedFailure", "SkipTest"):
        conditional = isinstance(node, ast.Call) and last == "xfail" and node.args
        return f"{'sometimes' if conditional else 'always'} {last}"
    if last in ("skipif", "skipIf", "skipUnless"):
        constant = isinstance(node, ast.Call) and node.args[:1] and isinstance(node.args[0], ast.Constant)
        return f"{'always' if constant else 'sometimes'} {last}"
    return None


def _skips_inside(function: FunctionNode) -> frozenset[str]:
    """A skip among the first statements holds always; one inside a condition sometimes."""
    direct = [n.value for n in function.body if isinstance(n, ast.Expr)]
    direct += [n.exc for n in function.body if isinstance(n, ast.Raise) and n.exc is not None]
    found = {_skip(node) for node in direct if isinstance(node, ast.Call)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node not in direct and node not in function.decorator_list:
            name = _dotted(node)
            if name in ("pytest.skip", "pytest.xfail", "self.skipTest"):
                found.add(f"sometimes {name}")
    return frozenset(filter(None, found))


def _reached(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes before an unconditional end of the function."""
    for statement in function.body:
        yield from ast.walk(statement)
        if isinstance(statement, ast.Return | ast.Raise):
            return


def _is_check(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return not (isinstance(node.test, ast.Constant) and node.test.value)
    if isinstance(node, ast.Call):
        name = _dotted(node).rsplit(".", 1)[-1]
        return name.lower().startswith(("assert", "expect")) or name in ("raises", "warns", "fail", "approx", "check")
    return False


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_CASE = re.compile(
    r"(?<![\w.$])(?P<word>x?it|x?test|x?describe|f(?:it|describe)|suite|specify)"
    r"(?P<mark>(?:\.\w+)*)\s*\(\s*(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote)",
)
_CHECK = re.compile(r"\b(expect|assert\w*|should)\b\s*[.(]|\bt\.(is|deepEqual|equal|ok|throws|same|true|false)\(")
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"`\\])//[^\n]*", re.DOTALL)


def _script(source: str) -> Iterator[Test]:
    """Tests by rule: from one test's title to the next is its body."""
    text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), source)
    cases = list(_CASE.finditer(text))
    for number, case in enumerate(cases):
        end = cases[number + 1].start() if number + 1 < len(cases) else len(text)
        body = text[case.end() : end]
        if case["word"].endswith(("describe", "suite")) and not _script_skips(case):
            continue
        yield Test(
            name=case["title"],
            line=text.count("\n", 0, case.start()) + 1,
            asserts=len(_CHECK.findall(body)),
            skips=_script_skips(case) | _script_options(body),
            body="".join(body.split()),
        )


def _script_skips(case: re.Match[str]) -> frozenset[str]:
    marks = {mark for mark in case["mark"].split(".") if mark in ("skip", "todo", "only", "fails", "failing")}
    if case["word"].startswith("x"):
        marks.add("skip")
    if case["word"].startswith("f"):
        marks.add("only")
    return frozenset(f"always {mark}" for mark in marks)


def _script_options(body: str) -> frozenset[str]:
    found = re.match(r"\s*,\s*\{[^}]*\b(skip|todo|only)\s*:\s*(?!false)", body)
    inside = re.search(r"\b(?:t|this|ctx|context)\.(skip|todo)\(", body)
    return frozenset(f"always {m.group(1)}" for m in (found, inside) if m)
