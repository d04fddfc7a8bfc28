"""Plays that name their own roll: ``62: 24/18 13/11``. So do the candidates of an open question where nobody
has named the dice, or where the camera may have taken them for others."""

from __future__ import annotations

from engine import words
from engine.errors import IllegalPlay
from engine.infer import rolls
from engine.layout import Side
from engine.match_state import MatchState
from engine.messages import phrase
from engine.position import Awaits, Dice, Position


def asked_about(table: MatchState, side: Side | None, text: str) -> tuple[Dice, Position, str]:
    """What a candidate means: the roll, the position to play from, and the play's text. Raises IllegalPlay
    where it names no roll that ``side`` can have had."""
    before = table.unrolled if names_other_dice(table, text) else table
    assert before is not None
    if before.position.awaits is Awaits.PLAY:
        return before.dice, before.position, text
    number, colon, play = text.partition(":")
    if not colon or side is None:
        raise IllegalPlay(
            phrase("say whose play it is, the roll and the play, like '52: …', not {play!r}", play=text)
        )
    found = rolls(before.position, side)
    dice = next((dice for dice in found if words.roll(dice) == number.strip()), None)
    if dice is None:
        raise IllegalPlay(
            phrase(
                "{player} cannot have rolled {dice!r}; higher die first, like '52'",
                player=table.player(side),
                dice=number.strip(),
            )
        )
    return dice, found[dice], play.strip()


def names_other_dice(table: MatchState, text: str) -> bool:
    """Whether a play names dice that the camera may have taken for others."""
    return table.read is not None and table.unrolled is not None and ":" in text
