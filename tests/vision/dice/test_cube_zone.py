"""Where a doubling cube lies, by a place on the board alone."""

import pytest

from tests.vision.boards import labels, picture
from vision.dice import DiceReader
from vision.dice.cube_zone import CubeZone, zone_of

MEASURES = {"pitch": 4.8, "checker": 4.5, "bar": 3.4, "width": 61.0, "height": 53.0, "tray": "both"}


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ((30.5, 26.5), CubeZone.MIDDLE),  # on the bar
        ((-3.0, 25.0), CubeZone.MIDDLE),  # on the rims at the sides, and beyond them
        ((65.0, 30.0), CubeZone.MIDDLE),
        ((30.5, 1.0), CubeZone.NEAR),  # at an end of the bar
        ((30.5, 52.0), CubeZone.FAR),
        ((32.9, 12.0), CubeZone.NEAR),  # it hangs over the bar's edge
        ((12.0, -2.0), CubeZone.NEAR),  # on the rim before a player
        ((12.0, 55.0), CubeZone.FAR),
        ((12.0, 1.0), CubeZone.NEAR),  # it hangs over the rim
        ((65.0, 4.0), CubeZone.NEAR),  # in a tray
        ((-4.0, 49.0), CubeZone.FAR),
        ((15.0, 26.5), CubeZone.FIELD),
        ((45.0, 30.0), CubeZone.FIELD),
        ((45.0, 6.0), CubeZone.FIELD),
        ((26.0, 26.5), CubeZone.FIELD),  # beside the bar
        ((3.0, 26.5), CubeZone.FIELD),
    ],
)
def test_a_cubes_zone_is_told_by_its_place(place: tuple[float, float], zone: CubeZone) -> None:
    assert zone_of(place, MEASURES) is zone


def test_a_board_turned_round_has_the_same_zones_turned_round() -> None:
    other = {
        CubeZone.NEAR: CubeZone.FAR,
        CubeZone.FAR: CubeZone.NEAR,
        CubeZone.MIDDLE: CubeZone.MIDDLE,
        CubeZone.FIELD: CubeZone.FIELD,
    }
    for x in range(-6, 68):
        for y in range(-6, 60):
            turned = zone_of((61.0 - x, 53.0 - y), MEASURES)
            assert turned is other[zone_of((float(x), float(y)), MEASURES)]


def test_a_board_without_a_bar_has_a_middle_line() -> None:
    folding = {"width": 60.0, "height": 50.0, "bar": 0.0, "checker": 4.3}
    assert zone_of((30.0, 2.0), folding) is CubeZone.NEAR
    assert zone_of((30.0, 25.0), folding) is CubeZone.MIDDLE
    assert zone_of((34.0, 25.0), folding) is CubeZone.FIELD
    with pytest.raises(KeyError):
        zone_of((30.0, 2.0), {"width": 60.0})


@pytest.mark.parametrize(("board", "name"), [("blue", "04"), ("cork-tan", "02")])
def test_a_cube_at_an_end_of_the_bar_is_a_players(board: str, name: str) -> None:
    label, frame = labels(board)[name], picture(board, name)
    corners = [(x * frame.scale, y * frame.scale) for x, y in label["corners_px"]]
    measures = label["geometry_cm"]
    reader = DiceReader.at_corners(corners, frame.image.shape[1::-1], (measures["width"], measures["height"]))
    cube = reader.look(frame.image).cube
    assert cube is not None
    lower = cube.place[1] < measures["height"] / 2
    assert zone_of(cube.place, measures) is (CubeZone.NEAR if lower else CubeZone.FAR)
