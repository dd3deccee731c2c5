"""more: everything that was cut can be had, however long its lines are."""

from __future__ import annotations

import json
import re

import pytest

from jobs.agent.tools.further.more import more
from jobs.agent.tools.further.requests import More
from jobs.agent.tools.outputs import Outputs
from jobs.agent.tools.registry import call
from jobs.agent.tools.spec import BadCall, Bench

FILES = {"a.txt": "a\n"}
ASK = re.compile(r"call_tool more (\{.*\}) …\]")
TEXTS = {
    "one long line": "".join(f"{n}," for n in range(22_000)),
    "long lines between short ones": "\n".join(
        ["first", "x" * 30_000 + "y" * 60_000, "", "short", *("z" * 9_000 for _ in range(9)), "last"]
    ),
    "a long line at the end": "\n".join(["row"] * 3_000 + ["é" * 50_000 + "end"]),
    "many lines": "\n".join(map(str, range(9_000))),
}


def asked(text: str) -> More | None:
    """What a result says to ask for, where it says so."""
    found = ASK.search(text)
    return More(**json.loads(found[1])) if found else None


def rows_of(text: str) -> list[tuple[int, str]]:
    """(line, text) of the rows that a result of more shows; each at most once."""
    rows = [row.split("\t", 1) for row in text.split("\n")[1:] if not row.startswith("[… goes on")]
    return [(int(re.match(r"\d+", head)[0]), row) for head, row in rows]  # type: ignore[index]


@pytest.mark.parametrize("name", TEXTS)
def test_following_each_hint_gives_every_character(bench: Bench, name: str) -> None:
    text = TEXTS[name]
    cut = bench.outputs.capped(text).text
    head, tail = re.split(r"\n?\[… [^\n]* cut here[^\n]* …\]\n", cut)
    ask = asked(cut)
    lines: dict[int, str] = {}
    for _ in range(30):
        if ask is None:
            break
        first = ask.start not in lines
        done = more(ask, bench)
        assert len(done.content) < 41_000
        for number, row in rows_of(done.content):
            lines[number] = lines.get(number, "") + re.sub(r"\[… [\d,]+ more characters of this line …\]$", "", row)
        assert first or len(lines[ask.start]) > 40_000
        ask = asked(done.content)
        assert (ask is not None) == done.cut
    rest = "\n".join(lines[n] for n in sorted(lines))
    joined = head + ("\n" if min(lines) > 1 or not head else "") + rest
    assert joined == text
    assert text.endswith(tail)


def test_a_cut_inside_a_line_names_the_character(bench: Bench) -> None:
    done = call("shell", {"command": "head -c 108000 /dev/zero | tr '\\0' x"}, bench)
    ask = '{"output": 1, "start": 1, "character": 8001}'
    assert f"[… 84,000 characters of line 1 cut here; for the rest: call_tool more {ask} …]" in done.content
    page = more(More(1, 1, character=8001), bench)
    assert page.content.startswith("output 1, lines 1-1 of 1\n1, from character 8,001 on\txxx")
    assert '[… goes on: call_tool more {"output": 1, "start": 1, "character": ' in page.content


def test_the_end_that_was_asked_for_is_kept(bench: Bench) -> None:
    bench.outputs.capped(TEXTS["many lines"])
    done = more(More(1, start=10, end=3_000), bench)
    assert done.content.endswith('[… goes on: call_tool more {"output": 1, "start": 410, "end": 3000} …]')
    assert not more(More(1, start=10, end=20), bench).cut


def test_a_character_that_is_not_there_is_refused(bench: Bench) -> None:
    bench.outputs.capped(TEXTS["many lines"])
    for character in (0, 5):
        with pytest.raises(BadCall, match=f"line 12 has no character {character}: it has characters 1 to 2"):
            more(More(1, start=12, character=character), bench)


def test_an_output_within_its_limit_is_not_kept() -> None:
    outputs = Outputs()
    assert not outputs.capped("x" * 100, head=50, tail=50).cut
    assert outputs.numbers == ()
