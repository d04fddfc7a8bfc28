"""A table in a terminal: typed commands move the checkers, and the referee judges them.

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
from engine.lamp_signals import SUPPLIES, Pattern, signals
from engine.layout import Cell, Look, Looks, Piece, Stack, hex_cell, hex_of, point_cell, point_of
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Position
from engine.session import Session, waiting
from engine.words import scored
from firmware.errors import BadInput
from firmware.languages.choice import local
from firmware.simulated.layouts import lifted, moved, put, seen, stacks
from firmware.table.device import Device
from firmware.table.live import LiveEyes
from firmware.table.referee import agreement
from firmware.wording import dashed
from hardware.painter import Painter
from hardware.protocols import Frame
from vision.picture.frame import Image

HELP = """roll, done, double, take, drop, undo, resign, pause, swap
                        the buttons (of the side on turn; "black double" names the side)
play 24/20 13/8         plays a legal move, also without "play"; "plays" lists them
move p24 p20            moves one piece, whatever the rules say; also to and from
                        bar.white, off.black, hand.white …
                        (name it where several lie there: move hand.white p3 white.2)
put army.red 3,4 4,4    puts pieces down, whatever the rules say;  lift 3,4 takes off the top piece
dice 5 2                enters your own dice;  choose 24/20 13/8  answers "what was played?"
agree                   both hold done: the likeliest of the plays in doubt counts, or a foul stands
condone, next           lets a foul stand (where that was agreed), begins the next game
tidy                    sets the board up as the referee has it;  board shows it;  quit"""


VERDICTS = {
    "legal": phrase("legal"),
    "illegal": phrase("illegal"),
    "unsure": phrase("unsure"),
    "stood": phrase("stood"),
}
"""What a judgement found, in one word."""


class BoardEyes(LiveEyes):
    """Eyes that know what stands on the simulated board, or, once calibrated, read painted pictures of it."""

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
        """What a camera that is never wrong would see. Setting them clears the board first."""
        return seen(self.layout, self._cells, self._whole)

    @looks.setter
    def looks(self, looks: Looks) -> None:
        self.layout, self._cells, self._whole = stacks(looks), tuple(looks), True

    def sit_down(self, position: Position) -> None:
        """Sets the board up for a game as in ``position``."""
        self.layout, self.kind = dict(position.layout()), position.rules.board
        self._cells, self._whole = tuple(position.looks()), position.whole_looks

    def arrange(self, looks: Looks, board: str, geometry: Mapping[str, Any]) -> bool:
        """Puts ``looks`` on a board of this kind; an example map where they are empty and players would set
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
        """The painter of this board."""
        places = [hexagon for cell in self._cells if (hexagon := hex_of(cell)) is not None]
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
        """What the camera sends: an empty picture, because the board is only typed."""
        return Frame(t, "board", np.zeros((1, 1, 3), np.uint8))

    def drawn(self) -> bytes | None:
        """The board as it is now, painted, with what is read in it."""
        image = self.still()
        if image is None:
            return None
        reader = None if self._settler is None else self._settler.reader
        self._newest = (image, reader, self.glance())
        return super().drawn()

    def closeup(self, cells: Collection[Cell]) -> bytes | None:
        """The part of it that shows some cells."""
        self.drawn()
        return super().closeup(cells)


@lru_cache(maxsize=2)
def _painter(kind: str, cols: int, rows: int) -> Painter:
    return Painter(kind, 1, cols, rows)


def example_map(cols: int, rows: int) -> dict[Cell, Look]:
    """A map of hexes as players might set it up: a border around the sheet, and fortresses at a distance."""
    looks: dict[Cell, Look] = {}
    for row in range(rows):
        for col in range(cols):
            rim = col in (0, cols - 1) or row in (0, rows - 1)
            tower = row % 4 == 2 and (col + row) % 5 == 3
            piece = "border" if rim else "fortress.neutral" if tower else None
            looks[hex_cell((col - row // 2, row))] = (piece,) if piece else ()
    return looks


@dataclass
class Tabletop:
    """Does what is typed, and returns what to print."""

    device: Device
    eyes: BoardEyes
    _told: object = None
    _heard: object = ()
    _log: str = ""
    _shown: dict[Cell, Look] = field(default_factory=dict)

    @property
    def session(self) -> Session:
        """The session now."""
        return self.device.referee.session if self.device.referee is not None else Session()

    def tidy(self) -> None:
        """Sets the board up as the referee has it."""
        self._log = self.device.log
        if self.session.position is not None:
            self.eyes.sit_down(self.session.position)

    async def act(self, event: Event, seen: int | None = None) -> str | None:
        """Does what was asked for at the keyboard or on the page, after a look at the board. Returns why it
        was refused, or None. Where players say what stands on the board, or begin a game, the board
        follows."""
        if self.device.log != self._log:  # a match was begun or continued
            self.tidy()
        before = self.session.position
        self.device.submit(self.eyes.picture(self.device.now()))
        refused = await self.device.act(event, seen)
        table = self.session.table
        if refused is None and table is not None and table.position is not before:
            starts = isinstance(event, Next) or (isinstance(event, Press) and event.button is Button.DONE)
            begun = starts and not table.moves
            agreed = isinstance(event, Press) and event.button is Button.TAKE  # to a correction
            if begun or agreed or isinstance(event, Choose | Correct):
                self.tidy()
        return refused

    async def do(self, line: str) -> str:
        """Does a typed line, and returns what to print. Raises BadInput for one that it does not
        understand."""
        words = line.split()
        if not words:
            return ""
        sides = self.session.table.rules.sides if self.session.table is not None else ()
        side = words.pop(0) if len(words) > 1 and words[0] in sides else None
        verb, rest = words[0], words[1:]
        if verb in ("help", "?"):
            return HELP
        if verb == "board":
            return board(self.eyes.looks, self._number)
        if verb == "plays":
            return self._plays()
        if verb == "tidy":
            self.tidy()
        elif verb in self._hands:
            self._hands[verb](rest)
        elif self._is_play(line):
            self._play(words)
        else:
            refused = await self.act(self._event(verb, rest, side))
            if refused is not None:
                return local(phrase("no: {reason}", reason=refused))
        return self.report()

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
        raise BadInput(f"there is no command {verb!r}; 'help' lists them")

    @property
    def _hands(self) -> dict[str, Callable[[list[str]], None]]:
        """The commands that move pieces."""
        return {"play": self._play, "move": self._move, "put": self._put, "lift": self._lift}

    def _is_play(self, line: str) -> bool:
        """Whether the line is the notation of a play, or meant as one."""
        position = self.session.position
        return position is not None and position.awaits is Awaits.PLAY and "/" in line.split()[0]

    def _number(self, cell: Cell) -> str:
        """A point's number as whoever moves counts it."""
        position, side = self.session.position, self.session.due
        if position is None or side is None:
            return str(point_of(cell))
        return position.called(cell, side)

    def _play(self, rest: list[str]) -> None:
        position = self.session.position
        if position is None or not rest:
            raise BadInput("name the play, for example: play 24/20 13/8")
        try:
            self.eyes.layout = dict(position.find(" ".join(rest)).after.layout())
        except EngineError as error:
            raise BadInput(str(error)) from error

    def _move(self, rest: list[str]) -> None:
        if len(rest) not in (2, 3):
            raise BadInput("name two cells, for example: move p24 p20")
        source, target = self._cell(rest[0]), self._cell(rest[1])
        if not self.eyes.layout.get(source):
            raise BadInput(f"nothing stands on {source}")
        try:
            self.eyes.layout = moved(self.eyes.layout, source, target, *rest[2:])
        except KeyError as error:
            there = ", ".join(dict.fromkeys(self.eyes.layout[source][-1]))
            raise BadInput(f"{error.args[0]} cannot be taken from {source}; there is {there}") from error

    def _put(self, rest: list[str]) -> None:
        pieces = sorted(self.session.position.stock() if self.session.position is not None else ())
        if len(rest) < 2 or rest[0] not in pieces:
            example = f"put {pieces[0] if pieces else 'white'} CELL …"
            raise BadInput(f"name a piece and its cells: {example}; the pieces are {', '.join(pieces)}")
        layout = self.eyes.layout
        for cell in map(self._cell, rest[1:]):
            layout = put(layout, cell, rest[0])
        self.eyes.layout = layout

    def _lift(self, rest: list[str]) -> None:
        if not rest:
            raise BadInput("name the cells, for example: lift 3,4")
        layout = self.eyes.layout
        for cell in map(self._cell, rest):
            if not layout.get(cell):
                raise BadInput(f"nothing lies on {cell}")
            layout = lifted(layout, cell)
        self.eyes.layout = layout

    def _cell(self, word: str) -> Cell:
        """A cell by its name; points (as whoever moves counts them) and hexes also by their number alone.
        Raises BadInput."""
        position = self.session.position
        known: set[Cell] = {*self.eyes.looks, *(position.layout() if position is not None else ())}
        numbers = {self._number(cell): cell for cell in known if point_of(cell) is not None}
        numbers |= {cell.removeprefix("hex."): cell for cell in known if hex_of(cell) is not None}
        if word not in known and word in numbers:
            return numbers[word]
        if word not in known:
            cells = ", ".join(sorted(known, key=_natural))
            raise BadInput(f"there is no cell {word!r}; the cells are {cells}")
        return word

    def _plays(self) -> str:
        position = self.session.position
        if position is None or position.awaits is not Awaits.PLAY:
            return local(phrase("no play is due"))
        texts = [play.text or local(phrase("no move")) for play in position.plays()]
        return "\n".join(texts[:40]) + (f"\n… and {len(texts) - 40} more" if len(texts) > 40 else "")

    def report(self) -> str:
        """The board where it has changed, the last judgement where it is new, the lamps, and what the table
        waits for."""
        lines: list[str] = []
        if self.eyes.looks != self._shown:
            lines.append(board(self.eyes.looks, self._number))
            self._shown = dict(self.eyes.looks)
        table = self.session.table
        if table is not None:
            last = table.pending or (table.moves[-1] if table.moves else None)
            if last is not None and last is not self._told:
                verdict = VERDICTS.get(last.verdict, last.verdict)
                words = phrase("{player} {play}", player=named(last.side), play=last.move or "")
                lines.append(
                    phrase("{verdict}: {words}", verdict=verdict, words=words if last.move else last.words)
                )
            self._told = last
            if table.news is not self._heard:
                lines += [each.words for each in table.news if each.words]
            self._heard = table.news
            if table.dice:
                lines.append(phrase("dice: {dice}", dice=dashed(table.dice)))
        lines.append(phrase("lamps: {lamps}", lamps=lamps(self.session, self.device.now())))
        if table is not None and table.result is not None:
            outcome = table.result.outcome
            points = scored(outcome.kind, table.result.points)
            lines.append(
                phrase("{player} wins, {points}", player=named(outcome.winner), points=points)
                if outcome.winner
                else phrase("a tie, {kind}", kind=named(outcome.kind))
            )
        state = ""
        if table is not None:
            state = phrase(
                "{waiting}   (score {score}, cube {cube})",
                waiting=waiting(self.session),
                score=dashed(table.match.score),
                cube=table.cube.value,
            )
        return "\n".join(local(line) for line in [*lines, state])


def lamps(session: Session, t: float) -> str:
    """The lamps that are on, in words, points as whoever is to act counts them; those that count pieces, as
    the board shows them, and the dice's spots, as the row says them, are left out."""
    words = {Pattern.STEADY: "", Pattern.PULSE: " pulses", Pattern.BLINK: " blinks"}
    table = session.table

    def name(place: str) -> str:
        if table is None or point_of(place) is None:
            return place
        side = table.due or table.rules.sides[0]
        return f"point {table.position.called(place, side)}"

    shining = {
        place: light
        for place, light in signals(session, t).items()
        if not place.startswith((*SUPPLIES, "die."))
    }
    return ", ".join(f"{name(place)}{words[light.pattern]}" for place, light in shining.items())


def board(looks: Mapping[Cell, Look], number: Callable[[Cell], object] = point_of) -> str:
    """A board in letters: 24 points in two rows, each with its ``number``, any other board as a sheet of
    hexes."""
    if "p24" not in looks:
        return _hexes(looks)
    upper, lower = [point_cell(n) for n in range(13, 25)], [point_cell(n) for n in range(12, 0, -1)]
    wide = max(5, 1 + max(len(_stack(looks[cell])) for cell in (*upper, *lower)))
    lines = []
    for row in (upper, lower):
        names = [f"{number(cell)!s:>{wide}}" for cell in row]
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
        hexagon = hex_of(cell)
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
