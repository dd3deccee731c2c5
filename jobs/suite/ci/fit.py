"""Fits a workflow's test commands to a cell: what makes reports or environments of its own is left out. Pure."""

from __future__ import annotations

import re
import shlex

from jobs.suite.ci.choose import Line
from jobs.suite.ci.script import bare, whole
from jobs.suite.command import runs_script, simple
from jobs.suite.found import Found
from jobs.suite.language import MAKES_ENVIRONMENTS, runner_in
from jobs.suite.source import Source, table
from jobs.suite.suite import Suite

# Options that write reports or measure; with those that take the next word as their value.
_REPORTS = {
    "python": (
        r"--cov\S*|--no-cov\S*|--junit-?xml\S*|--html\S*|--self-contained-html|--color\S*|--codspeed|--benchmark-json\S*",
        r"--cov(-report|-config)?|--junit-?xml|--html",
    ),
    "go": (
        r"-cover\S*|-json|-v|-race|-coverprofile\S*|-covermode\S*|-coverpkg\S*",
        r"-coverprofile|-covermode|-coverpkg",
    ),
    "rust": (r"\+\S+|--verbose|-v|-vv|-q|--quiet|--no-fail-fast|--color\S*", r"--color"),
    "php": (
        r"--coverage\S*|--log-\S+|--testdox|--colors\S*|--no-coverage",
        r"--coverage-clover|--log-junit|--coverage-xml",
    ),
    "dotnet": (
        r"--no-build|--no-restore|--logger\S*|-l|--collect\S*|--results-directory\S*|-v|--verbosity\S*|/p:\S*Cover\S*|--blame\S*|--settings\S*",
        r"--logger|-l|--collect|--results-directory|-v|--verbosity|--settings",
    ),
    "elixir": (r"--cover|--color|--warnings-as-errors|--trace", r"^$"),
    "ruby": (r"test:system|--format|-f|--out|-o|--color|-fd|-fp", r"--format|-f|--out|-o"),
}
_OWN = {
    # language: the commands that can be given to a cell as they are, once fitted
    "python": r"(py\.?test|python[\d.]* (-\S+ )*-m (pytest|unittest)|python[\d.]* (-\S+ )*\S*\.py)\b",
    "go": r"go test\b",
    "rust": r"cargo (test|t)\b",
    "ruby": r"(\S*/)?(rspec|rake|rails)\b|ruby ",
    "php": r"(\S*/)?(phpunit|simple-phpunit|pest)\b|composer ",
    "dotnet": r"dotnet test\b",
    "elixir": r"mix test\b",
}
_NODE = r"(npx |pnpm exec |yarn |bunx )?(--\S+ )*((c8|nyc) )?(jest|vitest|_?mocha|ava|tap|tape|node)\b"


def fitted(line: Line, language: str, found: Found | None, source: Source) -> Suite | None:
    """The suite that `line` runs, None where a cell can't run it as it stands. `found` is what manifests say."""
    if whole(line.text) or not simple(_unfilled(line.text)) or MAKES_ENVIRONMENTS.match(" ".join(bare(line.text))):
        return None
    if language == "node":
        return _node(line, source)
    before, words = _variables(line.text), _without_reports(bare(line.text), language)
    text = shlex.join(words)
    if not re.match(_OWN.get(language, r"(?!)"), text):
        return None
    if language == "python":
        text = _python(words, found.suite if found else None)
    elif language == "ruby" and line.text.find("bundle exec") >= 0:
        text = f"bundle exec {text}"
    elif language == "dotnet":
        text = f"{text} --no-restore"
    return _suite(" ".join([*before, text]), line)


def _unfilled(text: str) -> str:
    return text.replace("${{", "$(")  # what only a run can tell can't be run here


def _suite(command: str, line: Line, script: str = "") -> Suite:
    where = f"cd {shlex.quote(line.folder)} && " if line.folder else ""
    return Suite(where + command, runner_in(command, script), "workflow", script, folder=line.folder)


def _variables(text: str) -> list[str]:
    """The assignments before a command, as they are written."""
    found = []
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
            if word not in ("env", "sudo"):
                break
            continue
        found.append(f"{name}={shlex.quote(value)}")
    return found


def _without_reports(words: list[str], language: str) -> list[str]:
    if language == "python" and (inner := _measured(words)):
        words = inner
    dropped, valued = _REPORTS.get(language, (r"(?!)", r"(?!)"))
    kept: list[str] = []
    at = 0
    while at < len(words):
        word, following = words[at], words[at + 1 : at + 2]
        at += 1
        if not re.fullmatch(dropped, word) or at == 1:
            kept.append(word)
        elif re.fullmatch(valued, word) and following and not following[0].startswith("-"):
            at += 1
    return kept


def _measured(words: list[str]) -> list[str] | None:
    """What `coverage run` measures."""
    if words[:3][-2:] == ["-m", "coverage"]:
        words = words[2:]
    if words[:2] != ["coverage", "run"]:
        return None
    start = next((at for at, word in enumerate(words) if word == "-m" or word.endswith(".py")), len(words))
    return ["python", *words[start:]]


def _python(words: list[str], known: Suite | None) -> str:
    """The command with the start that is known to work here, and the workflow's own arguments."""
    given = list(words)
    if given[0].endswith(("pytest", "py.test")):
        arguments = given[1:]
    elif "pytest" in given[:6] and "-m" in given[:5]:
        arguments = given[given.index("pytest") + 1 :]
    else:
        given[0] = "python"
        prefix = re.match(r"(PYTHONPATH=\S+ )?", known.command if known else "")
        return (prefix.group(0) if prefix else "") + shlex.join(given)
    start = known.command if known and known.runner == "pytest" else "python -m pytest"
    return " ".join([start, *map(shlex.quote, arguments)])


def _node(line: Line, source: Source) -> Suite | None:
    """Package scripts by npm, which is here whatever the project's own package manager is; runners by npx."""
    words = bare(line.text)
    manifest = f"{line.folder}/package.json".removeprefix("/")
    name = _script(words)
    script = table(source.json(manifest).get("scripts")).get(name or "")
    if name and isinstance(script, str):
        arguments = words[words.index("--") :] if "--" in words else []
        command = "npm test" if name == "test" else f"npm run {name}"
        return _suite(" ".join([*_variables(line.text), command, *map(shlex.quote, arguments)]), line, script)
    plain = re.sub(r"--?coverage\S*|--reporters?=\S+", "", " ".join(map(shlex.quote, words)))
    if not re.match(_NODE, plain):
        return None
    plain = re.sub(r"^(pnpm exec|yarn|bunx)( run)? ", "npx ", " ".join(plain.split()))
    bare_runner = re.match(r"(jest|vitest|_?mocha|ava|tap|tape|c8|nyc)\b", plain)
    return _suite(" ".join([*_variables(line.text), f"npx {plain}" if bare_runner else plain]), line)


def _script(words: list[str]) -> str | None:
    """The package script that is run, of this package alone; None for what goes through workspaces."""
    if any(
        re.match(r"-r$|--recursive|--filter|-F|--workspaces?|-w$|-ws$|workspaces?$|--parallel", one) for one in words
    ):
        return None
    known = runs_script(shlex.join(words))
    if known is None and words[:1] in (["yarn"], ["pnpm"], ["bun"]) and len(words) > 1:
        return words[1]
    return known
