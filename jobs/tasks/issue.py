"""The task of `/agent fix` on an issue, or of an issue text given on the command line. Pure."""

from __future__ import annotations

from jobs.tasks.task import Task


def from_issue(number: int, title: str, body: str, instructions: str) -> Task:
    """What the issue asks, with the words that the person put behind the command."""
    return Task("fix", title.strip(), body.strip(), number, instructions.strip())


def from_text(text: str, kind: str = "fix") -> Task:
    """An issue text: its first line is the title (a Markdown heading's marks are dropped), the rest the body. `kind` is
    what to do with it: fix, plan or ask."""
    first, _, rest = text.strip().partition("\n")
    return Task(kind, first.lstrip("# ").strip(), rest.strip())
