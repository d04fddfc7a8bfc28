from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader


@pytest.mark.parametrize("board", ["green-felt", "cork-tan", "blue"])
def test_the_map_is_the_same_as_from_the_whole_picture(board: str) -> None:
    flat, image = CheckersReader(rig(board)).flat, picture(board).image
    rows, columns = flat.shape
    x, y = np.meshgrid(
        flat.left + (np.arange(columns) + 0.5) / flat.scale, flat.high - (np.arange(rows) + 0.5) / flat.scale
    )
    assert (flat.x == x[0]).all()
    assert (flat.y == y[:, 0]).all()
    pixels = flat.camera.project(np.stack([x, y, 0 * x], axis=-1)).reshape(rows, columns, 2)
    at = ((pixels + 0.5) / flat.shrink - 0.5).astype(np.float32)
    height, width = (side // flat.shrink for side in image.shape[:2])
    whole = image[: height * flat.shrink, : width * flat.shrink]
    small = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
    expected = cv2.remap(small, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    assert (flat.lay(image) == expected).all()
    assert (
        flat.in_view() == ((pixels >= -0.5) & (pixels < np.array(flat.camera.size) - 0.5)).all(axis=-1)
    ).mean() > 0.99


def test_a_place_on_the_map_is_found_again_from_the_board_and_from_the_picture() -> None:
    flat = CheckersReader(rig("green-felt")).flat
    places = np.array([[0.0, 0.0], [31.5, 7.25], [100.0, 60.0]])
    assert flat.at(flat.board(places)) == pytest.approx(places)
    assert flat.camera.place(flat.picture(places)) == pytest.approx(flat.board(places), abs=1e-3)
