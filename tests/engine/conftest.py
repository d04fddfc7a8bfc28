"""What the tests of the engine share."""

from __future__ import annotations

import pytest

from engine import rules as games
from engine.position import Rules
from tests.engine import footrace as made_up


@pytest.fixture
def footrace(monkeypatch: pytest.MonkeyPatch) -> Rules:
    """A game that no module of the program knows, to be found by its name all the same."""
    found = games.get
    monkeypatch.setattr(
        games, "get", lambda name: made_up.RULES if name == made_up.RULES.name else found(name)
    )
    return made_up.RULES
