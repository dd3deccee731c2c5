"""The App that the hub knows: a fresh key pair, ids, and what it was granted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

# What the product's App manifest asks for; `workflows` is missing on purpose: it is granted apart.
PERMISSIONS = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}
EVENTS = (
    "check_run",
    "check_suite",
    "create",
    "delete",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "workflow_job",
    "workflow_run",
)


@dataclass(frozen=True)
class Keys:
    """An App's secrets. `private_key` and `public_key` are PEM."""

    private_key: str
    public_key: str
    webhook_secret: str
    client_secret: str


def new_keys() -> Keys:
    """A fresh RSA key pair and secrets."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Keys(private.decode(), public.decode(), secrets.token_hex(20), secrets.token_hex(20))
