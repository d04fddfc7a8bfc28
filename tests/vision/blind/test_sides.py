from __future__ import annotations

import cv2
import numpy as np

from vision.blind.sides import split, tell_sides
from vision.blind.tops import PlacedTop
from vision.disc_finder.flat_map import HIGH, WIDE


def top(column: int, upper: bool, y: float = 0.0, odds: float = 3.0, x: float = 0.0) -> PlacedTop:
    return PlacedTop(x, y, odds, -5.0, column, upper, (column + 1) % 12, 0.8)


def test_two_colours_are_told_apart_where_varnish_mirrors_the_lamp() -> None:
    rng = np.random.default_rng(28)  # so that they are split otherwise by who knows no mirrored lamp
    cream, brown = np.array([75.0, 2, 20]), np.array([32.0, 7, 13])
    mirrored = np.concatenate([np.zeros(12), rng.uniform(0, 0.65, 6)])[:, None]
    shades = np.concatenate(
        [
            cream + rng.normal(0, 1.5, (15, 3)),
            brown + (np.array([100, 0, 0]) - brown) * mirrored + rng.normal(0, 1.5, (18, 3)),
        ]
    )
    places = np.repeat(np.arange(11), 3)
    odds = split(shades[None], places, np.ones(33))
    assert len({bool(o > 0) for o in odds[:5]}) == 1
    assert all((o > 0) != (odds[0] > 0) for o in odds[5:])


def test_one_side_s_checkers_are_not_more_than_it_has() -> None:
    """All dark checkers mirror the lamp, and a point of three light ones has a hue nearer to theirs."""
    points = [
        [67, -7, 4],
        [87, 3, 9],
        [85, 2, 1],
        [63, -4, -1],
        [91, 3, 5],
        [68, 0, 2],
        [67, -6, 3],
        [92, 1, 7],
    ]
    many = [5, 5, 3, 3, 5, 5, 2, 2]
    shades, places = np.repeat(np.array(points, float), many, axis=0)[None], np.repeat(np.arange(8), many)

    def dark(stock: int | None) -> list[int]:
        odds = split(shades, places, np.ones(30), stock)
        return np.flatnonzero((odds > 0) == (odds[0] > 0)).tolist()

    assert dark(None) == [0, 2, 3, 5, 6], "18 checkers"
    assert dark(15) == [0, 3, 5, 6]


def paint(light: tuple[int, int, int], dark: tuple[int, int, int]) -> tuple[np.ndarray, list[PlacedTop]]:
    flat = np.full((HIGH, WIDE, 3), 90, np.uint8)
    tops = []
    for column in range(8):
        x, y = 40.0 + 30 * column, 60.0
        cv2.circle(flat, (int(x), int(y)), 11, light if column % 2 else dark, -1)
        tops.append(top(column, True, y=y, x=x))
    return flat, tops


def test_white_is_the_lighter_side() -> None:
    flat, tops = paint((200, 210, 220), (30, 40, 60))
    found = tell_sides(flat, tops, 24.0, np.zeros(5))
    assert [odds > 0 for odds in found.white] == [False, True] * 4
    assert found.doubt < 0.01


def test_the_names_are_in_doubt_where_neither_side_is_lighter() -> None:
    flat, tops = paint((150, 120, 95), (80, 120, 128))
    assert tell_sides(flat, tops, 24.0, np.zeros(5)).doubt > 0.3


def test_one_checker_cannot_be_named() -> None:
    flat, tops = paint((200, 210, 220), (30, 40, 60))
    assert tell_sides(flat, tops[:1], 24.0, np.zeros(5)).doubt == 0.5


def test_a_light_checker_half_in_the_shade_of_a_wall_is_no_dark_one() -> None:
    flat, tops = paint((200, 210, 220), (30, 40, 60))
    blot = tops[5]  # beside the bar, which stands to its right
    x, y = int(blot.x), int(blot.y)
    flat[y - 12 : y + 12, x + 1 : x + 12] = 4
    found = tell_sides(flat, tops, 24.0, np.zeros(5))
    assert [odds > 0 for odds in found.white] == [False, True] * 4


def test_a_light_checker_that_is_burnt_out_where_the_lamp_is_near_is_no_mirrored_dark_one() -> None:
    flat, tops = paint((140, 200, 220), (5, 30, 40))
    near = tops[7]
    cv2.circle(flat, (int(near.x), int(near.y)), 11, (255, 255, 255), -1)
    found = tell_sides(flat, tops, 24.0, np.array([1.2, 0.0, 0.0, 0.0, 0.0]))
    assert found.white[7] > 0
