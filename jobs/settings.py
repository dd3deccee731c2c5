"""What processes are told by their environment: read once, checked, then taken out of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from jobs.errors import UserError
from jobs.registries import Registries, load

_SECRET_NAME = re.compile(r"(^GIT_)|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|_PAT$|REDIS_URL", re.IGNORECASE)
# What any child may have: how to find programs, speak, verify TLS and leave through a proxy.
_HARMLESS = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|USER|LOGNAME|SHELL|TERM|XDG_\w+|VIRTUAL_ENV|PYTHON\w+|NO_COLOR"
    r"|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy"
)

S = TypeVar("S", bound=BaseSettings)

MODEL = Field("claude-sonnet-5-5", validation_alias="PATCHWRIGHT_MODEL", description="The model to ask.")


def csv(value: Any) -> Any:
    """`a, b` as ("a", "b"); what is no text passes."""
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


class AppSettings(BaseSettings):
    """What a process needs to act as the GitHub App."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    app_id: str = Field(validation_alias="GITHUB_APP_ID", description="The App's id, a number.")
    private_key_text: SecretStr | None = Field(
        None, validation_alias="GITHUB_APP_PRIVATE_KEY", description="The App's private key, PEM text."
    )
    private_key_file: Path | None = Field(
        None, validation_alias="GITHUB_APP_PRIVATE_KEY_FILE", description="A file with that key, instead of the text."
    )
    api_url: str = Field(
        "https://api.github.com", validation_alias="GITHUB_API_URL", description="GitHub's REST address."
    )
    server_url: str = Field(
        "https://github.com", validation_alias="GITHUB_SERVER_URL", description="GitHub's address for git and people."
    )
    redis_url: SecretStr = Field(
        validation_alias="REDIS_URL", description="Redis or Valkey, with its append-only file on."
    )
    keep_days: int = Field(
        30, ge=1, validation_alias="PATCHWRIGHT_KEEP_DAYS", description="How many days runs and traces are kept."
    )
    max_usd_per_run: float = Field(
        10.0, gt=0, validation_alias="PATCHWRIGHT_MAX_USD_PER_RUN", description="No run may spend more dollars."
    )
    max_usd_per_day: float = Field(
        100.0, gt=0, validation_alias="PATCHWRIGHT_MAX_USD_PER_DAY", description="All runs of one UTC day together."
    )
    max_minutes: float = Field(
        180.0, gt=0, validation_alias="PATCHWRIGHT_MAX_MINUTES", description="No run may take longer, in minutes."
    )
    models: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        validation_alias="PATCHWRIGHT_MAX_MODELS",
        description="Models that may be asked; empty: the one set here or by the repository.",
    )
    model: str = MODEL

    _split = field_validator("models", mode="before")(csv)

    @property
    def keep_s(self) -> int:
        """`keep_days` in seconds."""
        return self.keep_days * 86_400

    @property
    def private_key(self) -> str:
        """The PEM text. Raises UserError if there is none or its file can't be read."""
        if self.private_key_text is not None:
            return self.private_key_text.get_secret_value().replace("\\n", "\n")
        if self.private_key_file is None:
            raise UserError("GITHUB_APP_PRIVATE_KEY is missing: set it, or GITHUB_APP_PRIVATE_KEY_FILE to its file.")
        try:
            return self.private_key_file.read_text()
        except (OSError, UnicodeDecodeError) as bad:
            raise UserError(f"GITHUB_APP_PRIVATE_KEY_FILE can't be read ({self.private_key_file}): {bad}.") from None


class ModelSettings(BaseSettings):
    """What a process needs to ask a model and to work on this machine."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    anthropic_api_key: SecretStr | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY", description="The key for Claude models."
    )
    anthropic_base_url: str | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="Another address for them."
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="The key for an OpenAI-compatible endpoint."
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="That endpoint's address, up to its /v1."
    )
    prices: Path | None = Field(
        None, validation_alias="PATCHWRIGHT_PRICES", description="A file of prices, laid over those that ship."
    )
    data: Path = Field(
        default_factory=lambda: default_data(),
        validation_alias="PATCHWRIGHT_DATA",
        description="The folder for mirrors, layers and worktrees.",
    )

    registries: Path | None = Field(
        None,
        validation_alias="PATCHWRIGHT_REGISTRIES",
        description="A file of credentials of private package registries.",
    )

    _whole = field_validator("data", mode="after")(lambda path: path.absolute())

    @cached_property
    def private_registries(self) -> Registries:
        """What the file of registries says. Raises UserError."""
        return load(self.registries)

    def work_secrets(self) -> tuple[str, ...]:
        """The models' keys and the registries' credentials, for redaction. Raises UserError."""
        keys = (s.get_secret_value() for s in (self.anthropic_api_key, self.openai_api_key) if s is not None)
        return (*keys, *self.private_registries.secrets)


class LocalSettings(ModelSettings):
    """The settings of commands that work on this machine alone."""

    model: str = MODEL


class WorkerSettings(AppSettings, ModelSettings):
    """A worker's settings: it holds the App's key and the model's."""

    queue: str = Field(
        "now", pattern="^(now|ci|night)$", validation_alias="PATCHWRIGHT_QUEUE", description="The one queue it serves."
    )
    runner: str = Field(
        "jobs.on_github:run_job",
        pattern=r"^[\w.]+:\w+$",
        validation_alias="PATCHWRIGHT_RUNNER",
        description="The function that does the work, as module:name.",
    )

    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for redaction."""
        return (self.private_key, self.redis_url.get_secret_value(), *self.work_secrets())


def default_data() -> Path:
    """Where data goes unless told: the user's data folder."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "patchwright"


def take(model: type[S]) -> S:
    """Reads `model` from the environment, then removes every secret, and all of git's variables, from it.

    Raises UserError with one line that names the variable and what to do.
    """
    settings = check(model)
    forget_secrets()
    return settings


def check(model: type[S], **given: Any) -> S:
    """Reads `model` from the environment and `given` (by field), and leaves the environment as it is.

    Raises UserError like `take`.
    """
    try:
        return model(**given)
    except ValidationError as invalid:
        raise UserError(_sentence(invalid)) from None


def told(name: str) -> str:
    """One variable's value, '' if it is not set."""
    return os.environ.get(name, "")


def forget_secrets() -> None:
    """Takes out of the environment whatever looks like a secret, and git's variables: children inherit none."""
    for name in [n for n in os.environ if _SECRET_NAME.search(n)]:
        del os.environ[name]


def variables(model: type[BaseSettings]) -> frozenset[str]:
    """The names of the variables that `model` reads."""
    return frozenset(str(f.validation_alias) for f in model.model_fields.values() if f.validation_alias)


def child_environment(names: Iterable[str] = ()) -> dict[str, str]:
    """An environment for a child process: what is harmless, and the variables in `names`."""
    wanted = frozenset(names)
    return {k: v for k, v in os.environ.items() if k in wanted or _HARMLESS.fullmatch(k)}


def blanks() -> dict[str, str]:
    """Every variable that no child may have, as an empty one: for a library that hands on the whole environment."""
    return {name: "" for name in os.environ if not _HARMLESS.fullmatch(name) and not name.startswith("GIT_")}


@contextmanager
def bare_environment() -> Iterator[None]:
    """Only what is harmless, for the time of an import that runs a program. Not for use beside other threads."""
    saved = dict(os.environ)
    for name in [n for n in saved if not _HARMLESS.fullmatch(n)]:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(saved)


def _sentence(invalid: ValidationError) -> str:
    first = invalid.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "The settings"
    if first["type"] == "missing":
        return f"{name} is missing: set it in the environment."
    return f"{name} is wrong: {first['msg'][:1].lower()}{first['msg'][1:]}."
