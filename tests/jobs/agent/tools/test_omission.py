"""What counts as a line that stands for others, and what is only text about text."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_tree import edit

from jobs.agent.tools.omission import omits
from jobs.agent.tools.spec import Bench

README = "# Tool\n\nPlain.\nEnd.\n"
FILES = {"README.md": README, "a.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"}

MARKS = """\
# ... existing code ...
    // ... rest of the file
... rest of file unchanged
# rest of the file unchanged
// ...existing code
/* ... existing code ... */
<!-- rest of the file stays the same -->
# ... (rest of the function)
# ... remaining methods unchanged
...existing code...
{/* ... other items ... */}
# The rest of the file is left unchanged.
// rest of code remains the same
# existing code here
… (the rest unchanged)
-- ... unchanged ...
# ... keep existing code"""

TEXTS = [
    "Plain. `set` changes one key; the rest of the file is left unchanged.",
    "raise ValueError('existing code must be the same')",
    "const { a, ...rest } = b",
    "  ...rest",
    "  ...other,",
    "...     rest.append(x)",
    "... other = 3",
    "# Only the head is written; the\n# rest of the file is left unchanged.",
    "# The rest of the file is left unchanged\n# because it is not ours.",
    "# existing code must be the same",
    "the rest of the file is left unchanged.",
    "x = '... existing code ...'",
    "def f(): ...",
]


@pytest.mark.parametrize("mark", MARKS.split("\n"))
def test_a_line_that_stands_for_others_is_found(mark: str) -> None:
    assert omits(f"a = 1\n{mark}\nb = 2\n", "a = 0\n") == mark.strip()


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_only_speaks_of_the_rest_is_none(text: str) -> None:
    assert omits(f"a = 1\n\n{text}\n\nb = 2\n", "a = 0\n") is None


def test_a_mark_that_the_old_text_has_excuses_itself_only() -> None:
    old = "# ... other options\nx = 1\n"
    assert omits(old.replace("1", "2"), old) is None
    assert omits(f"{old}# ... existing code ...\n", old) == "# ... existing code ..."
    assert omits(f"{old}# ... other options\n", old) == "# ... other options"


def test_prose_about_the_rest_of_a_file_is_written(bench: Bench, tree: Path) -> None:
    assert edit(bench, ("README.md", "Plain.", TEXTS[0]), ("a.py", "return 1", TEXTS[1])).ok
    assert (tree / "README.md").read_text() == README.replace("Plain.", TEXTS[0])


def test_left_out_text_is_refused_with_its_own_next_step(bench: Bench, tree: Path) -> None:
    done = edit(bench, ("a.py", "def f():\n    return 1", "def f():\n    # ... existing code ...\n    return 3"))
    assert done.content.splitlines()[1:] == [
        "FAILED: edit 1 in a.py: new_string leaves text out: its line '# ... existing code ...' stands for lines that "
        "are not written. Next: write every line, or send edits of only the lines that change; if this very line is "
        "meant, word it otherwise."
    ]
    assert (tree / "a.py").read_text() == FILES["a.py"]
