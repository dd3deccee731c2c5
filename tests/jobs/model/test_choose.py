"""Names of models lead to an endpoint, a key, a price and their quirks."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.errors import Stopped, UserError
from jobs.model.anthropic import AnthropicModel
from jobs.model.choose import heard, model_of
from jobs.model.limiter import Limiter, Unlimited
from jobs.model.openai import OpenAIModel
from jobs.model.prices import Prices
from jobs.model.quirks import quirks_of
from jobs.outcome import Outcome
from jobs.settings import LocalSettings, check

KEYS = {"anthropic_api_key": "a-key", "openai_api_key": "o-key"}


def unlimited(key: str) -> Limiter:
    return Unlimited()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("claude-sonnet-5-5", AnthropicModel),
        ("house-model-1", AnthropicModel),
        ("openai/house-model-1", OpenAIModel),
        ("openai/anthropic/claude-sonnet-5-5", OpenAIModel),
        ("gpt-5", OpenAIModel),
        ("deepseek-chat", OpenAIModel),
    ],
)
def test_the_name_decides_the_endpoint_and_the_key(name: str, kind: type) -> None:
    keys: list[str] = []

    def limiter(key: str) -> Limiter:
        keys.append(key)
        return Unlimited()

    model = model_of(name, check(LocalSettings, **KEYS), limiter=limiter)
    assert (type(model), model.name, keys) == (kind, name, ["o-key" if kind is OpenAIModel else "a-key"])


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("claude-opus-5", {"openai_api_key": "k"}, "ANTHROPIC_API_KEY is not set here: claude-opus-5 cannot"),
        ("openai/m", {"anthropic_api_key": "k"}, "OPENAI_API_KEY is not set here: openai/m cannot"),
        ("openai/m", {**KEYS, "openai_base_url": "localhost:1"}, "OPENAI_BASE_URL is no web address: localhost:1."),
        ("claude-opus-5", {**KEYS, "prices": "/nowhere.toml"}, "PATCHWRIGHT_PRICES: /nowhere.toml is no price table"),
    ],
)
def test_what_is_missing_is_named(
    name: str, given: dict[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UserError) as wrong:
        model_of(name, check(LocalSettings, **given), limiter=unlimited, whose=" here")
    assert str(wrong.value).startswith(sentence)


def test_waits_hear_the_guard() -> None:
    def stopped() -> None:
        raise Stopped(Outcome.CANCELLED, "stop")

    with pytest.raises(Stopped):
        heard(stopped)(0.01)
    calls: list[int] = []
    heard(lambda: calls.append(1))(0.0)
    assert calls == []


TABLE = 'as_of = "2027-01-01"\n[models]\nhouse = { input = 1, output = 2, write_5m = 0, write_1h = 0, read = 0.5 }\n'


def test_an_operator_s_prices_are_laid_over_the_shipped_ones(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(TABLE + "claude-opus-5 = { input = 1, output = 1, write_5m = 1, write_1h = 1, read = 1 }\n")
    prices = Prices.read(file)
    house, opus = prices.of("openai/house"), prices.of("claude-opus-5")
    assert house is not None
    assert opus is not None
    assert (prices.as_of, house.output, opus.input) == ("2027-01-01", 2, 1)
    assert prices.of("claude-sonnet-5-5") == Prices.load().of("claude-sonnet-5-5")
    assert Prices.read(None) == Prices.load()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "as_of = 1",
        'as_of = "x"\n[models]\na = { input = 1 }',
        'as_of = "x"\n[models]\na = 3',
        TABLE.replace("input = 1", 'input = "1"'),
        TABLE.replace("output = 2", "output = -2"),
        TABLE.replace("output = 2", "output = nan"),
        TABLE.replace("output = 2", "output = inf"),
    ],
)
def test_a_table_that_is_none_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"PATCHWRIGHT_PRICES: .*Write as_of") as wrong:
        Prices.read(file)
    assert "\n" not in str(wrong.value)


def test_openai_style_models_have_a_price_only_if_listed() -> None:
    assert Prices.load().of("openai/house") is None
    assert Prices.load().of("gpt-5") is None


@pytest.mark.parametrize(
    ("name", "api", "thinking", "plays", "key"),
    [
        ("claude-sonnet-5-5", "anthropic", "adaptive", True, "max_tokens"),
        ("claude-sonnet-4-5-20250929", "anthropic", "none", True, "max_tokens"),
        ("claude-opus-4-1-20250805", "anthropic", "manual", False, "max_tokens"),
        ("claude-sonnet-4-20250514", "anthropic", "manual", False, "max_tokens"),
        ("unheard-of", "anthropic", "unknown", True, "max_tokens"),
        ("openai/claude-sonnet-5-5", "openai", "adaptive", True, "max_tokens"),
        ("gpt-5-mini", "openai", "unknown", True, "max_completion_tokens"),
        ("o4-mini", "openai", "unknown", True, "max_completion_tokens"),
        ("deepseek-reasoner", "openai", "unknown", True, "max_tokens"),
    ],
)
def test_quirks(name: str, api: str, thinking: str, plays: bool, key: str) -> None:
    found = quirks_of(name)
    assert (found.api, found.thinking, found.played_opening, found.output_key) == (api, thinking, plays, key)


def test_manual_thinking_never_takes_a_played_opening() -> None:
    names = ("claude-opus-4-1", "claude-opus-4-20250514", "claude-sonnet-4-20250514")
    assert all(quirks_of(n).thinking == "manual" and not quirks_of(n).played_opening for n in names)


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "openai/m"])
@pytest.mark.parametrize(
    "address", ["http://", "https://:80", "http://[bad", "http://a b/", "ftp://a", "a.example", "x"]
)
def test_an_address_that_leads_nowhere_is_told_before_anything_is_asked(name: str, address: str) -> None:
    given = check(LocalSettings, **KEYS, anthropic_base_url=address, openai_base_url=address)
    with pytest.raises(UserError, match="_BASE_URL is no web address"):
        model_of(name, given, limiter=unlimited)


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "openai/m"])
def test_a_key_that_no_header_can_hold_is_told_and_the_end_of_its_line_is_no_part_of_it(name: str) -> None:
    for wrong in ("ключ", "a\nb", "a\x00b"):
        with pytest.raises(UserError, match="_API_KEY has characters"):
            model_of(name, check(LocalSettings, anthropic_api_key=wrong, openai_api_key=wrong), limiter=unlimited)
    keys: list[str] = []

    def limiter(key: str) -> Limiter:
        keys.append(key)
        return Unlimited()

    model_of(name, check(LocalSettings, anthropic_api_key="key\n", openai_api_key=" key "), limiter=limiter)
    assert keys == ["key"]
