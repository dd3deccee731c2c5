"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Repo = Annotated[Path, typer.Option(help="The repository's folder.")]
Base = Annotated[str, typer.Option(help="The commit, tag or branch to start from.")]
Config = Annotated[Path | None, typer.Option(help="Read this instead of the repository's .github/patchwright.yml.")]
Json = Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the whole result as JSON.")]
Trace = Annotated[Path | None, typer.Option(help="Write the run's trace (JSON Lines).")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
Minutes = Annotated[int | None, typer.Option(min=1, help="Stop after this many minutes.")]
Model = Annotated[str | None, typer.Option(help="The model's name.")]
Dollars = Annotated[float | None, typer.Option(min=0.0, help="Never spend more than this.")]
Rounds = Annotated[int | None, typer.Option(min=1, help="Never ask the model more often.")]
Issue = Annotated[Path | None, typer.Option(help="A file with the issue; its first line is the title.")]
Text = Annotated[str | None, typer.Option(help="The issue's text.")]
