"""Writing Smart Game Format as GNU Backgammon has it (``FF[4]GM[6]``).

A match is a collection: one tree for each game, numbered from 0. White is gnubg's player 0 (``PW``). Points
are letters, ``a`` the board's point 1 to ``x`` point 24, for both sides; ``y`` is the bar, ``z`` off. A node
is a play (``;W[31hefe]``, a dance ``;B[66]``), a cube action (``;W[double]``, ``take``, ``drop``; a beaver is
a second ``double``), a roll by itself (``PL``, ``DI``) or a board set (``AE``, ``AW``, ``AB``): an illegal
play that stood is a roll followed by a board, and ``PL`` alone where nobody told the dice. A resignation is
only in the result (``RE[B+2R]``).

Beyond what gnubg reads, ``RU`` has further words for the terms (``Beavers2``, ``Automatic3``, ``Holland``,
``CrawfordOver``) that it passes over, and every node may have a comment. Left out are refused resignations,
equal opening dice, roll numbers and proofs of dice (:func:`kept`).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine import rules as games
from engine.layout import Side, name_parts, point_of
from engine.match import Terms
from engine.position import Play, Position
from engine.record import (
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
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
from firmware.formats.board import BAR, SIDES, BoardCounts
from firmware.formats.build import mover_dice, standard_start

COLOUR = dict(zip(SIDES, "WB", strict=True))
APPLICATION = "Barpoint"


def write(record: MatchRecord) -> str:
    """All games of the match. Raises BadRecord for what cannot have been played."""
    return "".join(_game(record, number, game) for number, game in enumerate(record.games))


def kept(record: MatchRecord) -> MatchRecord:
    """The record as an ``.sgf`` file holds it: exactly what reading the written file gives."""
    return build.kept(record, remarks=True, time=True)


def point(place: int) -> str:
    """A board point as its letter."""
    return chr(ord("a") + place - 1)


def escape(text: str) -> str:
    """A text as a property's value: backslash and closing bracket are escaped; other blanks than line ends
    become blanks."""
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("\t", " ")


def _game(record: MatchRecord, number: int, game: GameRecord) -> str:
    terms, result = record.terms, game.result
    score = f"[ws:{game.score[0]}][bs:{game.score[1]}]"
    head = f"(;FF[4]GM[6]CA[UTF-8]AP[{APPLICATION}]MI[length:{terms.length}][game:{number}]{score}"
    head += f"PW[{escape(record.players[0])}]PB[{escape(record.players[1])}]"
    if not number:
        texts = (
            ("DT", record.date),
            ("EV", record.event),
            ("RO", record.round),
            ("PC", record.place),
            ("GC", record.comment),
        )
        head += "".join(f"{name}[{escape(value)}]" for name, value in texts if value)
    variation = games.get(record.rules).file_names["sgf"]
    rules = [*([variation] if variation else []), *_rules(terms, game)]
    head += f"RU[{':'.join(rules)}]" if rules else ""
    head += f"CV[{game.cube}]" if game.cube != 1 else ""
    if result is not None and result.winner is not None:
        ending = {"resigned": "R", "time": "T"}.get(result.cause, "")
        head += f"RE[{COLOUR[result.winner]}+{result.points}{ending}]"
    nodes = []
    if game.start is not None and not (standard_start(record.rules, game) and game.start.get("turn") is None):
        nodes.append(_board(opening(record, game).position))
    dice = ""
    moments = list(replay(record, game))
    for moment, following in zip(moments, [*moments, None][1:], strict=True):
        if isinstance(moment.action, Rolled) and moment.after != moment.before:
            dice = mover_dice(moment)
        node = _node(moment, following, dice)
        if isinstance(moment.action, Remark):
            _comment(nodes, moment.action.text)
        elif node:
            nodes.append(node)
    return head + "".join(f"\n;{node}" for node in nodes) + ")\n"


def _comment(nodes: list[str], text: str) -> None:
    """A remark goes to the node before it; before the first, to a node of its own."""
    if not nodes or "C[" in nodes[-1]:
        nodes.append("")
    nodes[-1] += f"C[{escape(text)}]"


def _rules(terms: Terms, game: GameRecord) -> list[str]:
    rules = [] if terms.cube else ["NoCube"]
    rules += ["Crawford"] if terms.length and terms.crawford else []
    rules += ["CrawfordGame"] if game.crawford else []
    rules += ["Jacoby"] if terms.jacoby else []
    rules += [f"Beavers{terms.beavers}"] if terms.beavers else []
    rules += [f"Automatic{terms.automatic}"] if terms.automatic else []
    rules += ["CrawfordOver"] if terms.crawford_over else []
    return rules + (["Holland"] if terms.holland else [])


def _node(moment: Moment, following: Moment | None, dice: str) -> str:
    action = moment.action
    match action:
        case Rolled():
            after = moment.after.position
            played = following is not None and isinstance(following.action, Played)
            return (
                "" if played or moment.after == moment.before else f"PL[{COLOUR[after.turn or '']}]DI[{dice}]"
            )
        case Played(side=side):
            assert moment.play is not None
            return f"{COLOUR[side]}[{dice}{_hops(moment.play, side)}]"
        case Stood(side=side, text=text):
            untold = "" if moment.before.position.dice else f"PL[{COLOUR[side]}]\n;"
            return untold + _board(moment.after.position) + (f"C[{escape(text)}]" if text else "")
        case Doubled(side=side) | Beavered(side=side):
            return f"{COLOUR[side]}[double]"
        case Taken(side=side):
            return f"{COLOUR[side]}[take]"
        case Dropped(side=side):
            return f"{COLOUR[side]}[drop]"
        case Corrected(cube=cube, owner=owner):
            held = COLOUR[owner].lower() if owner else "c"
            return f"{_board(moment.after.position)}\n;CV[{cube}]\n;CP[{held}]"
        case Resigned() | Remark() | Scored():
            return ""


def _hops(play: Play, side: Side) -> str:
    return "".join(_letter(step.source) + _letter(step.target) for step in play.steps if step.piece == side)


def _letter(cell: str) -> str:
    number = point_of(cell)
    return point(number) if number is not None else "y" if name_parts(cell)[0] == "bar" else "z"


def _board(position: Position) -> str:
    """A set board: all points emptied, then both sides' checkers; those borne off are what is missing."""
    white, black = BoardCounts.of(position).own
    turn = f"PL[{COLOUR[position.turn]}]" if position.turn else ""
    return turn + "AE[a:y]" + _stones("AW", white, False) + _stones("AB", black, True)


def _stones(name: str, own: Sequence[int], mirrored: bool) -> str:
    places = [point(25 - place if mirrored else place) * own[place] for place in range(1, 25)]
    letters = "".join(places) + "y" * own[BAR]
    return name + "".join(f"[{letter}]" for letter in letters) if letters else ""
