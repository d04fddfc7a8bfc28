"""Who stands where.

**Elimination**: by the round in which a player lost; those who lost in the same round share their place,
since nothing on the sheet says who of them was better.

**Round robin** and imported pairings: by points, one for each match won (a bye and a forfeit too), less
penalty points. Equal ones are told apart as backgammon clubs do, in this order:

1. *direct encounter*: the points that the equal ones won against each other;
2. *Sonneborn-Berger*: the points of all those whom one has beaten: a win over a strong player counts more;
3. what is still equal shares the place: clubs split the prize or play a short match.

The difference of match scores is not used. A backgammon match is won by whoever gets there first, with a cube
that makes the last game worth any number of points; a win by 9-7 is no worse than one by 9-0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmware.hub.tournament.model import BYE, Pairing, Tournament
from firmware.hub.tournament.pairings import annulled, counts, pairings, round_count


@dataclass(frozen=True, slots=True)
class Row:
    """A player's line. ``shared`` is the last of the places that equal ones share, else ``place``;
    ``points``, ``direct`` and ``berger`` count in this order."""

    place: int
    shared: int
    entry: int
    played: int
    won: int
    lost: int
    points: int
    direct: int = 0
    berger: int = 0
    remark: str = ""


def standings(event: Tournament) -> tuple[Row, ...]:
    """The table as it is now, the best first; of an elimination, those who are still in it stand on top."""
    return _elimination(event) if event.kind == "elimination" else _points(event)


def _elimination(event: Tournament) -> tuple[Row, ...]:
    found = pairings(event)
    drawn = {number for each in found for number in each.sides if number}
    out: dict[int, int] = {}
    for each in found:
        loser = each.loser()
        if loser:
            out[loser] = each.round
        elif each.result and each.result.winner == BYE:  # both have left
            out |= dict.fromkeys((number for number in each.sides if number), each.round)
    stays = round_count(event) + 1
    reached = {number: out.get(number, stays) for number in drawn}
    better = Counter(reached.values())
    rows = []
    for number in sorted(drawn, key=lambda each: (-reached[each], each)):
        place = 1 + sum(n for round_, n in better.items() if round_ > reached[number])
        won, lost = _won_lost(found, number)
        rows.append(
            Row(
                place,
                place + better[reached[number]] - 1,
                number,
                won + lost,
                won,
                lost,
                sum(each.result is not None and each.result.winner == number for each in found),
                remark=_remark(event, number, in_it=number not in out and stays > 1),
            )
        )
    return tuple(rows)


def _remark(event: Tournament, number: int, in_it: bool = False, void: bool = False) -> str:
    entry = event.entry(number)
    if void:
        return "left; the matches do not count"
    if entry is not None and entry.out:
        return "left"
    open_ = in_it and any(each.result is None for each in pairings(event))
    return "still in" if open_ else ""


def _won_lost(found: Sequence[Pairing], number: int) -> tuple[int, int]:
    """Matches against somebody, byes not counted."""
    mine = [each for each in found if number in each.sides and each.result and each.result.how != "bye"]
    won = sum(each.result is not None and each.result.winner == number for each in mine)
    return won, len(mine) - won


def _points(event: Tournament) -> tuple[Row, ...]:
    void = annulled(event)
    found = [each for each in pairings(event) if counts(event, each) and not void & set(each.sides)]
    numbers = [
        entry.number
        for entry in event.entries
        if entry.out != "before the draw" and (event.draw is not None or not entry.out)
    ]
    points = dict.fromkeys(numbers, 0)
    beaten: dict[int, list[int]] = {number: [] for number in numbers}
    for each in found:
        winner = each.result.winner if each.result else BYE
        if winner in points:
            points[winner] += 1
            beaten[winner] += [loser] if (loser := each.loser()) else []
    for penalty in event.penalties:
        if not penalty.pairing and penalty.entry in points:
            points[penalty.entry] -= penalty.points
    rows = []
    for number in numbers:
        equal = {other for other in numbers if points[other] == points[number]}
        won, lost = _won_lost(found, number)
        rows.append(
            Row(
                0,
                0,
                number,
                won + lost,
                won,
                lost,
                points[number],
                direct=sum(loser in equal for loser in beaten[number]) if len(equal) > 1 else 0,
                berger=sum(points[loser] for loser in beaten[number]),
                remark=_remark(event, number, void=number in void),
            )
        )
    return _placed(rows, void)


def _placed(rows: list[Row], void: frozenset[int]) -> tuple[Row, ...]:
    """The rows in their order, each with its place; those who do not count stand last."""

    def key(row: Row) -> tuple[bool, int, int, int]:
        return row.entry in void, -row.points, -row.direct, -row.berger

    ordered = sorted(rows, key=lambda row: (*key(row), row.entry))
    keys = [key(row) for row in ordered]
    return tuple(
        replace(row, place=keys.index(key(row)) + 1, shared=keys.index(key(row)) + keys.count(key(row)))
        for row in ordered
    )
