"""Settings of all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A busy machine must not fail a test: no property here is about time. The same examples everywhere: whoever
# runs ./check on the same tree gets the same answer. To look for new ones: HYPOTHESIS_PROFILE=explore ./check
os.environ["LANGUAGE"] = "en"  # what the program says is compared with English

settings.register_profile("barpoint", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "barpoint"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long are begun first (./check: a file's tests are run by one process), or the others
    wait for one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def hearing() -> Iterator[None]:
    """Ctrl-C is heard, as at a terminal: a shell that starts this in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
