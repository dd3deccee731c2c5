"""The `patchwright` command: parsing only, one function a command.

Imports stay inside the commands: `--help` must answer at once, and most commands need a part of the program only.
"""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.local.boundary import ended
from app.local.given import request_text, results, started, trace_lines
from app.local.options import (
    Base,
    Changes,
    Config,
    Dollars,
    Host,
    Issue,
    Json,
    Minutes,
    Model,
    Most,
    Port,
    Quiet,
    Repo,
    Rounds,
    Text,
    Trace,
)
from jobs.errors import UserError
from jobs.outcome import EXIT_HONEST

if TYPE_CHECKING:
    from app.local.here import Output

cli = typer.Typer(
    name="patchwright",
    help="Small pull requests, proven by the repository's own full test suite.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@cli.command()
def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Leave everything up and print the addresses.")] = False,
) -> None:
    """The whole path here and now, on embedded parts: webhook, queue, worker, verified pull request."""
    from app.local.demo.run import demonstrate

    raise typer.Exit(demonstrate(keep=keep))


@cli.command()
def up(host: Host = None, port: Port = None) -> None:
    """One machine for real: embedded Valkey, receiver, control, workers. Ctrl-C stops all."""
    from app.local.up import run

    raise typer.Exit(run(host=host, port=port))


@cli.command()
def fix(
    repo: Repo,
    issue: Issue = None,
    text: Text = None,
    base: Base = "HEAD",
    model: Model = None,
    budget_usd: Dollars = None,
    max_rounds: Rounds = None,
    minutes: Minutes = None,
    config: Config = None,
    json: Json = None,
    trace: Trace = None,
    quiet: Quiet = False,
) -> None:
    """Local mode: no GitHub, no Redis; the result lands on a new branch of the repository."""
    request, output = request_text(issue, text), _output(json, trace, quiet)
    started(repo, quiet)
    from app.local.fix import Wishes, fix_here

    wishes = Wishes(base, model, budget_usd, max_rounds, minutes, config)
    raise typer.Exit(fix_here(repo, request, wishes, output))


@cli.command()
def plan(
    repo: Repo,
    issue: Issue = None,
    text: Text = None,
    base: Base = "HEAD",
    model: Model = None,
    budget_usd: Dollars = None,
    max_rounds: Rounds = None,
    minutes: Minutes = None,
    config: Config = None,
    json: Json = None,
    trace: Trace = None,
    quiet: Quiet = False,
) -> None:
    """Read-only: how to make a change, with the places it concerns."""
    request, output = request_text(issue, text), _output(json, trace, quiet)
    started(repo, quiet)
    from app.local.ask import ask_here
    from app.local.fix import Wishes

    wishes = Wishes(base, model, budget_usd, max_rounds, minutes, config)
    raise typer.Exit(ask_here(repo, "plan", request, wishes, output))


@cli.command()
def ask(
    repo: Repo,
    text: Annotated[str, typer.Option(help="The question.")],
    base: Base = "HEAD",
    model: Model = None,
    budget_usd: Dollars = None,
    max_rounds: Rounds = None,
    minutes: Minutes = None,
    config: Config = None,
    json: Json = None,
    trace: Trace = None,
    quiet: Quiet = False,
) -> None:
    """Read-only: an answer, with file and line of what it rests on."""
    request, output = request_text(None, text), _output(json, trace, quiet)
    started(repo, quiet)
    from app.local.ask import ask_here
    from app.local.fix import Wishes

    wishes = Wishes(base, model, budget_usd, max_rounds, minutes, config)
    raise typer.Exit(ask_here(repo, "ask", request, wishes, output))


@cli.command()
def verify(
    repo: Repo,
    base: Annotated[str, typer.Option(help="The commit before the change.")],
    head: Annotated[str, typer.Option(help="The commit with the change.")] = "HEAD",
    minutes: Minutes = None,
    config: Config = None,
    json: Json = None,
    trace: Trace = None,
    quiet: Quiet = False,
) -> None:
    """Verdict and minimality of any change, whoever wrote it. Needs no model."""
    output = _output(json, trace, quiet)
    started(repo, quiet)
    from app.local.verify import verify_here

    raise typer.Exit(verify_here(repo, (base, head), minutes, config, output))


@cli.command()
def tool(
    name: Annotated[str, typer.Argument(help="readfile, search, edit, write_file, shell, run_tests or call_tool.")],
    repo: Repo,
) -> None:
    """One agent tool call: JSON arguments on stdin, JSON result on stdout; changed files are written back."""
    from app.local.tool import call_here

    raise typer.Exit(call_here(name, repo, sys.stdin.buffer if sys.stdin else None))


@cli.command(context_settings={"ignore_unknown_options": True})
def cell(
    repo: Repo,
    command: Annotated[list[str], typer.Argument(metavar="-- CMD…", help="The command.")],
    setup: Annotated[bool, typer.Option("--setup", help="As set-up would: network on, by the allow-list.")] = False,
) -> None:
    """Run a command as the agent (or set-up) would, on a copy of the repository (no stdin, output at the end)."""
    from app.local.tool import run_in_cell

    raise typer.Exit(run_in_cell(repo, command, online=setup))


@cli.command()
def rounds(
    trace: Annotated[Path, typer.Argument(help="A trace file.")],
    json: Annotated[bool, typer.Option("--json", help="The same as one JSON object.")] = False,
) -> None:
    """The round-by-round table of a run, and where rounds were wasted."""
    from jobs.trace.account import account
    from jobs.trace.rounds import table

    lines = trace_lines(trace)
    typer.echo(dumps(account(lines), ensure_ascii=False, indent=2) if json else table(lines))


@cli.command()
def replay(
    trace: Annotated[Path, typer.Argument(help="A trace file.")],
    changes: Changes = None,
    runs: Annotated[int, typer.Option(min=1, help="How often each request is sent.")] = 1,
    only: Annotated[list[int] | None, typer.Option("--round", metavar="N", help="Only this round's request.")] = None,
    budget_usd: Most = 1.0,
) -> None:
    """Re-send recorded requests with something changed, and compare the replies; no call is run."""
    lines = trace_lines(trace)
    from app.local.replay import Wanted, replayed

    text, whole = replayed(lines, Wanted(tuple(changes or ()), runs, tuple(only or ()), budget_usd))
    typer.echo(text)
    raise typer.Exit(0 if whole else EXIT_HONEST)


@cli.command("eval")
def evaluate(
    model: Annotated[str, typer.Option(help="The model's name; 'scripted' plays each scenario's own script.")],
    suite: Annotated[Path | None, typer.Option(help="The suite's folder; else the checkout's own.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="How often each scenario is played.")] = 1,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this scenario; may be repeated.")] = None,
    max_rounds: Annotated[int | None, typer.Option(min=1, help="Never ask the model more often in a run.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every run's figures as JSON.")] = None,
    against: Annotated[Path | None, typer.Option(metavar="FILE", help="Compare with what --json wrote before.")] = None,
    traces: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the runs' traces there.")] = None,
    quiet: Quiet = False,
) -> None:
    """The scenario suite: each task is played, and its result is judged by a check that the agent never sees."""
    from app.local.eval import Evaluation
    from app.local.eval import evaluate as run

    asked = Evaluation(model, suite, runs, tuple(only or ()), max_rounds, json, against, traces, quiet)
    raise typer.Exit(run(asked))


@cli.command()
def doctor(
    repo: Annotated[Path | None, typer.Option(help="Also say what is detected for this repository.")] = None,
) -> None:
    """What works here, each with its mend."""
    from app.local.doctor import examine

    raise typer.Exit(examine(repo))


@cli.command()
def serve(host: Host = None, port: Port = None) -> None:
    """The receiver alone, against REDIS_URL."""
    from app.main import serve as run

    run(host=host, port=port)


@cli.command()
def control() -> None:
    """Control alone, against REDIS_URL."""
    from app.control import main as run

    run()


@cli.command()
def worker(
    queue: Annotated[str | None, typer.Option(help="now (people), ci or night; else PATCHWRIGHT_QUEUE or now.")] = None,
) -> None:
    """One worker on one queue, against REDIS_URL."""
    from jobs.worker import main as run

    run(queue)


def _not_yet(name: str, what: str) -> None:
    def command(_rest: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
        raise UserError(f"'patchwright {name}' does not exist yet.")

    command.__doc__ = f"{what} (not yet)."
    cli.command(name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(command)


for _name, _what in (("ci", "Fix what a failing log shows"), ("bump", "Dependency bumps")):
    _not_yet(_name, _what)


def _output(json: str | None, trace: Path | None, quiet: bool) -> Output:
    from app.local.here import Output

    results(json, trace)
    return Output(json, trace, quiet)


def main() -> None:
    """Entry point."""
    ended(cli)


if __name__ == "__main__":
    main()
