"""GNU Backgammon's own names for positions and matches, written: the program only reads them."""

from __future__ import annotations

import base64

from engine.position import Awaits, Position
from firmware.formats.board import BAR, SIDES, BoardCounts
from firmware.formats.ids import Situation
from firmware.formats.source import FormatError


def position_id(position: Position) -> str:
    """GNU Backgammon's 14 characters for this position."""
    turn = SIDES.index(position.turn or SIDES[0])
    own = BoardCounts.of(position).own
    bits = place = 0
    for side in (1 - turn, turn):
        for point in range(1, BAR + 1):
            bits |= ((1 << own[side][point]) - 1) << place
            place += own[side][point] + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def match_id(situation: Situation) -> str:
    """GNU Backgammon's 12 characters for the state of the match."""
    dice = sorted(situation.position.dice, reverse=True) or (0, 0)
    over = situation.position.awaits is Awaits.NOTHING
    fields = (
        (4, situation.cube.bit_length() - 1),
        (2, 3 if situation.owner is None else SIDES.index(situation.owner)),
        (1, situation.turn),
        (1, int(situation.crawford)),
        (3, 2 if over else 1),
        (1, situation.turn ^ (situation.offered and not situation.beavered)),
        (1, int(situation.offered)),
        (2, 0),
        (3, dice[0]),
        (3, dice[1]),
        (15, situation.length),
        (15, situation.score[0]),
        (15, situation.score[1]),
        (1, int(not situation.jacoby)),
    )
    bits = place = 0
    for width, value in fields:
        if value >> width:
            raise FormatError(f"{value} does not fit into a GNU match ID")
        bits |= value << place
        place += width
    return base64.b64encode(bits.to_bytes(9, "little")).decode()
