"""GitHub's expressions, `${{ … }}`: what can be told without a run; all else is unknown. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


class Unknown:
    """What only a real run knows: a secret, an output of a step."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()
Contexts = Mapping[str, Any]  # name of a context to its table; one that is missing is unknown

# What stands in between is consumed once: a text full of openings is read in the time of its length.
_PLACES = re.compile(r"\$\{\{((?:[^}$]|\$(?!\{\{)|\}(?!\}))*+)\}\}")
_TOKENS = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<operator>&&|\|\||==|!=|<=|>=|[!<>()\[\],.*])"
    r"|(?P<name>[A-Za-z_][\w-]*))"
)
_SECRETS = re.compile(r"\bsecrets\.([A-Za-z_]\w*)|\bsecrets\['(\w+)'\]")
_DEEPEST = 30


def fill(text: str, contexts: Contexts) -> str:
    """`text` with every expression that can be told put in; the others stay as they are."""
    return _PLACES.sub(lambda place: _shown(evaluate(place.group(1), contexts), place.group(0)), text)


def value(text: object, contexts: Contexts) -> Any:
    """What a field holds: a whole expression keeps its kind (a list, a table), else text is filled."""
    if not isinstance(text, str):
        return text
    whole = _PLACES.fullmatch(text.strip())
    return evaluate(whole.group(1), contexts) if whole else fill(text, contexts)


def holds(condition: object, contexts: Contexts) -> bool:
    """False if the condition of a step or job can be told and does not hold."""
    if condition is None or isinstance(condition, bool):
        return condition is not False
    inner = _PLACES.sub(lambda place: f"({place.group(1)})", str(condition))
    found = evaluate(inner, contexts)
    return isinstance(found, Unknown) or bool(found)


def secrets_in(text: str) -> tuple[str, ...]:
    """The names of the secrets that expressions in `text` ask for, without the token that every run has."""
    names = (one or other for place in _PLACES.findall(text) for one, other in _SECRETS.findall(place))
    return tuple(dict.fromkeys(name for name in names if name.upper() != "GITHUB_TOKEN"))


def evaluate(expression: str, contexts: Contexts) -> Any:
    """The value of one expression; UNKNOWN where it can't be told or is none."""
    try:
        reader = _Reader(_tokens(expression), contexts)
        found = reader.either(0)
        return found if reader.done else UNKNOWN
    except (_NoExpression, RecursionError):
        return UNKNOWN


def _shown(found: Any, otherwise: str) -> str:
    if isinstance(found, Unknown | list | dict):
        return otherwise
    if found is None:
        return ""
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(int(found)) if isinstance(found, float) and found.is_integer() else str(found)


class _NoExpression(ValueError):
    pass


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    text = text.strip()
    while at < len(text):
        token = _TOKENS.match(text, at)
        if token is None:
            raise _NoExpression(text)
        kind = str(token.lastgroup)
        found.append((kind, token.group(kind)))
        at = token.end()
    return found


class _Reader:
    """Reads tokens by falling precedence: || && comparison ! value."""

    def __init__(self, tokens: list[tuple[str, str]], contexts: Contexts) -> None:
        self._tokens, self._contexts, self._at = tokens, contexts, 0

    @property
    def done(self) -> bool:
        return self._at == len(self._tokens)

    def _next(self, *operators: str) -> str | None:
        if not self.done and self._tokens[self._at] in [("operator", one) for one in operators]:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return None

    def _expect(self, operator: str) -> None:
        if self._next(operator) is None:
            raise _NoExpression(operator)

    def either(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _NoExpression("too deep")
        left = self._both(depth)
        while self._next("||"):
            right = self._both(depth)
            left = left if not isinstance(left, Unknown) and left else _or_unknown(left, right)
        return left

    def _both(self, depth: int) -> Any:
        left = self._compared(depth)
        while self._next("&&"):
            right = self._compared(depth)
            if isinstance(left, Unknown):
                left = UNKNOWN if isinstance(right, Unknown) or right else right
            else:
                left = right if left else left
        return left

    def _compared(self, depth: int) -> Any:
        left = self._turned(depth)
        operator = self._next("==", "!=", "<=", ">=", "<", ">")
        return left if operator is None else _compare(left, operator, self._turned(depth))

    def _turned(self, depth: int) -> Any:
        if self._next("!"):
            found = self._turned(depth)
            return UNKNOWN if isinstance(found, Unknown) else not found
        return self._inside(self._value(depth), depth)

    def _value(self, depth: int) -> Any:
        if self._next("("):
            found = self.either(depth + 1)
            self._expect(")")
            return found
        if self.done:
            raise _NoExpression("ends early")
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return float(text)
        if kind != "name":
            raise _NoExpression(text)
        return self._called(text, depth) if self._next("(") else _named(text, self._contexts)

    def _called(self, name: str, depth: int) -> Any:
        given: list[Any] = []
        while not self._next(")"):
            given.append(self.either(depth + 1))
            self._next(",")
        return _call(name.lower(), given)

    def _inside(self, found: Any, depth: int) -> Any:
        while operator := self._next(".", "["):
            if operator == "[":
                key = self.either(depth + 1)
                self._expect("]")
            elif self.done:
                raise _NoExpression("ends early")
            else:
                key = self._tokens[self._at][1]
                self._at += 1
            found = _member(found, key)
        return found


def _or_unknown(left: Any, right: Any) -> Any:
    """What `left || right` is where `left` is not true."""
    return right if not isinstance(left, Unknown) else UNKNOWN


def _named(name: str, contexts: Contexts) -> Any:
    words = {"true": True, "false": False, "null": None}
    return words[name] if name in words else contexts.get(name, UNKNOWN)


def _member(found: Any, key: Any) -> Any:
    if isinstance(found, dict):
        return found.get(_shown(key, ""), UNKNOWN if "*" in found else None)
    if isinstance(found, list) and isinstance(key, float):
        return found[int(key)] if 0 <= key < len(found) else None
    return UNKNOWN if isinstance(found, Unknown | list) else None


def _compare(left: Any, operator: str, right: Any) -> Any:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    if operator in ("==", "!="):
        return (_plain(left) == _plain(right)) == (operator == "==")
    try:
        one, other = float(left or 0), float(right or 0)
    except (TypeError, ValueError):
        return UNKNOWN
    return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[operator]


def _plain(found: Any) -> str:
    """Comparison ignores case and the kind of numbers; tables and lists, which may share parts, are no text."""
    return _shown(found, "").lower()


def _call(name: str, given: list[Any]) -> Any:
    if name in ("success", "always"):
        return True
    if name in ("failure", "cancelled"):
        return False
    if any(isinstance(one, Unknown) for one in given) or not given:
        return UNKNOWN
    if name == "fromjson":
        return _from_json(given[0])
    if name == "format":
        return re.sub(r"\{(\d)\}", lambda place: _argument(given, int(place.group(1))), str(given[0]))
    return _about_text(name, given) if len(given) == 2 else UNKNOWN


def _argument(given: list[Any], number: int) -> str:
    return _shown(given[number + 1], "") if number + 1 < len(given) else ""


def _from_json(text: Any) -> Any:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return UNKNOWN


def _about_text(name: str, given: list[Any]) -> Any:
    whole, part = given
    if name == "contains" and isinstance(whole, list):
        return _plain(part) in map(_plain, whole)
    if name == "join" and isinstance(whole, list):
        return str(part).join(_shown(one, "") for one in whole)
    text, sought = _plain(whole), _plain(part)
    answers = {"contains": sought in text, "startswith": text.startswith(sought), "endswith": text.endswith(sought)}
    return answers.get(name, UNKNOWN)
