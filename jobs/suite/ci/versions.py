"""The versions of languages that a repository names: in its set-up actions, and in files that version managers
read. Pure but for reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jobs.suite.ci.job import Step
from jobs.suite.source import Source

# Action (without owner and version) to the language and the input that names its version.
_ACTIONS = {
    "setup-python": ("python", "python-version"),
    "setup-node": ("node", "node-version"),
    "setup-go": ("go", "go-version"),
    "setup-java": ("java", "java-version"),
    "setup-ruby": ("ruby", "ruby-version"),
    "setup-php": ("php", "php-version"),
    "setup-dotnet": ("dotnet", "dotnet-version"),
    "setup-beam": ("elixir", "elixir-version"),
    "rust-toolchain": ("rust", "toolchain"),
    "setup-rust-toolchain": ("rust", "toolchain"),
    "toolchain": ("rust", "toolchain"),
    "setup-uv": ("python", "python-version"),
    "setup-bun": ("bun", "bun-version"),
    "setup-deno": ("deno", "deno-version"),
    "setup-zig": ("zig", "version"),
}
_TOOLS = {
    **{name: name for name in ("python", "ruby", "java", "php", "elixir", "rust", "bun", "deno")},
    "nodejs": "node",
    "node": "node",
    "golang": "go",
    "go": "go",
    "dotnet": "dotnet",
    "dotnet-core": "dotnet",
}
_FILES = (
    *((".python-version", "python"), (".nvmrc", "node"), (".node-version", "node"), (".ruby-version", "ruby")),
    *((".java-version", "java"), (".php-version", "php"), (".go-version", "go")),
)


def named_by(steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """(language, version) as set-up actions name them; what only a run can tell is left out."""
    for step in steps:
        name = step.uses.split("@")[0].rpartition("/")[2]
        language, given = _ACTIONS.get(name, ("", ""))
        for version in step.given.get(given, "").split("\n"):
            plain = version.strip()
            if language and plain and "${{" not in plain:
                yield language, plain


def declared(source: Source) -> dict[str, tuple[str, str]]:
    """Language to (version, the file that says so), of files at the top that name one."""
    found: dict[str, tuple[str, str]] = {}
    for line in source.text(".tool-versions").splitlines():
        words = line.split("#")[0].split()
        if len(words) > 1 and words[0] in _TOOLS:
            found[_TOOLS[words[0]]] = (words[1], ".tool-versions")
    for path, language in _FILES:
        if text := source.text(path).strip():
            found[language] = (text.split()[0].removeprefix("v").removeprefix("ruby-"), path)
    return found | _manifests(source)


def _manifests(source: Source) -> dict[str, tuple[str, str]]:
    found = {}
    go = re.search(r"^(?:toolchain go|go )(\d[\w.]*)", source.text("go.mod"), re.MULTILINE)
    if go:
        found["go"] = (go.group(1), "go.mod")
    path = source.first("rust-toolchain.toml", "rust-toolchain")
    if path:
        channel = source.toml(path).get("toolchain", {})
        named = channel.get("channel") if isinstance(channel, dict) else None
        text = str(named or (source.text(path).strip() if path == "rust-toolchain" else ""))
        found |= {"rust": (text, path)} if re.fullmatch(r"[\w.-]+", text) else {}
    return found
