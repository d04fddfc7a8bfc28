"""One game of a ``.mat`` file: its cells found, put in their columns and done under the rules, in order
(:mod:`mat_import`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Protocol

from engine.errors import EngineError
from engine.layout import Side
from engine.messages import joined, phrase
from engine.names import named
from engine.record import Dropped, GameRecord, MatchRecord, Result, Stood, Taken
from firmware.formats.board import SIDES, BoardCounts
from firmware.formats.build import GameBuilder, astray, hops, other, scored
from firmware.formats.ids import of_xg_board
from firmware.formats.mat import score_name
from firmware.formats.source import FormatError, shortened, whole_number

COMMENT = re.compile(r"^\s*[;#] ?(.*)$")
SET_POS = re.compile(r"^\s*;\s*Set Pos=([-a-oA-O]{26})", re.IGNORECASE)
_LABEL = re.compile(r"^\s*\d+\s*\)")
_DUMP = re.compile(r"\([^()]*;[^()]*\)")
_REMARK = re.compile(r"\s;.*")
_CELL = re.compile(
    r"(?<![\d/])(?:[1-6][1-6]|00)\s*:"
    r"|\b(?:(?:re)?doubles?|takes?|accepts|drops?|pass(?:es)?|rejects|beavers?|raccoons?|resign\w*|forfeit\w*|wins?|los(?:es|ses))\b",
    re.IGNORECASE,
)
_MOVES = re.compile(r"(?:\d|\bbar)\s*/\s*(?:\d|off\b)", re.IGNORECASE)
"""A checker that moves."""
_WINS = re.compile(r"wins?\b", re.IGNORECASE)
_ANNOUNCED = re.compile("resign|forfeit|los", re.IGNORECASE)
"""What is said of the loser before the line with ``Wins``."""
_UNKNOWN = re.compile(r"^(\?+|illegal play)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Cell:
    line: int
    row: int
    side: Side
    text: str


@dataclass(slots=True)
class GameLines:
    """The lines of one game, numbered, without its ``Game`` line."""

    number: int
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)
    cut: bool = False
    """Whether the file ends in the middle of the last line."""


class _Reader(Protocol):
    """What a game asks of the reader of its file. ``fouls``: the words of the file's head about a play, by
    game, row and side; ``untold``: those whose dice nobody told; ``late``: who lost a game on time."""

    @property
    def fouls(self) -> Mapping[tuple[int, int, str], str]: ...

    @property
    def untold(self) -> Set[tuple[int, int, str]]: ...

    @property
    def late(self) -> Set[tuple[int, str]]: ...

    def note(self, line: int, text: str, lost: bool = False) -> None: ...


class Game:
    """One game's cells, done one after the other."""

    def __init__(
        self, reader: _Reader, record: MatchRecord, game: GameRecord, section: GameLines, right: int
    ) -> None:
        self.fouls, self.untold, self.late = reader.fouls, reader.untold, reader.late
        self.note = reader.note
        self.builder = GameBuilder(record, game)
        self.section = section
        self.checkers = BoardCounts.of(self.builder.state.position).checkers
        self.board: BoardCounts | None = None
        """A board set before the first roll, whose side is not known yet."""
        self.cells = self._cells(right)

    def _cells(self, right: int) -> list[_Cell]:
        rows, seconds = [], []
        for number, line in self.section.lines:
            if found := SET_POS.match(line):
                self._set(number, found[1])
                continue
            if not line.strip() or COMMENT.match(line):
                continue
            masked = _REMARK.sub("", _DUMP.sub(lambda dump: "#" * len(dump[0]), line))
            line = line[: len(masked)]
            label = _LABEL.match(masked)
            begin = label.end() if label else 0
            starts = [found.start() for found in _CELL.finditer(masked, begin)]
            if not starts:
                if not label or line[begin:].strip():
                    self._odd(number, line)
                continue
            if masked[begin : starts[0]].strip():
                self._odd(number, line[begin : starts[0]])
            texts = [
                line[a:b].strip().rstrip("/").strip()
                for a, b in zip(starts, [*starts[1:], len(line)], strict=True)
            ]
            rows.append((number, begin, starts, texts))
            if len(starts) > 1 and "#" not in masked[: starts[1]]:  # a board pushes what follows it aside
                seconds.append(starts[1])
        column = max(set(seconds), key=seconds.count) if seconds else right
        # Where runs of blanks were lost, a first row of one cell is Black's if the second row has both.
        opens = len(rows) > 1 and len(rows[1][2]) == 2
        cells = []
        for row, (number, begin, starts, texts) in enumerate(rows, 1):
            for place, (start, cell) in enumerate(zip(starts, texts, strict=True)):
                near = (opens and row == 1) or start >= (begin + column) / 2 + 2
                alone = len(starts) == 1 and near
                cells.append(_Cell(number, row, SIDES[1 if place or alone else 0], cell))
        return cells

    def _odd(self, line: int, text: str) -> None:
        """Something that is no cell. Where a checker moves in it, a play is missing for it."""
        said = phrase("not understood: {text}", text=shortened(text.strip()))
        self.note(line, said, lost=_MOVES.search(text) is not None)

    def _set(self, line: int, text: str) -> None:
        try:
            board = of_xg_board(text, self.checkers)
        except FormatError as error:
            self.note(line, str(error))
            return
        if board != BoardCounts.of(self.builder.state.position):
            self.board = board

    def read(self, following: tuple[int, int] | None) -> GameRecord:
        """The game, as far as it can be taken; ``following`` is the score of the next one."""
        result, ended = None, False
        for place, cell in enumerate(self.cells):
            try:
                if _WINS.match(cell.text):
                    ended = True
                    result = self._wins(cell, following)
                    break
                self._do(cell, last=self._last(place))
            except (EngineError, FormatError) as error:
                said = joined(": ", (shortened(cell.text), str(error)))
                self.note(
                    cell.line, phrase("{error}; the rest of the game is left out", error=said), lost=True
                )
                result, ended = self._scored(following), True
                break
        if not ended and not self.builder.over:
            result = self._unended(following)
        game = self.builder.done(result)
        if following and (said := astray(self.section.number, game, following)):
            self.note(self.section.line, said)
        return game

    def _unended(self, following: tuple[int, int] | None) -> Result | None:
        """What a game without a last line came to. The last game of a file may be under way."""
        ends = (cell for cell in self.cells if _ANNOUNCED.match(cell.text) or _WINS.match(cell.text))
        told = next(ends, None)
        line = told.line if told else self.cells[-1].line if self.cells else self.section.line
        scored = self._scored(following)
        if scored is not None:
            self.note(
                line,
                phrase(
                    "nothing says how game {number} ended; the next one's score gives {side} {points}",
                    number=self.section.number,
                    side=named(scored.winner or ""),
                    points=scored.points,
                ),
            )
            return self._resigned(other(scored.winner or ""), scored)
        if following is not None or told is not None:
            self.note(
                line,
                phrase(
                    "nothing says who won game {number} and how much; it is left without an end",
                    number=self.section.number,
                ),
            )
        return None

    def _last(self, place: int) -> bool:
        """Whether nothing but the end of the game follows."""
        rest = self.cells[place + 1 :]
        return all(_ANNOUNCED.match(cell.text) or _WINS.match(cell.text) for cell in rest)

    def _do(self, cell: _Cell, last: bool) -> None:
        builder, side, text = self.builder, cell.side, cell.text
        word = text.split()[0].lower()
        if text[0].isdigit():
            self._roll(cell, last)
        elif word.startswith(("doub", "redoub", "beaver", "raccoon")):
            if builder.state.offered is None and word.startswith(("beaver", "raccoon")):
                raise FormatError(phrase("there is no double to answer"))
            if builder.game.crawford:
                self.note(
                    cell.line,
                    phrase(
                        "{text!r} in the Crawford game; of a match without that rule the head says {tag}",
                        text=text,
                        tag="'; [Crawford \"Off\"]'",
                    ),
                )
            builder.double(side)
        elif word.startswith(("take", "accept")):
            builder.add(Taken(side))
        elif word.startswith(("drop", "pass", "reject")):
            builder.add(Dropped(side))
        # "Resigned Game", "Forfeits" and "Loses" only announce the line with "Wins", which says more.

    def _roll(self, cell: _Cell, last: bool) -> None:
        builder, side = self.builder, cell.side
        dice, _, rest = (part.strip() for part in cell.text.partition(":"))
        unknown = bool(_UNKNOWN.match(rest))
        if dice == "00":
            if not last:
                raise FormatError(phrase("nothing was rolled, but the game goes on"))
            return
        if self.board is not None:
            builder.restart(self.board, side)
            self.board = None
        dump = re.match(r"illegal play\s*\((.*)\)", rest, re.IGNORECASE)
        key = (self.section.number, cell.row, side)
        if not (dump and key in self.untold):
            builder.roll(side, (int(dice[0]), int(dice[1])))
        if dump:
            builder.stand(side, self._dumped(dump[1], side), self.fouls.get(key, ""))
        elif unknown or not rest:
            if not unknown and builder.stuck:
                builder.play(side, "")
            elif not last:
                raise FormatError(phrase("what was played is not said"))
        else:
            self._play(cell, rest)

    def _play(self, cell: _Cell, text: str) -> None:
        clean = re.sub(r"\s+0/0(?=\s|$)", "", text)
        try:
            self.builder.play(cell.side, clean)
        except EngineError as error:
            if self.section.cut and cell is self.cells[-1]:
                raise FormatError(phrase("the file ends in the middle of a game")) from error
            moved = hops(clean)
            self.builder.force(cell.side, moved, clean)
            assert isinstance(self.builder.moments[-1].action, Stood)
            self.note(cell.line, phrase("{error}; taken as an illegal play that stood", error=str(error)))

    def _dumped(self, text: str, side: Side) -> BoardCounts:
        """The board of a Snowie line, from the view of the player whose name comes first: the opponent of
        ``side``."""
        fields = [part.strip() for part in text.split(";")]
        try:
            places = [int(value) for value in fields[12:38]]
            if len(places) != 26:
                raise ValueError
        except ValueError:
            raise FormatError(phrase("the position of this illegal play cannot be read")) from None
        names = [score_name(re.sub(r"[;()]", " ", name)) for name in self.builder.match.players]
        first = score_name(fields[5])
        if names[0] == names[1] or first not in names:
            roller = SIDES.index(other(side))
        else:
            roller = names.index(first)
        return BoardCounts.of_places(places, roller, self.checkers)

    def _wins(self, cell: _Cell, following: tuple[int, int] | None) -> Result | None:
        """The line that ends a game. Before the end of the play it is a resignation."""
        builder = self.builder
        number = re.search(r"\d+", cell.text)
        points = whole_number(number[0]) if number else 0
        if builder.over:
            if denied := builder.denied(cell.text, cell.side, points):
                self.note(cell.line, denied)
            return None
        loser = other(cell.side)
        if (self.section.number, loser) in self.late:
            return Result(cell.side, "single", points, "time")
        if number is None:
            return self._unended(following)
        try:
            builder.resign(loser, points)
        except FormatError as error:
            said = joined(": ", (repr(cell.text), str(error)))
            needed, most = builder.needed(cell.side), max(builder.worths(loser).values())
            scored = self._scored(following)
            if points > most and scored is not None and scored.winner == cell.side:
                # Backgammon Studio writes "Wins 1004 point"; what it was worth, the next game says.
                score = phrase(
                    "{error}; the next game's score says {points}", error=said, points=scored.points
                )
                self.note(cell.line, score)
                return self._resigned(loser, scored)
            if needed and needed <= most and (points == needed or points > most):
                builder.resign_least(loser, needed)
                self.note(cell.line, phrase("{error}; taken as the least that wins the match", error=said))
                return None
            self.note(cell.line, phrase("{error}; kept as points, without a grade", error=said))
            return Result(cell.side, "single", points, "resigned")
        return None

    def _resigned(self, loser: Side, scored: Result) -> Result | None:
        try:
            self.builder.resign(loser, scored.points)
        except FormatError:
            return scored
        return None

    def _scored(self, following: tuple[int, int] | None) -> Result | None:
        """What the next game's score says of a game that could not be read to its end."""
        return None if following is None else scored(self.builder.game.score, following)
