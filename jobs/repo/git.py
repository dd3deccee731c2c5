"""The only caller of git.

Every command gets an environment of ours, no system or user configuration, no hooks, no filters and an explicit
GIT_DIR; token-bearing commands never see a work tree. GitPython serves as the command runner only.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from jobs.errors import EnvironmentFault
from jobs.settings import bare_environment, blanks

_NO_GIT = "git is not on PATH: install git 2.39 or newer."
try:
    with bare_environment():  # GitPython runs `git version` while it is imported
        from git import Git
        from git.exc import GitCommandError, GitCommandNotFound
except ImportError as missing:
    raise EnvironmentFault(_NO_GIT) from missing

# gitsecurityboundary(7) and trials: nothing here may be taken from a repository's or a user's configuration.
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false",
    "GIT_SSH_COMMAND": "/bin/false",
    "GIT_EDITOR": "/bin/false",
    "GIT_SEQUENCE_EDITOR": "/bin/false",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}

_FLAGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.sshCommand=/bin/false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.askPass=/bin/false",
    "core.gitProxy=",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.pager=cat",
    "core.quotePath=false",
    "core.autocrlf=false",
    "core.alternateRefsCommand=/bin/false",
    "credential.helper=",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "diff.ignoreSubmodules=all",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "gpg.program=/bin/false",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.followRedirects=false",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "http.lowSpeedLimit=1000",  # bytes a second for a minute: a remote that hangs is given up
    "http.lowSpeedTime=60",
)

# A filter, textconv or merge driver named by .gitattributes never runs, whatever its name. (`-diff` would make
# every file binary; `!diff` forgets what the tree said.)
ATTRIBUTES = "* -filter !diff !merge -text -ident !eol !working-tree-encoding\n"


_PROTOCOLS = ("https", "http", "file")


class GitError(EnvironmentFault):
    """git refused; the text is git's own, without secrets."""

    def __init__(self, args: Sequence[str], status: int | None, stderr: str) -> None:
        super().__init__(f"git {args[0]} failed ({status}): {stderr.strip() or 'no message'}")
        self.status = status
        self.stderr = stderr


@dataclass(frozen=True)
class Remote:
    """Where to fetch from or push to. The token goes to that host alone, by scoped header in one process's
    environment: never into an address, an argument or a file."""

    url: str
    token: str | None = None

    @property
    def protocol(self) -> str:
        """The one transport that this remote may use."""
        return urlsplit(self.url).scheme or "file"

    def __post_init__(self) -> None:
        if self.protocol not in _PROTOCOLS:  # `ext::` runs a program
            raise ValueError(f"'{self.protocol}' is no transport for git here: use one of {', '.join(_PROTOCOLS)}.")

    def environment(self) -> dict[str, str]:
        """Scoped authorization, or nothing."""
        if self.token is None:
            return {}
        parts = urlsplit(self.url)
        basic = base64.b64encode(f"x-access-token:{self.token}".encode()).decode()
        return {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{parts.netloc}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
        }


def git(
    git_dir: Path,
    *args: str,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    remote: Remote | None = None,
    cwd: Path = Path("/"),
    accept: tuple[int, ...] = (0,),
) -> bytes:
    """Runs git on the bare repository `git_dir` and returns its stdout, byte for byte.

    `env` adds variables such as GIT_INDEX_FILE; `remote` opens its one transport and adds its authorization; `cwd`
    matters to the few commands that need a work tree (named by GIT_WORK_TREE).
    Raises GitError when git exits with a status not in `accept`, EnvironmentFault when there is no git.
    """
    # GitPython hands our whole environment on: what is not meant for git goes as empty.
    environment = {**blanks(), **_ENVIRONMENT, "GIT_DIR": str(git_dir), **(env or {})}
    flags = list(_FLAGS)
    if remote is not None:
        environment |= {**remote.environment(), "GIT_ALLOW_PROTOCOL": remote.protocol}
        flags.append(f"protocol.{remote.protocol}.allow=always")
    command = ["git", *(part for flag in flags for part in ("-c", flag)), *args]
    with tempfile.TemporaryFile() as source:
        source.write(stdin or b"")
        source.seek(0)
        try:
            status, out, err = Git(cwd).execute(
                command,
                istream=source,
                env=environment,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except GitCommandNotFound as missing:
            raise EnvironmentFault(_NO_GIT) from missing
        except GitCommandError as refused:
            raise GitError(
                args, refused.status if isinstance(refused.status, int) else None, str(refused.stderr)
            ) from None
    if status not in accept:
        raise GitError(args, status, err if isinstance(err, str) else err.decode("utf-8", "replace"))
    return out if isinstance(out, bytes) else out.encode()


def text(git_dir: Path, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> str:
    """Like `git`, as one stripped line of text."""
    return git(git_dir, *args, stdin=stdin, env=env).decode("utf-8", "surrogateescape").strip()


def init_bare(path: Path, *, sha256: bool = False) -> None:
    """Makes a bare repository of ours whose attributes switch off every driver."""
    path.mkdir(parents=True, exist_ok=True)
    object_format = "sha256" if sha256 else "sha1"
    git(path, "init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", str(path))
    (path / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (path / "info").mkdir(exist_ok=True)
    (path / "info" / "attributes").write_text(ATTRIBUTES)
