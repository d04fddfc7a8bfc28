"""What stands on a table, and the table's own time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.events import Begin
from engine.layout import Side
from engine.session import Session
from firmware.dice.beacon import Drand
from firmware.settings.lamp_settings import LampSettings
from firmware.table.live import LiveEyes
from hardware.buttons import Wire
from hardware.protocols import Buttons, Buzzer, Camera, Lights, Pressed
from vision.reading import BoardReader


class TableClock:
    """Seconds of table time: call it. It only ever goes forward, whatever is done to the machine's clock."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._zero = -monotonic()

    def __call__(self) -> float:
        """Now."""
        return self._zero + self._monotonic()

    def go_on_from(self, t: float) -> None:
        """Counts on from ``t``."""
        self._zero = t - self._monotonic()


@dataclass
class Devices:
    """What stands on the table. None: the table does not have it."""

    begin: Callable[[float], Begin]
    """The match that the table begins by itself, at a time."""
    eyes: LiveEyes
    camera: Camera | None = None
    pause: float = 0.0
    """Seconds to wait after a picture, for a camera that does not wait by itself."""
    buttons: Buttons | None = None
    strip: Lights | None = None
    lamps: LampSettings = field(default_factory=LampSettings)
    wires: Sequence[Wire] = ()
    """The buttons that there are."""
    sides: tuple[Side, Side] = ("white", "black")
    """The sides whose buttons are called first and second, whatever game is played."""
    load_rig: Callable[[str], BoardReader | None] | None = None
    """The calibration for a kind of board, None where there is none."""
    beacon: Drand | None = None
    """The public source of randomness that is mixed into the dice."""
    buzzer: Buzzer | None = None

    def in_game(self, pressed: Pressed, session: Session) -> Pressed:
        """The same press, by the side that has this place in the present game."""
        table = session.table
        if table is None or pressed.side not in self.sides:
            return pressed
        return replace(pressed, side=table.rules.sides[self.sides.index(pressed.side)])

    def closable(self) -> tuple[Buttons | Lights | Buzzer | None, ...]:
        """What the table lets go when it ends; the camera is let go by whoever reads it."""
        return self.buttons, self.strip, self.buzzer
