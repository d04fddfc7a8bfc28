"""The time of day, as everything has it that is kept or told."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now(precision: str = "milliseconds") -> str:
    """Now, in UTC: ``2026-01-31T18:30:05.250Z``."""
    return datetime.now(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
