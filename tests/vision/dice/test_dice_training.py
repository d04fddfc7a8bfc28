"""What the networks of dice are trained among."""

import numpy as np
import pytest

from training.dice.clutter import KINDS, Spot
from vision.dice.networks import CUBES, VALUES


@pytest.mark.parametrize("kind", sorted(set(KINDS), key=lambda kind: kind.__name__), ids=lambda k: k.__name__)
def test_what_is_taken_for_dice_is_painted_around_its_place_and_nowhere_else(kind) -> None:  # type: ignore[no-untyped-def]
    for seed in range(10):
        light = np.zeros((240, 240, 3), np.float32)
        kind(np.random.default_rng(seed), Spot(light, 120, 120, 12, (0.5, 0.4, 0.3)))
        assert np.isfinite(light).all()
        assert light.max() > 0.05
        light[120 - 60 : 120 + 60, 120 - 60 : 120 + 60] = 0
        assert not light.any()


def test_the_answers_are_nothing_six_values_and_six_numbers_of_a_cube() -> None:
    assert [*range(1 + 6), *CUBES] == list(range(VALUES))
