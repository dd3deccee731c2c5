"""Fixtures that these tests share."""

from __future__ import annotations

from hub_fixture import hub
from service_stage import stage
from service_valkey import redis, redis_url, valkey

__all__ = ["hub", "redis", "redis_url", "stage", "valkey"]
