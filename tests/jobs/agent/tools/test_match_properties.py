"""What holds of every edit, whatever the file and the texts."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.agent.tools.lines import Lines, NotText, fold
from jobs.agent.tools.match import Ambiguous, Missed, apply, find

many = settings(max_examples=150, deadline=None, derandomize=True)

ROW = st.sampled_from(
    [
        "",
        "",
        " ",
        "a = 1",
        "    a = 1",
        "\ta = 1",
        "a=1",
        "a = 1  ",
        "b(“x”)",
        'b("x")',
        "    if b:",
        "...",
        "}",
        "caf\xe9",
    ]
)
END = st.sampled_from(["\n", "\n", "\r\n"])
TEXT = st.lists(st.tuples(ROW, END), max_size=12).map(lambda rows: "".join(row + end for row, end in rows))
WILD = st.text(st.sampled_from("ab =\t\r\n\x0b\u2028“\xe9…."), max_size=30)
CODE = st.sampled_from(["utf-8", "utf-16", "latin-1", "utf-8-sig"])


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes, str, str]:
    """A file, a part of it as a careless writer renders it, and what shall be there."""
    text = draw(st.one_of(TEXT, WILD))
    rows = text.split("\n")
    first = draw(st.integers(0, len(rows) - 1))
    part = rows[first : first + draw(st.integers(1, 4))]
    pen = draw(st.sampled_from([str, str.strip, str.rstrip, lambda r: f"  {r}", lambda r: r.replace(" = ", "=")]))
    old = draw(st.one_of(st.just("\n".join(map(pen, part))), TEXT, WILD))
    new = draw(st.one_of(TEXT, WILD, st.just(old.replace("a", "zz")), st.just("")))
    return text.encode(draw(CODE), "replace"), old, new


@many
@given(edits(), st.booleans(), st.one_of(st.none(), ROW))
def test_nothing_but_a_named_refusal_is_raised(
    edit: tuple[bytes, str, str], everywhere: bool, context: str | None
) -> None:
    with suppress(Missed, Ambiguous, NotText):
        apply(*edit, replace_all=everywhere, change_context=context)


@many
@given(edits(), st.booleans())
def test_bytes_outside_the_spliced_lines_never_change(edit: tuple[bytes, str, str], everywhere: bool) -> None:
    data, old, new = edit
    new = new.replace("\r", "")  # one that the file's line feed follows would read as a line end
    try:
        lines = Lines.decode(data)
        hits = find(lines, old, new, replace_all=everywhere).hits
        after = Lines.decode(apply(data, old, new, replace_all=everywhere).data)
    except (Missed, Ambiguous, NotText):
        return
    at, was, moved = 0, 0, 0
    for hit in hits:
        assert after.pieces[at : hit.first + moved] == lines.pieces[was : hit.first]
        shorter = not hit.new and hit.stop == len(lines.pieces)  # the line before is the last one now
        assert shorter or after.endings[at : hit.first + moved] == lines.endings[was : hit.first]
        moved += len(hit.new) - len(hit.given)
        at, was = hit.stop + moved, hit.stop
    assert after.pieces[at:] == (lines.pieces[was:] or after.pieces[at:])
    assert (after.bom, after.encoding) == (lines.bom, lines.encoding) or lines.encoding in ("utf-8", "latin-1")


@many
@given(TEXT.map(fold), st.data(), st.sampled_from(["\n", "\r\n"]))
def test_the_inverse_edit_gives_the_file_back(text: str, data: st.DataObject, end: str) -> None:
    rows = text.split("\n")
    at = data.draw(st.integers(0, len(rows) - 1))
    before = "\n".join([*rows[:at], "the_old = 1", *rows[at:]]).replace("\n", end).encode()
    made = data.draw(st.lists(ROW, max_size=3))
    new = "\n".join(["the_new = 2", *made, "the_end = 3"])
    after = apply(before, "the_old = 1", new).data
    assert after != before
    assert apply(after, new, "the_old = 1").data == before


@many
@given(st.binary(max_size=60), st.text(max_size=8), st.text(max_size=8))
def test_any_bytes_are_edited_or_refused(data: bytes, old: str, new: str) -> None:
    with suppress(Missed, Ambiguous, NotText):
        apply(data, old, new)
