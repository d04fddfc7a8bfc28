"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# A busy machine must not fail a test: no property here is about time.
settings.register_profile("barpoint", deadline=None)
settings.load_profile("barpoint")
