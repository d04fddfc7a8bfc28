"""Lights the strip piece by piece, asks what was seen, and works out what is wrong: colours, the number of
LEDs, the order of the places.

First everything shines red, then green; then the strip's last LED alone. If that is not seen, halving finds
the last one that is. Then a light runs along each stretch of places; only where it did not run well, each
place is asked for by itself, and the answers become a corrected map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.messages import phrase
from firmware.errors import BadInput
from hardware.strip import OFF, Colour

RED: Colour = (255, 0, 0)
GREEN: Colour = (0, 255, 0)
WHITE: Colour = (255, 255, 255)
STEP = 0.7
"""Seconds for which a running light stays at a place."""
LONGEST = 6
"""Places of a stretch: more than that, and nobody remembers where the light began."""
NOWHERE = "0"
"""The answer of somebody who sees no light."""
YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class LampQuestion:
    """What shines, and what is asked about it. ``kind`` is ``red``, ``green``, ``last``, ``any`` (is any LED
    lit?), ``run`` (does the light run along ``places``, in this order?) or ``where`` (where is it?)."""

    kind: str
    places: tuple[str, ...] = ()
    leds: tuple[tuple[int, ...], ...] = ()
    """One after another: each for :data:`STEP` seconds, again and again."""
    colour: Colour = WHITE

    def frame(self, t: float, count: int) -> list[Colour]:
        """What the strip shows ``t`` seconds after the question was asked; a run has a pause at its end."""
        turn = int(t / STEP) % (len(self.leds) + (len(self.leds) > 1))
        lit = self.leds[turn] if turn < len(self.leds) else ()
        return [self.colour if led in lit else OFF for led in range(count)]


@dataclass(frozen=True, slots=True)
class LampFault:
    """What is wrong. ``kind`` is ``colours``; ``count``, with the ``number`` of LEDs that shine; ``dark``, a
    place without light; or ``elsewhere``, a place whose light is seen at ``seen``."""

    kind: str
    place: str = ""
    seen: str = ""
    number: int = 0


@dataclass(slots=True)
class LampGuide:
    """One round over a strip of ``count`` LEDs with the places of ``map``."""

    map: Mapping[str, Sequence[int]]
    count: int
    faults: list[LampFault] = field(default_factory=list)
    _waiting: list[LampQuestion] = field(default_factory=list)
    _low: int = 0
    _high: int = 0

    def __post_init__(self) -> None:
        everything = (tuple(range(self.count)),)
        self._waiting = [
            LampQuestion("red", (), everything, RED),
            LampQuestion("green", (), everything, GREEN),
            LampQuestion("last", (), ((self.count - 1,),)),
            *(self._run(places) for places in stretches(self.map)),
        ]

    @property
    def question(self) -> LampQuestion | None:
        """What is asked now; None after the last answer."""
        return self._waiting[0] if self._waiting else None

    @property
    def left(self) -> int:
        """How many questions are left, as far as one can know."""
        return len(self._waiting)

    def answer(self, said: str) -> None:
        """``yes``, ``no``; to *where* the place's name, or :data:`NOWHERE`. Raises BadInput for another
        answer: the question stays then."""
        asked = self.question
        if asked is None:
            raise BadInput(phrase("there is no question left"))
        if asked.kind == "where":
            self._place(asked.places[0], said)
        elif said not in (YES, NO):
            raise BadInput("answer yes or no")
        else:
            self._yes_or_no(asked, said == YES)

    def skip(self) -> None:
        """Goes on without an answer."""
        if self._waiting:
            self._waiting.pop(0)

    def corrected(self) -> dict[str, tuple[int, ...]]:
        """The places whose LEDs were seen elsewhere or nowhere, with the LEDs that they ought to have; none
        where it is not known."""
        seen = {each.seen: tuple(self.map[each.place]) for each in self.faults if each.kind == "elsewhere"}
        wrong = [each.place for each in self.faults if each.kind in ("elsewhere", "dark")]
        return {place: seen[place] for place in (*wrong, *seen) if place in seen}

    def _yes_or_no(self, asked: LampQuestion, yes: bool) -> None:
        self._waiting.pop(0)
        if asked.kind in ("red", "green"):
            if not yes and not any(each.kind == "colours" for each in self.faults):
                self.faults.append(LampFault("colours"))
        elif asked.kind == "last":
            if not yes:
                self._halve(0, self.count)
        elif asked.kind == "any":
            middle = asked.leds[0][0] + 1
            self._halve(middle if yes else self._low, self._high if yes else middle - 1)
        elif not yes:
            self._waiting[:0] = [
                LampQuestion("where", (place,), (tuple(self.map[place]),)) for place in asked.places
            ]

    def _halve(self, low: int, high: int) -> None:
        """Between ``low`` and ``high`` LEDs shine."""
        self._low, self._high = low, high
        if low < high:
            self._waiting.insert(0, LampQuestion("any", (), (((low + high) // 2,),)))
        elif low < self.count:
            self.faults.append(LampFault("count", number=low))

    def _place(self, place: str, said: str) -> None:
        if said in (NOWHERE, NO):
            self.faults.append(LampFault("dark", place))
        elif said in self.map and said != place:
            self.faults.append(LampFault("elsewhere", place, said))
        elif said not in (YES, place):
            raise BadInput(f"there is no place {said}; answer with one of the map, such as {place}")
        self._waiting.pop(0)

    def _run(self, places: tuple[str, ...]) -> LampQuestion:
        return LampQuestion("run", places, tuple(tuple(self.map[place]) for place in places))


def stretches(places: Mapping[str, Sequence[int]]) -> list[tuple[str, ...]]:
    """Places that belong together, in the map's order: six points, the bar, one player's dice."""
    found: list[tuple[str, ...]] = []
    before = ""
    for place, leds in places.items():
        if not leds:
            continue
        family = re.sub(r"\.?-?\d+$", "", place) if re.search(r"\d$", place) else place.partition(".")[0]
        if found and family == before and len(found[-1]) < LONGEST:
            found[-1] += (place,)
        else:
            found.append((place,))
        before = family
    return found
