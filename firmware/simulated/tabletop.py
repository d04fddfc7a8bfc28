"""A table in a terminal: a board that hands move by typing, and what the referee makes of it.

The program behind it is the device's own (:mod:`firmware.table.device`); only camera, buttons and lamps are
simulated. The camera sees whatever was put on the board, legal or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.events import Button, Choose, Condone, Correct, Event, Next, Press, Roll, Seed
from engine.evidence import Evidence
from engine.layout import Cell, Look, Looks, Piece, Stack
from engine.lights import SUPPLIES, Pattern, lights
from engine.position import Awaits, Position
from engine.session import Session, waiting
from engine.words import scored
from firmware.errors import BadInput
from firmware.simulated.layouts import lifted, moved, put, seen, stacks
from firmware.table.device import Device
from firmware.table.live import LiveEyes
from firmware.table.referee import agreement
from hardware.painter import Painter
from hardware.protocols import Frame
from vision.frame import Image

HELP = """roll, done, double, take, drop, undo, resign, pause, swap
                        the buttons (of whoever is to act; "black double" names the side)
play 24/20 13/8         moves the checkers so, legally; "plays" lists what is legal
move p24 p20            moves one piece, whatever the rules say; also to and from
                        bar.white, off.black, hand.white …
                        (with its name where several lie there: move hand.white p3 white.2)
put army.red 3,4 4,4    puts pieces down, whatever the rules say;  lift 3,4 takes off what lies on top
dice 5 2                types dice of your own;  choose 24/20 13/8  answers "what was played?"
agree                   both hold done: the likeliest of the plays in doubt counts, or a foul stands
condone, next           lets a foul stand (if agreed so), begins the next game
tidy                    puts the board as the referee has it;  board shows it;  quit"""


class BoardEyes(LiveEyes):
    """Eyes that see the simulated board: certainly, or once they have learned it, by painted pictures of
    it."""

    simulated = True

    def __init__(self) -> None:
        super().__init__(None)
        self._canvas: tuple[object, Image] | None = None
        self.layout: dict[Cell, Stack] = {}
        self._cells: tuple[Cell, ...] = ()
        self._whole = True
        self.kind = "checkers"
        self._shots = 0

    @property
    def looks(self) -> dict[Cell, Look]:
        """What a camera that is never wrong would see. Set them, and nothing else stands on the board."""
        return seen(self.layout, self._cells, self._whole)

    @looks.setter
    def looks(self, looks: Looks) -> None:
        self.layout, self._cells, self._whole = stacks(looks), tuple(looks), True

    def sit_down(self, position: Position) -> None:
        """A game is at the table: the board stands as it does in ``position``."""
        self.layout, self.kind = dict(position.layout()), position.rules.board
        self._cells, self._whole = tuple(position.looks()), position.rules.whole_looks

    def arrange(self, looks: Looks, board: str, geometry: Mapping[str, Any]) -> bool:
        """Puts ``looks`` on a board of this kind; a map of our own where they are empty and players would set
        one up."""
        cols, rows = geometry.get("cols"), geometry.get("rows")
        if not looks and isinstance(cols, int) and isinstance(rows, int):
            looks = example_map(cols, rows)
        self.looks, self.kind = dict(looks), board
        return True

    def still(self) -> Image | None:
        """The board, painted."""
        if not self._cells:
            return None
        painter, stands = self.painter, dict(self.layout)
        if self._canvas is None or self._canvas[0] != (painter, stands):
            self._shots += 1
            self._canvas = (painter, stands), painter.paint(stands, self._shots)
        return self._canvas[1]

    @property
    def painter(self) -> Painter:
        """Who paints this board."""
        places = [hexagon for cell in self._cells if (hexagon := _hexagon(cell)) is not None]
        rows = 1 + max((r for _, r in places), default=14)
        cols = 1 + max((q + r // 2 for q, r in places), default=18)
        return _painter(self.kind, cols, rows)

    def look(self, frame: Frame) -> Evidence | None:
        """What stands on the board."""
        if not self.calibrated:
            return Evidence.certain(self.looks)
        reading = self.glance()
        self._newest = None
        return None if reading is None or reading.hand else reading.evidence

    def picture(self, t: float) -> Frame:
        """What the camera sends: of a board that is only typed, nothing that could be seen."""
        return Frame(t, "board", np.zeros((1, 1, 3), np.uint8))

    def drawn(self) -> bytes | None:
        """The board as it is now, painted, with what is read in it."""
        image = self.still()
        if image is None:
            return None
        self._newest = (
            (image, self._settler.reader, self.glance()) if self._settler is not None else (image, None, None)
        )
        return super().drawn()

    def closeup(self, cells: Collection[Cell]) -> bytes | None:
        """The part of it in which some cells are."""
        self.drawn()
        return super().closeup(cells)


@lru_cache(maxsize=2)
def _painter(kind: str, cols: int, rows: int) -> Painter:
    return Painter(kind, 1, cols, rows)


def _hexagon(cell: Cell) -> tuple[int, int] | None:
    if not cell.startswith("hex."):
        return None
    q, r = cell.removeprefix("hex.").split(",")
    return int(q), int(r)


def example_map(cols: int, rows: int) -> dict[Cell, Look]:
    """A map of hexes as players might set it up: a border around the sheet, and fortresses some spaces
    apart."""
    looks: dict[Cell, Look] = {}
    for row in range(rows):
        for col in range(cols):
            rim = col in (0, cols - 1) or row in (0, rows - 1)
            tower = row % 4 == 2 and (col + row) % 5 == 3
            looks[f"hex.{col - row // 2},{row}"] = (
                ("border",) if rim else ("fortress.neutral",) if tower else ()
            )
    return looks


@dataclass
class Tabletop:
    """Does what is typed, and says what became of it."""

    device: Device
    eyes: BoardEyes
    _told: object = None
    _log: str = ""
    _shown: dict[Cell, Look] = field(default_factory=dict)

    @property
    def session(self) -> Session:
        """The session now."""
        return self.device.referee.session if self.device.referee is not None else Session()

    def tidy(self) -> None:
        """Puts the board as the referee has it."""
        self._log = self.device.log
        if self.session.position is not None:
            self.eyes.sit_down(self.session.position)

    async def act(self, event: Event) -> str | None:
        """Does what was asked for at the keyboard or on the page, after a look at the board as hands have
        left it. Returns why not, or None. Where players say what stands on the board, or begin a game, their
        hands follow."""
        if self.device.log != self._log:  # a match was begun, or gone on with
            self.tidy()
        before = self.session.position
        self.device.submit(self.eyes.picture(self.device.now()))
        refused = await self.device.act(event)
        table = self.session.table
        if refused is None and table is not None and table.position is not before:
            begun = not table.moves and (
                isinstance(event, Next) or (isinstance(event, Press) and event.button is Button.DONE)
            )
            if begun or isinstance(event, Choose | Correct):
                self.tidy()
        return refused

    async def do(self, line: str) -> str:
        """Does a typed line. Returns what to print. Raises BadInput for one that makes no sense."""
        words = line.split()
        if not words:
            return ""
        sides = self.session.table.rules.sides if self.session.table is not None else ()
        side = words.pop(0) if len(words) > 1 and words[0] in sides else None
        verb, rest = words[0], words[1:]
        if verb in ("help", "?"):
            return HELP
        if verb == "board":
            return board(self.eyes.looks)
        if verb == "plays":
            return self._plays()
        if verb == "tidy":
            self.tidy()
        elif verb in self._hands:
            self._hands[verb](rest)
        else:
            refused = await self.act(self._event(verb, rest, side))
            if refused is not None:
                return f"no: {refused}"
        return self.told()

    def _event(self, verb: str, rest: list[str], side: str | None) -> Event:
        if verb in tuple(Button):
            return Press(t=0, button=Button(verb), side=side)
        if verb == "dice" and rest and all(each.isdigit() for each in rest):
            return Roll(t=0, dice=tuple(int(each) for each in rest), side=side)
        if verb == "choose" and rest:
            return Choose(t=0, play=" ".join(rest))
        if verb == "words" and rest and self.session.table is not None:
            return Seed(t=0, side=side or self.session.table.rules.sides[0], words=" ".join(rest))
        if verb == "next":
            return Next(t=0)
        if verb == "agree":
            return agreement(self.session, 0)
        if verb == "condone" and self.session.table is not None:
            other = self.session.table.rules.other(self.session.due or self.session.table.rules.sides[0])
            return Condone(t=0, side=side or other)
        raise BadInput(f"nothing is known about {verb!r}; 'help' lists what is")

    @property
    def _hands(self) -> dict[str, Callable[[list[str]], None]]:
        """What hands can do."""
        return {"play": self._play, "move": self._move, "put": self._put, "lift": self._lift}

    def _play(self, rest: list[str]) -> None:
        position = self.session.position
        if position is None or not rest:
            raise BadInput("say the play: play 24/20 13/8")
        try:
            self.eyes.layout = dict(position.find(" ".join(rest)).after.layout())
        except EngineError as error:
            raise BadInput(str(error)) from error

    def _move(self, rest: list[str]) -> None:
        if len(rest) not in (2, 3):
            raise BadInput("say from where to where: move p24 p20")
        source, target = self._cell(rest[0]), self._cell(rest[1])
        if not self.eyes.layout.get(source):
            raise BadInput(f"nothing stands on {source}")
        try:
            self.eyes.layout = moved(self.eyes.layout, source, target, *rest[2:])
        except KeyError as error:
            raise BadInput(
                f"{error.args[0]} is not among what can be taken from {source}:"
                f" {', '.join(self.eyes.layout[source][-1])}"
            ) from error

    def _put(self, rest: list[str]) -> None:
        pieces = sorted(self.session.position.stock() if self.session.position is not None else ())
        if len(rest) < 2 or rest[0] not in pieces:
            raise BadInput(
                f"say what and where: put {pieces[0] if pieces else 'white'} CELL …; the pieces are"
                f" {', '.join(pieces)}"
            )
        layout = self.eyes.layout
        for cell in map(self._cell, rest[1:]):
            layout = put(layout, cell, rest[0])
        self.eyes.layout = layout

    def _lift(self, rest: list[str]) -> None:
        if not rest:
            raise BadInput("say from where: lift 3,4")
        layout = self.eyes.layout
        for cell in map(self._cell, rest):
            if not layout.get(cell):
                raise BadInput(f"nothing lies on {cell}")
            layout = lifted(layout, cell)
        self.eyes.layout = layout

    def _cell(self, word: str) -> Cell:
        """A cell by its name; points and hexes also by their number alone. Raises BadInput."""
        position = self.session.position
        known = {*self.eyes.looks, *(position.layout() if position is not None else ())}
        for name in (f"p{word}", f"hex.{word}"):
            if word not in known and name in known:
                return name
        if word not in known:
            raise BadInput(
                f"there is no cell {word!r}; the cells are {', '.join(sorted(known, key=_natural))}"
            )
        return word

    def _plays(self) -> str:
        position = self.session.position
        if position is None or position.awaits is not Awaits.PLAY:
            return "no play is due"
        texts = [play.text or "no move" for play in position.plays()]
        return "\n".join(texts[:40]) + (f"\n… and {len(texts) - 40} more" if len(texts) > 40 else "")

    def told(self) -> str:
        """The board where it has changed, the last judgement where it is new, the lamps, and what the table
        waits for."""
        lines = []
        if self.eyes.looks != self._shown:
            lines.append(board(self.eyes.looks))
            self._shown = dict(self.eyes.looks)
        table = self.session.table
        if table is not None:
            last = table.pending or (table.moves[-1] if table.moves else None)
            if last is not None and last is not self._told:
                lines.append(f"{last.verdict}: {f'{last.side} {last.move}' if last.move else last.words}")
            self._told = last
            if table.dice:
                lines.append("dice: " + "-".join(map(str, table.dice)))
        lines.append("lamps: " + lamps(self.session, self.device.now()))
        if table is not None and table.result is not None:
            outcome = table.result.outcome
            ended = (
                f"{outcome.winner} wins, {scored(outcome.kind, table.result.points)}"
                if outcome.winner
                else f"a tie, {outcome.kind}"
            )
            lines.append(ended)
        lines.append(
            waiting(self.session)
            + f"   (score {'-'.join(map(str, table.match.score))}, cube {table.cube.value})"
            if table
            else ""
        )
        return "\n".join(lines)


def lamps(session: Session, t: float) -> str:
    """What shines, in words, but for the lamps that count pieces: the board above shows those."""
    words = {Pattern.STEADY: "", Pattern.PULSE: " pulses", Pattern.BLINK: " blinks"}
    shining = {place: light for place, light in lights(session, t).items() if not place.startswith(SUPPLIES)}
    return ", ".join(f"{place}{words[light.pattern]}" for place, light in shining.items())


def board(looks: Mapping[Cell, Look]) -> str:
    """A board in letters: 24 points as they lie, of any other board what stands where."""
    if "p24" not in looks:
        return _hexes(looks)
    upper, lower = [f"p{n}" for n in range(13, 25)], [f"p{n}" for n in range(12, 0, -1)]
    wide = max(5, 1 + max(len(_stack(looks[cell])) for cell in (*upper, *lower)))
    lines = []
    for row in (upper, lower):
        names = [f"{cell[1:]:>{wide}}" for cell in row]
        stacks = [f"{_stack(looks[cell]):>{wide}}" for cell in row]
        for each in (names, stacks) if row is upper else (stacks, names):
            lines.append("".join(each[:6]) + " |" + "".join(each[6:]))
    rest = [f"{cell} {_stack(look)}" for cell, look in looks.items() if cell not in (*upper, *lower) and look]
    return "\n".join([*lines, *([", ".join(rest)] if rest else [])])


MARKS: Mapping[Piece, str] = {
    "border": "#",
    "fortress.neutral": "o",
    "fortress.red": "R",
    "fortress.blue": "B",
    "army.red": "r",
    "army.blue": "b",
}


def _hexes(looks: Mapping[Cell, Look]) -> str:
    """A sheet of hexes: each row begins with the name of its first hex; odd rows lie half a hex to the
    right."""
    rows: dict[int, dict[int, str]] = {}
    for cell, look in looks.items():
        hexagon = _hexagon(cell)
        if hexagon is None:
            continue
        q, r = hexagon
        rows.setdefault(r, {})[q] = "".join(MARKS.get(piece, "?") for piece in look) or "·"
    left = min((2 * q + r for r, row in rows.items() for q in row), default=0)
    lines = []
    for r, row in sorted(rows.items()):
        first = min(row)
        marks = " ".join(row.get(q, " ") for q in range(first, max(row) + 1))
        lines.append(f"{f'{first},{r}':>7}  {' ' * (2 * first + r - left)}{marks}")
    return "\n".join([*lines, "# border, o fortress, R B captured, r b army"])


def _natural(cell: Cell) -> list[tuple[int, str]]:
    """Sorts p2 before p10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", cell)]


def _stack(look: Look) -> str:
    kinds: dict[Piece, int] = {}
    for piece in look:
        kinds[piece] = kinds.get(piece, 0) + 1
    return "+".join(f"{count}{_letter(piece)}" for piece, count in kinds.items()) or "·"


def _letter(piece: Piece) -> str:
    colour, _, size = piece.partition(".")
    return colour[:1] + size
