"""The receiver's and control's settings; each declares only the secrets it needs."""

from __future__ import annotations

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from jobs.settings import AppSettings

_PREFIX = Field(
    "/agent",
    pattern=r"^[/@!][A-Za-z0-9_-]{1,30}$",
    validation_alias="PATCHWRIGHT_PREFIX",
    description="The word that begins a command.",
)


class ReceiverSettings(BaseSettings):
    """The receiver's settings: it holds the webhook secret and nothing else."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    webhook_secret: SecretStr = Field(
        min_length=1, validation_alias="GITHUB_WEBHOOK_SECRET", description="The secret that signs webhooks."
    )
    redis_url: SecretStr = Field(
        validation_alias="REDIS_URL", description="Redis or Valkey, with its append-only file on."
    )
    host: str = Field("127.0.0.1", validation_alias="PATCHWRIGHT_HOST", description="The address to listen on.")
    port: int = Field(8000, ge=0, le=65535, validation_alias="PATCHWRIGHT_PORT", description="The port to listen on.")
    keep_days: int = Field(
        30, ge=1, validation_alias="PATCHWRIGHT_KEEP_DAYS", description="How many days deliveries are remembered."
    )
    prefix: str = _PREFIX

    @property
    def keep_s(self) -> int:
        """`keep_days` in seconds."""
        return self.keep_days * 86_400


class ControlSettings(AppSettings):
    """Control's settings: it holds the App's key."""

    prefix: str = _PREFIX
