"""Writing OGXM, the signed match format of OpenGammon, by its reference codec (the package ``ogxm``).

The codec takes a document in JSON and knows its own rules; what it refuses, we cannot write either. Tried out
with version 2.3.2, and read again by another program (``gvformat``):

* White plays from point 1 up to 24, so White's own point p is 25 - p there, and Black's is p; the bars are 0
  (White) and 25 (Black). A board counts White's checkers as positive.
* ``color`` 1 is White and 0 Black, but a winner is 0 or 1 for White or Black.
* A dance, and a roll that was never played before a resignation, have no moves.
* A beaver is an answer of its own, with the take in it; the next one is a raccoon, and there is no third.
  After a raccoon the codec gives the cube to the wrong side (it stays with whoever would have taken), so that
  a cube set by hand follows. A beaver that is dropped is written as a take, after which the side resigns.
* An illegal play that stood is the board that it left, with the dice and the mark ``illegal``; where nobody
  told its dice, without both: the codec takes no mark alone. A position or a cube set by hand are there too,
  so that more can be written than in ``.mat``.
* The score is the sum of the games, so that a match whose score was set by hand cannot be written.

The table signs what the codec says a signature is of, with the key that signed the match in the log
(:func:`signed`); ours stands in the comment.
"""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from engine import rules as games
from engine.layout import Side
from engine.messages import phrase
from engine.position import Json, Play, Position
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
from firmware.formats.board import BAR, SIDES, BoardCounts, own_place
from firmware.formats.build import other, standard_start
from firmware.formats.source import FormatError

PACKAGE = "ogxm"
VERSION = {"major": 2, "minor": 1}
"""Of the format. Without it the codec takes a document for one of version 1."""
DOUBLE, TAKE, DROP, RESIGN, FORFEIT, SET_BOARD, BEAVER, RACCOON, SET_CUBE = 21, 22, 23, 27, 29, 31, 32, 33, 36
"""The codec's numbers of actions; 0 to 20 are the dice, from 1-1 to 6-6."""
NAME, EVENT, STAGE, CITY, REMARK = 120, 120, 60, 80, 4096
"""Bytes that a text may have; the codec refuses an event, stage or city that has one more."""


def write(record: MatchRecord) -> bytes:
    """The whole match. Raises FormatError for what cannot be written, BadRecord for what cannot have been
    played."""
    return _encoded(document(record))


def signed(record: MatchRecord, public: str, sign: Callable[[bytes], bytes]) -> bytes:
    """The same with a signature: ``sign`` is given the bytes that are signed; ``public`` is its key (Ed25519,
    hex). Raises as :func:`write` does."""
    codec = _codec("ogxm.signature")
    named = {
        "algorithm": "ed25519",
        "key_id": public[:16],
        "public_key": base64.b64encode(bytes.fromhex(public)).decode(),
        "signature": "",
    }
    whole = {**document(record), "match_signatures": [named]}
    try:
        named["signature"] = base64.b64encode(sign(codec.match_payload(whole, 0))).decode()
    except RuntimeError:
        _encoded(whole)  # says what is wrong with the match
        raise
    return _encoded(whole)


def _encoded(whole: Json) -> bytes:
    codec = _codec(PACKAGE)
    try:
        data: bytes = codec.json_to_binary(whole)
    except (RuntimeError, ValueError) as error:  # ValueError: half of a character
        why = codec.v2_problem(whole) if isinstance(error, RuntimeError) else None
        raise FormatError(
            phrase("ogxm cannot hold this match ({why}); use json, text or sgf", why=why or str(error))
        ) from error
    return data


def _codec(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        raise FormatError(
            phrase("ogxm is written by a package that is not installed: pip install ogxm")
        ) from error


def document(record: MatchRecord) -> Json:
    """The match as the codec takes it. Raises FormatError and BadRecord."""
    terms = record.terms
    start = record.games[0].score if record.games else terms.score
    _check_scores(record)
    whole: Json = {
        "ogxm": VERSION,
        "variant": games.get(record.rules).file_names["ogxm"],
        "match_length": terms.length,
        "player_white": _text(record.players[0], NAME),
        "player_black": _text(record.players[1], NAME),
        "games": [],
    }
    switches = {
        "crawford": bool(terms.length and terms.crawford),
        "crawford_played_before_start": bool(terms.length and terms.crawford and terms.crawford_over),
        "jacoby": terms.jacoby,
        "beavers": terms.beavers > 0,
        "raccoons": terms.beavers > 1,
        "auto_doubles": terms.automatic > 0,
    }
    whole |= {name: True for name, on in switches.items() if on}
    if start != (0, 0):
        whole |= {"white_score_start": start[0], "black_score_start": start[1]}
    texts = {"event": _text(record.event, EVENT), "city": _text(record.place, CITY)}
    if record.round.isdecimal() and 1 <= len(record.round) <= 2 and int(record.round):
        whole["round"] = int(record.round)
    else:
        texts["stage"] = _text(record.round, STAGE)
    whole |= {name: text for name, text in texts.items() if text} | _day(record.date)
    notes: list[Json] = []
    plies = 0
    if record.comment:
        notes.append({"key": "comment", "value": _text(record.comment, REMARK, lines=True)})
    for number, game in enumerate(record.games, 1):
        written = _Game(record, game, last=number == len(record.games))
        whole["games"].append(written.document())
        notes += [
            {"scope": "ply", "ref": plies + place, "key": "comment", "value": text}
            for place, text in written.remarks
        ]
        plies += len(written.plies)
    return {**whole, "annotations": notes} if notes else whole


def _text(text: str, most: int, *, lines: bool = False) -> str:
    """The text without half characters, cut to so many bytes."""
    clean = text.encode(errors="replace").decode()
    shown = clean if lines else " ".join(clean.split())
    return shown.encode()[:most].decode(errors="ignore")


def _day(date: str) -> Json:
    try:
        day = datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return {}
    return {"started_at": int(day.timestamp() * 1000), "date_precision": "day"}


def _check_scores(record: MatchRecord) -> None:
    """Raises FormatError where a game does not begin at the score that the one before it led to."""
    length = record.terms.length
    for number, (game, following) in enumerate(pairwise(record.games), 2):
        score = list(game.score)
        if game.result is not None and game.result.winner is not None:
            at = SIDES.index(game.result.winner)
            score[at] += game.result.points
            score[at] = min(score[at], length) if length else score[at]
        if tuple(score) != following.score:
            raise FormatError(
                phrase(
                    "game {number} does not begin at the score that the games before it led to (it was set by"
                    " hand, or a penalty), which ogxm cannot hold; use json, text or sgf",
                    number=number,
                )
            )


def _colour(side: Side | None) -> int:
    return 0 if side == SIDES[1] else 1


@dataclass
class _Game:
    """One game, action by action. ``remarks`` are of plies, by their place."""

    match: MatchRecord
    record: GameRecord
    last: bool
    plies: list[Json] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    answers: int = 0
    """Doubles since the last play, beavers among them."""

    def document(self) -> Json:
        """The game with its plies, and how it ended."""
        game, result = self.record, self.record.result
        first = opening(self.match, game)
        cube = first.cube
        moments = list(replay(self.match, game))
        for moment in moments:
            if isinstance(moment.action, Rolled) and moment.action.side is None:
                cube = moment.after.cube  # equal opening dice may have doubled the stake
        shown: Json = {"initial_cube_value": cube} if cube != 1 else {}
        if not standard_start(self.match.rules, game):
            shown["initial_board"] = board(first.position)
        for moment, following in zip(moments, [*moments, None][1:], strict=True):
            self._add(moment, following)
        if result is not None and result.winner is not None:
            self._end(moments[-1].after.cube if moments else cube)
            shown |= {"winner": SIDES.index(result.winner), "points_won": result.points}
            length, score = self.match.terms.length, game.score[SIDES.index(result.winner)]
            if self.last and length and score + result.points >= length:
                shown["is_lastgame"] = True
        return {**shown, "plies": self.plies}

    def _add(self, moment: Moment, following: Moment | None) -> None:
        match moment.action:
            case Rolled() if moment.after != moment.before:
                self._unplayed(moment, following)
            case Played(side=side):
                assert moment.play is not None
                self._put(side, _dice_action(moment.before.position.dice), **_moves(moment.play, side))
            case Stood(side=side, text=text):
                dice = moment.before.position.dice
                after = moment.after.position
                if text:
                    self.remarks.append((len(self.plies), _text(text, REMARK)))
                more = {"d1": dice[0], "d2": dice[1], "illegal": True} if dice else {}
                self._put(after.turn or other(side), SET_BOARD, set_position=board(after), **more)
            case Doubled(side=side) | Beavered(side=side):
                self._double(side)
            case Taken(side=side):
                self._take(side, moment)
            case Dropped(side=side):
                self._drop(side)
            case Corrected(cube=cube, owner=owner):
                self._set_by_hand(moment, cube, owner)
            case Rolled() | Resigned() | Remark() | Scored():
                pass  # a resignation that was taken stands at the end

    def _unplayed(self, moment: Moment, following: Moment | None) -> None:
        """Dice after which nothing was played, since the game ended then."""
        action = None if following is None else following.action
        ended = action is None or (isinstance(action, Resigned) and action.accepted)
        if ended and self.record.result is not None and moment.after.position.turn is not None:
            dice = _dice_action(moment.after.position.dice)
            self._put(moment.after.position.turn, dice, moves=[])

    def _double(self, side: Side) -> None:
        self.answers += 1
        if self.answers > 3:
            raise FormatError(
                phrase("ogxm holds beavers and raccoons, but no third one; use json, text or sgf")
            )
        self._put(side, (DOUBLE, BEAVER, RACCOON)[self.answers - 1])

    def _take(self, side: Side, moment: Moment) -> None:
        if self.answers == 1:  # a beaver has the take in it
            self._put(side, TAKE)
        elif self.answers == 3:
            self._set_cube(moment, moment.after.cube, moment.after.owner)
        self.answers = 0

    def _drop(self, side: Side) -> None:
        if self.answers < 2:
            self._put(side, DROP)
            return
        beaver = self.plies.pop()
        if self.answers == 2:
            self.plies.append({**beaver, "action_id": TAKE})
        self._put(side, RESIGN, resign_value=1)

    def _set_cube(self, moment: Moment, cube: int, owner: Side | None) -> None:
        turn = moment.after.position.turn or SIDES[0]
        self._put(turn, SET_CUBE, cube_value=cube, **({"cube_owner": owner} if owner else {}))

    def _set_by_hand(self, moment: Moment, cube: int, owner: Side | None) -> None:
        before, after = moment.before, moment.after
        turn = after.position.turn
        if board(before.position) != board(after.position) or before.position.turn != turn:
            self._put(turn or SIDES[0], SET_BOARD, set_position=board(after.position))
        if (before.cube, before.owner) != (cube, owner):
            self._set_cube(moment, cube, owner)

    def _end(self, cube: int) -> None:
        result = self.record.result
        assert result is not None
        loser = other(result.winner or "")
        if result.cause == "resigned":
            grade, rest = divmod(result.points, cube)
            self._put(loser, RESIGN, resign_value=grade if not rest and 1 <= grade <= 3 else 1)
        elif result.cause == "time":
            self._put(loser, FORFEIT)

    def _put(self, side: Side, action: int, **more: Any) -> None:
        self.plies.append({"color": _colour(side), "action_id": action, **more})


def _dice_action(dice: tuple[int, ...]) -> int:
    if len(dice) != 2:
        raise FormatError(phrase("ogxm holds rolls of two dice only"))
    low, high = sorted(dice)
    return (0, 6, 11, 15, 18, 20)[low - 1] + high - low


def _moves(play: Play, side: Side) -> Json:
    """One step for each die, from where by how many pips."""
    steps = []
    for step in play.steps:
        if step.piece == side:
            source, target = (own_place(cell, side) for cell in (step.source, step.target))
            start = 25 - source if side == SIDES[0] else source
            steps.append({"from": start, "pips": source - target})
    return {"moves": steps}


def board(position: Position) -> list[int]:
    """The 26 places of a board, White's checkers positive: White's bar, points 1-24 as White moves up them,
    Black's bar."""
    white, black = BoardCounts.of(position).own
    points = [white[25 - place] or -black[place] for place in range(1, 25)]
    return [white[BAR], *points, -black[BAR]]
