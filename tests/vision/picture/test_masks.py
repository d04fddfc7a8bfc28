from __future__ import annotations

import numpy as np

from vision.picture.masks import grow, parts, touching, without_gaps, without_specks

BLOCKS = np.zeros((12, 30), bool)
BLOCKS[2:8, 2:8] = True
BLOCKS[4:7, 20:23] = True


def test_parts_are_taken_apart_by_size() -> None:
    assert [np.count_nonzero(part) for part in parts(BLOCKS, 0)] == [36, 9]
    assert [np.count_nonzero(part) for part in parts(BLOCKS, 9)] == [36]
    assert parts(BLOCKS, 45) == []


def test_parts_that_touch_a_seed_are_kept_whole() -> None:
    seeds = np.zeros_like(BLOCKS)
    assert not touching(BLOCKS, seeds).any()
    seeds[5, 21] = seeds[0, 0] = True
    assert np.count_nonzero(touching(BLOCKS, seeds)) == 9


def test_masks_grow_and_lose_specks_and_gaps() -> None:
    holed = BLOCKS.copy()
    holed[4, 4] = False
    holed[9, 14] = True
    assert np.count_nonzero(grow(BLOCKS, 3)) == 8 * 8 + 5 * 5
    assert (without_specks(without_gaps(holed, 3), 3) == BLOCKS).all()
