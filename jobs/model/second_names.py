"""The names by which models call tools and arguments that have another name here. Pure."""

from __future__ import annotations

from collections.abc import Mapping

TOOLS: Mapping[str, str] = {
    **dict.fromkeys(("str_replace", "replace", "search_replace", "apply_edit", "edit_file", "multi_edit"), "edit"),
    **dict.fromkeys(("multiedit", "replace_in_file", "Edit", "MultiEdit"), "edit"),
    **dict.fromkeys(("bash", "Bash", "execute_bash", "terminal", "run_command", "exec", "execute_command"), "shell"),
    **dict.fromkeys(("run_shell_command", "run_terminal_cmd", "execute", "run_in_terminal"), "shell"),
    **dict.fromkeys(("grep", "Grep", "ripgrep", "rg", "search_files", "grep_search", "find_in_files"), "search"),
    **dict.fromkeys(("search_file_content", "code_search"), "search"),
    **dict.fromkeys(("read_file", "read_files", "view", "view_file", "open_file", "cat", "Read", "read"), "readfile"),
    **dict.fromkeys(("readFile", "read_many_files"), "readfile"),
    **dict.fromkeys(
        ("create_file", "create", "write", "Write", "writeFile", "write_to_file", "save_file"), "write_file"
    ),
    **dict.fromkeys(("run_test", "test", "tests", "pytest"), "run_tests"),
}

# Tools that say in `command` what they do.
_DOES = {"view": "readfile", "create": "write_file", "str_replace": "edit"}
COMMANDS: Mapping[str, Mapping[str, str]] = {
    "str_replace_editor": _DOES,
    "str_replace_based_edit_tool": _DOES,
    "file_editor": _DOES,
}

# Each may stand for the first of these that the tool has.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("path", "file_path", "filepath", "filename", "file_name", "file"), ("path", "paths")),
    **dict.fromkeys(("target_file", "absolute_path", "relative_path"), ("path", "paths")),
    **dict.fromkeys(("file_paths", "filenames", "directory", "dir", "folder", "dirs", "include_paths"), ("paths",)),
    **dict.fromkeys(("old_str", "old", "old_text", "oldString", "old_code", "find", "original"), ("old_string",)),
    **dict.fromkeys(("new_str", "new", "new_text", "newString", "new_code", "replace", "replacement"), ("new_string",)),
    **dict.fromkeys(("updated",), ("new_string",)),
    "search": ("old_string", "patterns"),
    **dict.fromkeys(("cmd", "bash", "script", "shell"), ("command",)),
    **dict.fromkeys(("query", "queries", "regexp", "keyword", "keywords"), ("patterns", "pattern")),
    **dict.fromkeys(("search_term", "search_pattern"), ("patterns", "pattern")),
    "pattern": ("patterns",),
    "patterns": ("pattern",),
    "regex": ("patterns",),
    **dict.fromkeys(("text", "contents", "file_text", "file_content", "body", "code", "content_text"), ("content",)),
    **dict.fromkeys(("files", "file_list"), ("files", "paths")),
    **dict.fromkeys(("changes", "replacements", "modifications"), ("edits",)),
    **dict.fromkeys(("start_line", "line_start", "from", "first_line", "begin"), ("start",)),
    **dict.fromkeys(("end_line", "line_end", "to", "last_line"), ("end",)),
    **dict.fromkeys(("line_number", "lineno"), ("line",)),
    **dict.fromkeys(("context_lines", "lines_around"), ("context", "around")),
    **dict.fromkeys(("include", "file_pattern", "glob_pattern", "includes"), ("glob",)),
    **dict.fromkeys(("replaceAll", "expect_all", "all_occurrences"), ("replace_all",)),
    **dict.fromkeys(("test", "test_ids", "test_files", "test_names"), ("tests",)),
    **dict.fromkeys(("args", "parameters", "params", "input"), ("arguments",)),
    **dict.fromkeys(("tool", "tool_name", "function"), ("name",)),
}

# Said by models beside the arguments; no tool needs them.
REMARKS = frozenset({"description", "explanation", "reasoning", "thought", "purpose", "toolSummary", "restart"})
