"""The places that an answer names."""

from __future__ import annotations

import pytest

from jobs.agent.citations import Place, missing, places

LINES = {"app/money.py": 40, "README.md": 10, "Makefile": 3, "src/Makefile": 3}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It rounds in `app/money.py:12`.", [Place("app/money.py", 12, 12)]),
        ("see app/money.py:12-20, README.md:3", [Place("app/money.py", 12, 20), Place("README.md", 3, 3)]),
        ("(./app/money.py:1–4) and /src/app/money.py:1-4", [Place("app/money.py", 1, 4)]),
        ("src/Makefile:2", [Place("src/Makefile", 2, 2)]),
        ("at 10:30, on http://127.0.0.1:8000/x and 127.0.0.1:8000, key:12", []),
        ("https://example.com:443/a.py is no place", []),
        ("Makefile:3 and Dockerfile:1", [Place("Makefile", 3, 3)]),
        ("localhost:8080, db.internal:5432, example.com:80", []),
        ("gone.py:3", [Place("gone.py", 3, 3)]),
    ],
)
def test_places_are_found_and_addresses_are_not(text: str, found: list[Place]) -> None:
    assert list(places(text, LINES.get)) == found


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("app/money.py:40", []),
        ("app/money.py:41", ["app/money.py:41"]),
        ("app/money.py:30-41", ["app/money.py:30-41"]),
        ("app/money.py:9-3", ["app/money.py:9-3"]),
        ("app/cash.py:1 and README.md:0", ["app/cash.py:1", "README.md:0"]),
    ],
)
def test_places_that_do_not_exist_are_named(text: str, wrong: list[str]) -> None:
    assert [str(place) for place in missing(text, LINES.get)] == wrong
