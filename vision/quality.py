"""How good a calibration is, in numbers and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from engine.messages import phrase
from vision.stored import bounded

CAUTION = ((2.0, 3.0), (1.25, 1.0))
"""By how much dearer an accusation is between these nats by which known pieces stand out
(``Quality.separation``), and from the last on. Good tables have 5.9 to 10, the three deep boards under a lamp
at the side 1.6 to 1.8; tables with 3 to 4 are read as well as others. With 1 no more legal plays were accused
(of 1,801 that weak calibrations saw none; docs/vision-measurements.md, false accusations)."""
EVEN = 5.0
"""Difference of lightness (CIELAB units) under which the sides do not say how the board lies: it is taken to
lie as usual."""
PATCHY = 0.3
"""The part of the board over which the light is patchy: 0.10 at most on path-traced boards that are lit
evenly, 0.24 on deep ones, from 0.30 on where the sun lies over a third (docs/vision-measurements.md)."""


@dataclass(frozen=True)
class Quality:
    """``reprojection``: mean distance in pixels between known pieces and where they were found;
    ``corner_error``: mean distance in pixels between the corners given and the board's; ``separation``: how
    far the known pieces stand out from the bare board, the other side's and anything else, in nats (the worst
    tenth of them); ``wrong``: cells of the calibration picture that are read otherwise; ``weak``: those read
    rightly with a confidence under 0.9; ``diameter``: pixels across a checker; ``either_way``: the position
    looks the same in a mirror, so that nothing said on which side the home is; ``blur``: what another blur
    leaves of the sharpest edges (0-1, about 0.5 in a sharp picture); ``lead``: how much lighter White's
    checkers are (CIELAB units), where that told how the board lies; ``alike``: cells whose checkers look like
    the other side's, since a lamp is mirrored in them; ``strange``: cells over which something lies that is
    not the board (a hand); ``unseen``: the cell of which one piece is not seen at its place; ``beyond``:
    those of which too little is in the picture to be read; ``home``: on which side of the picture the
    home boards are (right, left, top, bottom); ``uneven``: how many pieces each side has in the
    known position (``14 white``), where one has more; ``patchy``: the part (0-1) of the board over which sun
    or shade lies in patches; ``outread``: who knows nothing of the table reads the calibration picture
    much better. None, 0 or "" where this kind of board does not
    measure it."""

    reprojection: float = 0.0
    corner_error: float = 0.0
    separation: float | None = None
    wrong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    diameter: float = 0.0
    either_way: bool = False
    blur: float = 0.0
    lead: float | None = None
    alike: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    home: str = ""
    uneven: tuple[str, ...] = ()
    patchy: float = 0.0
    outread: bool = False

    @property
    def good(self) -> bool:
        """Nothing to say against it."""
        return not self.words()

    @property
    def caution(self) -> float:
        """By how much dearer an accusation is by pictures of this table: the evidence's ``caution``."""
        return 1.0 if self.separation is None else float(np.interp(self.separation, *CAUTION))

    @property
    def hardly(self) -> bool:
        """Whether some known pieces hardly stand out: accusations are dearer by a quarter or more."""
        return self.separation is not None and self.separation < float(np.mean(CAUTION[0]))

    @property
    def in_patches(self) -> bool:
        """Whether the light lies on so much of the board in patches that what was learned of it is in
        doubt."""
        return self.patchy > PATCHY

    def words(self) -> list[str]:
        """What is weak, and how to fix it: one line each, none for a good calibration."""
        return [*self._about_the_picture(), *self._about_the_pieces()]

    def _about_the_picture(self) -> Iterator[str]:
        if self.blur > 0.74:  # sharp: 0.5
            yield phrase("the picture is soft: focus the camera, or clean its lens")
        if self.lead is not None and abs(self.lead) < EVEN:
            yield phrase(
                "both sides are nearly as light, so it is a guess which checkers are White's: look at"
                " the overlay; if the sides are the wrong way round, exchange them (--exchange; on "
                "the page: Exchange sides)"
            )
        if self.either_way:
            yield phrase(
                "this position looks the same in a mirror, so the home is taken to be at the {home} "
                "of the picture: if it is not, say where it is (--home; on the page: Home boards)",
                home=phrase(self.home or "right"),
            )
        if self.uneven:
            white, black = (each.partition(" ")[0] for each in self.uneven)
            yield phrase(
                "the known position has {white} white and {black} black checkers: if one was "
                "forgotten, or is borne off, say so and calibrate again",
                white=white,
                black=black,
            )
        if self.beyond:
            yield phrase(
                "{cells}: not completely in the picture, so nothing is read there; move the camera "
                "until the whole board is in view",
                cells=", ".join(self.beyond),
            )
        if self.in_patches:
            yield phrase(
                "light lies on the board in patches (sun, a sharp shadow, or a lamp mirrored in it): draw the"
                " curtain, or light it from above, and calibrate again"
            )
        if self.strange:
            yield phrase(
                "{cells}: something covered this part (a hand, or the mirror image of a lamp) and was"
                " learned as the board; take it away and calibrate again",
                cells=", ".join(self.strange),
            )

    def _about_the_pieces(self) -> Iterator[str]:
        wide = self.diameter
        if self.alike:
            yield phrase(
                "{cells}: a lamp or a window is mirrored in the checkers, and they look like the "
                "other side's; dim the light, or move it or the camera",
                cells=", ".join(self.alike),
            )
        if self.unseen:
            yield phrase(
                "{cells}: a checker is not seen at its place; see that it stands there, and that nothing "
                "lies on it and no lamp is mirrored in it, and calibrate again",
                cells=", ".join(self.unseen),
            )
        if self.wrong:
            yield phrase(
                "{cells}: read wrongly in the calibration photo itself; add a photo of the empty "
                "board, or more light",
                cells=", ".join(self.wrong),
            )
        if self.weak:
            yield phrase(
                "{cells}: read with doubt in the calibration photo itself; a photo of the empty board helps",
                cells=", ".join(self.weak),
            )
        if self.separation is not None and self.hardly:
            yield phrase(
                "some checkers hardly stand out ({nats} nats), so nobody is soon accused: avoid "
                "glare, and light the board evenly",
                nats=f"{self.separation:.1f}",
            )
        if 0 < wide < 15:
            yield phrase("a checker is only {wide} pixels wide: bring the camera closer", wide=f"{wide:.0f}")
        if self.reprojection > 0.12 * wide > 0:
            yield phrase(
                "checkers lie {pixels} pixels from their places: set them up neatly, against the rims",
                pixels=f"{self.reprojection:.1f}",
            )
        if self.corner_error > 0.15 * wide > 0:
            yield phrase(
                "the given corners are {pixels} pixels from where the checkers show them: look at the "
                "overlay",
                pixels=f"{self.corner_error:.1f}",
            )

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, and the words."""
        plain = {
            key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()
        }
        return {**plain, "good": self.good, "words": self.words()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quality:
        """The inverse of ``asdict``; older files have fewer numbers. Raises KeyError, TypeError or ValueError
        on another shape."""
        given = {known.name: data.get(known.name, known.default) for known in fields(cls)}
        given |= {name: data[name] for name in ("reprojection", "corner_error", "separation", "wrong")}
        for known in fields(cls):
            value = given[known.name]
            if isinstance(known.default, tuple):
                if isinstance(value, str):
                    raise TypeError(f"{value!r} is no list of cells")
                given[known.name] = tuple(str(cell) for cell in value)
            elif isinstance(known.default, bool):
                given[known.name] = bool(value)
            elif isinstance(known.default, str):
                given[known.name] = str(value)
            elif known.default is not None or value is not None:
                given[known.name] = bounded(value)
        found = cls(**given)
        found.words()  # raises where they cannot be said
        return found
