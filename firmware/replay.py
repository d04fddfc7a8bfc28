"""A recorded session, refereed again: simulated devices do what the recording says, and the referee cannot tell.

The recording has no answers to questions. Where a picture left the referee unsure and the players then rolled on, they agreed on
something; the likeliest candidate is taken for it, so that one doubtful picture does not spoil the rest of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError, ImpossibleSetup
from engine.events import Begin, Choose, Next
from engine.position import Rules
from engine.table import State
from firmware.eyes import RigEyes
from firmware.journal import Journal
from firmware.reel import BadReel, Pushed, Reel, Rolled, Shown
from firmware.referee import Fell, Referee, Stimulus, Watcher
from hardware.protocols import DeviceError, Pressed
from hardware.simulated import FolderCamera, ScriptedButtons, ScriptedDice
from vision.errors import VisionError
from vision.frame import decode


@dataclass
class Replay:
    """A recording about to be refereed. ``eyes`` are calibrated from its first picture, which shows the start."""

    folder: Path
    reel: Reel
    rules: Rules
    eyes: RigEyes

    @classmethod
    def prepare(cls, folder: Path, reel: Reel, rules: Rules) -> Replay:
        """Learns the table. Raises BadReel where that fails; nothing has been begun then."""
        try:
            looks = rules.start(rules.options).looks()
            first = decode((folder / reel.frames[0]).read_bytes())
            eyes = RigEyes.learn(first.image, [(x * first.scale, y * first.scale) for x, y in reel.corners_px], reel.geometry_cm, looks)
        except ImpossibleSetup as error:
            raise BadReel(
                f"{folder}: {rules.title} starts from a board that the players set up; this recording does not say which ({error})"
            ) from error
        except (VisionError, EngineError, OSError) as error:
            raise BadReel(f"{folder}: the table cannot be learned from {reel.frames[0]}: {error}") from error
        return cls(folder, reel, rules, eyes)

    def referee(self, journal: Journal, log: str, watchers: Iterable[Watcher] = ()) -> Referee:
        """A referee for this recording, its match begun."""
        referee = Referee(journal, log, self.eyes, ScriptedDice(), watchers=watchers)
        referee.begin(Begin(t=self.reel.timeline[0].t, rules=self.rules.name, place=f"recorded session {self.folder.name}"))
        return referee

    def stimuli(self, referee: Referee) -> Iterator[Stimulus]:
        """What the recording's devices report, moment by moment. Each is to be taken before the next is asked for."""
        now = 0.0
        camera = FolderCamera(self.folder, self.reel.frames, lambda: now, lambda data: decode(data).image)
        buttons = ScriptedButtons(lambda: now)
        heard: list[Pressed] = []
        buttons.listen(heard.append)
        for moment in self.reel.timeline:
            now = moment.t
            match moment:
                case Shown():
                    try:
                        yield camera.read()
                    except DeviceError as error:
                        raise BadReel(str(error)) from error
                case Rolled(t=t, roll=roll, side=side):
                    _go_on(referee, t)
                    yield Fell(t, roll, side)
                case Pushed(side=side, button=button):
                    buttons.press(side, button)
                    yield heard.pop()


def _go_on(referee: Referee, t: float) -> None:
    """What the players must have settled among themselves before these dice fell."""
    table = referee.session.table
    if table is None:
        return
    if table.state is State.ASKED and table.pending is not None and table.pending.candidates:
        referee.tell(Choose(t=t, play=table.pending.candidates[0]))
    elif table.state is State.OVER:
        referee.tell(Next(t=t))
