"""From a frame to what stands where on a table of checkers, and how sure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from engine.evidence import Evidence
from engine.layout import POINT_CELLS, Cell, Look, Looks
from vision import hands, overlay
from vision.checkers import trust, two_opinions
from vision.checkers.appearance import appearance_of
from vision.checkers.mirrored import misleads
from vision.checkers.places import flatten
from vision.checkers.plan import FoundCheckers, Plan
from vision.checkers.relearn import BESIDE, SeenPlay, relearned
from vision.checkers.rig import Rig
from vision.checkers.rows import Row
from vision.checkers.stacks import Stacks
from vision.checkers.two_looks import make_discs
from vision.checkers.two_opinions import Opinion, Told
from vision.checkers.walls import shade_beside
from vision.errors import ImageError, VisionError
from vision.geometry import bumped_camera
from vision.geometry.board_measures import OFFS, Geometry, renamed
from vision.geometry.camera import Floats, as_corners
from vision.geometry.flat import RESOLUTION, Map
from vision.light import colour, shadows
from vision.light.normalise import LaidFrame, lay_frame
from vision.light.surface import BARE, Surface
from vision.picture.frame import Frame, Image
from vision.picture.masks import Mask, grow
from vision.quality import Quality
from vision.reading import (
    BLURRED,
    COVERED,
    PLAINLY,
    Accepted,
    Appearance,
    Raw,
    Reading,
    weakened,
    without,
)

FOLLOW = 0.05
"""How much of a frame's difference the believed surface takes over."""
ELSEWHERE = 6
"""Points that must look otherwise than before, and more than twice as many as the other way round, for the
board to lie the other way round: a play changes five or fewer."""
CERTAIN = 0.995
"""Confidence with which a point must be empty before its look is believed at once."""


@dataclass(frozen=True)
class _Seen:
    """A frame's map in the light it is read in (``values``), what was found on it, and the hand over it;
    ``patch``: how much more light there is where it is uneven."""

    values: Map
    found: FoundCheckers
    hand: hands.Hand
    patch: Map | None = None


class CheckersReader:
    """Reads frames of one table."""

    def __init__(self, rig: Rig, opinion: Opinion | None = None) -> None:
        """``opinion``: whose is asked, too, where the calibration was weak."""
        self.rig, self._opinion = rig, opinion
        self.flat = flatten(rig.camera, rig.measures)
        if rig.surface.shape[:2] != self.flat.shape:
            raise ImageError("the rig's surface does not fit its measures")
        self._plan = Plan(rig.measures, self.flat, rig.orientation, max(rig.stock.values(), default=0))
        in_view = self.flat.in_view()
        self._unseen = None if in_view.all() else ~in_view
        self._cut_off = self._plan.cut_off(in_view)
        self._grey = colour.colourless(rig.surface)
        self._stacks = Stacks(self._plan)
        self._size = rig.measures.width, rig.measures.height
        self._rim = self.flat.outside(*self._size)
        self._aside = hands.cubes(self.flat, rig.measures)
        bare = Surface(colour.logs(rig.surface), rig.guessed)
        self._discs = make_discs(bare, rig.paint)
        # Who stands in a wall's shade looks like neither side to who knows how both look in the light.
        self._shade = shade_beside(bare, rig.paint.light, rig.measures, self.flat)
        self._asks = two_opinions.wanted(rig.quality, rig.margins) or bool(self._shade.any())

    @property
    def surface(self) -> Map:
        """The empty board as it is believed to look now (see ``colour.logs``)."""
        return self._discs.bare.values

    @property
    def turned(self) -> bool:
        """Whether White sits on the upper side of the board as it is laid flat."""
        return self.rig.orientation.turned

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.read_laid(self.lay_flat(frame))

    def lay_flat(self, frame: Frame) -> LaidFrame:
        """A frame laid flat under the calibration's lamp. Raises ImageError."""
        return lay_frame(frame, self.flat, self.surface, float(self.rig.surface.mean()))

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat: find pieces and hands, correct the light, look closer where in
        doubt, believe each cell by what is to be doubted there, and let no piece appear from nowhere."""
        seen = self._correct_light(self._find(laid), laid.hidden)
        cut_off = self._cut_off_by(laid.hidden)
        raw = self._closer(without(seen.found.raw, cut_off), seen.found.rows, laid, seen.values)
        covered, ends = self._covered(seen, raw)
        raw = without(raw, covered)
        raw |= {cell: going_on(raw[cell]) for cell in ends}
        other = self._other(seen.found, laid.hidden)
        scene = trust.Scene(
            laid,
            seen.values,
            self.surface,
            other,
            seen.hand,
            seen.patch,
            self.quality,
            self._grey,
            mirrored=misleads(self.rig.margins) and not self._asks,
        )
        raw = weakened(raw, trust.picture_trust(scene))
        raw = trust.doubt_places(raw, scene, self._plan.regions)
        under = frozenset() if seen.hand.arm else covered
        raw = self._ask_another(raw, laid, under)
        covered -= raw.keys()
        looks, confidence = self._plan.conserve(raw, self.rig.stock)
        unclear = {cell for cell in ends if confidence[cell] < COVERED.clear}
        covered |= unclear
        return Reading(
            Evidence.of(without(raw, unclear), caution=self.quality.caution),
            covered | cut_off,
            seen.hand.arm,
            without(confidence, unclear),
            without(looks, unclear),
            seen.found.marks,
            seen.found.explained,
            blurred=trust.BLUR.trust(scene) < BLURRED,
            strange=trust.FOREIGN.trust(scene) < BLURRED,
            lying=frozenset() if seen.hand.arm else under | covered,
            covering=seen.hand.mask if seen.hand.here else None,
        )

    def _cut_off_by(self, hidden: Mask | None) -> frozenset[Cell]:
        """The cells of which too little is in view to read; of points what is ``hidden`` only is no reason,
        since it is known which places of a row are."""
        if hidden is None:
            return self._cut_off
        return self._cut_off | (self._plan.cut_off(~hidden) & set(OFFS))

    def _closer(self, raw: Raw, rows: Sequence[Row], laid: LaidFrame, values: Map) -> Raw:
        """``raw`` with what a close look at these rows adds."""
        return self._stacks.weigh(raw, rows, self._discs, laid.image, values, laid.levels, laid.hidden)

    def _ask_another(self, raw: Raw, laid: LaidFrame, under: frozenset[Cell]) -> Raw:
        """``raw`` with another opinion, where the calibration was weak; and of the cells ``under`` something
        that is no hand that opinion alone, which tells better how much of a row it hides. It would take what
        is hidden for the board."""
        if self._opinion is None or not (self._asks or under):
            return raw
        other = self._another(laid.image) if laid.hidden is None else None
        if other is None:
            return weakened(raw, two_opinions.OWN) if self._asks else raw
        fitted = two_opinions.fitted(other, raw, self.rig.orientation)
        told = {cell: fitted[cell] for cell in under & fitted.keys()}
        return (two_opinions.pooled(raw, fitted) if self._asks else dict(raw)) | told

    def examined(self, image: Image, known: Looks) -> CheckersReader:
        """The reader of the same table that asks for another opinion, too, if that tells the ``known`` looks
        of its calibration picture much better."""
        other = None if self._asks else self._another(image)
        if other is None:
            return self
        raw = self.read(Frame(image)).evidence.cells
        if not two_opinions.outread(raw, two_opinions.fitted(other, raw, self.rig.orientation), known):
            return self
        quality = replace(self.quality, outread=True)
        return CheckersReader(replace(self.rig, quality=quality), self._opinion)

    def _another(self, image: Image) -> Told | None:
        """The other opinion; None where there is none."""
        if self._opinion is None:
            return None
        known = Geometry(**{name: getattr(self.rig.measures, name) for name in ("pitch", "bar", "width")})
        stock = max(self.rig.stock.values(), default=0)
        with suppress(VisionError):
            return self._opinion(image, as_corners(self.rig.outline), known, stock)
        return None

    def _covered(self, seen: _Seen, raw: Raw) -> tuple[frozenset[Cell], frozenset[Cell]]:
        """The cells of which a hand covers so much that what stands there is not known, and the points of
        which a row is seen whole, but not whether it goes on under it."""
        reached = seen.hand.covers(self._plan.reached(seen.found.marks))
        rows = seen.hand.covers(self._plan.reached(seen.found.marks, 0.0), COVERED.over)
        ends = {cell for cell in (reached - rows) & set(POINT_CELLS) & raw.keys() if whole(raw[cell])}
        return reached - ends, frozenset(ends)

    def _find(self, laid: LaidFrame) -> _Seen:
        """Pieces, and hands among what has changed besides."""
        values, bare = laid.values, self._discs.bare
        found = self._plan.read(self._discs, values, laid.hidden)
        change, light = hands.changed(bare, values, laid.burnt), hands.RelitFrame(bare, values, laid.burnt)
        if bare.guessed is not None and self._shade.any():
            shaded = Surface(bare.values + self._shade * bare.guessed[..., None])
            change &= hands.changed(shaded, values, laid.burnt)
        unseen = _either(self._unseen, laid.hidden)
        hand = self._hand(change, light, found, {}, unseen)
        if hand.here and not hand.reaches_in:
            # Or it is a row of checkers that mirror the lamp, which the map did not know as such.
            closer = self._closer(found.raw, found.rows, laid, values)
            taken = {row.cell: row.centres[: _longest(closer[row.cell])] for row in found.rows}
            again = self._hand(change, light, found, {**found.likely, **taken}, unseen)
            if not again.here:
                return _Seen(values, replace(found, raw=closer, rows=()), again)
            if again.arm:
                hand = again
        return _Seen(values, found, hand)

    def _correct_light(self, seen: _Seen, hidden: Mask | None) -> _Seen:
        """The same in even light, where a shadow, a second lamp or the sun lies on a part of the board;
        beside a hand that is only measured."""
        other = self._other(seen.found, hidden) | seen.hand.mask
        patch = shadows.uneven_light(seen.values, self.surface, other)
        if patch is None or seen.hand.here:
            return replace(seen, patch=patch)
        values = np.asarray(seen.values - patch, np.float32)
        return _Seen(values, self._plan.read(self._discs, values, hidden), seen.hand, patch)

    def _other(self, found: FoundCheckers, hidden: Mask | None) -> Mask:
        """The map pixels that are no board, as far as is known."""
        unseen = _either(self._unseen, hidden)
        pieces = grow(found.explained, 5)
        return pieces if unseen is None else pieces | unseen

    def _hand(
        self,
        change: Mask,
        light: hands.RelitFrame,
        found: FoundCheckers,
        known: Mapping[Cell, Sequence[tuple[float, float]]],
        unseen: Mask | None,
    ) -> hands.Hand:
        """Hands among what has changed. ``known``: where the pieces of some cells stand (map pixels), besides
        those on the map; ``unseen``: the map pixels that say nothing."""
        seen: dict[Cell, Sequence[tuple[float, float]]] = {
            cell: [(u, v) for _, u, v, _ in marks] for cell, marks in found.marks.items()
        }
        explained = found.explained.astype(np.uint8)
        for places in known.values():
            for u, v in places:
                cv2.circle(explained, (round(u), round(v)), RESOLUTION // 2 + 1, 1, -1)
        rows = [discs for discs in (seen | dict(known)).values() if discs]
        return hands.find(
            change, explained > 0, self._rim, self._plan.loose, rows, self._aside, unseen, light
        )

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return self.rig.quality

    def to_json(self) -> dict[str, Any]:
        """The rig file's content."""
        return self.rig.to_json()

    def displacement(self, laid: LaidFrame) -> float:
        """How far (map pixels) the board lies from where it was; 0 for what reading bears, infinite where
        hardly any of it lies there."""
        return bumped_camera.moved_by(self.surface, laid.values)

    def find_again(self, laid: LaidFrame) -> CheckersReader | None:
        """The reader of the same board after the camera was moved a little; None where it is not found in
        this frame."""
        camera = bumped_camera.camera_now(self.flat, self._size, self.surface, laid.values)
        if camera is None:
            return None
        again = CheckersReader(replace(self.rig, camera=camera), self._opinion)
        # Rims that look alike, one beside the other, may have been taken for each other.
        there = bumped_camera.stayed(again.surface, again.lay_flat(Frame(laid.image)).values)
        return again if there >= bumped_camera.AGAIN else None

    def other_way_round(self, stood: Looks, reading: Reading) -> CheckersReader | None:
        """The same table with its board turned by half, if that is how a reading shows what ``stood`` there:
        most boards look alike so, but for what stands on them."""
        now = self.rig.orientation
        other = replace(now, turned=not now.turned)
        as_now, as_other = (
            sum(stood.get(name) != reading.looks.get(cell, stood.get(name)) for name, cell in names)
            for names in (renamed(now, now).items(), renamed(now, other).items())
        )
        if as_now < max(ELSEWHERE, 2 * as_other + 1):
            return None
        camera = self.rig.camera.half_turned(*self._size)
        return CheckersReader(replace(self.rig, camera=camera), self._opinion)

    def appearance(self) -> Appearance:
        """Its colours and proportions."""
        return appearance_of(self.rig, self.flat)

    def exchanged(self) -> CheckersReader:
        """The same table with White's and Black's pieces the other way round. Raises CalibrationError where a
        position says whose they are."""
        return CheckersReader(self.rig.exchanged(), self._opinion)

    def relearn(self, accepted: Iterable[Accepted]) -> CheckersReader | None:
        """The same table with looks as accepted pictures show them (see ``relearn``). Raises ImageError for a
        picture of another camera."""
        seen = []
        for shot in accepted:
            laid = self.lay_flat(shot.frame)
            seen.append(SeenPlay(laid.values, self.read_laid(laid), shot.looks))
        rig = relearned(self.rig, self.flat, self.surface, seen)
        return None if rig is None else CheckersReader(rig, self._opinion)

    def placement(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and the measures."""
        return self.rig.outline, self.rig.measures.to_json()

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, self._size, self._plan.regions, reading)

    def box_around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.box_around(self.flat, self._plan.regions, cells)

    def follow(self, laid: LaidFrame, reading: Reading) -> None:
        """Let the believed surface follow a frame at rest, slowly, wherever nothing stands and little has
        changed."""
        if reading.hand or reading.lying or reading.explained is None:
            return
        pieces = grow(reading.explained if laid.hidden is None else reading.explained | laid.hidden, BESIDE)
        off = laid.values - self.surface
        squares = np.square(off * self._discs.bare.trust)
        near = squares[..., 0] + squares[..., 1] + squares[..., 2] < BARE
        rate = np.where(near & ~pieces, np.float32(FOLLOW), np.float32(0.0))
        guessed = self._discs.bare.guessed
        if guessed is not None:  # what an empty point really looks like is taken over at once
            rate[guessed & ~pieces & self._bare(reading)] = 1.0
            guessed = guessed & (rate < 1.0)
        self._discs = self._discs.on(Surface(self.surface + rate[..., None] * off, guessed))

    def _bare(self, reading: Reading) -> Mask:
        """The pixels of points that are surely empty."""
        mask = np.zeros(self.flat.shape, bool)
        for cell, region in self._plan.regions.items():
            if reading.looks.get(cell) == () and reading.confidence.get(cell, 0.0) > CERTAIN:
                mask |= region
        return mask


def _either(one: Mask | None, other: Mask | None) -> Mask | None:
    """What is in one of these masks."""
    return one if other is None else other if one is None else one | other


def whole(looks: Mapping[Look, float]) -> bool:
    """Whether a row that may go on under something, or a bare place before it, is plainly one as far as it is
    seen: likelier than shorter ones and the other side's together. A sleeve that passes for checkers leads to
    something, too, and is none so plainly."""
    best = max(looks, key=looks.__getitem__)
    others = [nats for look, nats in looks.items() if look != best and look[: max(len(best), 1)] != best]
    return not others or float(np.logaddexp.reduce(others)) < looks[best] - PLAINLY


def going_on(looks: Mapping[Look, float]) -> dict[Look, float]:
    """A row's looks where something lies over its next places, so that nothing is seen of what may stand
    there. Beyond a bare place nothing does."""
    best = max(looks, key=looks.__getitem__)
    found = dict(looks)
    for more, chance in enumerate(COVERED.more[1:] if best else (), 1):
        longer = best + best[:1] * more
        nats = looks[best] + math.log(chance / COVERED.more[0])
        found[longer] = max(found.get(longer, nats), nats)
    return found


def _longest(looks: Mapping[Look, float]) -> int:
    """How many pieces a cell may well show: as many as are not plainly behind, since the question is whether
    checkers or a hand are seen."""
    best = max(looks.values())
    return max(len(look) for look, score in looks.items() if score > best - PLAINLY)
