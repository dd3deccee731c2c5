"""Says whether a recorded exchange is one that GitHub's published OpenAPI description allows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from npm_packages import fetch
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from app.local.hub.recorder import Recorded

_SHA512 = (
    "a55f0cecbf46636dc0c9b36f4e6a369f28e6a669edebedac444fedaabd192d07"
    "0f4b8967c3bbb979918d9b044d9010b70fb8195db171e401f32d455105718386"
)
_URI = "urn:github"
# Any route may answer so, whether its description says it or not.
_ALWAYS = {"304", "400", "401", "403", "404", "422", "500", "502", "503"}
_WRONG_ON_PURPOSE = "4"  # bodies of requests that were refused are not held against the client
_PARAMETER = re.compile(r"\{([^}]+)\}")
# These may hold slashes; the path of a repository's contents may be empty.
_GROUPS = {"path": "(.*?)", **dict.fromkeys(("ref", "branch", "basehead", "tree_sha"), "(.+?)")}
_NEVER_BOTH = ["Simple User", "Enterprise"]  # where the description slips: an account is one or the other
_FORMATS = FormatChecker(())
Schema = dict[str, Any]


@_FORMATS.checks("date-time", raises=ValueError)
def _is_time(value: object) -> bool:
    if isinstance(value, str):
        datetime.fromisoformat(value)
        return "T" in value
    return True


@_FORMATS.checks("uri", raises=ValueError)
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or not value or bool(urlsplit(value).scheme)


@dataclass(frozen=True)
class Operation:
    """One method on one path of the description."""

    path: str
    about: Mapping[str, Any]

    @property
    def literal(self) -> int:
        """How many characters of the path are no parameters: the more, the better the match."""
        return len(_PARAMETER.sub("", self.path))

    def match(self, route: str) -> dict[str, str] | None:
        """The path's parameters by name, or None if `route` is another path."""
        if not f"{route}/".startswith(self.path.partition("{")[0]):
            return None
        found = _pattern(self.path).fullmatch(route) or _pattern(self.path).fullmatch(f"{route}/")
        return None if found is None else dict(zip(_PARAMETER.findall(self.path), found.groups(), strict=True))


@lru_cache(maxsize=2048)
def _pattern(path: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(path)  # literals at even places, names at odd ones
    groups = (_GROUPS.get(part, "([^/]+)") for part in parts[1::2])
    literals = (re.escape(part) for part in parts[::2])
    return re.compile("".join(one for pair in zip_longest(literals, groups, fillvalue="") for one in pair))


@lru_cache(maxsize=1)
def description() -> Schema:
    """The description of api.github.com, its schemas made plain JSON Schema."""
    path = fetch("@octokit/openapi", "23.0.2", "generated/api.github.com.json", _SHA512)
    document: Schema = json.loads(path.read_bytes())
    document["components"]["schemas"] = _plain(document["components"]["schemas"])
    return document


def _plain(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` becomes JSON Schema; `oneOf` becomes `anyOf`, since GitHub's overlap."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    if [each.get("title") for each in node.get("allOf", ()) if isinstance(each, dict)] == _NEVER_BOTH:
        node = {("anyOf" if name == "allOf" else name): value for name, value in node.items()}
    plain = {("anyOf" if name == "oneOf" else name): _plain(value) for name, value in node.items() if name != "example"}
    if plain.pop("nullable", False) is True:
        return {"anyOf": [plain, {"type": "null"}]}
    return plain


@lru_cache(maxsize=1)
def _operations() -> dict[str, list[Operation]]:
    table: dict[str, list[Operation]] = {}
    for path, methods in description()["paths"].items():
        for method, about in methods.items():
            table.setdefault(method.upper(), []).append(Operation(path, about))
    return table


@lru_cache(maxsize=1)
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    filled: Registry[Any] = registry.with_resource(_URI, DRAFT202012.create_resource(description()))
    return filled


@lru_cache(maxsize=2048)
def _validator(schema: str) -> Draft202012Validator:
    rooted = json.loads(schema.replace('"#/', f'"{_URI}#/'))
    return Draft202012Validator(rooted, registry=_registry(), format_checker=_FORMATS)


def _errors(schema: Schema, value: Any, where: str) -> Iterator[str]:
    for error in _validator(json.dumps(_plain(schema), sort_keys=True)).iter_errors(value):
        yield f"{where}{error.json_path[1:]}: {error.message[:300]}"


def operation_of(recorded: Recorded) -> Operation | None:
    """The operation that the request is, or None if GitHub has none such."""
    found = [o for o in _operations().get(recorded.method, ()) if o.match(recorded.route) is not None]
    return max(found, key=lambda o: o.literal, default=None)


def check(recorded: Recorded) -> list[str]:
    """What is wrong with a recorded exchange, as sentences, about path, parameters, body, status and answer.

    The request side of one that was refused (4xx) is not judged, nor is anything that a fault made up.
    """
    operation = operation_of(recorded)
    name = f"{recorded.method} {recorded.route}"
    if operation is None:
        return [f"{name}: GitHub has no such operation"]
    problems = list(_response_problems(operation, recorded))
    if not str(recorded.status).startswith(_WRONG_ON_PURPOSE):
        problems += [*_parameter_problems(operation, recorded), *_body_problems(operation, recorded)]
    return [f"{name} → {recorded.status}: {problem}" for problem in problems]


def _resolved(node: Schema) -> Schema:
    while "$ref" in node:
        target: Any = description()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def _parameter_problems(operation: Operation, recorded: Recorded) -> Iterator[str]:
    in_path = operation.match(recorded.route) or {}
    query = dict(parse_qsl(recorded.query, keep_blank_values=True))
    known = [_resolved(each) for each in operation.about.get("parameters", ())]
    for each in known:
        given = (in_path if each["in"] == "path" else query).get(each["name"])
        if given is not None:
            yield from _errors(each["schema"], _typed(each["schema"], unquote(given)), f"parameter {each['name']}")
        elif each.get("required") and each["in"] == "query":
            yield f"parameter {each['name']} is missing"
    for name in set(query) - {each["name"] for each in known}:
        yield f"parameter {name} is unknown"


def _typed(schema: Schema, text: str) -> Any:
    kinds = {_resolved(each).get("type") for each in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ()))}
    if "integer" in kinds and text.lstrip("-").isdigit():
        return int(text)
    if "boolean" in kinds and text in ("true", "false"):
        return text == "true"
    return text


def _body_problems(operation: Operation, recorded: Recorded) -> Iterator[str]:
    asked = operation.about.get("requestBody")
    if asked is None:
        if recorded.json not in (None, {}):
            yield "a body is sent where none is expected"
        return
    schema = _resolved(asked)["content"].get("application/json", {}).get("schema", {})
    if recorded.json is None:
        if asked.get("required"):
            yield "the body is missing"
        return
    yield from _errors(schema, recorded.json, "body")
    yield from _unknown_fields(schema, recorded.json)


def _unknown_fields(schema: Schema, value: Any) -> Iterator[str]:
    plain = _resolved(schema)
    if "properties" in plain and isinstance(value, dict) and not plain.get("additionalProperties"):
        for name in set(value) - set(plain["properties"]):
            yield f"body has the unknown field {name}"


def _response_problems(operation: Operation, recorded: Recorded) -> Iterator[str]:
    described = operation.about["responses"].get(str(recorded.status))
    if described is None:
        if str(recorded.status) not in _ALWAYS:
            yield f"status {recorded.status} is not described"
        elif recorded.status >= 400:
            yield from _errors({"$ref": "#/components/schemas/basic-error"}, recorded.response_json, "answer")
        return
    content = _resolved(described).get("content", {})
    media = recorded.response_headers.get("content-type", "").partition(";")[0]
    schema = content.get(media, {}).get("schema")
    if schema is not None and media == "application/json":
        yield from _errors(schema, recorded.response_json, "answer")
    elif not content and recorded.response:
        yield "an answer is given where none is described"
    elif content and media not in content:
        yield f"the answer is {media}, not {' or '.join(content)}"
