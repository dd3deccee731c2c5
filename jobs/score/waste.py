"""Changes that change nothing: layout, comments, blank lines. Pure."""

from __future__ import annotations

import ast
import re

from jobs.score.hunks import Hunk

# Languages whose meaning does not hang on the white space between and before words.
_FREE = re.compile(r"\.([cm]?[jt]sx?|json|java|kt|go|rs|c|cc|cpp|h|hpp|cs|php|swift|scala|css|scss|less)$")
_HASH = re.compile(r"\.(py|pyi|rb|sh|toml|ya?ml|cfg|ini|pl|r|ex|exs)$")
_SLASHES = re.compile(r"\s*(//.*|/\*.*?\*/\s*|\*(\s.*|/\s*)?|/\*\*?[^/]*)?")
_HASHES = re.compile(r"\s*(#.*)?")
_QUOTES = re.compile(r"['\"`]")


def waste(hunk: Hunk, old: bytes | None, new: bytes) -> str | None:
    """Why taking `hunk` back changes nothing that runs, None if it might. `old` is the file without the hunk, `new`
    the file with it."""
    if hunk.kind != "text" or old is None:
        return None
    if hunk.file.endswith((".py", ".pyi")):
        return "the same syntax tree without it: layout or comments only" if _same_tree(old, new) else None
    removed, added = _texts(hunk.removed), _texts(hunk.added)
    if _all_idle(hunk.file, removed + added):
        return "comments or blank lines only"
    if _FREE.search(hunk.file) and _squeezed(removed) == _squeezed(added):
        return "layout only"
    return None


def documents_only(hunk: Hunk, old: bytes | None, new: bytes) -> bool:
    """True if the hunk changes nothing but docstrings."""
    if hunk.kind != "text" or old is None or not hunk.file.endswith((".py", ".pyi")):
        return False
    before, after = _parse(old), _parse(new)
    return before is not None and after is not None and _bare(before) == _bare(after)


def _texts(lines: tuple[bytes, ...]) -> list[str]:
    return [line.split(b"\n", 1)[0].decode("utf-8", "replace") for line in lines]


def _same_tree(old: bytes, new: bytes) -> bool:
    before, after = _parse(old), _parse(new)
    return before is not None and after is not None and ast.dump(before) == ast.dump(after)


def _parse(data: bytes) -> ast.Module | None:
    try:
        return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bare(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(
            body, list
        ):
            documented = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            if documented and isinstance(body[0].value.value, str):
                node.body = body[1:]
    return ast.dump(tree)


def _all_idle(path: str, lines: list[str]) -> bool:
    rule = _SLASHES if _FREE.search(path) else _HASHES if _HASH.search(path) else re.compile(r"\s*")
    return all(rule.fullmatch(line) for line in lines)


def _squeezed(lines: list[str]) -> list[str] | str:
    """Without white space; inside what may be a string only the line's ends are free."""
    if any(_QUOTES.search(line) for line in lines):
        return [line.strip() for line in lines if line.strip()]
    return re.sub(r"\s+", " ", re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(lines))).strip()
