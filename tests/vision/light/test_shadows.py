"""Light that changed on a part of the board only: shadows, the sun."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.bench.altered import ALTERED, OTHER_LIGHT
from tests.vision.boards import corners, picture, rig, truth
from vision.checkers import trust
from vision.checkers.reader import CheckersReader
from vision.light import shadows
from vision.light.surface import grain
from vision.picture.frame import Frame
from vision.reading import Reading

PICTURES = [("green-felt", "03"), ("green-felt", "start"), ("cork-tan", "02"), ("blue", "04")]


def _altered(board: str, name: str, how: str) -> Frame:
    return Frame(ALTERED[how](picture(board, name).image, np.array(corners(board)))[0])


def _wrong(board: str, name: str, reading: Reading) -> dict[str, float]:
    expected = {cell: look for cell, look in truth(board, name).items() if cell not in reading.occluded}
    return {cell: reading.confidence[cell] for cell, look in expected.items() if reading.looks[cell] != look}


@pytest.mark.parametrize("name", ["start", "03"])
def test_checkers_in_an_arms_shadow_keep_their_colour(name: str) -> None:
    """Before, one point and three were taken for the darker side's."""
    reading = CheckersReader(rig("green-felt")).read(_altered("green-felt", name, "arm's dark shadow"))
    assert not _wrong("green-felt", name, reading)
    assert not reading.hand


@pytest.mark.parametrize("how", OTHER_LIGHT)
@pytest.mark.parametrize(("board", "name"), PICTURES)
def test_nothing_wrong_is_sure_in_other_light(board: str, name: str, how: str) -> None:
    assert (
        max(
            _wrong(board, name, CheckersReader(rig(board)).read(_altered(board, name, how))).values(),
            default=0.0,
        )
        < 0.9
    )


@pytest.mark.parametrize(("board", "name"), PICTURES)
def test_light_is_even_in_pictures_as_they_are(board: str, name: str) -> None:
    reader = CheckersReader(rig(board))
    values = reader.lay_flat(picture(board, name)).values
    assert (
        shadows.uneven_light(
            values, reader.surface, reader._other(reader._plan.read(reader._discs, values), None)
        )
        is None
    )


def test_a_shadow_is_measured_between_pieces_and_under_them() -> None:
    rng = np.random.default_rng(3)
    surface = rng.normal(4.5, 0.3, (150, 200, 3)).astype(np.float32)
    shadow = np.zeros((150, 200), np.float32)
    shadow[:, 60:130] = -0.5
    shadow = cv2.GaussianBlur(shadow, (0, 0), 4)
    values, pieces = surface.copy(), np.zeros((150, 200), bool)
    values[..., 0] += shadow
    for column in range(20, 190, 24):
        values[20:32, column : column + 12] = 5.4
        pieces[20:32, column : column + 12] = True
    light = shadows.uneven_light(values, surface, pieces)
    assert light is not None
    assert np.abs(light[..., 0] - shadow).mean() < 0.05
    assert np.abs(light[26, :, 0] - shadow[26]).max() < 0.2
    assert np.abs(light[..., 1:]).max() < 0.02


def test_where_the_camera_cannot_show_how_bright_it_is_less_is_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    glaring = _altered("green-felt", "03", "bright")
    before = CheckersReader(rig("green-felt")).read(glaring).evidence
    monkeypatch.setattr(trust, "PLACES", trust.PLACES[:2])
    after = CheckersReader(rig("green-felt")).read(glaring).evidence
    weaker = {cell for cell in before.cells if before.confidence(cell) < after.confidence(cell) - 1e-12}
    assert weaker
    monkeypatch.undo()
    plain = CheckersReader(rig("green-felt")).read(picture("green-felt", "03")).evidence
    monkeypatch.setattr(trust, "PLACES", trust.PLACES[:2])
    assert plain.confidence("p1") == CheckersReader(rig("green-felt")).read(
        picture("green-felt", "03")
    ).evidence.confidence("p1")


@pytest.mark.parametrize(("board", "name"), PICTURES)
def test_a_coarse_jpeg_is_believed_less(board: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    coarse, reader = _altered(board, name, "jpeg 12"), CheckersReader(rig(board))
    doubt = trust.OTHERS[0]
    assert (
        grain(reader.lay_flat(picture(board, name)).values, reader.surface)
        < doubt.ramp[0]
        < grain(reader.lay_flat(coarse).values, reader.surface)
    )
    doubted = reader.read(coarse)
    monkeypatch.setattr(trust, "OTHERS", trust.OTHERS[1:])
    believed = CheckersReader(rig(board)).read(coarse)
    cells = doubted.evidence.cells
    assert sum(doubted.evidence.confidence(cell) for cell in cells) < sum(
        believed.evidence.confidence(cell) for cell in cells
    )
