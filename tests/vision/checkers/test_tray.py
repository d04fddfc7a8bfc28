"""Borne-off checkers, read from a late picture of the recorded game: its board has a tray on either side, the
right one in use."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.checkers import tray
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import Geometry, Orientation
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
    assert not tray._row(np.ones((40, 12), np.float32), strips[0] * 0, 10).seen  # type: ignore[union-attr]
