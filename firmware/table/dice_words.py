"""What players are told of the dice on the board (:mod:`firmware.table.throws`)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import phrase, phrase_number
from engine.names import dashed
from engine.position import Dice
from vision.dice import Die, Lies

WORDS = {
    Lies.COCKED: phrase("a die is cocked"),
    Lies.ON_CHECKER: phrase("a die lies on a checker"),
    Lies.OUTSIDE: phrase("a die lies outside the board"),
}
AGAIN = phrase("throw again")


def unusable(dice: Sequence[Die], strict: bool, again: str) -> str:
    """Why these dice are no roll, "" where they are. ``strict`` is a habit; ``again``: who throws again."""
    for die in dice:
        if die.lies in WORDS and (strict or die.lies is Lies.OUTSIDE):
            return phrase("{what}: {again}", what=WORDS[die.lies], again=again)
    unread = sum(die.value is None for die in dice)
    if not unread:
        return ""
    return phrase_number(
        "a die cannot be read: lay it into better light, or type the dice",
        "{n} dice cannot be read: lay them into better light, or type the dice",
        unread,
    )


def count(many: int, due: int, all_of_them: str) -> str:
    """That there are too few or too many."""
    if many < due:
        return phrase_number(
            "{n} of {due} dice lies on the board: {again}",
            "{n} of {due} dice lie on the board: {again}",
            many,
            due=due,
            again=all_of_them,
        )
    return phrase(
        "{n} dice lie on the board where {due} are due: take away what does not belong to the throw",
        n=many,
        due=due,
    )


def while_played(here: Sequence[tuple[Die, Die]], early: Sequence[str], player: str, dice: Dice) -> str:
    """What both must know while ``player`` plays the roll ``dice``: of those that lie there, each as it fell
    and as it lies now; ``early`` who has thrown others, "" where that is not known, or the same player."""
    turned = [now.value for die, now in here if now.value is not None and now.value != die.value]
    if turned:
        return phrase(
            "a die was turned over and shows {value} now; the roll stays {roll}",
            value=turned[0],
            roll=dashed(dice),
        )
    if not early:
        return ""
    if not early[0]:
        return phrase(
            "somebody threw before {player} had ended the turn; {player} ends it first", player=player
        )
    return phrase(
        "{early} threw before {player} had ended the turn; {player} ends it first",
        early=early[0],
        player=player,
    )


def while_picked_up(here: Sequence[tuple[Die, Die]], some_gone: bool, player: str) -> str:
    """What keeps the dice from being picked up. ``some_gone``: some of the player's own were, some not."""
    if any(now.lies is Lies.COVERED for _, now in here):
        return phrase("something lies over the dice, or a lamp shines on them: take it away")
    if some_gone:
        return phrase(
            "one die is left on the board: {player} picks up all dice to end the turn", player=player
        )
    return ""


def played_second(player: str, dice: Dice, play: str) -> str:
    """Of who threw again and made that ``play``, which names its roll, instead of the roll ``dice``."""
    return phrase(
        "{player} threw {roll}, then threw again and played {play}: that counts once the opponent throws; if"
        " it does not, play {roll}",
        player=player,
        roll=dashed(dice),
        play=play,
    )


def moved_nothing(player: str, dice: Dice, again: bool) -> str:
    """Of dice that were picked up though nothing was played; ``again``: others were thrown."""
    if again:
        return phrase(
            "{player} threw again, but {roll} is to be played; if that throw did not count, take its dice"
            " back on the page, and the new ones count",
            player=player,
            roll=dashed(dice),
        )
    return phrase(
        "{player} picked the dice up and moved nothing: play {roll}, or, if the throw did not count, take the"
        " dice back on the page and throw again",
        player=player,
        roll=dashed(dice),
    )
