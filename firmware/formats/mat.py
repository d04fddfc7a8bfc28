"""Writing Jellyfish ``.mat`` files, as gnubg, XG and the rest read them.

The format has no specification; this is what gnubg 1.07 reads without a warning and writes alike:

* header lines ``; [Tag "value"]``, then `` 7 point match`` (0: money), then games, numbered from 1;
* a line with both names and the score before the game, White in the left column;
* numbered rows of two columns, each a roll and its play (``31: 8/5 6/5``), a cube action or the winner's
  ``Wins 2 points``. Every play is in the mover's own numbering, one hop for each die, 25 the bar and 0 off;
* a dance is a roll with nothing after it. A roll with nothing after it that could be played means that its
  player resigned then;
* ``Beavers`` is taken by the next roll; gnubg would take a written one twice, and after a beaver that is
  answered otherwise, or not by the side that rolls, it misreads all the rest, so that such a one is written
  as the second double that it is;
* a resignation is nothing but ``Wins`` before the game is over;
* a foul that stood is ``Illegal play (…)`` with the position after it, as XG and Snowie write it; a header
  line names it. No program reads one without dice: one whose dice nobody told has 2-1, and the header line
  says ``no dice``;
* a loss on time is a resignation, with a header line ``OutOfTime``;
* a position set by hand that equals a legal play is that play; another one is a foul without dice, or two; a
  game in which it cannot be is cut before it, and a header line ``Note`` says so
  (:mod:`firmware.formats.set_by_hand`).

What the format cannot hold is left out: refused resignations, remarks, equal opening dice, roll numbers and
proofs of dice (:func:`kept`). Names are cut at a colon by gnubg and at 31 bytes, so the score line has a safe
form; the ``Player`` tags have the whole name. gnubg always assumes the Crawford rule, and its own Jacoby
setting, whatever the tags say: ``.sgf`` says both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine import rules as games
from engine.layout import Side
from engine.position import Play
from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    GameState,
    MatchRecord,
    Moment,
    Played,
    Remark,
    Resigned,
    Rolled,
    Scored,
    Stood,
    Taken,
    opening,
    replay,
)
from firmware.formats import build
from firmware.formats.board import BAR, SIDES, BoardCounts, own_place
from firmware.formats.ids import Situation, xgid
from firmware.formats.set_by_hand import without_corrections
from firmware.formats.source import one_line

NAME_BYTES = 31
"""What gnubg keeps of a name."""
UNTOLD = "21"
"""The dice of a foul whose dice nobody told."""


def write(record: MatchRecord) -> str:
    """The whole match. Raises FormatError for what cannot be written, BadRecord for what cannot have been
    played."""
    record, notes = without_corrections(record)
    bodies = [_game(record, number, game) for number, game in enumerate(record.games, 1)]
    header = [*_tags(record), *(f'[Note "{note}"]' for note in notes)]
    header += [*(tag for _, tags in bodies for tag in tags), *_comment(record.comment)]
    lines = [f"; {line}" for line in header] + ["", f" {record.terms.length} point match", ""]
    for body, _ in bodies:
        lines += [*body, ""]
    return "\n".join(lines) + "\n"


def kept(record: MatchRecord, *, time: bool = True) -> MatchRecord:
    """The record as a ``.mat`` file holds it: exactly what reading the written file gives. Without ``time`` a
    loss on time is a resignation, as other programs have it."""
    return build.kept(without_corrections(record)[0], remarks=False, time=time)


def score_name(name: str) -> str:
    """A name that survives the score line of every program: no colon, no run of blanks, at most 31 bytes."""
    safe = one_line(name.replace(":", " ").replace(",", " ")) or "-"
    return safe.encode("utf-8", "replace")[:NAME_BYTES].decode(errors="ignore").strip()


def _tags(record: MatchRecord) -> list[str]:
    terms = record.terms
    tags = [
        ("Site", record.place),
        ("Event", record.event),
        ("Round", record.round),
        ("Player 1", record.players[0]),
        ("Player 2", record.players[1]),
        ("EventDate", record.date.replace("-", ".")),
        ("Variation", games.get(record.rules).file_names["mat"]),
    ]
    if terms.length:
        tags.append(("Crawford", _switch(terms.crawford)))
        tags += [("CrawfordOver", "On")] if terms.crawford_over else []
        tags += [("Holland", "On")] if terms.holland else []
    else:
        tags += [("Jacoby", _switch(terms.jacoby)), ("Beaver", _switch(bool(terms.beavers)))]
        tags += [("Beavers", str(terms.beavers))] if terms.beavers > 1 else []
        tags += [("AutomaticDoubles", str(terms.automatic))] if terms.automatic else []
    tags += [] if terms.cube else [("UseCube", "Off")]
    return [f'[{name} "{one_line(value)}"]' for name, value in tags if value]


def _switch(value: bool) -> str:
    return "On" if value else "Off"


def _comment(text: str) -> list[str]:
    lines = text.splitlines()
    if any(line.startswith("[") for line in lines):
        lines = [f" {line}" if line.startswith("[") else line for line in lines]
    return lines


class _Columns:
    """Rows of two cells. A left cell begins a row; a right cell fills it, or begins one with nothing on its
    left."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def put(self, side: Side, text: str) -> None:
        if side == SIDES[0] or not self.rows or len(self.rows[-1]) == 2:
            self.rows.append([text] if side == SIDES[0] else ["", text])
        else:
            self.rows[-1].append(text)

    @property
    def number(self) -> int:
        return len(self.rows)

    def lines(self) -> list[str]:
        # Never cut the blanks off: gnubg looks for a right cell behind column 15 even where the line is
        # shorter, and finds the one before.
        return [
            f"{number:3d}) {row[0]:<27} {row[1] if len(row) == 2 else ''}"
            for number, row in enumerate(self.rows, 1)
        ]


def _game(record: MatchRecord, number: int, game: GameRecord) -> tuple[list[str], list[str]]:
    """The lines of one game, and the header tags that it needs."""
    names = dict(zip(SIDES, (score_name(player) for player in record.players), strict=True))
    title = [f"{names[side]} : {points}" for side, points in zip(SIDES, game.score, strict=True)]
    lines = [f" Game {number}", f" {title[0]:<30} {title[1]}"]
    columns, tags = _Columns(), []
    if game.cube != 1:
        tags.append(f'[Stake "Game {number}: {game.cube}"]')
    if not build.standard_start(record.rules, game):
        board = xgid(Situation(opening(record, game).position)).removeprefix("XGID=").split(":")[0]
        lines.append(f"; Set Pos={board}/0")
    rolled = ""
    moments = [moment for moment in replay(record, game) if not _silent(moment)]
    beaver = False
    for moment, *later in zip(moments, [*moments[1:], None], [*moments[2:], None, None], strict=False):
        action, following = moment.action, later[0]
        match action:
            case Rolled():
                rolled = "" if moment.after == moment.before else build.mover_dice(moment)
                if rolled and not (following and isinstance(following.action, Played | Stood)):
                    columns.put(moment.after.position.turn or "", f"{rolled}: ")
            case Played(side=side):
                assert moment.play is not None
                columns.put(side, f"{rolled}: {' '.join(plain(moment.play, side))}")
            case Stood(side=side, text=text):
                told = bool(moment.before.position.dice)
                dump = _dump(record, game, moment, following)
                columns.put(side, f"{rolled if told else UNTOLD}: Illegal play ({dump})")
                place = f"Game {number}, move {columns.number}, {side}{'' if told else ', no dice'}"
                tags.append(f'[Illegal "{place}: {one_line(text)}"]')
            case Doubled(side=side):
                columns.put(side, f" Doubles => {moment.after.cube * 2}")
            case Beavered(side=side):
                beaver = _taken_by_rolling(later)
                columns.put(side, f" {'Beavers' if beaver else 'Doubles'} => {moment.after.cube * 2}")
            case Taken(side=side):
                if not beaver:
                    columns.put(side, " Takes")
                beaver = False
            case Dropped(side=side):
                columns.put(side, " Drops")
    if game.result is not None and game.result.cause == "time":
        tags.append(f'[OutOfTime "Game {number}, {build.other(game.result.winner or "")}"]')
    return [*lines, *_ended(record, game, columns)], tags


def _taken_by_rolling(later: Sequence[Moment | None]) -> bool:
    """Whether the side that takes rolls next: of a beaver, but not of one that answers another."""
    match [each.action for each in later if each]:
        case [Taken(side=taker), Rolled(side=roller)]:
            return taker == roller
        case _:
            return False


def _silent(moment: Moment) -> bool:
    """Whether the columns have no place for this action: a resignation shows in the last line alone."""
    return isinstance(moment.action, Remark | Resigned | Scored)


def _ended(record: MatchRecord, game: GameRecord, columns: _Columns) -> list[str]:
    """The rows with the line that ends the game; a winner on the right stands in a last row that is half
    empty, as gnubg writes it."""
    result = game.result
    if result is None or result.winner is None:
        return columns.lines()
    at = SIDES.index(result.winner)
    match = (
        " and the match"
        if record.terms.length and game.score[at] + result.points >= record.terms.length
        else ""
    )
    wins = f"Wins {result.points} point{'s' * (result.points != 1)}{match}"
    if at and columns.rows and len(columns.rows[-1]) == 1:
        columns.put(result.winner, f" {wins}")
        return columns.lines()
    return [*columns.lines(), f"{' ' * (34 if at else 6)}{wins}"]


def plain(play: Play, side: Side) -> list[str]:
    """One hop for each die, in the mover's own numbering, ``*`` where it hits."""
    texts: list[str] = []
    for step in play.steps:
        if step.piece != side:
            texts[-1] += "*"
            continue
        texts.append(f"{own_place(step.source, side)}/{own_place(step.target, side)}")
    return texts


def _dump(record: MatchRecord, game: GameRecord, moment: Moment, following: Moment | None) -> str:
    """Snowie's line for the position after a foul, from the opponent's view, who is to roll; the last two
    values are the next roll. The fifth value is the player who made the foul, so gnubg and XG have it."""
    state: GameState = moment.after
    roller = SIDES.index(state.position.turn or SIDES[0])
    own, foe = BoardCounts.of(state.position).own[roller], BoardCounts.of(state.position).own[1 - roller]
    next_dice = (
        following.after.position.dice if following and isinstance(following.action, Rolled) else (0, 0)
    )
    names = [one_line(re.sub(r"[;()]", " ", score_name(player))) for player in record.players]
    length, jacoby = record.terms.length, record.terms.jacoby
    owner = 0 if state.owner is None else 1 if state.owner == SIDES[roller] else -1
    fields = [
        length,
        int(jacoby),
        0,
        int(not length),
        1 - roller,
        names[roller],
        names[1 - roller],
        int(game.crawford),
        game.score[roller],
        game.score[1 - roller],
        state.cube,
        owner,
        -foe[BAR],
        *(own[point] or -foe[25 - point] for point in range(1, 25)),
        own[BAR],
        *next_dice,
    ]
    return ";".join(map(str, fields)) + ";"
