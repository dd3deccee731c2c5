"""Reads JUnit XML as pytest, PHPUnit and Java's runners write it: bounded memory, document types refused. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from jobs.suite.parsed import MAX_BYTES, Parsed, Unreadable, gather, shorten
from jobs.suite.report import State

_OUTCOMES: dict[str, State] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_MAX_DEPTH = 32


Name = Callable[[str, str, str], str]  # class name, name, file


def parse(data: bytes) -> Parsed:
    """Ids are pytest's own: `path/to/file.py::Class::test[param]`. Raises Unreadable."""
    return _parse(data, test_id)


def parse_classes(data: bytes) -> Parsed:
    """Ids are `package.Class > test`, as Java's runners name them. Raises Unreadable."""
    return _parse(data, lambda classname, name, file: f"{classname or file} > {name}")


def parse_files(data: bytes) -> Parsed:
    """Ids are `path/to/file > Class::test`, as PHPUnit and Pest name them. Raises Unreadable."""
    return _parse(data, _in_file)


def _in_file(classname: str, name: str, file: str) -> str:
    path, _, inside = file.removeprefix("/src/").partition("::")
    shown = f"{classname.rpartition('.')[2]}::{name}" if classname and not inside else name
    return f"{path} > {shown}"


def _parse(data: bytes, named: Name) -> Parsed:
    if len(data) > MAX_BYTES:
        raise Unreadable(f"the report has {len(data)} bytes, more than {MAX_BYTES}")
    reader = _Reader(named)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as broken:
        raise Unreadable(f"the report is no XML: {broken}") from None
    if not reader.suites:
        raise Unreadable("the report holds no test suite")
    return gather(reader.rows)


def test_id(classname: str, name: str, file: str) -> str:
    """pytest's node id. `file` is where the test's code stands, which for an inherited test is another file."""
    if not classname:  # a file that could not be collected
        return file or name.replace(".", "/") + ".py"
    module = file.removesuffix(".py").replace("/", ".")
    if file and (classname == module or classname.startswith(module + ".")):
        classes = classname[len(module) + 1 :]
        return "::".join([file, *(classes.split(".") if classes else []), name])
    parts = classname.split(".")
    split = next((i for i, part in enumerate(parts) if i and part[:1].isupper()), len(parts))
    return "::".join(["/".join(parts[:split]) + ".py", *parts[split:], name])


@dataclass
class _Case:
    id: str
    state: State = "passed"
    texts: list[str] = field(default_factory=list)


class _Reader:
    """Collects the rows of one document while it is parsed."""

    def __init__(self, named: Name) -> None:
        self._named = named
        self.rows: list[tuple[str, State, str]] = []
        self.suites = 0
        self._case: _Case | None = None
        self._depth = 0
        self._inside = False
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    def _refuse(self, *_: object) -> None:
        # No runner writes one; it is how entity bombs and external files come in.
        raise Unreadable("the report declares a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Unreadable("the report is nested too deep")
        if name in ("testsuite", "testsuites"):
            self.suites += 1
        elif name == "testcase":
            get = attributes.get
            self._case = _Case(self._named(get("classname", ""), get("name", ""), get("file", "")))
        elif self._case is not None and name in _OUTCOMES:
            self._inside = True
            self._case.state = _OUTCOMES[name]
            self._case.texts.append(attributes.get("message", "") if name == "skipped" else "")

    def _text(self, text: str) -> None:
        if self._inside and self._case is not None and text.strip():
            self._case.texts.append(shorten(text))

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name in _OUTCOMES:
            self._inside = False
        elif name == "testcase" and self._case is not None:
            self.rows.append((self._case.id, self._case.state, "".join(self._case.texts).strip("\n")))
            self._case = None
