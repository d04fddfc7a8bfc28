"""A recorded session, refereed again: simulated devices do what the recording says, and the referee cannot
tell.

The recording has no answers to questions. Where a picture left the referee unsure and the players then rolled
on, they agreed on something, and how the game went on tells what: the play is taken that explains this
picture and the next one best. So one doubtful picture does not spoil the rest of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import EngineError, ImpossibleSetup
from engine.events import Begin, Button, Choose, Next, from_json
from engine.evidence import Evidence
from engine.position import Awaits, Dice, Play, Position, Rules
from engine.table import State
from firmware.record.journal import Journal
from firmware.recordings.reel import (
    BadReel,
    ButtonPressed,
    CameraLost,
    DiceRolled,
    EventLogged,
    PictureTaken,
    Reel,
    RigChanged,
)
from firmware.recordings.replay_eyes import ReplayEyes
from firmware.table.referee import Blind, Fell, Referee, Stimulus, Watcher
from hardware.protocols import DeviceError, Frame, Heard
from hardware.simulated import FolderCamera, ScriptedButtons, ScriptedDice
from vision import boards
from vision.errors import VisionError
from vision.frame import decode, load

WIDE = 64
"""How many plays are weighed where the next picture has to tell which one was played."""


@dataclass
class Replay:
    """A recording about to be refereed. ``eyes`` are calibrated from its first picture, which shows the
    start."""

    folder: Path
    reel: Reel
    rules: Rules
    eyes: ReplayEyes
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def prepare(cls, folder: Path, reel: Reel, rules: Rules) -> Replay:
        """Learns the table. Raises BadReel where that fails; nothing has been begun then."""
        try:
            eyes = _learn(folder, reel, rules)
            told = rules.shown is None or reel.begin is not None
            return cls(folder, reel, rules, eyes, {} if told else _shown(folder, reel, rules, eyes))
        except (VisionError, EngineError, OSError) as error:
            why = (
                ""
                if rules.shown is None
                else f"{rules.title} starts from a board that the players set up, and it must be seen there; "
            )
            raise BadReel(
                f"{folder}: the table cannot be learned from {reel.frames[0]}: {why}{error}"
            ) from error

    def referee(self, journal: Journal, log: str, watchers: Iterable[Watcher] = ()) -> Referee:
        """A referee for this recording, its match begun."""
        referee = Referee(journal, log, self.eyes, ScriptedDice(), watchers=watchers)
        referee.begin(self._begin())
        return referee

    def _begin(self) -> Begin:
        """What was agreed on, where the recording says so for this game."""
        event = from_json(self.reel.begin) if self.reel.begin is not None else None
        if isinstance(event, Begin) and event.rules == self.rules.name:
            return event
        t, place = self.reel.timeline[0].t, f"recorded session {self.folder.name}"
        return Begin(t=t, rules=self.rules.name, options=self.options, place=place)

    def stimuli(self, referee: Referee) -> Iterator[Stimulus]:
        """What the recording's devices report, moment by moment. Each is to be taken before the next is asked
        for."""
        now = 0.0
        camera = FolderCamera(self.folder, self.reel.frames, lambda: now, lambda data: decode(data).image)
        buttons = ScriptedButtons(lambda: now)
        heard: list[Heard] = []
        buttons.listen(heard.append)
        for place, moment in enumerate(self.reel.timeline):
            now = moment.t
            match moment:
                case PictureTaken():
                    try:
                        yield camera.read()
                    except DeviceError as error:
                        raise BadReel(str(error)) from error
                case DiceRolled(t=t, roll=roll, side=side):
                    referee.settle()
                    self._agree(referee, place, t, roll)
                    _begin_next(referee, t)
                    yield Fell(t, roll, side)
                case ButtonPressed(side=side, button=button):
                    buttons.press(side, button)
                    yield heard.pop()
                case EventLogged(event=event):
                    yield from_json(event)
                case CameraLost(t=t):
                    yield Blind(t)
                case RigChanged(rig=rig):
                    self.eyes.change(boards.load(self.folder / rig).table)

    def _agree(self, referee: Referee, place: int, t: float, dice: Dice) -> None:
        """Answers what the referee asked, if the other side's dice at ``place`` in the timeline show that the
        players have."""
        table = referee.session.table
        if table is not None and table.state is State.ASKED and table.position.awaits is Awaits.PLAY:
            play = agreed(table.position, referee.judged or Evidence(), dice, self._next_rest(place))
            referee.tell(Choose(t=t, play=play.text))

    def _next_rest(self, place: int) -> Evidence | None:
        """The last picture at rest before the next *done*."""
        found = None
        for moment in self.reel.timeline[place + 1 :]:
            if isinstance(moment, PictureTaken):
                found = (
                    self.eyes.glance(Frame(moment.t, moment.frame, load(self.folder / moment.frame).image))
                    or found
                )
            elif isinstance(moment, ButtonPressed) and moment.button is Button.DONE:
                break
        return found


def _learn(folder: Path, reel: Reel, rules: Rules) -> ReplayEyes:
    """Eyes for the recorded table: by the rig that it kept, else from its first picture, which shows the
    start; where pieces of a known position were photographed before the game, from that picture, and the
    first one shows the board without them."""
    if reel.rig is not None:
        moving = frozenset(
            moment.frame for moment in reel.timeline if isinstance(moment, PictureTaken) and moment.moving
        )
        found = [boards.load(folder / name) for name in reel.rigs]
        strange = next((each.board for each in found if each.board != rules.board), None)
        if strange is not None:
            raise BadReel(f"{folder}: {rules.title} is not played on a board of {strange}")
        return ReplayEyes(found[0].table, moving)
    begun = None if rules.shown is not None else rules.start(rules.options).looks()
    name, looks, empty = reel.frames[0], begun, None
    if reel.known is not None:
        name, looks = reel.known.frame, rules.read({"rules": rules.name, **reel.known.position}).looks()
        if begun is not None and not any(begun.values()):
            empty = decode((folder / reel.frames[0]).read_bytes()).image
    picture = decode((folder / name).read_bytes())
    corners = [(x * picture.scale, y * picture.scale) for x, y in reel.corners_px]
    return ReplayEyes.learn(picture.image, corners, reel.geometry_cm, looks, rules.board, empty)


def _shown(folder: Path, reel: Reel, rules: Rules, eyes: ReplayEyes) -> Mapping[str, Any]:
    """The options of a game on the board that the players set up, as its first picture shows it; proved.
    Raises ImpossibleSetup."""
    evidence = eyes.glance(Frame(0.0, reel.frames[0], load(folder / reel.frames[0]).image))
    if evidence is None or rules.shown is None:
        raise ImpossibleSetup(
            (f"a hand is over the board in {reel.frames[0]}: nobody knows how it was set up",)
        )
    options = rules.shown(evidence.best())
    rules.start(options)
    return options


def _begin_next(referee: Referee, t: float) -> None:
    """Dice after the end of a game begin the next one."""
    if referee.session.state is State.OVER:
        referee.tell(Next(t=t))


def agreed(position: Position, first: Evidence, dice: Dice, later: Evidence | None) -> Play:
    """The play that explains a doubtful picture best, together with the picture of what was played after it
    with ``dice``."""

    def worth(entry: tuple[float, Play]) -> float:
        score, play = entry
        if later is None:
            return score
        if play.after.awaits is not Awaits.ROLL:
            return score + len(later.cells) * later.floor
        rolled = play.after.roll(dice)
        following = rolled.nearest(later, 1)
        return score + (following[0][0] if following else later.total(rolled.looks()))

    # Where the first picture says little, what was played is found among the plays that come closest to the
    # second.
    near = [
        play
        for evidence in (first, later)
        if evidence is not None
        for _, play in position.nearest(evidence, WIDE)
    ]
    return max(((first.total(play.after.looks()), play) for play in near), key=worth)[1]
