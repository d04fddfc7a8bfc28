"""The doubling cube in pictures with known truth."""

import pytest

from tests.vision.boards import labels, picture
from vision.dice import DiceReader


@pytest.mark.parametrize(
    ("board", "name"),
    [
        ("blue", "start"),
        ("blue", "04"),
        ("cork-tan", "start"),
        ("cork-tan", "02"),
        ("green-felt", "03"),
        ("green-felt", "05"),
    ],
)
def test_the_cube_is_seen_where_one_lies(board: str, name: str) -> None:
    label, frame = labels(board)[name], picture(board, name)
    corners = [(x * frame.scale, y * frame.scale) for x, y in label["corners_px"]]
    size = (label["geometry_cm"]["width"], label["geometry_cm"]["height"])
    lying = DiceReader.at_corners(corners, frame.image.shape[1::-1], size).look(frame.image)
    assert (lying.cube is not None) == bool(label["cube"])
    if lying.cube is not None:  # in all of these it lies at an end of the bar
        x, y = lying.cube.place
        assert abs(x - size[0] / 2) < 3
        assert min(abs(y), abs(y - size[1])) < 4
