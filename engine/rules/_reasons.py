"""Why a board is no result of a checker game's turn: the first rule that it breaks, in words.

These are reasons for people, given after the judge has found the play illegal; they decide nothing. A reason
is only given where it holds however the checkers went; where none does, there is none. Boards come as counts
by place of the mover's board (see ``_packed``): 25 is where the mover enters from, 0 where it ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.messages import phrase, phrase_number
from engine.names import dashed, named
from engine.position import Dice
from engine.rules._notation import Words
from engine.rules._packed import ENTRY, EXIT

Counts = Sequence[int]


def reason(
    own: tuple[Counts, Counts],
    enemy: tuple[Counts, Counts],
    dice: Dice,
    legal: Collection[int],
    words: Words,
    forced: bool,
    players: tuple[str, str],
) -> str | None:
    """Why the mover's checkers and the enemy's, each as (before, seen), are not where a turn may leave them.

    ``legal`` are the pips that legal plays move, ``forced`` is whether checkers must enter before others
    move, ``players`` what the mover and the enemy are called: both read the same sentence.
    """
    before, seen = own
    if sum(before) != sum(seen) or sum(enemy[0]) != sum(enemy[1]):
        return None
    return (
        _against_enemy(seen, enemy, words, players[1])
        or _from_bar(before, seen, words, forced)
        or _backward(before, seen, words)
        or _pips(before, seen, dice, legal, players[0])
    )


def pips(counts: Counts) -> int:
    """How far these checkers have to go."""
    return sum(place * count for place, count in enumerate(counts))


def _against_enemy(seen: Counts, enemy: tuple[Counts, Counts], words: Words, player: str) -> str | None:
    """Of the enemy's checkers only blots may have been hit. A blot that nobody stands on may have been hit in
    passing: then it waits on the bar."""
    waiting = enemy[1][EXIT] > enemy[0][EXIT]
    for place in range(1, ENTRY):
        if enemy[0][place] <= enemy[1][place]:
            continue
        if seen[place] and enemy[0][place] > 1:
            point, held = words.name(place), enemy[0][place]
            return phrase(
                "{player} holds {point} with {number} checkers; they cannot be hit",
                player=player,
                point=point,
                number=held,
            )
        if not seen[place] and not waiting:
            return phrase(
                "{player}'s checker left {point}, but was not hit there",
                player=player,
                point=words.name(place),
            )
    return None


def _from_bar(before: Counts, seen: Counts, words: Words, forced: bool) -> str | None:
    waiting = forced and before[ENTRY] and seen[ENTRY]
    others = any(had > has for had, has in zip(before[1:ENTRY], seen[1:ENTRY], strict=True))
    return (
        phrase("All checkers on the {place} must enter before others move", place=named(words.entry))
        if waiting and others
        else None
    )


def _ways(before: Counts, seen: Counts) -> list[tuple[int, int]]:
    """From where to where checkers went, the farthest from home first each: one way to see it."""
    left = [place for place in range(ENTRY, -1, -1) for _ in range(before[place] - seen[place])]
    came = [place for place in range(ENTRY, -1, -1) for _ in range(seen[place] - before[place])]
    return list(zip(left, came, strict=True))


def _backward(before: Counts, seen: Counts, words: Words) -> str | None:
    """A checker that went to a place above its own. Where others moved too, nobody knows which; but where the
    farthest places that were left do not reach those that were come to, one did, however they went."""
    ways = set(_ways(before, seen))
    if all(target <= source for source, target in ways):
        return None
    if len(ways) > 1:
        return phrase("A checker goes backward")
    [(source, target)] = ways
    return phrase("{move} goes backward", move=f"{words.name(source)}/{words.name(target)}")


def _pips(before: Counts, seen: Counts, dice: Dice, legal: Collection[int], player: str) -> str | None:
    """As many dice as possible, else the higher; and no more than they show."""
    moved = pips(before) - pips(seen)
    if not legal or moved in legal or seen[EXIT] > before[EXIT]:
        return None
    high, low, shown = max(dice), min(dice), dashed(dice)
    if before == seen:
        return phrase("{player} must play; the dice are {dice}", player=player, dice=shown)
    distances = [source - target for source, target in _ways(before, seen)]
    if (
        high == low
        and all(distance > 0 and distance % high == 0 for distance in distances)
        and moved < min(legal)
    ):
        times = moved // high
        return phrase(
            "{player} played {number} of the {die}s; {possible} can be played",
            player=player,
            number=times,
            die=high,
            possible=min(legal) // high,
        )
    if distances in ([high], [low]) and min(legal) == high + low:
        return phrase("{player} played only the {moved}; both dice can be played", player=player, moved=moved)
    if distances == [low] and set(legal) == {high}:
        return phrase("Only one die can be played, and it must be the higher one, the {high}", high=high)
    return phrase_number(
        "{player} moved {n} pip; the dice are {dice}",
        "{player} moved {n} pips; the dice are {dice}",
        moved,
        player=player,
        dice=shown,
    )
