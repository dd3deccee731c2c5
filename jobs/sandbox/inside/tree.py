"""Which files a tree has, by git's own list where there is one: folders, globs, near names. Standard library only."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # importing typing would double the start-up of a script that runs at every call
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobs.sandbox.inside.wire import Child, program
else:
    from wire import Child, program

RG = "/opt/patchwright/bin/rg"
# Tool output that no one edits by hand; walking it would cost more than the rest of the tree.
SKIPPED = {".git", "node_modules", "__pycache__", ".venv", ".tox", ".nox", ".hypothesis"}
SKIPPED |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}
MADE = ".egg-info"  # how folders end that installing a project leaves beside its code; not listed


def listing(root: str, folder: str) -> list[str]:
    """Every file below `folder` that an editor would show, sorted: tracked ones, and others that are neither ignored
    nor generated."""
    paths = _tracked(root, folder) if os.path.exists(f"{root}/.git/index") else None
    return sorted(_searched(folder) if paths is None else paths)


def _tracked(root: str, folder: str) -> set[str] | None:
    """By git; None where it can't tell."""
    if folder != root and not folder.startswith(f"{root}/"):
        return None
    left_out = [f"--exclude={name}/" for name in (*sorted(SKIPPED), f"*{MADE}")]
    command = [program("git"), "-C", root, "ls-files", "-coz", "--exclude-standard", *left_out, "--"]
    try:
        with Child([*command, os.path.relpath(folder, root)]) as git:
            names = {os.fsdecode(name) for name in git.records(b"\0")}
            if git.late or git.ended():
                return None
    except OSError:
        return None
    paths: set[str] = set()
    for name in names:
        path = f"{root}/{name}".rstrip("/")
        try:
            inner = stat.S_ISDIR(os.lstat(path).st_mode)
        except OSError:
            continue  # tracked, and deleted since
        paths.update(_searched(path) if inner else [path])  # another repository, or what is tracked
    return paths


def _searched(folder: str) -> list[str]:
    """By ripgrep, or by hand where there is none."""
    globs = [f"--glob=!**/{name}" for name in (*sorted(SKIPPED), f"*{MADE}")]
    try:
        with Child([RG, "--no-config", "--files", "--hidden", "--no-ignore-dot", "--null", *globs, folder]) as rg:
            return [os.fsdecode(p) for p in rg.records(b"\0")]
    except OSError:
        return [p for p, _ in walk(folder) if f"{MADE}/" not in p[len(folder) :]]


def walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """(path, lstat) of every file and link below `folder`, ignored ones too, generated folders left out."""
    stack = [folder]
    while stack:
        try:
            entries = list(os.scandir(stack.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED:
                    stack.append(entry.path)
                continue
            try:
                yield entry.path, entry.stat(follow_symlinks=False)
            except OSError:
                continue


def ignored(root: str, name: str) -> bool:
    """Whether git's rules leave the untracked file out; False where there is no git to ask."""
    if not os.path.exists(f"{root}/.git/index"):
        return False
    try:
        with Child([program("git"), "-C", root, "check-ignore", "--quiet", "--", name]) as git:
            return git.ended() == 0
    except OSError:
        return False


def near(names: list[str], path: str) -> list[str]:
    """Up to three of `names` that the missing `path` may have meant."""
    name = os.path.basename(path.rstrip("/")).partition(":")[0].lower()  # a.py:12 means a.py
    same = [p for p in names if os.path.basename(p).lower() == name]
    stem = name.partition(".")[0]
    return (same or [p for p in names if len(stem) > 2 and stem in p.lower()])[:3]


def globbed(pattern: str) -> Callable[[str], bool]:
    """Whether a path matches the glob: `*` and `?` stay within a folder, `**` does not, `{a,b}` is either; without
    a slash it is the name that counts, in any folder."""
    import re  # noqa: PLC0415   slow to load, and only globs need it

    ways = {way for one in _branches(pattern) for way in (one, one.replace("[", "[[]"))}  # folders are named `[id]` too
    wanted = [re.compile(_expression(one), re.DOTALL) for one in ways]
    name_only = "/" not in pattern
    return lambda path: any(one.fullmatch(os.path.basename(path) if name_only else path) for one in wanted)


def _branches(pattern: str) -> list[str]:
    """`a.{b,c}` as `a.b` and `a.c`."""
    head, opened, rest = pattern.partition("{")
    middle, closed, tail = rest.partition("}")
    if not opened or not closed:
        return [pattern]
    return [f"{head}{part}{end}" for part in middle.split(",") for end in _branches(tail)]


def _expression(glob: str) -> str:
    """As a regular expression that never goes back over what a star took: the first place where the next words stand
    is as good as any later one, but behind the last star."""
    groups, crossed = _pieces(glob)
    ways = ["", *({"**/": "(?:.*?/)??", "**": ".*?"}[one] for one in crossed)]
    texts = ["".join(_starred(pieces, last=number == len(crossed))) for number, pieces in enumerate(groups)]
    *first, last = [way + text for way, text in zip(ways, texts, strict=True)]
    return "".join(f"(?>{one})" for one in first) + last


def _starred(pieces: list[str], *, last: bool) -> Iterator[str]:
    """`pieces` with what a star takes between them: within a folder."""
    yield pieces[0]
    for number, piece in enumerate(pieces[1:], 1):
        yield f"[^/]*{piece}" if last and number == len(pieces) - 1 else f"(?>[^/]*?{piece})"


def _pieces(glob: str) -> tuple[list[list[str]], list[str]]:
    """What stands between stars, as expressions, in groups between double stars; and these double stars."""
    groups, crossed, at = [[""]], [], 0
    while at < len(glob):
        if glob.startswith("**", at):
            crossed.append("**/" if glob.startswith("**/", at) else "**")
            groups.append([""])
            at += len(crossed[-1])
        elif glob[at] == "*":
            groups[-1].append("")
            at += 1
        else:
            word, at = _word(glob, at)
            groups[-1][-1] += word
    return groups, crossed


def _word(glob: str, at: int) -> tuple[str, int]:
    """The expression for the one character that `glob` asks for at `at`, and where it goes on."""
    if glob[at] == "?":
        return "[^/]", at + 1
    if glob[at] == "[" and "]" in glob[at + 2 :]:
        end = glob.index("]", at + 2)
        inner = glob[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
        return "[" + ("^/" + inner[1:] if inner[0] == "!" else inner) + "]", end + 1
    return ("\\" + glob[at] if glob[at] in ".^$+(){}|\\[]" else glob[at]), at + 1
