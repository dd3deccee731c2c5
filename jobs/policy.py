"""The repository's own file, `.github/patchwright.yml`: strict; errors name line and nearest known key. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, get_args

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from jobs.errors import UserError
from jobs.yaml_nodes import load, mark_of

PATH = ".github/patchwright.yml"
_MOST_BYTES = 64 << 10
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELD = re.compile(r"(\*|\d+)(-\d+)?(/\d+)?(,(\*|\d+)(-\d+)?(/\d+)?)*")


def _off(value: Any) -> Any:
    """`off` is a word here, whatever YAML version wrote it; null says the same."""
    return "off" if value is False or value is None else value


def _cron(value: str) -> str:
    if value != "off" and (len(value.split()) != 5 or not all(_FIELD.fullmatch(f) for f in value.split())):
        raise ValueError('should be five cron fields such as "0 3 * * *", or off')
    return value


def _as_written(value: Any) -> Any:
    """Numbers and truth values of `env` as the text that a shell would get."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError("should be a host's name, without scheme or path")
    return value


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError("should be the name of an environment variable")
    return value


def _relative(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError("should be a path inside the repository")
    return path


Words: TypeAlias = tuple[str, ...]
EnvValue = Annotated[str, BeforeValidator(_as_written, json_schema_input_type=str | int | float | bool)]
Host = Annotated[str, AfterValidator(_host)]
Name = Annotated[str, AfterValidator(_name)]
Command = Annotated[str, Field(min_length=1, max_length=4000)]
Role = Literal["admin", "maintain", "write", "triage", "read"]
Positive = Annotated[float, Field(gt=0)]


class _Strict(BaseModel):
    # Sequences come from YAML as lists; everything else must be of the very type.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Project(_Strict):
    """One project of a monorepo."""

    path: Annotated[str, AfterValidator(_relative)] = Field(description="Its folder.")
    setup: tuple[Command, ...] = Field(default=(), description="Commands that prepare it, network on.", strict=False)
    test: Command | None = Field(default=None, description="Its full test suite.")


class Service(_Strict):
    """A program that the tests need beside them."""

    run: Command = Field(description="The command that starts it.")
    ready: Command | None = Field(default=None, description="A command that exits with 0 once it is up.")


class VerifyTrigger(_Strict):
    """Whose pull requests are judged unasked."""

    authors: Words = Field(default=(), description="`bots`, `all`, or logins.", strict=False)
    forks: bool = Field(default=False, description="Pull requests from forks too (no secrets, no push).")


class Triggers(_Strict):
    """What happens unasked; nothing by default."""

    ci: Annotated[Literal["off", "propose", "push"], BeforeValidator(_off)] = Field(
        default="off", description="When a workflow turns red."
    )
    bump: Annotated[str, BeforeValidator(_off), AfterValidator(_cron)] = Field(
        default="off", description="When dependencies are looked at: a cron line in UTC."
    )
    verify: VerifyTrigger | None = Field(default=None, description="Pull requests that are judged.")


class Who(_Strict):
    """Who may ask."""

    roles: tuple[Role, ...] = Field(
        default=("write", "maintain", "admin"), description="Repository roles.", strict=False
    )
    bots: tuple[int, ...] = Field(default=(), description="Accounts of bots that may ask, by id.", strict=False)


class Budget(_Strict):
    """Caps of this repository; the operator's are never exceeded."""

    usd_per_run: Positive = Field(default=2.0, description="Dollars one run may cost.")
    usd_per_day: Positive = Field(default=20.0, description="Dollars all runs of a UTC day may cost.")
    rounds: int = Field(default=60, ge=1, le=1000, description="Model replies in one run.")
    minutes: Positive = Field(default=45.0, description="Minutes one run may take.")
    verify_minutes: Positive = Field(default=60.0, description="Minutes the suite may take.")


class PullRequest(_Strict):
    """How pull requests are opened."""

    draft: Literal["unproven", "always", "never"] = Field(default="unproven", description="Which ones are drafts.")
    labels: Words = Field(default=(), description="Labels they get.", strict=False)
    reviewers: Words = Field(default=(), description="Logins, or `requester`.", strict=False)


class Commit(_Strict):
    """How commits are made."""

    signoff: bool = Field(default=False, description="Add Signed-off-by.")


class Bump(_Strict):
    """Dependency updates."""

    ignore: Words = Field(default=(), description="Packages left alone.", strict=False)
    cooldown_days: int = Field(default=3, ge=0, description="How old a release must be, in days.")
    limit: int = Field(default=5, ge=1, le=50, description="Open pull requests at most.")
    workflows: bool = Field(default=False, description="Pins in workflow files too, if the App may.")


class Policy(_Strict):
    """`.github/patchwright.yml`, read from the default branch only."""

    setup: tuple[Command, ...] | None = Field(
        default=None, description="Commands that prepare, network on.", strict=False
    )
    test: Command | None = Field(default=None, description="The full test suite.")
    projects: tuple[Project, ...] = Field(default=(), description="Projects of a monorepo.", strict=False)
    fixers: tuple[Command, ...] = Field(default=(), description="Commands tried before any model.", strict=False)
    services: tuple[Service, ...] = Field(default=(), description="Programs the tests need.", strict=False)
    hosts: tuple[Host, ...] = Field(default=(), description="More package hosts for set-up.", strict=False)
    env: dict[Name, EnvValue] = Field(default={}, description="Variables for set-up and tests; no secrets.")
    base: str | None = Field(default=None, min_length=1, description="The branch that pull requests go to.")
    triggers: Triggers = Triggers()
    who: Who = Who()
    budget: Budget = Budget()
    protect: Words = Field(default=(), description="Paths that are never changed, as patterns.", strict=False)
    pull_request: PullRequest = PullRequest()
    commit: Commit = Commit()
    bump: Bump = Bump()
    model: str | None = Field(default=None, min_length=1, description="The model to ask.")


def default() -> Policy:
    """What holds without a file: commands only, everything else detected."""
    return Policy()


def parse(text: bytes) -> Policy:
    """The policy in a file's bytes; an empty file is the default.

    Raises UserError with one sentence: file, line, what is wrong, and the nearest known key for an unknown one.
    """
    if len(text) > _MOST_BYTES:
        raise UserError(f"{PATH} is longer than 64 KB.")
    try:
        data, root = load(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UserError(f"{PATH} is not UTF-8 text.") from None
    except yaml.YAMLError as bad:
        raise UserError(f"{PATH}{_at(getattr(bad, 'problem_mark', None))}: {_problem(bad)}.") from None
    if data is None:
        return default()
    if not isinstance(data, dict):
        raise UserError(f"{PATH}, line 1: should be keys and values, such as 'test: make test'.")
    try:
        return Policy.model_validate(data)
    except ValidationError as invalid:
        raise UserError(_sentence(invalid, root)) from None


def schema() -> dict[str, Any]:
    """The JSON Schema of the file, for editors."""
    made = Policy.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": PATH}


def _sentence(invalid: ValidationError, root: yaml.Node | None) -> str:
    errors = invalid.errors(include_url=False, include_input=False)
    # An unknown key first: it often is why a known one is missing.
    first = min(errors, key=lambda error: error["type"] != "extra_forbidden")
    path = tuple(part for part in first["loc"] if not str(part).endswith("]"))
    where = _at(mark_of(root, path))
    if first["type"] == "extra_forbidden":
        key = str(path[-1])
        return f'{PATH}{where}: unknown key "{key}"{_nearest(key, _known(path[:-1]))}'
    name = ".".join(str(part) for part in path) or "the file"
    return f"{PATH}{where}: {name}: {_words(str(first['msg']))}."


def _words(text: str) -> str:
    text = text.removeprefix("Value error, ").replace("Input should", "should").replace("a valid tuple", "a list")
    text = text.replace("a valid string", "text").removeprefix("String ").replace(" or instance of", " for")
    return f"{text[:1].lower()}{text[1:]}".replace("a valid dictionary", "keys and values")


def _nearest(key: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    if close:
        return f'; did you mean "{close[0]}"?'
    return f"; known here: {', '.join(known)}."


def _known(path: tuple[Any, ...]) -> tuple[str, ...]:
    """The keys of the model at `path`."""
    model: type[BaseModel] = Policy
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            inner = next(_models(model.model_fields[part].annotation), None)
            if inner is not None:
                model = inner
    return tuple(model.model_fields)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _at(mark: yaml.Mark | None) -> str:
    return f", line {mark.line + 1}" if mark is not None else ""


def _problem(bad: yaml.YAMLError) -> str:
    said = [getattr(bad, name, None) for name in ("context", "problem")]
    return " ".join(str(part) for part in said if part) or "not readable as YAML"
