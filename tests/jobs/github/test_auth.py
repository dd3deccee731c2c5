from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from github_world import NAME, QUICK, World, routes

from jobs.errors import EnvironmentFault, UserError
from jobs.github.auth import AppKey, Tokens, read_key
from jobs.github.errors import DeadCredential


def _pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, password: bytes | None = None) -> str:
    how = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how).decode()


RSA = rsa.generate_private_key(65537, 2048)


def test_a_key_is_read_from_text_from_escaped_text_and_from_a_file(tmp_path: Path) -> None:
    pem = _pem(RSA)
    file = tmp_path / "app.pem"
    file.write_text(pem)
    assert read_key(pem) == read_key(pem.replace("\n", "\\n")) == read_key(file) == read_key(str(file)) == pem


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("/nowhere/app.pem", "does not exist"),
        ("/", "can't be read"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "not readable"),
        (_pem(RSA, b"secret"), "encrypted"),
        (_pem(ec.generate_private_key(ec.SECP256R1())), "not an RSA key"),
    ],
    ids=["missing", "folder", "broken", "encrypted", "elliptic"],
)
def test_a_bad_key_is_told_in_one_sentence_without_the_key(source: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as told:
        read_key(source)
    assert str(told.value).count(".") <= 2
    assert "MII" not in str(told.value)


def test_keys_and_tokens_do_not_show_their_secrets(gh: World) -> None:
    token = gh.tokens.mint(gh.hub.installation_id(NAME), gh.repository_id, {"contents": "read"})
    assert token.value not in repr(token)
    assert "PRIVATE" not in repr(gh.tokens.key)


def test_a_token_is_as_narrow_as_asked(gh: World) -> None:
    token = gh.tokens.mint(gh.hub.installation_id(NAME), gh.repository_id, {"contents": "read"})
    assert dict(token.permissions) == {"contents": "read", "metadata": "read"}
    assert timedelta(minutes=50) < token.expires_at - datetime.now(UTC) <= timedelta(hours=1)
    asked = next(r.json for r in gh.hub.requests if r.route.endswith("/access_tokens"))
    assert asked == {"repository_ids": [gh.repository_id], "permissions": {"contents": "read"}}


def test_a_permission_that_the_app_lacks_is_named(gh: World) -> None:
    with pytest.raises(EnvironmentFault, match="workflows: write"):
        gh.tokens.mint(gh.hub.installation_id(NAME), gh.repository_id, {"workflows": "write"})


def test_an_installation_that_is_gone_is_told(gh: World) -> None:
    with pytest.raises(EnvironmentFault, match="not installed here"):
        gh.tokens.mint(999_999, gh.repository_id, {"contents": "read"})


@pytest.mark.parametrize("wrong", ["id", "key"])
def test_a_wrong_app_is_told(gh: World, wrong: str) -> None:
    key = AppKey("123456", gh.tokens.key.private_key) if wrong == "id" else AppKey(gh.tokens.key.app_id, _pem(RSA))
    with pytest.raises(DeadCredential, match="GITHUB_APP_ID"):
        Tokens(key, gh.hub.url, patience=QUICK).identity()


def test_a_revoked_token_is_dead_and_revoking_twice_is_fine(gh: World) -> None:
    with gh.tokens.borrowed(gh.hub.installation_id(NAME), gh.repository_id, {"contents": "read"}) as token:
        headers = {"Authorization": f"Bearer {token.value}"}
        assert httpx.get(f"{gh.hub.url}/repos/{NAME}", headers=headers).status_code == 200
    assert httpx.get(f"{gh.hub.url}/repos/{NAME}", headers=headers).status_code == 401
    gh.tokens.revoke(token)


def test_one_token_serves_many_calls_and_is_renewed_before_it_ends(gh: World) -> None:
    gh.hub.open_issue(NAME, "ann", "One")
    for _ in range(3):
        gh.github.issue(1)
    assert len([r for r in routes(gh.hub) if r.endswith("/access_tokens")]) == 1
    gh.hub.token_ttl = 600.0  # less than a quarter of an hour is left at once
    gh.hub.revoke_tokens()
    gh.github.issue(1)
    gh.github.issue(1)
    assert len([r for r in routes(gh.hub) if r.endswith("/access_tokens")]) == 3


def test_a_refused_token_is_renewed_once_then_told(gh: World) -> None:
    gh.hub.open_issue(NAME, "ann", "One")
    gh.github.issue(1)
    gh.hub.revoke_tokens()
    assert gh.github.issue(1).title == "One"
    gh.hub.fault("GET", "/repos/*/issues/1", "unauthorized", times=2)
    with pytest.raises(DeadCredential, match="credentials"):
        gh.github.issue(1)


def test_under_an_enterprise_path_the_same_calls_work(gh: World) -> None:
    tokens = Tokens(gh.tokens.key, f"{gh.hub.url}/api/v3", patience=QUICK)
    assert tokens.identity() == gh.tokens.identity()
    assert tokens.mint(gh.hub.installation_id(NAME), gh.repository_id, {"issues": "write"}).value
