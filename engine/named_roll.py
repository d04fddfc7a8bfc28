"""Plays that name their own roll: ``62: 24/18 13/11``. So do the candidates of an open question where nobody
has named the dice, or where the camera may have taken them for others."""

from __future__ import annotations

from engine import words
from engine.errors import IllegalPlay
from engine.infer import after_throw, throws
from engine.layout import Side
from engine.match_state import MatchState
from engine.messages import phrase
from engine.position import Awaits, Dice, Position


def asked_about(table: MatchState, side: Side | None, text: str) -> tuple[Dice, Position, str]:
    """What a candidate means: the roll, the position to play from, and the play's text. Raises IllegalPlay
    where it names no roll that ``side`` can have had."""
    before = other_dice(table, text) or table
    if before.position.awaits is Awaits.PLAY:
        return before.dice, before.position, text
    number, colon, play = text.partition(":")
    if not colon or side is None:
        raise IllegalPlay(
            phrase("say whose play it is, the roll and the play, like '52: …', not {play!r}", play=text)
        )
    dice = next((dice for dice in throws(before.position) if words.roll(dice) == number.strip()), None)
    rolled = None if dice is None else after_throw(before.position, dice, side)
    if dice is None or rolled is None:
        raise IllegalPlay(
            phrase(
                "{player} cannot have rolled {dice!r}; higher die first, like '52'",
                player=table.player(side),
                dice=number.strip(),
            )
        )
    return dice, rolled, play.strip()


def other_dice(table: MatchState, text: str) -> MatchState | None:
    """The match before the roll, where a play names dice that the camera may have taken for others; else
    None."""
    return table.unrolled if table.read is not None and ":" in text else None
