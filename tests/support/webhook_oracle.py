"""Says whether a webhook payload is one that GitHub's published description allows."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from npm_packages import fetch
from referencing import Registry
from referencing.jsonschema import DRAFT202012

_SHA512 = (
    "679783b0b09435bc75cc7a596f52cd422ac00ea74c4ef58943f75e6a18b4c2cf"
    "ad5969f01d707e3ebe237e633d3ab1134bd639896f1946ed5f75bb9d39b84bae"
)
_URI = "urn:webhooks"


@lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """The description of api.github.com's webhooks; `oneOf` becomes `anyOf`, since GitHub's overlap."""
    path = fetch("@octokit/openapi-webhooks", "12.1.0", "generated/api.github.com.json", _SHA512)
    document: dict[str, Any] = json.loads(path.read_text().replace('"oneOf":', '"anyOf":'))
    return document


@lru_cache(maxsize=1)
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    filled: Registry[Any] = registry.with_resource(_URI, DRAFT202012.create_resource(description()))
    return filled


def check(event: str, payload: dict[str, Any]) -> list[str]:
    """What is wrong with the payload, as sentences. Empty if all is well."""
    name = "-".join(word for word in (event, payload.get("action")) if word).replace("_", "-")
    about = description()["webhooks"].get(name)
    if about is None:
        return [f"{name}: GitHub sends no such webhook"]
    reference = about["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    validator = Draft202012Validator({"$ref": _URI + reference}, registry=_registry())
    return [f"{name}{error.json_path[1:]}: {error.message[:300]}" for error in validator.iter_errors(payload)]
