"""A table in a terminal: typed commands move the checkers, and the referee judges them.

The program behind it is the device's own (:mod:`firmware.table.device`); only camera, buttons and lamps are
simulated. The camera sees whatever was put on the board, legal or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import wrap

from engine.errors import EngineError
from engine.events import Button, Choose, Condone, Correct, Event, Next, Press, Roll, Seed
from engine.layout import Cell, Look, hex_of, name_parts, point_of
from engine.messages import phrase
from engine.names import dashed
from engine.position import Awaits, Position
from engine.session import Session
from engine.words import wins
from firmware.errors import BadInput
from firmware.languages.choice import local
from firmware.simulated.board_eyes import BoardEyes
from firmware.simulated.layouts import lifted, moved, put
from firmware.simulated.text_board import board, lamps
from firmware.table.device import Device
from firmware.table.referee import agreement

COMMANDS = {
    "roll, done, double, take, drop, undo, resign, pause, swap": phrase(
        "the buttons (of the side on turn; 'black double' names the side)"
    ),
    "play 24/20 13/8": phrase("plays a legal move, also without 'play'; 'plays' lists them"),
    "move p24 p20": phrase(
        "moves one piece, whatever the rules say; also to and from bar.white, off.black, hand.white …"
        " (name it where several lie there: move hand.white p3 white.2)"
    ),
    "put army.red 3,4 4,4": phrase("puts pieces down, whatever the rules say"),
    "lift 3,4": phrase("takes off the top piece"),
    "dice 5 2": phrase("enters your own dice"),
    "choose 24/20 13/8": phrase("answers 'what was played?'"),
    "agree": phrase("both hold done: the likeliest of the plays in doubt counts, or a foul stands"),
    "condone": phrase("lets a foul stand (where that was agreed)"),
    "next": phrase("begins the next game"),
    "tidy": phrase("sets the board up as the referee has it"),
    "board": phrase("shows the board"),
    "quit": phrase("ends the program"),
}
"""What can be typed, and what it does."""

INDENT = 24
"""The column in which the help says what a command does."""
WIDE = 100
"""Letters in a line of the help."""


def help_text() -> str:
    """The commands and what they do, in the language of the terminal."""
    lines: list[str] = []
    for command, does in COMMANDS.items():
        if len(command) >= INDENT:
            lines.append(command)
            command = ""
        for line in wrap(local(does), WIDE - INDENT):
            lines.append(f"{command:{INDENT}}{line}")
            command = ""
    return "\n".join(lines)


VERDICTS = {
    "legal": phrase("legal"),
    "illegal": phrase("illegal"),
    "unsure": phrase("unsure"),
    "stood": phrase("stood"),
}
"""What a judgement found, in one word."""


@dataclass
class Tabletop:
    """Does what is typed, and returns what to print."""

    device: Device
    eyes: BoardEyes
    _told: tuple[object, ...] = ()
    _heard: object = ()
    _log: str = ""
    _asked: Position | None = None
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

    def follow(self) -> None:
        """Sets the board up where a correction of it counts now, by whomever it was agreed to."""
        table = self.session.table
        if self._asked is not None and (table is None or table.proposal is None):
            if self.session.position is not self._asked:
                self.tidy()
            self._asked = None

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
        if refused is None and isinstance(event, Correct):
            self._asked = before
        if refused is None and table is not None and table.position is not before:
            starts = isinstance(event, Next) or (isinstance(event, Press) and event.button is Button.DONE)
            if (starts and not table.moves) or isinstance(event, Choose):
                self.tidy()
        self.follow()
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
            return help_text()
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
        if verb in tuple(Button) and (not rest or verb == Button.RESIGN):
            return Press(t=0, button=Button(verb), side=side, grade=" ".join(rest) or None)
        if verb == "dice" and rest and all(re.fullmatch("[0-9]{1,9}", each) for each in rest):
            return Roll(t=0, dice=tuple(int(each) for each in rest), side=side)
        if verb == "choose" and rest:
            return Choose(t=0, play=" ".join(rest))
        if verb == "words" and rest and self.session.table is not None:
            return Seed(t=0, side=side or self.session.table.rules.sides[0], words=" ".join(rest))
        if verb == "next" and not rest:
            return Next(t=0)
        if verb == "agree" and not rest:
            return agreement(self.session, 0)
        if verb == "condone" and not rest and self.session.table is not None:
            other = self.session.table.rules.other(self.session.due or self.session.table.rules.sides[0])
            return Condone(t=0, side=side or other)
        raise BadInput(
            phrase("there is no command {command!r}; 'help' lists them", command=" ".join((verb, *rest)))
        )

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
            raise BadInput(phrase("name the play, for example: {example}", example="play 24/20 13/8"))
        try:
            self.eyes.layout = dict(position.find(" ".join(rest)).after.layout())
        except EngineError as error:
            raise BadInput(str(error)) from error

    def _move(self, rest: list[str]) -> None:
        if len(rest) not in (2, 3):
            raise BadInput(phrase("name two cells, for example: {example}", example="move p24 p20"))
        source, target = self._cell(rest[0]), self._cell(rest[1])
        if not self.eyes.layout.get(source):
            raise BadInput(phrase("nothing stands on {cell}", cell=source))
        try:
            self.eyes.layout = moved(self.eyes.layout, source, target, *rest[2:])
        except KeyError as error:
            there = ", ".join(dict.fromkeys(self.eyes.layout[source][-1]))
            raise BadInput(
                phrase(
                    "{piece} cannot be taken from {cell}; there is {pieces}",
                    piece=error.args[0],
                    cell=source,
                    pieces=there,
                )
            ) from error

    def _put(self, rest: list[str]) -> None:
        pieces = sorted(self.session.position.stock() if self.session.position is not None else ())
        if len(rest) < 2 or rest[0] not in pieces:
            example = f"put {pieces[0] if pieces else 'white'} CELL …"
            raise BadInput(
                phrase(
                    "name a piece and its cells: {example}; the pieces are {pieces}",
                    example=example,
                    pieces=", ".join(pieces),
                )
            )
        layout = self.eyes.layout
        for cell in map(self._cell, rest[1:]):
            layout = put(layout, cell, rest[0])
        self.eyes.layout = layout

    def _lift(self, rest: list[str]) -> None:
        if not rest:
            raise BadInput(phrase("name the cells, for example: {example}", example="lift 3,4"))
        layout = self.eyes.layout
        for cell in map(self._cell, rest):
            if not layout.get(cell):
                raise BadInput(phrase("nothing stands on {cell}", cell=cell))
            layout = lifted(layout, cell)
        self.eyes.layout = layout

    def _cell(self, word: str) -> Cell:
        """A cell by its name; points (as whoever moves counts them) and hexes also by their number alone.
        Raises BadInput."""
        position = self.session.position
        known: set[Cell] = {*self.eyes.looks, *(position.layout() if position is not None else ())}
        numbers = {self._number(cell): cell for cell in known if point_of(cell) is not None}
        numbers |= {name_parts(cell)[1]: cell for cell in known if hex_of(cell) is not None}
        if word not in known and word in numbers:
            return numbers[word]
        if word not in known:
            cells = ", ".join(sorted(known, key=_natural))
            raise BadInput(phrase("there is no cell {cell!r}; the cells are {cells}", cell=word, cells=cells))
        return word

    def _plays(self) -> str:
        position = self.session.position
        if position is None or position.awaits is not Awaits.PLAY:
            return local(phrase("no play is due"))
        texts = [play.text or local(phrase("no move")) for play in position.plays()]
        more = [local(phrase("… and {count} more", count=len(texts) - 40))] if len(texts) > 40 else []
        return "\n".join([*texts[:40], *more])

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
            if last is not None and all(last is not each for each in self._told):
                verdict = VERDICTS.get(last.verdict, last.verdict)
                words = phrase("{player} {play}", player=table.player(last.side), play=last.move or "")
                lines.append(
                    phrase("{verdict}: {words}", verdict=verdict, words=words if last.move else last.words)
                )
            self._told = (*table.moves, table.pending)  # a foul that went, or an undo, leaves an older one
            if table.news is not self._heard:
                lines += [each.words for each in table.news if each.words]
            self._heard = table.news
            if table.dice:
                lines.append(phrase("dice: {dice}", dice=dashed(table.dice)))
        lines.append(phrase("lamps: {lamps}", lamps=lamps(self.session, self.device.now())))
        if table is not None and table.result is not None:
            outcome = table.result.outcome
            winner = outcome.winner and table.player(outcome.winner)
            lines.append(wins(winner, outcome.kind, table.result.points))
        state = ""
        if table is not None:
            state = phrase(
                "{waiting}   (score {score}, cube {cube})",
                waiting=self.session.waiting,
                score="-".join(map(str, table.match.score)),
                cube=table.cube.value,
            )
        return "\n".join(local(line) for line in [*lines, state])


def _natural(cell: Cell) -> list[tuple[int, str]]:
    """Sorts p2 before p10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", cell)]
