"""The options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer


def amount(dollars: float | None) -> float | None:
    """`dollars` as it is. Raises BadParameter for what no sum can be compared with."""
    if dollars is not None and not math.isfinite(dollars):
        raise typer.BadParameter(f"{dollars} is no sum of money.")
    return dollars


Repo = Annotated[Path, typer.Option(help="The repository's folder.")]
Base = Annotated[str, typer.Option(help="The commit, tag or branch to start from.")]
Config = Annotated[Path | None, typer.Option(help="Read this instead of the repository's .github/patchwright.yml.")]
Json = Annotated[
    str | None, typer.Option(metavar="FILE|-", help="Write the whole result as JSON; an older file there is replaced.")
]
Trace = Annotated[
    Path | None, typer.Option(help="Write the run's trace (JSON Lines); an older trace there is replaced.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
Minutes = Annotated[int | None, typer.Option(min=1, help="Stop after this many minutes.")]
Model = Annotated[str | None, typer.Option(help="The model's name.")]
Dollars = Annotated[float | None, typer.Option(min=0.0, callback=amount, help="Never spend more than this.")]
Rounds = Annotated[int | None, typer.Option(min=1, help="Never ask the model more often.")]
Issue = Annotated[Path | None, typer.Option(help="A file with the issue; its first line is the title.")]
Text = Annotated[str | None, typer.Option(help="The issue's text.")]
Most = Annotated[float, typer.Option(min=0.0, callback=amount, help="Never spend more than this.")]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65_535, help="The receiver's port, 0 for a free one; else PATCHWRIGHT_PORT or 8000."),
]
Host = Annotated[str | None, typer.Option(help="The receiver's address; else PATCHWRIGHT_HOST or 127.0.0.1.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="KEY: model, base_url, thinking (off|adaptive), prompt (file), descriptions (folder), tools (a,b), "
        "merged (yes|no). A key given twice makes two variants.",
    ),
]
