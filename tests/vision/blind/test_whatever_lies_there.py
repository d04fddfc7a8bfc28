"""Whatever lies on the picture, reading blind answers or says in one line why not, and its chances add up."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import POINT_CELLS
from tests.vision.boards import corners, picture
from vision.blind.reader import read_blind
from vision.errors import VisionError
from vision.geometry.board_measures import BARS, OFFS, Geometry
from vision.picture.frame import Image
from vision.reading import Reading

part = st.floats(-0.1, 1.1)
colour = st.tuples(*(st.integers(0, 255) for _ in range(3)))
things = st.lists(
    st.tuples(st.sampled_from(("box", "disc", "arm", "noise", "glare")), part, part, part, part, colour),
    max_size=12,
)


def strewn(image: Image, lying: list[tuple]) -> Image:
    """The picture with things on it, each from one place to another."""
    found, (high, wide) = image.copy(), image.shape[:2]
    for kind, x, y, to_x, to_y, paint in lying:
        one, other = (round(x * wide), round(y * high)), (round(to_x * wide), round(to_y * high))
        if kind == "box":
            cv2.rectangle(found, one, other, paint, -1)
        elif kind == "disc":
            cv2.circle(found, one, abs(other[0] - one[0]) // 6, paint, -1)
        elif kind == "arm":
            cv2.line(found, one, other, paint, wide // 9)
        else:
            spans = zip(one[::-1], other[::-1], strict=True)
            rows, columns = (slice(max(min(pair), 0), max(*pair, 0)) for pair in spans)
            here = found[rows, columns]
            if kind == "noise":
                here[:] = np.random.default_rng(paint[0]).integers(0, 256, here.shape)
            else:
                here[:] = np.maximum(here, 235)
    return found


def read_or_refused(
    image: Image, places: np.ndarray, geometry: Geometry | None = None, stock: int | None = 15
) -> Reading | str:
    """What is read, or why nothing is, in one line."""
    try:
        return read_blind(image, [(float(x), float(y)) for x, y in places], geometry, stock)
    except VisionError as error:
        return str(error)


def check(told: Reading | str) -> None:
    """A reading whose chances add up, or a reason."""
    if isinstance(told, str):
        assert told
        assert "\n" not in told
    else:
        adds_up(told)


def adds_up(reading: Reading) -> None:
    assert set(reading.looks) <= {*POINT_CELLS, *BARS, *OFFS}
    assert reading.looks.keys() == reading.confidence.keys()
    assert not reading.occluded & reading.looks.keys()
    assert reading.lying <= reading.occluded
    for cell, chance in reading.confidence.items():
        assert 0 <= chance <= 1 + 1e-9
        chances = [math.exp(value) for value in reading.evidence.cells[cell].values()]
        assert max(chances) == pytest.approx(1)
        shares = [each / sum(chances) for each in chances]
        assert sum(shares) == pytest.approx(1)
        assert max(shares) >= chance - 1e-6
        assert len(set(reading.looks[cell])) <= 1


@settings(max_examples=15, deadline=None)
@given(
    lying=things,
    off=st.tuples(*(st.floats(-40, 40) for _ in range(8))),
    stock=st.sampled_from((15, 12, None)),
    small=st.sampled_from((1.0, 0.6, 0.3)),
    home=st.sampled_from((None, "left", "top")),
)
def test_whatever_lies_there(
    lying: list[tuple], off: tuple[float, ...], stock: int | None, small: float, home: str | None
) -> None:
    image = strewn(picture("green-felt").image, lying)
    image = np.asarray(cv2.resize(image, None, fx=small, fy=small, interpolation=cv2.INTER_AREA), np.uint8)
    places = small * (np.array(corners("green-felt")) + np.reshape(off, (4, 2)))
    check(read_or_refused(image, places, Geometry(home=home), stock))


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_picture_of_nothing_is_refused_or_read_as_nothing_sure(level: int) -> None:
    places = np.array([(60, 420), (580, 420), (580, 60), (60, 60)])
    check(read_or_refused(np.full((480, 640, 3), level, np.uint8), places))
