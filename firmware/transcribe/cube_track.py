"""Where the doubling cube lay as a film went on: what doubles are followed by (:mod:`doubles`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.position import Rules
from firmware.transcribe import plays
from firmware.transcribe.next_turn import FITS
from firmware.transcribe.sighting import FreshThrows, Sighting
from firmware.transcribe.turns import Kind, Turn
from vision.dice.cube_zone import CubeZone


@dataclass(frozen=True, slots=True)
class CubeLook:
    """One look at the cube; ``turns`` of the film were over then. ``calm``: the board stood as the last of
    them left it. ``place`` in cm on the board."""

    t: float
    zone: CubeZone
    turns: int
    calm: bool = True
    picture: str = ""
    value: int | None = None
    place: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CubeTrack:
    """``throws``: when dice were seen that had been thrown anew. ``put_away``: whether the board was put away
    after the film's last turn."""

    looks: tuple[CubeLook, ...] = ()
    throws: tuple[float, ...] = ()
    put_away: bool = False


def cube_track(rules: Rules, turns: Sequence[Turn], seen: Iterable[Sighting]) -> CubeTrack:
    """The cube's way through a film with these ``turns``; nothing where no cube was ever seen."""
    times = [turn.t for turn in turns]
    looks: list[CubeLook] = []
    throws: list[float] = []
    dice = FreshThrows()
    put_away = bool(turns) and turns[-1].kind is Kind.BEGUN
    for each in seen:
        if dice.see(each.faces) is not None:
            throws.append(each.t)
        over = bisect_right(times, each.t)
        last = over == len(turns)
        if not turns or (each.cube is None and not last):
            continue
        position = turns[over - 1].after if over else turns[0].before
        calm = -each.evidence.total(position.looks()) < FITS
        if each.cube is not None:
            spot = each.cube
            looks.append(CubeLook(each.t, spot.zone, over, calm, each.picture, spot.value, spot.place))
        if last and not calm and position.outcome is None:
            put_away = put_away or plays.astray(position, each.evidence.best(), rules) > 0
    return CubeTrack(tuple(looks), tuple(throws), put_away) if looks else CubeTrack()
