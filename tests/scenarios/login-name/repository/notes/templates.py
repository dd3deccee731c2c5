"""Fills in templates."""

import html
import re
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "templates"
_SLOT = re.compile(r"\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}")


@lru_cache
def _source(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def fill(template, /, **values):
    """The template with its values: `{{x}}` is escaped, `{{{x}}}` is taken as it is."""

    def value(slot):
        raw, escaped = slot.groups()
        return str(values[raw]) if raw else html.escape(str(values[escaped]))

    return _SLOT.sub(value, _source(template))


def page(template, heading, /, **values):
    """A whole page: the template inside base.html."""
    return fill("base.html", title=heading, content=fill(template, **values))
