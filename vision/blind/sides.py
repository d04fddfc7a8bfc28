"""Whose each checker is: two groups of tops that look alike, and which group is white.

A board has checkers of two sides, and a point holds one side only, so the points (not the tops one by one)
are split in two by their colours. What makes that hard is varnish: a flat top mirrors the lamp, and a dark
checker under it can be lighter than a light one beside it. A mirrored lamp adds its own colour to the top's:
the top moves from its side's colour towards the lamp's, by an amount of its own. So the split is a mixture of
two Gaussians of one common shape (what varies most on this board, shade or hue, separates least), in which
every top may also have been moved a part of the way to the lamp, or lie in a shade that is seen around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.blind.columns import BAR
from vision.blind.even_light import BLACK, gains
from vision.blind.top_colours import colours
from vision.blind.tops import PlacedTop
from vision.geometry.camera import Floats
from vision.light.colour import REDDER
from vision.picture.frame import Image


@dataclass(frozen=True)
class Beforehand:
    """What is thought of two sides before they are seen. ``spread``: how much the colours (CIELAB, squared)
    of one side's checkers vary, which is ``worth`` so many tops; ``mirrored``: how far towards the lamp a
    varnished top is moved, as a part of the way (one standard deviation); ``beyond``: what every checker
    costs that a side has more than there are (nats)."""

    spread: tuple[float, float, float] = (16.0, 4.0, 4.0)
    worth: float = 8.0
    mirrored: float = 0.27
    beyond: float = 9.0


BEFOREHAND = Beforehand()
BURNT = 10.0
"""How far below white (CIELAB's L*) a camera shows more light as less than it is."""
TRUST = 0.16
"""The part of the mixture's log-odds that is believed: the tops of a board are lit together, so their errors
are not independent."""


@dataclass(frozen=True)
class Sides:
    """``white``: log-odds (N) that each top is white's, the same for all tops of a point. ``doubt``: the
    probability that the two sides' names are the wrong way round."""

    white: Floats
    doubt: float

    def seen(self, tops: Sequence[PlacedTop]) -> tuple[int, int]:
        """How many of the ``tops`` that are seen are likelier the one side's, and the other's."""
        seen = np.array([top.seen for top in tops], bool)
        return int(np.count_nonzero(seen & (self.white > 0))), int(np.count_nonzero(seen & (self.white < 0)))


def tell_sides(
    flat: Image,
    tops: list[PlacedTop],
    pitch: float,
    light: Floats,
    shade: Floats | None = None,
    cast: Floats | None = None,
    stock: int | None = None,
) -> Sides:
    """Whose each top is (see :class:`Sides`), under this light and ``shade`` (see ``even_light``), and
    what may be ``cast`` over each (see ``cast_shade``). No side has more than its ``stock`` of checkers.
    Where there are fewer than two points nothing can be compared: all is in doubt."""
    names = [(t.column, t.upper) if t.column != BAR else (BAR + i, False) for i, t in enumerate(tops)]
    _, place = np.unique(np.array(names, np.int64).reshape(-1, 2), axis=0, return_inverse=True)
    place = np.asarray(place, np.int64).ravel()
    if len(tops) < 2 or place.max() < 1:
        return Sides(np.zeros(len(tops)), 0.5)
    gain = gains(light, np.array([t.x for t in tops]), np.array([t.y for t in tops]))[:, None]
    black = np.array([BLACK, 0.0, 0.0])
    ways = [None] if cast is None or not cast.any() else [None, cast]
    places, column = np.array([(t.x, t.y) for t in tops]), np.array([t.column for t in tops])
    shades = np.array([colours(flat, places, column, pitch, shade, way) for way in ways])
    # How much lighter than white a top is, nobody knows: in even light it may be as light.
    gain = np.where(gain > 1, gain ** np.clip((100 - shades[..., :1]) / BURNT, 0, 1), gain)
    shades = (shades + black) / gain - black
    seen = np.array([t.odds for t in tops])
    # Fainter tops have no say in what the sides look like.
    weight = np.where(seen > 0.3, 1 / (1 + np.exp(-2 * seen)), 1e-3)
    odds = split(shades, place, weight, stock)
    first = weight / (1 + np.exp(-odds[place]))
    one, two = (_lightness(shades[0], part) for part in (first, weight - first))
    white = odds if one >= two else -odds
    # Three units of lightness (CIELAB) make the sides' names e times surer.
    doubt = 1 / (1 + np.exp(abs(one - two) / 3.0))
    return Sides(TRUST * white[place], float(doubt))


def split(shades: Floats, place: NDArray[np.int64], weight: Floats, stock: int | None = None) -> Floats:
    """Two sides of the places (G of them; ``place`` N says where each top stands): log-odds (G) of the first
    side. ``shades``: what each top's colour may be (M x N x 3): as it is, and as it would be if it lay in a
    shade.

    The likeliest way that is found from a few beginnings is gone on from once more, as it is and with each
    place changed over.
    """
    first = _likeliest(_beginnings(shades[0], place, weight), shades, place, weight, stock) > 0
    near = first ^ np.eye(len(first) + 1, len(first), dtype=bool)
    return _likeliest(near.astype(np.float64), shades, place, weight, stock)


def _likeliest(
    beginnings: Floats, shades: Floats, place: NDArray[np.int64], weight: Floats, stock: int | None
) -> Floats:
    """The likeliest end (log-odds G, see ``split``) of expectation-maximisation from these ``beginnings`` (S
    x G, 0 to 1)."""
    share = beginnings[:, place]
    share = np.stack([share, 1 - share], axis=1)
    member = (place[:, None] == np.arange(int(place.max()) + 1)).astype(np.float64)
    own = np.repeat(np.repeat(shades[:1, None], len(share), axis=0), 2, axis=1)
    many = float(weight.sum())
    lamp = np.array([100.0, 0.0, 0.0])  # white light, as far as the picture is balanced
    spread, worth, mirrored = np.diag(BEFOREHAND.spread), BEFOREHAND.worth, BEFOREHAND.mirrored
    for _ in range(12):
        part = share * weight
        centres = (part[..., None] * own).sum(axis=2) / (part.sum(axis=2)[..., None] + 1e-6)
        off = own - centres[:, :, None]
        every = off.reshape(len(off), -1, 3)
        shape = (worth * spread + (every * part.reshape(len(off), -1, 1)).transpose(0, 2, 1) @ every) / (
            many + worth
        )
        inverse = np.linalg.inv(shape)
        away = lamp - centres
        towards = away @ inverse
        # From here on an axis before all others says which of a top's colours is meant.
        off = shades[:, None, None] - centres[:, :, None]
        pull = (off @ towards[..., None])[..., 0]
        moved = np.clip(pull / ((towards * away).sum(axis=2)[..., None] + 1 / mirrored**2), 0, 0.8)
        each = shades[:, None, None] - moved[..., None] * away[:, :, None]
        off = each - centres[:, :, None]
        cost = ((off @ inverse[:, None]) * off).sum(axis=-1) + (moved / mirrored) ** 2
        own = np.take_along_axis(each, cost.argmin(axis=0)[None, ..., None], axis=0)[0]
        places = -0.5 * (weight * cost.min(axis=0)) @ member
        odds = np.clip(places[:, 0] - places[:, 1], -30, 30)
        first = 1 / (1 + np.exp(-odds))
        share = np.stack([first[:, place], 1 - first[:, place]], axis=1)
    size = np.linalg.slogdet(shape)[1]
    fit = np.logaddexp(places[:, 0], places[:, 1]).sum(axis=1) - 0.5 * (many + worth) * size
    fit -= 0.5 * worth * np.einsum("sij,ji->s", inverse, spread)
    if stock is not None:
        mass = (share * weight).sum(axis=2)
        fit -= BEFOREHAND.beyond * np.maximum(mass - stock, 0).sum(axis=1)
    return np.asarray(odds[int(np.argmax(fit))], np.float64)


def _lightness(shades: Floats, weight: Floats) -> float:
    """How light a side is: of its less mirrored tops, as told from black and white by REDDER."""
    value = shades[:, 0] - REDDER * shades[:, 1]
    order = np.argsort(value)
    at = int(np.searchsorted(np.cumsum(weight[order]), 0.35 * weight.sum()))
    return float(value[order][min(at, len(order) - 1)])


def _beginnings(shades: Floats, place: NDArray[np.int64], weight: Floats) -> Floats:
    """Ways to split the places in two (S x G, 1 or 0): around the best pair of places, by colour, by hue
    alone, and by lightness alone."""
    mass = np.bincount(place, weight) + 1e-9
    means = np.stack([np.bincount(place, weight * shades[:, i]) / mass for i in range(3)], axis=1)
    found = []
    for measure in ([1.0, 1.0, 1.0], [0.1, 2.0, 2.0], [1.0, 0.1, 0.1]):
        squares = ((means[:, None] - means[None]) ** 2 * measure).sum(axis=2)
        costs = (np.minimum(squares[:, None, :], squares[None, :, :]) * mass).sum(axis=2)
        one, two = np.unravel_index(int(np.argmin(costs)), costs.shape)
        found.append((squares[one] < squares[two]).astype(np.float64))
    return np.array(found)
