"""Fills the templates of what leaves: every value passes the sanitiser unless it did already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from jobs.publish.clean import Clean, Cleaner

_FOLDER = Path(__file__).parent / "templates"


def render(template: str, cleaner: Cleaner, **values: Any) -> Clean:
    """The template's text with `values`; text is cleaned as one line unless a filter (prose, code, block) says more."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML: `finalize` is the escaping
        finalize=lambda value: _shown(value, cleaner),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": cleaner.prose,
        "code": cleaner.code,
        "block": cleaner.block,
        "usd": usd,
        "duration": duration,
        "count": lambda number: Clean(f"{number:,}"),
    }
    text = environment.get_template(template).render(**values)
    return cleaner.document(_tidy(text))


def usd(dollars: float | None) -> Clean:
    """`$0.12`; cents below ten are shown to the hundredth of a cent."""
    if dollars is None:
        return Clean("no price known")
    return Clean(f"${dollars:.4f}" if 0 < dollars < 0.1 else f"${dollars:.2f}")


def duration(seconds: float | None) -> Clean:
    """`3 min 10 s`, `4.2 s`, or a dash."""
    if seconds is None:
        return Clean("–")
    if seconds < 60:
        return Clean(f"{seconds:.1f} s")
    minutes, rest = divmod(round(seconds), 60)
    return Clean(f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min")


def _shown(value: Any, cleaner: Cleaner) -> str:
    if isinstance(value, Clean):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return cleaner.inline(value)
    raise TypeError(f"a template shows {value!r}")


def _tidy(text: str) -> str:
    """No more than one empty line between blocks outside of code, one line end at the end."""
    rows: list[str] = []
    fence = ""
    for row in text.split("\n"):
        if row.startswith("```"):
            ticks = row[: len(row) - len(row.lstrip("`"))]
            fence = ticks if not fence else "" if row == fence else fence
        if fence or row.strip() or (rows and rows[-1].strip()):
            rows.append(row)
    return "\n".join(rows).strip("\n") + "\n"
