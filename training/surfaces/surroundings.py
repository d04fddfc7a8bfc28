"""What is around a board, and before it: cloths and walls, furniture, captions, panels, trays, arms. None of
it is drawn well; it teaches what is no board. Pictures are floats (rows x columns x 3, BGR, 0-255) and are
drawn on."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
Colour = NDArray[np.float64]
Place = NDArray[np.float64]
LETTERS = list("0123456789:.-ABCDEFGHIKLMNOPRSTUVabcdefghiklmnoprstu ")


def any_colour(rng: np.random.Generator) -> Colour:
    """Any colour; every second one is nearly grey."""
    colour = rng.uniform(0, 255, 3) if rng.random() < 0.5 else rng.uniform(0, 255) + rng.normal(0, 12, 3)
    return np.asarray(np.clip(colour, 0, 255), np.float64)


def cloth(rng: np.random.Generator, high: int, wide: int) -> Picture:
    """Something plain, shaded, grained or striped."""
    base = np.empty((high, wide, 3), np.float32)
    base[:] = any_colour(rng)
    kind = rng.random()
    if 0.25 <= kind < 0.5:
        across = np.linspace(-1, 1, wide, dtype=np.float32)[None] * rng.normal(0, 40)
        base += (across + np.linspace(-1, 1, high, dtype=np.float32)[:, None] * rng.normal(0, 40))[..., None]
    elif kind >= 0.5:
        for _ in range(rng.integers(1, 4)):
            rows, columns = rng.integers(2, 60, 2)
            grain = rng.normal(0, 1, (rows + 2, columns + 2)).astype(np.float32)
            if rng.random() < 0.4:
                grain[:] = grain[:, :1] if rng.random() < 0.5 else grain[:1]
            tint = (rng.uniform(4, 40) * rng.normal(1, 0.3, 3)).astype(np.float32)
            base += cv2.resize(grain, (wide, high), interpolation=cv2.INTER_CUBIC)[..., None] * tint
    return base


def clutter(rng: np.random.Generator, picture: Picture, count: int) -> None:
    """So many boxes, discs, words, cords and rows of discs."""
    if not count:
        return
    drawn = np.clip(picture, 0, 255).astype(np.uint8)
    high, wide = drawn.shape[:2]
    for _ in range(count):
        colour, kind = tuple(map(float, any_colour(rng))), rng.random()
        x, y = rng.uniform(-0.1, 1.1, 2) * (wide, high)
        middle, size = (int(x), int(y)), rng.uniform(0.03, 0.35) * wide
        if kind < 0.35:
            turn = float(rng.choice([0, 90, rng.uniform(0, 180)]))
            box = cv2.boxPoints(((x, y), (size, size * rng.uniform(0.2, 1.5)), turn)).astype(int)
            cv2.fillPoly(drawn, [box], colour, cv2.LINE_AA)
            if rng.random() < 0.4:
                edge = tuple(map(float, any_colour(rng)))
                cv2.polylines(drawn, [box], True, edge, int(rng.integers(1, 5)), cv2.LINE_AA)
        elif kind < 0.6:
            axes = max(1, int(size / 2)), max(1, int(size / 2 * rng.uniform(0.4, 1)))
            cv2.ellipse(drawn, middle, axes, rng.uniform(0, 180), 0, 360, colour, -1, cv2.LINE_AA)
        elif kind < 0.75:
            words = "".join(rng.choice(LETTERS, int(rng.integers(2, 14))))
            large, thick = rng.uniform(0.3, 1.2), int(rng.integers(1, 3))
            cv2.putText(drawn, words, middle, int(rng.integers(0, 5)), large, colour, thick, cv2.LINE_AA)
        elif kind < 0.9:
            cord = (np.cumsum(rng.normal(0, 0.12, (4, 2)) * wide, 0) + np.array([x, y])).astype(int)
            cv2.polylines(drawn, [cord], False, colour, int(rng.integers(1, 14)), cv2.LINE_AA)
        else:
            for place in range(int(rng.integers(3, 9))):
                at = int(x + place * size / 6), int(y)
                cv2.circle(drawn, at, max(1, int(size / 13)), colour, -1, cv2.LINE_AA)
    picture[:] = drawn


def arm(rng: np.random.Generator, picture: Picture) -> None:
    """An arm in a sleeve, with a hand and fingers, from one of the sides."""
    drawn = np.clip(picture, 0, 255).astype(np.uint8)
    high, wide = drawn.shape[:2]
    along, across = rng.uniform(0, wide), rng.uniform(0, high)
    begin = np.array([(along, -10), (along, high + 10), (-10, across), (wide + 10, across)][rng.integers(4)])
    hand = rng.uniform(0.15, 0.85, 2) * (wide, high)
    thick = rng.uniform(0.05, 0.14) * wide
    skin = np.array([rng.uniform(60, 160), rng.uniform(90, 180), rng.uniform(120, 235)])
    sleeve, wrist = any_colour(rng), hand + (begin - hand) * rng.uniform(0.25, 0.7)

    def line(first: Place, last: Place, colour: Colour, by: float) -> None:
        ends = [(int(x), int(y)) for x, y in (first, last)]
        cv2.line(drawn, *ends, tuple(map(float, colour)), max(2, int(by)), cv2.LINE_AA)

    line(begin, wrist, sleeve, thick * 1.25)
    line(wrist, hand, skin, thick * 0.7)
    axes = max(1, int(thick * 0.8)), max(1, int(thick * 0.55))
    palm = tuple(map(float, skin * 0.97))
    cv2.ellipse(drawn, (int(hand[0]), int(hand[1])), axes, rng.uniform(0, 180), 0, 360, palm, -1, cv2.LINE_AA)
    way = (hand - begin) / max(1.0, float(np.linalg.norm(hand - begin)))
    for _ in range(4):
        turn = rng.normal(0, 0.5)
        spread = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        line(hand, hand + thick * 1.3 * (spread @ way), skin, thick * 0.25)
    picture[:] = drawn


def pockets(rng: np.random.Generator, picture: Picture, to_picture: NDArray[np.float64]) -> None:
    """A frame around a board, with trays at its ends that are like its field or not, what lies in them, and
    their walls. ``to_picture`` takes places of a surface one wide and high, its lower left corner at the
    origin, to pixels (3 x 3)."""
    high, wide = picture.shape[:2]

    def outline(left: float, right: float, low: float, top: float) -> NDArray[np.int32]:
        corners = np.array([[(left, low), (right, low), (right, top), (left, top)]], np.float64)
        return np.round(cv2.perspectiveTransform(corners, to_picture)[0] * 16).astype(np.int32)

    def like(u: float, v: float) -> Colour:
        x, y = cv2.perspectiveTransform(np.array([[(u, v)]], np.float64), to_picture)[0, 0]
        column, row = int(np.clip(x, 2, wide - 3)), int(np.clip(y, 2, high - 3))
        return np.asarray(picture[row - 2 : row + 3, column - 2 : column + 3].mean(axis=(0, 1)), np.float64)

    def filled(where: NDArray[np.int32], colour: Colour) -> None:
        cv2.fillPoly(drawn, [where], tuple(map(float, colour)), cv2.LINE_AA, shift=4)

    drawn = np.clip(picture, 0, 255).astype(np.uint8)
    field = like(rng.uniform(0.05, 0.95), rng.uniform(0.45, 0.55))
    frame = like(rng.uniform(0.1, 0.9), -0.02) if rng.random() < 0.5 else any_colour(rng)
    wall, deep, rim = rng.uniform(0.01, 0.06), rng.uniform(0.06, 0.19), rng.uniform(0.01, 0.07)
    sides = ((0, 1), (0,), (1,))[rng.choice(3, p=[0.7, 0.15, 0.15])]
    ends = [-rim - (wall + deep if 0 in sides else 0), 1 + rim + (wall + deep if 1 in sides else 0)]
    filled(outline(*ends, -rim, 1 + rim), frame)
    floor = field * rng.uniform(0.6, 1.1) if rng.random() < 0.6 else any_colour(rng)
    for side in sides:
        near, far = (1 + wall, 1 + wall + deep) if side else (-wall, -wall - deep)
        filled(outline(near, far, 0, 1), floor)
        for cut in rng.uniform(0, 1, int(rng.integers(0, 4))):
            filled(outline(near, far, cut, cut + rng.uniform(0.01, 0.04)), frame)
        for _ in range(int(rng.integers(0, 3))):  # a cube, a cup, a score card, checkers on edge
            low, long = rng.uniform(0, 0.9), rng.uniform(0.03, 0.3)
            inner = near + (far - near) * rng.uniform(0.0, 0.3)
            thing = outline(inner, near + (far - near) * rng.uniform(0.6, 1.0), low, min(low + long, 1.0))
            filled(thing, any_colour(rng))
    around = np.ones((high, wide), np.uint8)
    cv2.fillPoly(around, [outline(0, 1, 0, 1)], 0, shift=4)
    shade = cloth(rng, high, wide)
    shade = 1 + rng.uniform(0, 0.3) * (shade - shade.mean()) / (shade.std() + 30)
    there = (around > 0) & (np.abs(drawn - np.clip(picture, 0, 255)).max(axis=2) > 0)
    picture[there] = (drawn * shade)[there]
