"""What a cell sees: mounts, identity, environment. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Mode = Literal["rootful", "userns"]

TOOLS = "/opt/patchwright"
HOME = "/home/agent"
VENV = "/env/venv"
CA_BUNDLE = "/etc/ssl/patchwright.pem"
EGRESS = "/run/egress.sock"
PROXY_PORT = 3128

_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True)
class Mount:
    """A file or folder of this machine, at `inside`."""

    source: Path
    inside: str
    writable: bool = False


@dataclass(frozen=True)
class Identity:
    """Who the command is: `uid` and `gid` for the kernel, `shown` for itself (both ids)."""

    mode: Mode
    uid: int
    gid: int
    shown: int


@dataclass(frozen=True)
class Skeleton:
    """A read-only .git: `path` goes to /src/.git; `objects` are (folder of this machine, place inside); at the places
    of `masked` nothing must be seen, since they name folders of this machine: `nothing` goes there."""

    path: Path
    objects: tuple[tuple[Path, str], ...]
    masked: tuple[str, ...] = ()

    @property
    def nothing(self) -> Path:
        """An empty file."""
        return self.path / "info/exclude"


@dataclass(frozen=True)
class View:
    """One cell's world. `links` are (target, place) of symbolic links on the read-only root; `home` is a folder on
    disk that serves as HOME, None for a sized one in memory."""

    links: tuple[tuple[str, str], ...] = ()
    mounts: tuple[Mount, ...] = ()
    home: Path | None = None
    path: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of a command, before what the command itself adds."""
        path = dict.fromkeys((*self.path, *_SYSTEM_PATH, f"{TOOLS}/bin"))
        return {**_PLAIN, "PATH": ":".join(path), **self.env}


_PLAIN = {
    "HOME": HOME,
    "USER": "agent",
    "LOGNAME": "agent",
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "TMPDIR": "/tmp",
    "CI": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "PYTHONDONTWRITEBYTECODE": "1",  # stale bytecode hides an edit made within the same second
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "npm_config_cache": f"{HOME}/.npm",
    "npm_config_update_notifier": "false",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
}

# Where set-up put things must not change afterwards, and nothing can be fetched.
OFFLINE = {
    "UV_NO_SYNC": "1",
    "UV_OFFLINE": "1",
    "npm_config_offline": "true",
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "CARGO_NET_OFFLINE": "true",
    "COMPOSER_DISABLE_NETWORK": "1",
    "HEX_OFFLINE": "1",
    "MAVEN_ARGS": "--offline",
}
ONLINE = {
    **dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "npm_config_proxy", "npm_config_https_proxy"),
        f"http://127.0.0.1:{PROXY_PORT}",
    ),
    **dict.fromkeys(
        (
            "SSL_CERT_FILE",
            "PIP_CERT",
            "REQUESTS_CA_BUNDLE",
            "NODE_EXTRA_CA_CERTS",
            "npm_config_cafile",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
        ),
        CA_BUNDLE,
    ),
    # Java reads no variable that names a proxy, but one with options for every machine.
    "JAVA_TOOL_OPTIONS": " ".join(
        f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={PROXY_PORT}" for scheme in ("http", "https")
    ),
    "UV_COMPILE_BYTECODE": "1",  # the layer is read-only later: bytecode that is not there then is never kept
    "UV_LINK_MODE": "copy",
    "PIP_NO_CACHE_DIR": "1",
}

# Leads uv, pip and their like to the layer's virtual environment. Which interpreter it is made from, PATH says:
# a variable that names one would outrank the environment in later commands.
PYTHON = {"VIRTUAL_ENV": VENV, "UV_PROJECT_ENVIRONMENT": VENV, "UV_PYTHON_PREFERENCE": "only-system"}
