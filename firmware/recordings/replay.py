"""A recorded session, refereed again: simulated devices do what the recording says.

The recording has no answers to the referee's questions. Where a picture left it unsure and the players then
rolled, they had agreed on a play: the one that best explains this picture and the next ones is taken, up to
the first that shows the board. So turns that were not seen do not spoil the rest of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import EngineError, ImpossibleSetup
from engine.event_json import from_json
from engine.events import Begin, Button, Choose, Next
from engine.evidence import Evidence
from engine.match_state import State
from engine.position import Awaits, Dice, Play, Position, Rules
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
from firmware.table.news import Watcher
from firmware.table.referee import Blind, Fell, Referee, Stimulus
from hardware.protocols import DeviceError, Frame, Heard
from hardware.simulated import FolderCamera, ScriptedButtons, ScriptedDice
from vision import boards
from vision.errors import VisionError
from vision.picture.frame import decode, load

WIDE = 64
"""How many plays are compared where a later picture must show which one was played."""
AHEAD = 4
"""Turns that are looked at for the first one that was seen."""


@dataclass
class Replay:
    """A recording, ready to be refereed; ``options`` are those of the game."""

    folder: Path
    reel: Reel
    rules: Rules
    eyes: ReplayEyes
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def prepare(cls, folder: Path, reel: Reel, rules: Rules) -> Replay:
        """Learns the table. Raises BadReel where that fails."""
        try:
            eyes = _learn(folder, reel, rules)
            known = rules.set_up is None or reel.begin is not None
            return cls(folder, reel, rules, eyes, {} if known else _seen_options(folder, reel, rules, eyes))
        except (VisionError, EngineError, OSError) as error:
            why = f"the table cannot be learned from {reel.frames[0]}: "
            if rules.set_up is not None:
                why += f"{rules.title} starts from a board that the players set up, and it must show that; "
            raise BadReel(f"{folder}: {why}{error}") from error

    def referee(self, journal: Journal, log: str, watchers: Iterable[Watcher] = ()) -> Referee:
        """A referee for this recording, its match begun."""
        referee = Referee(journal, log, self.eyes, ScriptedDice(), watchers=watchers)
        referee.begin(self._begin())
        return referee

    def _begin(self) -> Begin:
        """The match as it was agreed on, where the recording has it for this game."""
        event = from_json(self.reel.begin) if self.reel.begin is not None else None
        if isinstance(event, Begin) and event.rules == self.rules.name:
            return event
        t, place = self.reel.timeline[0].t, f"recorded session {self.folder.name}"
        return Begin(t=t, rules=self.rules.name, options=self.options, place=place)

    def stimuli(self, referee: Referee) -> Iterator[Stimulus]:
        """What the recording's devices report, moment by moment. Handle each before you ask for the next."""
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
                    if referee.session.state is State.OVER:  # dice after the end of a game begin the next one
                        referee.tell(Next(t=t))
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
        """Answers the referee's question, where dice at ``place`` in the timeline show that the players
        did."""
        table = referee.session.table
        if table is not None and table.state is State.ASKED and table.position.awaits is Awaits.PLAY:
            play = agreed(table.position, referee.judged or Evidence(), self._later(place))
            referee.tell(Choose(t=t, play=play.text))

    def _later(self, place: int) -> list[tuple[Dice, Evidence | None]]:
        """The next turns, from the dice at ``place`` on up to the first that was seen: what was rolled, and
        the last picture at rest before its *done*; None where there is none."""
        turns: list[tuple[Dice, Evidence | None]] = []
        for moment in self.reel.timeline[place:]:
            rolled = isinstance(moment, DiceRolled)
            done = isinstance(moment, ButtonPressed) and moment.button is Button.DONE
            if turns and (rolled or done) and turns[-1][1] is not None:
                break
            if isinstance(moment, DiceRolled):
                if len(turns) == AHEAD:
                    break
                turns.append((moment.roll, None))
            elif isinstance(moment, PictureTaken):
                picture = load(self.folder / moment.frame).image
                seen = self.eyes.glance(Frame(moment.t, moment.frame, picture))
                turns[-1] = (turns[-1][0], seen or turns[-1][1])
        return turns


def _learn(folder: Path, reel: Reel, rules: Rules) -> ReplayEyes:
    """Eyes for the recorded table: by the rig that was kept, else from the first picture, which shows the
    start. Where pieces in a known position were photographed before the game, they are learned from that
    picture, and the first one shows the empty board."""
    if reel.rig is not None:
        pictures = (moment for moment in reel.timeline if isinstance(moment, PictureTaken))
        moving = frozenset(picture.frame for picture in pictures if picture.moving)
        found = [boards.load(folder / name) for name in reel.rigs]
        other = next((each.board for each in found if each.board != rules.board), None)
        if other is not None:
            raise BadReel(f"{folder}: {rules.title} is not played on a board of {other}")
        return ReplayEyes(found[0].table, moving, rules.board)
    begun = None if rules.set_up is not None else rules.start(rules.options).looks()
    name, looks, empty = reel.frames[0], begun, None
    if reel.known is not None:
        name, looks = reel.known.frame, rules.read({"rules": rules.name, **reel.known.position}).looks()
        if begun is not None and not any(begun.values()):
            empty = decode((folder / reel.frames[0]).read_bytes()).image
    picture = decode((folder / name).read_bytes())
    corners = [(x * picture.scale, y * picture.scale) for x, y in reel.corners_px]
    return ReplayEyes.learn(picture.image, corners, reel.geometry_cm, looks, rules.board, empty)


def _seen_options(folder: Path, reel: Reel, rules: Rules, eyes: ReplayEyes) -> Mapping[str, Any]:
    """The options of a game on a board that the players set up, read from its first picture. Raises
    ImpossibleSetup."""
    evidence = eyes.glance(Frame(0.0, reel.frames[0], load(folder / reel.frames[0]).image))
    if evidence is None or rules.set_up is None:
        raise ImpossibleSetup((f"a hand in {reel.frames[0]} hides how the board was set up",))
    options = rules.set_up(evidence.best())
    rules.start(options)
    return options


def agreed(position: Position, first: Evidence, later: Sequence[tuple[Dice, Evidence | None]]) -> Play:
    """The play that best explains a doubtful picture (``first``) and the ``later`` turns: the dice that were
    then rolled, and the picture of what was played with them, which the last of them has, if any."""
    seen = next((evidence for _, evidence in later if evidence is not None), None)
    # Where the first picture shows little, the play is among those that come closest to the later one.
    paths: dict[Position, tuple[float, Play]] = {}
    for _, play in [*position.nearest(first, WIDE), *(position.nearest(seen, WIDE) if seen else ())]:
        paths[play.after] = (first.total(play.after.looks()), play)
    for dice, evidence in later:
        onward: dict[Position, tuple[float, Play]] = {}
        for at, (score, play) in paths.items():
            for worth, after in _onward(at, dice, evidence, seen or Evidence()):
                if after not in onward or onward[after][0] < score + worth:
                    onward[after] = (score + worth, play)
        near = sorted(onward, key=lambda at: onward[at][0] + (seen.total(at.looks()) if seen else 0.0))
        paths = {at: onward[at] for at in near[-4 * WIDE :]}
    return max(paths.values(), key=lambda path: path[0])[1]


def _onward(
    at: Position, dice: Dice, evidence: Evidence | None, seen: Evidence
) -> Iterator[tuple[float, Position]]:
    """Where a turn with these dice may lead, and what its picture says of that: to what it shows, or, unseen,
    towards what was ``seen`` later."""
    if at.awaits is not Awaits.ROLL:
        yield (0.0 if evidence is None else len(evidence.cells) * evidence.floor), at
        return
    rolled = at.roll(dice)
    found = rolled.nearest(seen, WIDE if evidence is None else 1)
    for score, play in found:
        yield (0.0 if evidence is None else score), play.after
    if not found:
        yield (0.0 if evidence is None else evidence.total(rolled.looks())), rolled
