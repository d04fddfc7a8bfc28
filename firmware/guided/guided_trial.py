"""Buttons, lamps or the camera, tried out under guidance on the page. It hears and sees what it is told, and
says what it asks for; what the answers mean, the guides know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from engine.position import Json
from firmware.errors import BadInput
from firmware.guided.button_guide import ButtonGuide, exchanged
from firmware.guided.header import pin_of
from firmware.guided.lamp_guide import LampGuide
from firmware.guided.waving import Waving
from hardware.buttons import Wire
from hardware.strip import Colour

PARTS = ("buttons", "lamps", "camera")


class GuidedTrial:
    """One part, tried from its beginning to its end. ``now`` is in seconds, and only goes forward."""

    def __init__(
        self,
        part: str,
        wires: Sequence[Wire],
        lamps: Mapping[str, Sequence[int]],
        count: int,
        now: Callable[[], float],
    ) -> None:
        """Raises BadInput where the table has no such part."""
        if part == "buttons" and not wires:
            raise BadInput(phrase("this table has no buttons"))
        if part == "lamps" and not count:
            raise BadInput(phrase("this table has no lamps"))
        self.part = part
        self._now = now
        self._buttons = ButtonGuide(wires if part == "buttons" else ())
        self._lamps = LampGuide(lamps, count) if part == "lamps" else None
        self._asked = now()
        self._waving = Waving()
        self._seen: list[tuple[str, str]] = []

    def hear(self, wire: Wire) -> None:
        """A button was pressed."""
        self._buttons.hear(self._now(), wire)

    def look(self, down: Sequence[str], faults: Sequence[str], picture: NDArray[np.uint8] | None) -> None:
        """How the buttons are, and what the camera sees. Call it several times a second."""
        if self.part == "buttons":
            self._buttons.look(self._now(), down, faults)
        elif self.part == "camera" and picture is not None:
            seen = self._waving.look(picture)
            if seen is not None and (seen.across, seen.down) not in self._seen:
                self._seen.append((seen.across, seen.down))

    def answer(self, said: object) -> None:
        """An answer to what is asked; None: none. Raises BadInput."""
        if self.part == "buttons":
            self._buttons.skip()
        elif self._lamps is not None and said is None:
            self._lamps.skip()
        elif self._lamps is not None:
            self._lamps.answer(str(said))
        self._asked = self._now()

    def frame(self, count: int) -> list[Colour] | None:
        """What the strip must show; None where nothing is asked about it."""
        question = None if self._lamps is None else self._lamps.question
        return None if question is None else question.frame(self._now() - self._asked, count)

    def to_json(self) -> Json:
        """All that the page shows."""
        if self.part == "buttons":
            return {"part": self.part, **_buttons(self._buttons)}
        if self._lamps is not None:
            question = self._lamps.question
            return {
                "part": self.part,
                "asked": question and {"kind": question.kind, "places": question.places},
                "left": self._lamps.left,
                "faults": [asdict(fault) for fault in self._lamps.faults],
                "corrected": self._lamps.corrected(),
            }
        return {"part": self.part, "seen": self._seen, "whole": self._waving.whole}


def _wire(wire: Wire) -> Json:
    held = wire.held is wire.button
    return {
        "side": wire.side,
        "button": wire.button.value,
        "gpio": wire.pin,
        "pin": pin_of(wire.pin),
        "held": held,
    }


def _buttons(guide: ButtonGuide) -> Json:
    return {
        "asked": guide.asked and _wire(guide.asked),
        "other": guide.other and _wire(guide.other),
        "pressed": guide.pressed,
        "outcomes": [
            {"wire": _wire(each.wire), "how": each.how.value, "other": each.other and _wire(each.other)}
            for each in guide.outcomes
        ],
        "exchanged": [[_wire(one), _wire(other)] for one, other in exchanged(guide.outcomes)],
    }
