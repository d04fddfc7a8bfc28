"""The golden playthroughs in tests/data/golden; ``python -m tests.engine.playthrough`` writes them anew."""

from __future__ import annotations

import pytest

from engine import rules as games
from tests.engine.playthrough import GOLDEN, path, playthrough, seeds

KEPT = [(name, seed) for name in games.names() for seed in seeds(games.get(name))]


@pytest.mark.parametrize(("name", "seed"), KEPT)
def test_the_same_seed_plays_the_same_game_as_ever(name: str, seed: int) -> None:
    rules = games.get(name)
    assert playthrough(rules, seed) == path(rules, seed).read_text(encoding="utf-8"), (
        "if meant: python -m tests.engine.playthrough"
    )


def test_no_playthrough_is_left_from_a_game_that_is_gone() -> None:
    assert {file.name for file in GOLDEN.glob("*.txt")} == {
        path(games.get(name), seed).name for name, seed in KEPT
    }
