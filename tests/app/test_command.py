"""Commands: the first visible line, exactly as written, and no way to smuggle one in."""

from __future__ import annotations

import pytest

from app.command import VERBS, Command, parse_command


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_known(verb: str) -> None:
    assert parse_command(f"/agent {verb}") == Command(verb)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/agent fix", Command("fix")),
        ("\n  \n/agent fix\n", Command("fix")),
        ("   /agent fix", Command("fix")),
        ("/agent fix the parser, x=1 breaks", Command("fix", text="the parser, x=1 breaks")),
        ("/agent fix\r\nmore words\r\n\r\nand more", Command("fix", text="more words\n\nand more")),
        ("/agent\tfix", Command("fix")),
        (
            "/agent fix model=opus budget=1.5 now please",
            Command("fix", {"model": "opus", "budget": "1.5"}, "now please"),
        ),
        ('/agent fix tests="a b.py" force=yes', Command("fix", {"tests": "a b.py", "force": "yes"})),
        ("/agent fix colour=blue is wrong", Command("fix", text="colour=blue is wrong")),
        ("/agent", Command("help")),
        ("<!-- hidden -->\n/agent fix", Command("fix")),
        ("/agent ask ünïcödé?", Command("ask", text="ünïcödé?")),
        ("/agent fix \ud800", Command("fix", text="?")),
    ],
)
def test_command_is_read(body: str, expected: Command) -> None:
    assert parse_command(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "",
        "   \n\t\n",
        "please /agent fix",
        "hello\n/agent fix",
        "> /agent fix",
        "```\n/agent fix\n```",
        "~~~\n/agent fix\n~~~",
        "    /agent fix",
        "\t/agent fix",
        "`/agent fix`",
        "- /agent fix",
        "# /agent fix",
        "<!-- /agent fix -->",
        "<!--\n/agent fix\n-->",
        "<!-- never closed\n/agent fix",
        "<details>\n/agent fix\n</details>",
        "[//]: # (/agent fix)",
        "/Agent fix",
        "/AGENT fix",
        "/agentfix",
        "/agents fix",
        "/agent-fix",
        "\u200b/agent fix",
        "/\u200bagent fix",
        "／agent fix",  # a full-width solidus
        "/аgent fix",  # a Cyrillic letter
        "/agent\u00a0fix",
        "\\/agent fix",
        "On Monday Ann wrote:\n/agent fix",
    ],
)
def test_look_alikes_give_none(body: str) -> None:
    assert parse_command(body) is None


def test_verb_must_be_whole_and_exact() -> None:
    for body in ("/agent Fix", "/agent fixed", "/agent fix-now", "/agent fıx"):
        command = parse_command(body)
        assert command is not None
        assert command.verb == "help"
        assert "don't know" in command.problem


def test_misspelt_verb_and_option_are_named() -> None:
    verb, option = parse_command("/agent fxi it"), parse_command("/agent fix bugdet=3 it")
    assert verb is not None
    assert option is not None
    assert verb.problem == "I don't know that command. Did you mean `/agent fix`?"
    near = parse_command("/agent ask1 it")
    assert near is not None
    assert near.problem == "I don't know that command.", "what does not exist yet is not proposed"
    assert option.problem.startswith("I don't know the option `bugdet`; there are model, budget")


def test_prefix_can_be_chosen() -> None:
    assert parse_command("@bot fix", prefix="@bot") == Command("fix")
    assert parse_command("/agent fix", prefix="@bot") is None


def test_endless_text_is_cut() -> None:
    command = parse_command("/agent ask " + "x" * 100_000)
    assert command is not None
    assert len(command.text) == 32_000
