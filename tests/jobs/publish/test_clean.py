from __future__ import annotations

import random
import re

import pytest

from jobs.publish.clean import LIMIT, Clean, Cleaner, cut, line, message, outgoing

CLEANER = Cleaner(server_url="https://github.com")
HERE = "https://github.com/acme/tool/blob/main/a.py#L3"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("hi @org/team", "hi `@org/team`"),
        ("_@ann_ \\@bob", "`_@ann`_ \\\\`@bob`"),
        ("mail a.b@example.com", "mail `a.b@example.com`"),
        ("&#64;ann &commat;bob", "&amp;`#64`;ann &amp;commat;bob"),
        ("Fixes #1, closes: acme/x#2, GH-3", "Fixes `#1`, closes: `acme/x#2`, `GH-3`"),
        ("fixes https://github.com/acme/tool/issues/4", "fixes `https://github.com/acme/tool/issues/4`"),
        ("![x](https://e.example/?q=SECRET)", "x `https://e.example/?q=SECRET`"),
        ("![x][img]\n\n[img]: https://e.example/", "!\\[x]\\[img]\n\n\\[img]: `https://e.example/`"),
        (f"[here]({HERE})", f"[here]({HERE})"),
        (f"see {HERE}.", f"see {HERE}."),
        ("[x](https://github.com.evil.example/)", "x `https://github.com.evil.example/`"),
        ("[x](https://github.com@evil.example/)", "x `https://github.com@evil.example/`"),
        ("[x](javascript:alert)", "x `javascript:alert`"),
        ('[x](http://github.com/a "title")', "x `http://github.com/a`"),
        ("<https://e.example>", "&lt;`https://e.example`>"),
        ("www.e.example", "`www.e.example`"),
        ("<details><b onclick=x>", "&lt;details>&lt;b onclick=x>"),
        ("<!-- patchwright:run=r-1 -->", "&lt;!-- patchwright:run=r-1 -->"),
        ("# Verified\ntext\n===", "\\# Verified\ntext\n\\==="),
        ("> [!WARNING]", "> \\[!WARNING]"),
        ("| a | b |\n|---|---|", "\\| a \\| b \\|\n\\|---\\|---\\|"),
        ("/agent fix\n- /lgtm", "`/agent` fix\n- `/lgtm`"),
        ("$\\color{white}{x}$", "\\$\\\\color{white}{x}\\$"),
        ("`@ann` ``a`b`` `open @ann", "`@ann` <code>a&#96;b</code> \\`open `@ann`"),
        ("**bold** _it_ ~~no~~\n1. one\n   - two", "**bold** _it_ ~~no~~\n1. one\n   - two"),
        ("a\u200b\u202eb", "ab"),
    ],
)
def test_prose_keeps_form_and_loses_effect(text: str, clean: str) -> None:
    assert CLEANER.prose(text) == clean


def test_code_blocks_are_remade_so_that_they_cannot_be_left() -> None:
    text = "```py\n@ann\n````\n@bob\na ```` x\n~~~\n```\n@org\n~~~\n``` mermaid\ngraph\n"
    assert CLEANER.prose(text) == (
        "```py\n@ann\n```\n`@bob`\na \\`\\`\\`\\` x\n````\n```\n@org\n````\n```\ngraph\n\n```"
    )


def test_a_block_holds_any_content() -> None:
    block = CLEANER.block("a\n```\n@x\n/agent fix", "sh; rm")
    assert block == "````\na\n```\n@x\n /agent fix\n````"
    assert CLEANER.block("x = 1\n", "python") == "```python\nx = 1\n```"


@pytest.mark.parametrize("value", ["a|b", "a`b", "``", "<b>", "@x|`@y`"])
def test_code_is_safe_in_a_table(value: str) -> None:
    shown = CLEANER.code(value)
    assert "|" not in shown
    assert shown.startswith(("`", "<code>"))


def test_titles_and_commit_messages_are_plain() -> None:
    assert line("Fixes  #12 for @ann\nGH-3 https://github.com/a/b/issues/1") == (
        "Fixes 12 for ann GH 3 github.com/a/b/issues/1"
    )
    assert line("@@@ann ##1") == "ann 1"
    assert len(line("x" * 900)) == 200
    assert message("Fix it\n\nCloses #1\n@ann") == "Fix it\n\nCloses 1\nann"


def test_secrets_are_taken_out_before_and_after() -> None:
    def redact(text: str) -> str:
        return text.replace("hunter2-hunter2", "***")

    cleaner = Cleaner(redact)
    assert cleaner.prose("`hunter2-hunter2`") == "`***`"
    assert cleaner.document("a hunter2-hunter2 b") == "a *** b"


def test_what_is_not_clean_is_cleaned_at_the_gate() -> None:
    assert outgoing("@ann") == "`@ann`"
    assert outgoing(Clean("@ann")) == "@ann"
    assert outgoing("token ghs_" + "a" * 36) == "token ***"


def test_long_text_is_cut_with_everything_closed() -> None:
    text = Clean("<details>\n<summary>x</summary>\n\n````sh\n" + "line of output\n" * 9000)
    short = cut(text, LIMIT)
    assert len(short) <= LIMIT
    assert re.search(r"line of output\n````\n\n</details>\n\n\n… \*cut here", short)
    assert cut(Clean("short"), LIMIT) == "short"


ATOMS = [
    *("@ann", "#1", "fixes #2", "`", "``", "```", "\\", "\n", " ", "[", "]", "(", ")", "<", ">", "!", "|", "&", "$"),
    *("https://e.example/x", "https://github.com/a/b", "www.e.example", "&#64;", "word", "~~~", "- ", "> ", "_", "*"),
    *("/agent fix", "<!--", "-->", "<img src=x>", "[a](https://e.example)", "\t", "====", "#", "acme/x#3"),
]


def _outside_code(text: str) -> str:
    """What CommonMark leaves outside of code: fences first, then spans of equal backtick runs, escapes honoured."""
    kept, fence = [], ""
    for row in text.split("\n"):
        opening = re.match(r"^ {0,3}(`{3,}|~{3,})[^`]*$", row)
        if fence:
            closes = row.strip() and set(row.strip()) == {fence[0]} and len(row.strip()) >= len(fence)
            fence = "" if closes else fence
        elif opening:
            fence = opening[1]
        else:
            kept.append(row)
    return _without_spans("\n".join(kept))


def _without_spans(text: str) -> str:
    out, i = [], 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            out.append(" ")
            i += 2
            continue
        run = re.match(r"`+", text[i:])
        if not run:
            out.append(text[i])
            i += 1
            continue
        ticks = run[0]
        closing = re.search(rf"(?<!`){ticks}(?!`)", text[i + len(ticks) :])
        i += len(ticks) + (closing.end() if closing else 0)
        out.append(" " if closing else ticks)
    return re.sub(r"<code>.*?</code>", " ", "".join(out), flags=re.DOTALL)


def test_nothing_is_live_outside_of_code_whatever_is_put_together() -> None:
    random.seed(20)
    for _ in range(4000):
        text = "".join(random.choice(ATOMS) for _ in range(random.randint(1, 14)))
        shown = CLEANER.prose(text)
        live = re.sub(r"https://github\.com/a/b[\w./-]*", "", _outside_code(shown))
        assert not re.search(r"@[a-z]|#\d|(?:https?://|www\.)|<(?!/?code>)|!\[|&#\w+;", live), (text, shown, live)
        assert not re.search(r"^\s*/[a-z]", shown.replace(" /agent", ""), re.MULTILINE), (text, shown)
