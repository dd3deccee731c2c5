"""Fixtures that these tests share."""

from __future__ import annotations

from service_valkey import redis, redis_url, valkey

__all__ = ["redis", "redis_url", "valkey"]
