"""Borne-off checkers, read from a late picture of the recorded game: its board has a tray on either side, the
right one in use."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest

from vision.checkers import tray
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import Geometry, Measures, Orientation
from vision.geometry.flat import Flat
from vision.light.surface import Surface
from vision.picture.frame import Frame, Image, load

ROOT = Path(__file__).parents[3]
REEL = ROOT / "tests" / "data" / "reel"
LATE = "100.jpg"
WAYS = {
    "as it lies": (None, Orientation()),
    "mirrored": (1, Orientation(mirrored=True)),
    "turned": (-1, Orientation(turned=True)),
}
"""How the pictures are flipped (see cv2.flip), and how the board lies then."""


def _flipped(name: str, flip: int | None) -> Image:
    image = load(REEL / name).image
    return image if flip is None else np.ascontiguousarray(cv2.flip(image, flip))


def _corners(given: list[list[float]], flip: int | None) -> list[tuple[float, float]]:
    width, height = 1280, 960
    across = [(width - 1 - x, y) if flip is not None else (x, y) for x, y in given]
    if flip is None:
        return across
    if flip > 0:
        return [across[1], across[0], across[3], across[2]]
    return [(x, height - 1 - y) for x, y in (*across[2:], *across[:2])]


@pytest.mark.parametrize("tray", ["both", None])
@pytest.mark.parametrize("way", WAYS)
def test_the_tray_at_the_homes_is_read_on_whichever_side_they_lie(way: str, tray: str | None) -> None:
    told = json.loads((REEL / "reel.json").read_text())
    off = json.loads((ROOT / "tests" / "data" / "reel" / "truth.json").read_text())["frames"][LATE]["off"]
    assert all(off)
    flip, orientation = WAYS[way]
    rig = calibrate(
        _flipped("000.jpg", flip),
        _corners(told["corners_px"], flip),
        Geometry.from_json({**told["geometry_cm"], "tray": tray}),
    )
    assert rig.orientation == orientation
    looks = CheckersReader(rig).read(Frame(_flipped(LATE, flip))).looks
    assert [len(looks["off.white"]), len(looks["off.black"])] == off


def _noisy(name: str) -> Image:
    image = load(REEL / name).image
    rng = np.random.default_rng(int(name[:3]))
    return np.clip(image + rng.normal(0, 12, image.shape), 0, 255).astype(np.uint8)


def test_a_noisy_camera_does_not_put_checkers_into_an_empty_tray() -> None:
    told = json.loads((REEL / "reel.json").read_text())
    corners = [(float(x), float(y)) for x, y in told["corners_px"]]
    reader = CheckersReader(calibrate(_noisy("000.jpg"), corners, Geometry.from_json(told["geometry_cm"])))
    for name in ("002.jpg", "006.jpg", "012.jpg", "016.jpg", "026.jpg"):
        evidence = reader.read(Frame(_noisy(name))).evidence.cells
        for side in ("white", "black"):
            assert evidence[f"off.{side}"][()] > -5, (name, side)
    one = reader.read(Frame(_noisy("086.jpg"))).evidence.cells["off.black"]
    assert one["black",] - one[()] > 6


def test_whatever_lies_in_the_tray_has_an_end_or_none() -> None:
    """What is neither rims nor their shade, up to the map's edge, is no crash, and its end is a number."""
    rng = np.random.default_rng(7)
    odd = np.zeros((40, 20, 3), np.float32)
    odd[10:12], odd[10] = (0, 6, 0), (-100, 6, 0)  # two rows between which nothing looks like their mean
    strips = [odd, np.full((40, 20, 3), 9, np.float32)]
    strips += [rng.normal(0, 30, (40, 20, 3)).astype(np.float32) for _ in range(200)]
    for strip in strips:
        filled = np.zeros((40, 12), np.float32)
        filled[10 : 12 if strip is odd else int(rng.integers(11, 41))] = 1
        row = tray._row(filled, strip, 10)
        assert row is not None
        assert 9 <= row.end <= 41
    row = tray._row(np.ones((40, 12), np.float32), strips[0] * 0, 10)
    assert row is not None
    assert not row.seen


TABLE = Measures(4.4, 4.0, 4.0, 57.0, 42.0, "right", 1.0)
LIT, SHADED, DARK = 1.0, -0.4, -0.5
"""By how much a pale rim, a face in its own shade and the tray in a shade differ in lightness (in logarithms)
from a tray of middling lightness."""


def _standing(eye: tuple[float, float, float], many: int, face: float, beyond: float) -> list[float]:
    """The log-likelihoods, by count, of White's ``many`` in the tray, as a pinhole at ``eye`` sees them: a
    block of rims as high as a checker, whose last one's face and what is ``beyond`` it look so."""
    x, y = np.arange(-4.0, 67.0, 0.1), np.arange(44.0, -6.0, -0.1)
    ground = np.stack([*np.meshgrid(x, y), np.zeros((len(y), len(x)))], axis=-1)
    end, values = many * TABLE.thickness, np.zeros((len(y), len(x), 3), np.float32)
    column = (ground[..., 0] > 59) & (ground[..., 0] < 64)
    values[column & (ground[..., 1] > end) & (ground[..., 1] < end + 2), 0] = beyond
    for part in np.linspace(0, TABLE.checker / eye[2], 120):  # the last that is painted is what is seen first
        place = ground + part * (np.array(eye) - ground)
        there = (place[..., 0] > 60) & (place[..., 0] < 63) & (place[..., 1] > 0) & (place[..., 1] < end)
        top = part > 0.97 * TABLE.checker / eye[2]
        values[there & (top | (place[..., 1] < end - 0.15)), 0] = LIT
        values[there & ~top & (place[..., 1] >= end - 0.15), 0] = face
    camera = SimpleNamespace(eye=lambda: np.array(eye))
    flat = SimpleNamespace(x=x, y=y, camera=camera, in_view=lambda: np.ones(values.shape[:2], bool))
    found = tray.read(cast(Flat, flat), TABLE, "right", False, 15, Surface(values * 0), values)
    return list(found["off.white"].values())


@pytest.mark.parametrize("many", [1, 3, 7])
@pytest.mark.parametrize(
    ("eye", "face", "beyond"),
    [
        ((28, 21, 90), LIT, 0.0),
        ((28, 21, 90), SHADED, DARK),
        ((10, -12, 80), LIT, 0.0),  # behind the row: it sees no face
        ((10, -12, 80), SHADED, DARK),
    ],
)
def test_rims_reach_as_far_as_checkers_do_wherever_the_camera_is(
    eye: tuple[float, float, float], face: float, beyond: float, many: int
) -> None:
    logs = _standing(eye, many, face, beyond)
    assert int(np.argmax(logs)) == many


@pytest.mark.parametrize("many", [2, 5])
@pytest.mark.parametrize("eye", [(28, 21, 66), (20, 54, 95)])
def test_where_a_face_may_be_lit_or_in_its_shade_the_true_count_stays_likely(
    eye: tuple[float, float, float], many: int
) -> None:
    """A lamp that is wide darkens the tray beyond a lit face; of a dark tray a shade takes little."""
    for face, beyond in ((LIT, DARK), (SHADED, 0.0)):
        assert _standing(eye, many, face, beyond)[many] > -4
