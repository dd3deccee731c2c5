"""What weaker endpoints send is put right where it is clear what was meant, is named, and nothing else is touched."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.agent.tools.arguments import check
from jobs.agent.tools.registry import TOOLS, blocks
from jobs.model.base import Request
from jobs.model.lenient import objects, strict
from jobs.model.normalise import Mended, Unreadable, normalise
from jobs.model.second_names import ARGUMENTS, COMMANDS
from jobs.model.second_names import TOOLS as SECOND

REQUEST = Request((), blocks(), ({"role": "user", "content": []},) * 3, 1000)
EDIT = {"path": "a.py", "old_string": "x", "new_string": "y"}


def call(name: str, given: Any, ident: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": name, "input": given}


def mended(name: str, given: Any, raw: str | None = None) -> Mended:
    unread = {} if raw is None else {"toolu_1": raw}
    return normalise((call(name, given),), "tool_use", unread, REQUEST)


NATIVE = [
    ("edit", {"edits": [EDIT, {**EDIT, "replace_all": True, "change_context": "def f"}]}),
    ("readfile", {"paths": ["a.py"], "ranges": [{"path": "b", "start": 1, "end": 2}]}),
    ("readfile", {}),
    ("search", {"patterns": ["a"], "regex": False, "context": 0}),
    ("write_file", {"files": [{"path": "a", "content": '{"query": "```json"}'}]}),
    ("shell", {"command": "ls", "timeout_s": 2.5}),
    ("run_tests", {"tests": ["t::a"]}),
    ("no_such_tool", {"file_path": "a"}),
]


@pytest.mark.parametrize(("name", "given"), NATIVE)
def test_well_formed_calls_pass_untouched(name: str, given: dict[str, Any]) -> None:
    reply = ({"type": "thinking", "thinking": "x", "signature": "s"}, call(name, given))
    result = normalise(reply, "tool_use", {}, REQUEST)
    assert result.blocks is reply
    assert result.notes == ()


MENDS: list[tuple[str, Any, str, Any]] = [
    ("str_replace", {"file_path": "a.py", "old_str": "x", "new_str": "y"}, "edit", {"edits": [EDIT]}),
    ("edit", EDIT, "edit", {"edits": [EDIT]}),
    ("edit", {"edits": EDIT}, "edit", {"edits": [EDIT]}),
    ("edit", {"edits": '[{"path": "a.py", "old_string": "x", "new_string": "y"}]'}, "edit", {"edits": [EDIT]}),
    ("edit", {"edits": [{"path": "a.py", "search": "x", "replace": "y"}]}, "edit", {"edits": [EDIT]}),
    ("edit", {**EDIT, "replace_all": "true"}, "edit", {"edits": [{**EDIT, "replace_all": True}]}),
    ("edit", '{"edits": [{"path": "a.py", "old_string": "x", "new_string": "y"}]}', "edit", {"edits": [EDIT]}),
    ("bash", {"cmd": "ls", "description": "Lists."}, "shell", {"command": "ls"}),
    ("shell", {"command": "ls", "timeout_s": "30"}, "shell", {"command": "ls", "timeout_s": 30}),
    (
        "grep",
        {"pattern": "a|b", "path": "src", "regex": True},
        "search",
        {"patterns": ["a|b"], "paths": ["src"], "regex": True},
    ),
    ("search", {"query": "a", "include": "*.py"}, "search", {"patterns": ["a"], "glob": "*.py"}),
    ("search", {"patterns": '["a", "b"]'}, "search", {"patterns": ["a", "b"]}),
    ("search", {"patterns": "[ab]"}, "search", {"patterns": ["[ab]"]}),
    ("read_file", {"file_path": "a.py"}, "readfile", {"paths": ["a.py"]}),
    (
        "view",
        {"path": "a.py", "start_line": 3, "end_line": "9"},
        "readfile",
        {"ranges": [{"path": "a.py", "start": 3, "end": 9}]},
    ),
    ("readfile", {"path": "a.py", "line": 4}, "readfile", {"anchor_lines": [{"path": "a.py", "line": 4}]}),
    ("readfile", {"files": ["a.py"]}, "readfile", {"paths": ["a.py"]}),
    ("readfile", {"list_matches": '{"pattern": "x"}'}, "readfile", {"list_matches": {"pattern": "x"}}),
    ("create_file", {"path": "a", "file_text": "t"}, "write_file", {"files": [{"path": "a", "content": "t"}]}),
    ("write_file", {"path": "a", "text": "[1]"}, "write_file", {"files": [{"path": "a", "content": "[1]"}]}),
    ("run_tests", {"test": "t.py"}, "run_tests", {"tests": ["t.py"]}),
    (
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"},
        "edit",
        {"edits": [EDIT]},
    ),
    ("str_replace_editor", {"command": "view", "path": "a.py"}, "readfile", {"paths": ["a.py"]}),
]


@pytest.mark.parametrize(("name", "given", "tool", "meant"), MENDS, ids=lambda v: str(v)[:40])
def test_clear_slips_are_mended_and_named(name: str, given: Any, tool: str, meant: Any) -> None:
    result = mended(name, given)
    assert [(b["name"], b["input"], b["id"]) for b in result.blocks] == [(tool, meant, "toolu_1")]
    assert result.notes
    check(TOOLS[tool].arguments, result.blocks[0]["input"])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("edit", {"path": "a.py", "old": "x", "old_text": "z", "new_string": "y"}),  # which of the two is it?
        ("shell", {"command": "ls", "cmd": "rm"}),  # its place is taken
        ("edit", {"path": "a.py"}),  # not enough to be an edit
        ("search", {"patterns": ["a"], "mood": "good"}),
        ("shell", {"command": "ls", "timeout": 5000}),  # of what unit?
        ("shell", "ls"),
        ("readfile", {"path": "a", "paths": ["b"], "file": "c"}),
    ],
    ids=str,
)
def test_what_is_not_clear_goes_to_the_tool_as_it_came(name: str, given: Any) -> None:
    if isinstance(given, str):
        with pytest.raises(Unreadable):
            mended(name, given)
        return
    result = mended(name, given)
    assert (result.blocks[0]["input"], result.notes) == (given, ())


def test_remarks_are_left_out_but_said() -> None:
    result = mended("shell", {"command": "ls", "explanation": "why"})
    assert result.blocks[0]["input"] == {"command": "ls"}
    assert result.notes == ("shell: explanation left out",)


LOOSE: list[tuple[str, list[Any]]] = [
    ('{"command": "ls",}', [{"command": "ls"}]),
    ("{'command': 'echo \"a\"', 'timeout_s': 5}", [{"command": 'echo "a"', "timeout_s": 5}]),
    ('{"command": "a\nb"}', [{"command": "a\nb"}]),
    ('{"command": "x,}"}{"command": "y"}', [{"command": "x,}"}, {"command": "y"}]),
    ('[{"command": "x"}, {"command": "y"}]', [{"command": "x"}, {"command": "y"}]),
    ('{"command": "x"},\n{"command": "y"}', [{"command": "x"}, {"command": "y"}]),
    ("{'command': 'é\\n\\'x\\'', 'flag': True, 'none': None}", [{"command": "é\n'x'", "flag": True, "none": None}]),
]


@pytest.mark.parametrize(("raw", "meant"), LOOSE)
def test_loose_json_is_read(raw: str, meant: list[Any]) -> None:
    assert objects(raw) == meant


@pytest.mark.parametrize(
    "raw",
    ['{"command": "ls', '{"command": "ls"', "ls -la", "", "[1, 2]", '{"a": 1 2}', '{"a": NaN}', "{'it's': 1}", '"x"'],
)
def test_half_or_unclear_json_is_not(raw: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        objects(raw)
    with pytest.raises(Unreadable):
        mended("shell", {}, raw=raw)


def test_no_number_that_json_lacks_is_taken() -> None:
    with pytest.raises(ValueError, match="Infinity"):
        strict('{"a": -Infinity}')


def test_several_objects_become_several_calls_or_several_edits() -> None:
    shell = mended("shell", {}, raw='{"command": "a"}{"command": "b"}')
    assert [(b["id"], b["input"]["command"]) for b in shell.blocks] == [("toolu_1", "a"), ("toolu_1_2", "b")]
    flat = '{"path": "a.py", "old_string": "x", "new_string": "y"}'
    edits = mended("edit", {}, raw=f"{flat}\n{flat}")
    assert [b["input"] for b in edits.blocks] == [{"edits": [EDIT, EDIT]}]


WRAPPED = [
    'First.\n```json\n{"name": "shell", "arguments": {"command": "ls"}}\n```\nThen.',
    'First.\n<tool_call>\n{"name": "bash", "arguments": "{\\"cmd\\": \\"ls\\"}"}\n</tool_call>\nThen.',
    "First.\n<tool_call><function=shell>\n<parameter=command>\nls\n</parameter>\n</function></tool_call>\nThen.",
    'First.\n```tool_call\n{"function": {"name": "shell", "parameters": {"command": "ls"}}}\n```\nThen.',
]


@pytest.mark.parametrize("text", WRAPPED)
def test_calls_in_the_text_are_found(text: str) -> None:
    result = normalise(({"type": "text", "text": text},), "end_turn", {}, REQUEST)
    said, made = result.blocks
    assert (said["text"].split(), made["name"], made["input"]) == (["First.", "Then."], "shell", {"command": "ls"})
    assert (result.stop_reason, result.notes[0]) == ("tool_use", "call in the text -> shell")


def test_a_bare_call_is_all_there_is_and_ids_differ_from_turn_to_turn() -> None:
    text = '[{"name": "shell", "arguments": {"command": "a"}}, {"name": "shell", "arguments": {"command": "b"}}]'
    later = Request((), blocks(), ({"role": "user", "content": []},) * 5, 1000)
    results = [normalise(({"type": "text", "text": text},), "end_turn", {}, r) for r in (REQUEST, later)]
    assert [[b["input"]["command"] for b in r.blocks] for r in results] == [["a", "b"]] * 2
    assert len({b["id"] for r in results for b in r.blocks}) == 4


@pytest.mark.parametrize(
    "text",
    [
        'The file holds\n```json\n{"name": "left-pad", "arguments": {}}\n```',
        'The file holds\n```json\n{"name": "shell"}\n```',
        "```python\nshell(command='ls')\n```",
        "<tool_call>shell ls</tool_call>",
        "Done. The `shell` was fine.",
        '{"passed": 3}',
    ],
)
def test_other_texts_stay_texts(text: str) -> None:
    reply = ({"type": "text", "text": text},)
    result = normalise(reply, "end_turn", {}, REQUEST)
    assert result.blocks is reply
    assert (result.stop_reason, result.notes) == ("end_turn", ())


def test_models_that_never_write_calls_as_text_are_taken_at_their_word() -> None:
    reply = ({"type": "text", "text": WRAPPED[0]},)
    assert normalise(reply, "end_turn", {}, REQUEST, in_text=False).blocks is reply


def test_a_turn_of_calls_without_any_is_searched_too() -> None:
    result = normalise(({"type": "text", "text": WRAPPED[0]},), "tool_use", {}, REQUEST)
    assert [b["type"] for b in result.blocks] == ["text", "tool_use"]


def test_calls_beside_a_last_word_are_not_made_more_of() -> None:
    reply = (call("bash", {"cmd": "ls"}),)
    assert normalise(reply, "end_turn", {}, REQUEST).blocks is reply


@pytest.mark.parametrize("stop", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded"])
def test_a_reply_that_was_cut_is_left_alone(stop: str) -> None:
    reply = ({"type": "text", "text": WRAPPED[0]}, call("bash", {}))
    assert normalise(reply, stop, {"toolu_1": '{"cmd": "rm -rf'}, REQUEST).blocks is reply


def test_every_second_name_leads_to_a_tool_that_there_is() -> None:
    assert set(SECOND.values()) | {t for does in COMMANDS.values() for t in does.values()} <= set(TOOLS)
    assert not set(SECOND) & set(TOOLS)


def test_every_second_argument_leads_to_one_that_a_tool_takes() -> None:
    known = {"name", "arguments"}  # of call_tool
    nodes: list[Any] = [block["input_schema"] for block in blocks()]
    while nodes:
        node = nodes.pop()
        known |= set(node.get("properties", {}))
        nodes += [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    assert {target for targets in ARGUMENTS.values() for target in targets} <= known


def test_a_call_goes_back_as_every_endpoint_takes_it() -> None:
    earlier: dict[str, Any] = {"role": "assistant", "content": [call("shell", {"command": "ls"}, ident="call_0")]}
    request = Request((), blocks(), (earlier,), 1000)
    reply = (
        call("shell", {"command": "a"}, ident="call_0"),
        call("shell", {"command": "b"}, ident="call_0"),
        call("shell", None, ident="call_1"),
        call("unknown", [1], ident="call_2"),
    )
    made = normalise(reply, "tool_use", {}, request)
    assert [b["id"] for b in made.blocks] == ["call_0_2", "call_0_3", "call_1", "call_2"]
    assert [b["input"] for b in made.blocks] == [{"command": "a"}, {"command": "b"}, {}, {"input": [1]}]
    assert made.notes == tuple(f"{name}: arguments that were no object" for name in ("shell", "unknown"))


@pytest.mark.parametrize("given", ['"hello"', "[1]", "7"])
@pytest.mark.parametrize("name", ["greet", "shell"])
def test_an_example_in_a_text_is_no_call(name: str, given: str) -> None:
    said = ({"type": "text", "text": f'It answers:\n```json\n{{"name": "{name}", "input": {given}}}\n```'},)
    result = normalise(said, "end_turn", {}, REQUEST)
    assert (result.blocks, result.stop_reason, result.notes) == (said, "end_turn", ())


@pytest.mark.parametrize("text", ['{"a": 1e999}', '{"a": -1e999}', f'{{"a": {"[" * 70}{"]" * 70}}}', "[" * 99_999])
def test_what_no_endpoint_takes_back_is_not_read(text: str) -> None:
    for read in (strict, objects):
        with pytest.raises(ValueError, match=r"JSON|deep"):
            read(text)
