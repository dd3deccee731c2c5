"""Which endpoint a model's name leads to, and with which key."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from jobs.errors import UserError
from jobs.model import anthropic, openai
from jobs.model.anthropic import AnthropicModel
from jobs.model.endpoint import Endpoint
from jobs.model.limiter import Limiter
from jobs.model.openai import OpenAIModel
from jobs.model.prices import Prices
from jobs.model.quirks import quirks_of
from jobs.settings import ModelSettings

LimiterOf = Callable[[str], Limiter]  # makes what everybody with the same key shares
_SLICE_S = 1.0


def model_of(
    name: str,
    settings: ModelSettings,
    *,
    limiter: LimiterOf,
    alive: Callable[[], None] | None = None,
    whose: str = "",
) -> Endpoint:
    """The model called `name`: `openai/NAME`, or a name that only such endpoints know, is asked for chat completions at
    OPENAI_BASE_URL, any other through the Messages API. `alive` is heard during waits and may raise. `whose` says where
    a missing key is missed. Raises UserError with one line."""
    chat = quirks_of(name).api == "openai"
    kind = OpenAIModel if chat else AnthropicModel
    key = settings.openai_api_key if chat else settings.anthropic_api_key
    own = settings.openai_base_url if chat else settings.anthropic_base_url
    prefix = kind.settings
    if key is None:
        keyless = " (to any word if that endpoint has no keys)" if chat else ""
        raise UserError(f"{prefix}_API_KEY is not set{whose}: {name} cannot be asked without it. Set it{keyless}.")
    address = own or (openai.ENDPOINT if chat else anthropic.ENDPOINT)
    if not _is_address(address):
        raise UserError(f"{prefix}_BASE_URL is no web address: {address}. Set it to http(s)://HOST, or leave it out.")
    secret = key.get_secret_value().strip()  # a key from a file ends with its line
    if not (secret.isascii() and secret.isprintable()):
        raise UserError(f"{prefix}_API_KEY has characters that no key has. Copy it again.")
    return kind(
        name,
        api_key=secret,
        base_url=address,
        prices=Prices.read(settings.prices),
        sleep=time.sleep if alive is None else heard(alive),
        limiter=limiter(secret),
    )


def _is_address(text: str) -> bool:
    try:
        address = httpx.URL(text)
        port = address.port
    except (httpx.InvalidURL, ValueError):
        return False
    return address.scheme in ("http", "https") and bool(address.host) and "%" not in address.host and port != 0


def heard(alive: Callable[[], None]) -> Callable[[float], None]:
    """A sleep that calls `alive` every second, which may end it by raising."""

    def sleep(seconds: float) -> None:
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            time.sleep(min(_SLICE_S, left))
            alive()

    return sleep
