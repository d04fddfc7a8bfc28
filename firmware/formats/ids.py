"""Positions as short texts: XGID, GNU Backgammon's position ID and match ID.

**Position ID** (14 characters): for the player not on roll, then for the player on roll, from the own ace
point to the 24 point and the bar, one bit 1 for each checker and a 0 after each place; 80 bits, the first the
lowest of the first byte, in base64. It holds neither dice nor cube, and not who is on roll: read alone, White
is.

**Match ID** (12 characters): bits of the cube (log2), its owner, the player on roll, Crawford, the game's
state, whose decision it is, a double on the table, a resignation, the dice (the higher first), the match
length and both scores, and a last bit against Jacoby. White is gnubg's player 0, Black player 1: so gnubg
itself reads an XGID.

**XGID** is always written from the bottom player's view, whoever is on roll; that is White. Capital letters
are the bottom player's checkers, place 0 is the top player's bar, 25 the bottom's:
``XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10``; then cube (log2), its owner (1 bottom, -1 top), turn,
dice (``00`` to roll, ``D`` doubled, ``B`` beavered), scores (bottom, top), Crawford (in money play 1 Jacoby,
2 beavers, 3 both), match length and the cube's limit (log2).

A page about a position, as XG, BGBlitz and gnubg copy it, is read by the IDs in it, in whatever language its
words are: :func:`of_text`.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from engine import rules as games
from engine.cube import HIGHEST
from engine.errors import EngineError
from engine.layout import Side
from engine.messages import joined, phrase
from engine.position import Position
from engine.record import Beavered, Doubled, Dropped, MatchRecord, Played, Stood, Taken, replay
from firmware.formats.board import BAR, SIDES, STANDARD, BoardCounts
from firmware.formats.source import FormatError, shortened, whole_number

GAME = "backgammon"
"""The rule set whose positions these texts hold."""

CUBE_LIMIT = 10
"""The cube's limit that XG writes (1024); a Barpoint cube has none."""

LETTERS = "abcdefghijklmno"


@dataclass(frozen=True, slots=True)
class Situation:
    """A position with all that a decision depends on. ``position`` awaits a roll or, with dice, a play;
    before the opening White is taken to be on roll. ``cube`` is the stake agreed, ``offered`` whether its
    double is on the table (``beavered``: already turned once more)."""

    position: Position
    cube: int = 1
    owner: Side | None = None
    offered: bool = False
    beavered: bool = False
    score: tuple[int, int] = (0, 0)
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False

    @property
    def turn(self) -> int:
        """0 where White is on roll, 1 Black."""
        return SIDES.index(self.position.turn or SIDES[0])


def of_position_id(text: str, turn: Side = SIDES[0]) -> Position:
    """The position of a GNU position ID, ``turn`` on roll. Raises FormatError."""
    bits = _bits(text, 14, 10, "GNU position ID")
    counts = [[0] * 26, [0] * 26]
    side, point = 1 - SIDES.index(turn), 1
    for place in range(80):
        if bits >> place & 1:
            counts[side][point] += 1
            continue
        point += 1
        if point > BAR:
            if side == SIDES.index(turn):
                if bits >> place:
                    raise FormatError(
                        phrase(
                            "{text!r} is not a GNU position ID: it has more than two sides' checkers",
                            text=text,
                        )
                    )
                break
            side, point = 1 - side, 1
    return _read(BoardCounts.of_counts(counts[0], counts[1]), turn)


def of_gnu_id(text: str, roller: Side = SIDES[0]) -> Situation:
    """The situation of ``position:match`` IDs, or of a position ID alone, ``roller`` on roll. Raises
    FormatError."""
    place, _, state = text.strip().partition(":")
    if not state:
        return Situation(of_position_id(place, roller))
    bits = _bits(state, 12, 9, "GNU match ID")
    values = []
    for width in (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1):
        values.append(bits & (1 << width) - 1)
        bits >>= width
    cube, owner, turn, crawford, _, decision, offered, _, first, second, length, white, black, no_jacoby = (
        values
    )
    return Situation(
        _rolled(of_position_id(place, SIDES[turn]), (first, second), text),
        1 << cube,
        None if owner > 1 else SIDES[owner],
        bool(offered),
        bool(offered) and decision == turn,
        (white, black),
        length,
        bool(crawford),
        not no_jacoby and not length,
    )


def xgid(situation: Situation) -> str:
    """The XGID, ``XGID=`` included."""
    white, black = BoardCounts.of(situation.position).own
    places = "".join(
        "-" if not up and not down else LETTERS[up - 1].upper() if up else LETTERS[down - 1]
        for up, down in zip((0, *white[1:]), (*reversed(black[1:]), 0), strict=True)
    )
    owner = 0 if situation.owner is None else 1 - 2 * SIDES.index(situation.owner)
    dice = "".join(map(str, situation.position.dice)) or "00"
    if situation.offered:
        dice = "B" if situation.beavered else "D"
    rule = int(situation.crawford) if situation.length else situation.jacoby + 2 * situation.beavers
    fields = (
        places,
        situation.cube.bit_length() - 1,
        owner,
        1 - 2 * situation.turn,
        dice,
        *situation.score,
        rule,
        situation.length,
        CUBE_LIMIT,
    )
    return "XGID=" + ":".join(map(str, fields))


MOST_DOUBLED = HIGHEST.bit_length() - 1
"""How often a cube is turned at most."""

_XGID = re.compile(
    r"(?:(?i:XGID)=)?(?P<board>[-a-oA-O]{26}):(?P<cube>\d+):(?P<owner>-?[01]):(?P<turn>-?1):(?P<dice>[0-6]{2}|[DBR]):"
    r"(?P<white>\d+):(?P<black>\d+):(?P<rule>\d+):(?P<length>\d+)(?::(?P<limit>\d+))?"
)


def of_xgid(text: str) -> Situation:
    """The situation of an XGID. Raises FormatError with what is wrong."""
    found = _XGID.fullmatch(text.strip())
    if found is None:
        raise FormatError(
            phrase(
                "{text} is not an XGID: 26 places, then {fields}",
                text=shortened(text.strip()),
                fields="cube:owner:turn:dice:score:score:Crawford:length:limit",
            )
        )
    turn = SIDES[0] if found["turn"] == "1" else SIDES[1]
    position = _read(of_xg_board(found["board"]), turn)
    offered = found["dice"] in "DBR"
    if not offered:
        position = _rolled(position, (int(found["dice"][0]), int(found["dice"][1])), text)
    length, rule, doubled = (whole_number(found[name]) for name in ("length", "rule", "cube"))
    if doubled > MOST_DOUBLED:
        raise FormatError(phrase("a cube that was turned {count} times; no match has one", count=doubled))
    return Situation(
        position,
        1 << doubled,
        {"1": SIDES[0], "-1": SIDES[1], "0": None}[found["owner"].replace("-0", "0")],
        offered,
        offered and found["dice"] != "D",
        (whole_number(found["white"]), whole_number(found["black"])),
        length,
        bool(length) and bool(rule),
        not length and bool(rule & 1),
        not length and bool(rule & 2),
    )


def of_xg_board(text: str, checkers: int = STANDARD) -> BoardCounts:
    """The 26 places of an XGID, from the bottom player's view, in a game of so many ``checkers`` a side.
    Raises FormatError."""
    white, black = [0] * 26, [0] * 26
    for place, letter in enumerate(text):
        if letter.isupper():
            white[place] = LETTERS.index(letter.lower()) + 1
        elif letter != "-":
            black[25 - place] = LETTERS.index(letter) + 1
    if white[0] or black[0]:
        raise FormatError(
            phrase(
                "place 0 of an XGID is the top player's bar and place 25 the bottom player's: the letters"
                " there are the wrong case"
            )
        )
    return BoardCounts.of_counts(white, black, checkers)


_XGID_IN = re.compile(r"\bXGID=[\w:-]+", re.IGNORECASE)
_GNU = r"(?P<place>[A-Za-z0-9+/]{14})(?![\w+/=])(?:%s:\s*(?:<tt>)?(?P<state>[A-Za-z0-9+/]{12})(?![\w+/=]))?"
_GNU_ID = re.compile(_GNU % "")
_GNU_IN = re.compile(
    r"(?:\bID\b[^:\n]{0,24}:|\bGNUBGID\b[:=]?)\s*(?:<tt>)?" + _GNU % "(?:[^:]{0,40}ID[^:]{0,20})?",
    re.IGNORECASE,
)
"""IDs behind their names: ``Position ID: …``, ``ID de match : …``, in gnubg's pages of HTML too."""


def named(text: str) -> set[str]:
    """The position that a text is; else the XGIDs in it or, where there is none, the GNU IDs."""
    text = text.strip()
    if _XGID.fullmatch(text) or (text.count(";") > 38 and "\n" not in text):
        return {text}
    whole = _GNU_ID.fullmatch(text)
    return set(_XGID_IN.findall(text)) or {
        ":".join(filter(None, each.group("place", "state")))
        for each in ([whole] if whole else _GNU_IN.finditer(text))
    }


def of_text(text: str, roller: Side = SIDES[0]) -> Situation | None:
    """The situation that a text is or names (an XGID, GNU IDs, a line of Snowie's); None where it names none,
    or several. ``roller`` is on roll where a position ID comes without a match ID, which says who. Raises
    FormatError where it is damaged."""
    found = named(text)
    if len(found) != 1:
        return None
    (one,) = found
    if ";" in one:
        return of_snowie(one)
    return of_gnu_id(one, roller) if _GNU_ID.fullmatch(one) else of_xgid(one)


def of_snowie(text: str) -> Situation:
    """The situation of a line of Snowie's ``.txt``: who is on roll becomes White. Raises FormatError."""
    fields = [part.strip() for part in text.strip().rstrip(";").split(";")]
    try:
        length, jacoby, crawford, own, foe, cube, owner = (
            int(fields[place]) for place in (0, 1, 7, 8, 9, 10, 11)
        )
        places = [int(value) for value in fields[12:38]]
        dice = (int(fields[38]), int(fields[39]))
    except (ValueError, IndexError):
        raise FormatError(
            phrase(
                "{text!r} is not a Snowie line: 40 values between semicolons, all but the names numbers",
                text=text[:60],
            )
        ) from None
    position = _rolled(_read(BoardCounts.of_places(places, 0), SIDES[0]), dice, text[:60])
    held = {1: SIDES[0], -1: SIDES[1], 0: None}.get(owner)
    return Situation(
        position, cube, held, False, False, (own, foe), length, bool(crawford), bool(jacoby) and not length
    )


def _bits(text: str, length: int, size: int, name: str) -> int:
    if len(text) != length:
        raise FormatError(
            phrase(
                "{text!r} is not a {name}: it has {count} characters, not {length}",
                text=text,
                name=name,
                count=len(text),
                length=length,
            )
        )
    try:
        data = base64.b64decode(text + "=" * (-length % 4), validate=True)
    except binascii.Error as error:
        raise FormatError(
            phrase("{text!r} is not a {name}: {error}", text=text, name=name, error=error)
        ) from error
    return int.from_bytes(data[:size], "little")


def _read(board: BoardCounts, turn: Side) -> Position:
    """A proved position. One with all checkers of a side off has no turn: the game is over."""
    over = any(board.own[side][0] == STANDARD for side in (0, 1))
    try:
        return games.get(GAME).read(board.to_json(GAME, None if over else turn))
    except EngineError as error:
        raise FormatError(phrase("no possible position: {error}", error=str(error))) from error


def _rolled(position: Position, dice: tuple[int, int], text: str) -> Position:
    if dice == (0, 0):
        return position
    if 0 in dice:
        raise FormatError(phrase("{text!r} has one die only", text=text))
    try:
        return position.roll(dice)
    except EngineError as error:
        raise FormatError(joined(": ", (repr(text), str(error)))) from error


def write(record: MatchRecord) -> str:
    """A line for every decision of a match: the XGID, then which game and move it is and what was done."""
    lines = []
    for number, game in enumerate(record.games, 1):
        move = 0
        for moment in replay(record, game):
            state, action = moment.before, moment.action
            if not isinstance(action, Played | Stood | Doubled | Beavered | Taken | Dropped):
                continue
            move += isinstance(action, Played | Stood)
            situation = Situation(
                state.position,
                state.cube,
                state.owner,
                state.offered is not None,
                state.offered is not None and state.offered != state.position.turn,
                game.score,
                record.terms.length,
                game.crawford,
                record.terms.jacoby,
                bool(record.terms.beavers),
            )
            done = (
                action.text or "illegal play"
                if isinstance(action, Played | Stood)
                else type(action).__name__.lower()
            )
            lines.append(f"{xgid(situation)}\tgame {number}, move {max(move, 1)}: {action.side} {done}\n")
    return "".join(lines)
