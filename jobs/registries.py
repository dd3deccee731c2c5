"""Credentials of private package registries, as the operator keeps them in a file; the way out of set-up adds them."""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from jobs.errors import UserError
from jobs.sandbox.ask import BadAsk, HostPort, host_port

VARIABLE = "PATCHWRIGHT_REGISTRIES"


class _Registry(BaseModel):
    """One `[[registry]]` of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    host: str
    user: str | None = None
    password: SecretStr | None = None
    token: SecretStr | None = None
    installations: Annotated[tuple[int, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _one_way(self) -> _Registry:
        if (self.token is None) == (self.user is None or self.password is None):
            raise ValueError("it needs either `token`, or `user` and `password`")
        return self

    @cached_property
    def place(self) -> HostPort:
        return host_port(self.host, 443)

    @property
    def header(self) -> str:
        """The value of the Authorization header."""
        if self.token is not None:
            return f"Bearer {self.token.get_secret_value()}"
        pair = f"{self.user}:{self.password.get_secret_value() if self.password else ''}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"


@dataclass(frozen=True)
class Registries:
    """What the file says."""

    rows: tuple[_Registry, ...] = ()

    def of(self, installation: int | None) -> Mapping[HostPort, str]:
        """The Authorization header by host and port for an installation of the App (None: on this machine)."""
        rows = (r for r in self.rows if not r.installations or installation in r.installations)
        return {row.place: row.header for row in rows}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything that must appear nowhere."""
        said = [s.get_secret_value() for row in self.rows for s in (row.password, row.token) if s is not None]
        return tuple(dict.fromkeys([*said, *(row.header.partition(" ")[2] for row in self.rows)]))


def load(path: Path | None) -> Registries:
    """The registries of a file; none without one. Raises UserError, which names the file and no secret."""
    if path is None:
        return Registries()
    try:
        return Registries(_rows(path.read_text("utf-8")))
    except OSError as unread:
        why = f"can't be read ({unread.strerror})"
    except BadAsk:
        why = "has a `host` that is no host name; write it as host or host:port"
    except ValidationError as wrong:
        first = wrong.errors(include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        why = f"is wrong: {f'{where}: ' if where else ''}{first['msg']}"
    except LookupError as unknown:
        why = f"has an unknown key {str(unknown)!r}: it holds `[[registry]]` tables only"
    except ValueError:
        why = "is no TOML file with `[[registry]]` tables"
    raise UserError(f"{VARIABLE}: {path} {why}.")


def _rows(text: str) -> tuple[_Registry, ...]:
    """The tables of a file. Raises ValueError, LookupError for an unknown key, BadAsk for a wrong host."""
    told = tomllib.loads(text)
    if unknown := sorted(set(told) - {"registry"}):
        raise LookupError(unknown[0])
    given = told.get("registry", [])
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise ValueError("no tables")
    rows = tuple(map(_Registry.model_validate, given))
    for row in rows:
        row.place  # noqa: B018 (computed now, so that a wrong host is told at the start)
    return rows
