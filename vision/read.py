"""From a frame to what stands where, and how sure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import Cell, Look, Piece
from vision import appearance, bump, closeup, hands, kinds, sharpness, sheen, tone, uneven
from vision.camera import Floats, rectangle
from vision.disguise import Disguise
from vision.errors import ImageError
from vision.frame import Frame, Image
from vision.kind import Found, Plan, Raw, believed, beyond
from vision.learning.guess import flatten
from vision.learning.quality import Quality
from vision.reshape import Relaid, relaid, reshaped
from vision.rig import Rig
from vision.scene import RESOLUTION, Flat, Map

FOLLOW = 0.05
"""How much of a frame's difference the believed surface takes over."""
CERTAIN = 0.995
"""Confidence with which a point must be empty before its look is believed at once."""
NEAR = 14.0
"""Squared tolerances within which a bare pixel is believed."""
WELL = 3.0
"""Nats by which a longer row may be less likely than the likeliest where the question is whether checkers or
a hand are seen."""
GREY = 0.5
"""What the evidence of a grey picture counts: the networks do not know that most of what they go by is
missing."""

SOFT = (0.6, 0.83)
"""Softness of a picture (see ``sharpness.trust``; about half in a sharp one) from which its evidence counts
less, and the least."""
FOREIGN, LEAST = (0.45, 0.6), 0.05
"""The part of what is neither piece nor hand that must look as it did at the calibration (``tone.familiar``)
for evidence to count at all, and in full; what it counts otherwise."""
UNTOUCHED, COVERED, MUCH = 0.9, 0.68, 0.1
"""The same for a board that is read beside a hand, for the whole of it, and how much of it the hand must
cover: with less of both it is no hand, but the light."""
PATCH, SHADED, HIDDEN = 0.5, 0.5, 0.25
"""Square diameters of a cell that must lie in other light than the board (a shadow, the sun) for its evidence
to count less; how much, where that light was followed, and where it was not, for a hand."""
FAR = 0.3
"""Log units of such light from which on it counts as little again."""
MORE, BLINDED = 0.1, 0.5
"""Log units of light more than at the calibration from which on what is as bright as the camera can show (two
channels of a pixel) says little about what it would look like, and what evidence counts there."""
COARSE, ROUGH = (0.028, 0.045), 0.6
"""Chroma noise (``tone.grain``) from which a picture's evidence counts less, and the least."""
STRANGE = 0.7
"""What part of it must count for nobody to be told that the light is another."""


def _longest(looks: Mapping[Look, float]) -> int:
    """How many pieces a cell may well show."""
    best = max(looks.values())
    return max(len(look) for look, score in looks.items() if score > best - WELL)


def _blinding(burnt: NDArray[np.bool_], more: Map) -> NDArray[np.bool_]:
    """Where the camera cannot show how bright things are, and at the calibration could."""
    blue, green, red = (burnt[..., channel] for channel in range(3))
    return np.asarray(((green & (blue | red)) | (blue & red)) & (more > MORE))


@dataclass(frozen=True)
class Reading:
    """One frame, read. ``looks`` is the likeliest position in which no piece appears from nowhere;
    ``confidence`` the probability of each of its cells, 0-1. ``occluded`` cells are under a hand or out of
    view: they are in neither. ``blurred``: the picture was so much that its evidence counts little.
    ``strange``: so little of the board looks as it did at the calibration."""

    evidence: Evidence
    occluded: frozenset[Cell]
    hand: bool
    confidence: Mapping[Cell, float]
    looks: Mapping[Cell, Look]
    marks: Mapping[Cell, Sequence[tuple[Piece, float, float, float]]] = field(default_factory=dict)
    explained: NDArray[np.bool_] | None = None
    blurred: bool = False
    strange: bool = False


class Reader:
    """Reads frames of one table."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        kind = kinds.get(rig.kind)
        self.flat: Flat = flatten(kind, rig.camera, rig.measures)
        self._plan: Plan = kind.plan(rig.measures, self.flat, rig.lie)
        if rig.surface.shape[:2] != self.flat.shape:
            raise ImageError("the rig's surface does not fit its measures")
        in_view = self.flat.in_view()
        self._unseen = None if in_view.all() else ~in_view
        self._grey = appearance.colourless(rig.surface)
        self._beyond = beyond(self._plan.regions, in_view)
        self._closeup = closeup.Closeup(self.flat, rig.measures, rig.lie)
        self._disguise = Disguise(kind, rig.measures, rig.lie, rig.told)
        self._rim = self.flat.outside(rig.measures.width, rig.measures.height)
        self._aside = hands.cubes(self.flat, rig.measures) | self._plan.spare
        self._last: tuple[Frame | None, Relaid | None] = None, None  # the frame that was laid flat last
        self._discs = sheen.discs(
            appearance.logs(rig.surface),
            appearance.spread(self.flat.shape, rig.paint.light),
            rig.paint,
            rig.guessed,
        )

    @property
    def surface(self) -> Map:
        """The empty board as it is believed to look now (see ``appearance.logs``)."""
        return self._discs.surface

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.weigh(self.lay(frame)[0], frame)

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises
        ImageError."""
        seen = self._seen(frame)
        return seen.values, seen.bright

    def weigh(self, values: Map, frame: Frame | None = None) -> Reading:
        """Read a frame that :meth:`lay` has laid flat. With the ``frame`` itself, what is in doubt is looked
        at closely (``vision.closeup``)."""
        seen = None if frame is None else self._seen(frame)
        found = self._plan.read(self._discs, values)
        burnt = None if seen is None else seen.burnt
        change, light = hands.changed(self._discs, values, burnt), hands.Light(self._discs, values, burnt)
        hand, raw, rows = self._hand(change, light, found, {}), found.raw, found.rows
        image = None if frame is None else reshaped(frame.image, self.rig.camera.size)
        levels = appearance.PLAIN if seen is None or seen.tone is None else seen.tone
        if hand.here and not hand.reaches_in and image is not None:
            # Or it is a row of checkers that mirror the lamp, which the map did not know as such.
            closer = self._closeup.weigh(raw, rows, self._discs, image, values, levels)
            taken = {row.cell: row.centres[: _longest(closer[row.cell])] for row in rows}
            again = self._hand(change, light, found, {**found.likely, **taken})
            if not again.here:
                hand, raw, rows = again, closer, ()
        patch = uneven.local(values, self.surface, self._other(found) | hand.mask)
        if patch is not None and not hand.here:
            values = np.asarray(values - patch, np.float32)
            found = self._plan.read(self._discs, values)
            raw, rows = found.raw, found.rows
        hidden = hand.covers(self._plan.regions) | self._beyond
        raw = {cell: looks for cell, looks in raw.items() if cell not in hidden}
        sharp = sharpness.trust(values, SOFT)
        if frame is not None and image is not None:
            raw = self._closeup.weigh(raw, rows, self._discs, image, values, levels)
        raw = self._disguise.weaken(raw)
        known = (
            LEAST if frame is not None and frame.grey and not self._grey else self._known(values, found, hand)
        )
        coarse = float(np.interp(tone.grain(values, self.surface), COARSE, (1, ROUGH)))
        trust = (
            coarse
            * min(sharp, known, self.rig.quality.crisp)
            * self.rig.quality.belief
            * (GREY if frame is not None and frame.grey else 1.0)
        )
        raw = believed(raw, trust)
        if patch is not None:
            far = np.abs(patch[..., 0])
            raw = self._doubted(raw, far > uneven.UNEVEN, HIDDEN if hand.here else SHADED)
            raw = self._doubted(raw, far > FAR, SHADED)
        if seen is not None and seen.burnt is not None:
            raw = self._doubted(
                raw, _blinding(seen.burnt, seen.more if patch is None else seen.more + patch[..., 0]), BLINDED
            )
        looks, confidence = self._plan.weigh(raw, self.rig.stock)
        return Reading(
            Evidence.of(raw),
            hidden,
            hand.here,
            confidence,
            looks,
            found.marks,
            found.explained,
            sharp < sharpness.BLURRED,
            known < STRANGE,
        )

    def _seen(self, frame: Frame) -> Relaid:
        """A frame laid flat, once for :meth:`lay` and :meth:`weigh`."""
        last, seen = self._last
        if seen is None or last is not frame:
            seen = relaid(
                frame.image, self.rig.camera.size, self.flat, self.surface, float(self.rig.surface.mean())
            )
            self._last = frame, seen
        return seen

    def _other(self, found: Found) -> NDArray[np.bool_]:
        """The map pixels that are no board, as far as is known."""
        pieces = cv2.dilate(found.explained.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        return pieces if self._unseen is None else pieces | self._unseen

    def _doubted(self, raw: Raw, where: NDArray[np.bool_], trust: float) -> Raw:
        """``raw`` with less belief in cells of which a part lies ``where``."""
        if np.count_nonzero(where) <= PATCH * RESOLUTION**2:
            return raw
        there = [
            cell
            for cell, region in self._plan.regions.items()
            if np.count_nonzero(where & region) > PATCH * RESOLUTION**2
        ]
        return raw | believed({cell: raw[cell] for cell in there if cell in raw}, trust)

    def _known(self, values: Map, found: Found, hand: hands.Hand) -> float:
        """What part of the evidence counts, by how much of the board looks as it did at the calibration."""
        other = self._other(found)
        beside = tone.familiar(values, self.surface, other | hand.mask)
        whole = tone.familiar(values, self.surface, other) if hand.here and beside < UNTOUCHED else beside
        if whole < min(COVERED, beside - MUCH):
            # What was taken for a hand lies over much of the board, and what it leaves looks otherwise, too
            return LEAST
        return float(np.interp(beside, FOREIGN, (LEAST, 1)))

    def _hand(
        self,
        change: NDArray[np.bool_],
        light: hands.Light,
        found: Found,
        known: Mapping[Cell, Sequence[tuple[float, float]]],
    ) -> hands.Hand:
        """Hands among what has changed. ``known``: where the pieces of some cells stand (map pixels), besides
        those on the map."""
        seen = {**{cell: [(u, v) for _, u, v, _ in marks] for cell, marks in found.marks.items()}, **known}
        explained = found.explained.astype(np.uint8)
        for places in known.values():
            for u, v in places:
                cv2.circle(explained, (round(u), round(v)), RESOLUTION // 2 + 1, 1, -1)
        rows = [discs for discs in seen.values() if discs]
        return hands.find(
            change, explained > 0, self._rim, self._plan.loose, rows, self._aside, self._unseen, light
        )

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return self.rig.quality

    def to_json(self) -> dict[str, Any]:
        """The rig file's content."""
        return self.rig.to_json()

    def astray(self, values: Map) -> float:
        """See ``bump.shift``."""
        far = bump.shift(self.surface, values)
        return far if far > bump.STILL else 0.0

    def found_again(self, values: Map, frame: Frame) -> Reader | None:
        """The reader of the same board after the camera was moved a little; None where it is not found in
        this frame."""
        camera = bump.register(
            self.flat, (self.rig.measures.width, self.rig.measures.height), self.surface, values
        )
        return None if camera is None else Reader(replace(self.rig, camera=camera))

    def exchanged(self) -> Reader:
        """The same table with White's and Black's pieces the other way round. Raises CalibrationError where a
        position says whose they are."""
        return Reader(self.rig.exchanged())

    def placed(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and the measures."""
        measures = self.rig.measures
        return self.rig.camera.project(rectangle(measures.width, measures.height)), measures.to_json()

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        from vision import overlay  # which draws readings

        return overlay.draw(image, self.rig, reading)

    def around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        from vision import overlay  # which draws readings

        return overlay.around(self.flat, self._plan.regions, cells)

    def follow(self, values: Map, reading: Reading) -> None:
        """Let the believed surface follow a frame at rest, slowly, wherever nothing stands and little has
        changed."""
        if reading.hand or reading.explained is None:
            return
        pieces = cv2.dilate(reading.explained.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
        off = values - self.surface
        squares = np.square(off * self._discs.trust)
        near = squares[..., 0] + squares[..., 1] + squares[..., 2] < NEAR
        rate = np.where(near & ~pieces, FOLLOW, 0.0)[..., None].astype(np.float32)
        guessed = self._discs.guessed
        if guessed is not None:  # what an empty point really looks like is taken over at once
            rate = np.where(
                guessed[..., None] & ~pieces[..., None] & self._bare(reading)[..., None],
                np.float32(1.0),
                rate,
            )
            guessed = guessed & (rate[..., 0] < 1.0)
        self._discs = sheen.discs(self.surface + rate * off, self._discs.light, self.rig.paint, guessed)

    def _bare(self, reading: Reading) -> NDArray[np.bool_]:
        """The pixels of points that are surely empty."""
        mask = np.zeros(self.flat.shape, bool)
        for cell, region in self._plan.regions.items():
            if reading.looks.get(cell) == () and reading.confidence.get(cell, 0.0) > CERTAIN:
                mask |= region
        return mask
