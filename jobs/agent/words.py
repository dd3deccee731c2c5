"""The words of a request: what to search for, and which red tests they concern. Pure."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from jobs.agent.tools.known import is_test_file
from jobs.agent.tools.reds import FRAME, place
from jobs.suite.prose import is_prose
from jobs.suite.report import Report
from jobs.tasks.task import Task

MOST_PATTERNS = 8

_CODE = re.compile(r"`([^`\n]{3,80})`")
_NAME = re.compile(r"\b(?:[A-Za-z_]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|\w+(?:\.[a-z_]\w+)+)\b")
_QUOTED = re.compile(r"[\"'“]([^\"'“”\n]{4,60})[\"'”]")
_WORD = re.compile(r"\b[A-Za-z]{5,}\b")
_CALL = re.compile(r"([A-Za-z_$][\w$.]*)\(.*\)?")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+")
# The last part of a name with dots that is no name: files and hosts are searched for as they stand.
_ENDINGS = re.compile(
    r"\.(?:py|pyi|[cm]?[jt]sx?|json|toml|ya?ml|md|rst|txt|cfg|ini|html?|css|csv|xml|sh|go|rs|c|h|cc|cpp|hpp|java|rb|php|"
    r"lock|com|org|net|io|dev)$"
)
_EXCEPTIONS = frozenset(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
_EXCEPTIONS |= {"Error", "RangeError", "ReferenceError", "EvalError", "URIError", "DOMException"}
_VALUES = frozenset({"None", "True", "False", "null", "undefined", "true", "false", "self", "this"})
_PROSE = """
    about above after again always another because before being below between cannot could error every expected fails
    first found given however instead issue maybe might never other please problem really result returns right
    should since something still their there these thing think those though through under until value using wants
    where which while would wrong
"""
_COMMON = frozenset(_PROSE.split())
# Also say nothing in the id or path of a test.
_TEST_PROSE = """
    assert case code else fail failed failure false from have index init lib line main module none null self spec src
    test tests that then this true unit when with
"""
_VAGUE = _COMMON | frozenset(_TEST_PROSE.split())


def asked(task: Task) -> str:
    """All words of the request."""
    return f"{task.title}\n{task.body}\n{task.instructions}"


def words(task: Task) -> tuple[tuple[str, ...], bool]:
    """What to search for, and whether it is worth showing: code and names of the request are; where there are none,
    its plain words only help to choose files."""
    text = asked(task)
    prose = _CODE.sub(" ", text)
    strong = [*_CODE.findall(text), *_NAME.findall(prose), *_QUOTED.findall(prose)]
    found = dict.fromkeys(part for w in strong if not w.startswith("http") for part in _searchable(w.strip()))
    if found:
        own = [w for w in found if w not in _EXCEPTIONS and w not in _VALUES]
        return tuple(own or found)[:MOST_PATTERNS], True
    plain = dict.fromkeys(w for w in _WORD.findall(text.lower()) if w not in _COMMON)
    return tuple(plain)[:MOST_PATTERNS], False


def concerned(text: str, report: Report) -> frozenset[str]:
    """The red tests that share a word with `text` in their id, message or frames; all where none does.

    A word that every one of them has, like the package's name, tells nothing unless it is all there is.
    """
    wanted = _terms(text)
    shared = {test: wanted & _terms(_about(test, report)) for test in report.red}
    many = Counter(word for terms in shared.values() for word in terms)
    telling = {word for word, times in many.items() if times < len(shared)}
    chosen = frozenset(test for test, terms in shared.items() if terms & telling)
    return chosen or report.red


def specific(patterns: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
    """`patterns` without those that are the name of a source file or of a folder of sources, like the package's, which
    would match everywhere; all where nothing else is left. A fixture's name says nothing of that."""
    sources = (path for path in paths if not is_test_file(path) and not is_prose(path))
    names = {part.split(".")[0] for path in sources for part in path.split("/")}
    return tuple(p for p in patterns if p not in names) or tuple(patterns)


def loose(word: str) -> str:
    """A regular expression that finds a name however its parts are joined (strip_comments, StripComments), anything
    else as it stands. All in lower case, it ignores case."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower().split("_")
    if len(parts) > 1 and all(re.fullmatch(r"[a-z0-9]{2,}", part) for part in parts):
        return "_?".join(parts)
    if re.fullmatch(r"[a-z]{1,6}", word):  # `mark` is not meant by markdown, but by render_mark
        return rf"(?:\b|_){word}(?:\b|_)"
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", word)


def _searchable(word: str) -> list[str]:
    """A call's name and its arguments' names, the last part of a dotted name; anything else as it stands."""
    call = _CALL.fullmatch(word)
    if call is None:
        return [_last(word)]
    return [_last(call[1]), *re.findall(r"\b([A-Za-z_]\w{3,})\s*=(?!=)", word)]


def _last(name: str) -> str:
    if _DOTTED.fullmatch(name) and not _ENDINGS.search(name):
        last = name.rsplit(".", 1)[-1]
        return last if len(last) > 2 else name
    return name


def _about(test: str, report: Report) -> str:
    """What tells a red test's subject: not the code around it, which names everything."""
    text = report.failures.get(test, "")
    frames = [path or other for path, _, other, _ in FRAME.findall(text)]
    return "\n".join([test, *frames, place(text)[1]])


def _terms(text: str) -> frozenset[str]:
    return frozenset(_parts(re.findall(r"[A-Za-z]\w{2,}", text)))


def _parts(names: Iterable[str]) -> Iterable[str]:
    """The names and what they are joined from, lower case, without a plural's ending."""
    for name in names:
        for part in {name, *name.split("_"), *re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).split("_")}:
            low = part.lower()
            if len(low) > 2 and low not in _VAGUE and name not in _EXCEPTIONS:
                yield low.removesuffix("s")
