"""Renders the prompt files: every name in them must be given."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def render(name: str, **values: str) -> str:
    """The text of `prompts/<name>.md` with `$names` filled in. Raises KeyError for a name that was not given."""
    return Template((files("jobs.agent") / "prompts" / f"{name}.md").read_text("utf-8")).substitute(values).strip()
