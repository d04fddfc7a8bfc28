"""Boards that no play leaves behind: what players do wrong, on purpose or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from engine.layout import DIRECTIONS, Cell, Hex, Layout, Look, Looks, Stack, apart, differing, hex_cell
from engine.position import Play, Position
from engine.rules.siege_master.plays import Placement, Swap
from engine.rules.siege_master.position import SiegePosition

Changed: TypeAlias = dict[Cell, Stack]
Sort: TypeAlias = Callable[[SiegePosition, Changed, Play, random.Random], Changed | None]
"""What is wrong: a board (position, its layout, the play that was to be made), or None where it cannot be
done there."""


def distance(one: Looks, other: Looks) -> int:
    """How many pieces must be put down or taken up to turn ``one`` into ``other``, over the cells known to
    both."""
    return sum(apart(one[cell], other[cell]) for cell in differing(one, other))


def spoilt(position: Position, made: Play, rng: random.Random, sorts: Sequence[Sort] = ()) -> Layout | None:
    """The board after ``made``, but with something wrong with it (one of ``sorts``, or any); None where
    nothing was found that no play explains."""
    if isinstance(position, SiegePosition):
        return _sieged(position, made, rng, list(sorts or SORTS))
    return _strayed(position, made.after.layout(), rng)


def _strayed(position: Position, layout: Layout, rng: random.Random) -> Layout | None:
    """One whole piece stands on another point, where no play comes near that."""
    results = [play.after.looks() for play in position.plays()]
    movable = [place for place, stack in layout.items() if stack and place[1:].isdigit()]
    for _ in range(20 if movable else 0):
        source, target = rng.choice(movable), f"p{rng.randint(1, 24)}"
        if layout.get(target):
            continue
        *below, top = layout[source]
        changed = {**layout, target: ((top[-1],),), source: (*below, *((top[:-1],) if top[:-1] else ()))}
        looks = _looks(position, changed)
        if all(distance(result, looks) > 1 for result in results):
            return {place: stack for place, stack in changed.items() if stack}
    return None


def _looks(position: Position, layout: Layout) -> dict[Cell, Look]:
    """What a camera would see of a layout."""
    whole = position.whole_looks
    found: dict[Cell, Look] = {}
    for place in position.looks():
        stack = layout.get(place, ())
        layers = stack if whole else stack[-1:]
        found[place] = tuple(sorted(piece for layer in layers for piece in layer))
    return found


def _sieged(position: SiegePosition, made: Play, rng: random.Random, sorts: list[Sort]) -> Layout | None:
    """A placement gone wrong, of any sort that the present board allows."""
    results: list[Looks] = [play.after.looks() for play in position.plays()]
    board: Changed = dict(position.layout())
    rng.shuffle(sorts)
    for sort in sorts:
        changed = sort(position, dict(board), made, rng)
        if changed is None:
            continue
        looks = _looks(position, changed)
        if all(result != looks for result in results):
            return changed
    return None


def _army(position: SiegePosition, side: str | None = None) -> tuple[str, ...]:
    return (f"army.{side or position.turn}",)


def _on_top(board: Changed, row: list[Hex], army: tuple[str, ...]) -> Changed:
    for place in row:
        board[hex_cell(place)] = (*board.get(hex_cell(place), ()), army)
    return board


def _rows(position: SiegePosition, length: int) -> list[list[Hex]]:
    """All straight rows of so many hexes of the map."""
    every = set(position.map.hexes(position.map.all))
    rows = [
        [(q + n * dq, r + n * dr) for n in range(length)] for q, r in sorted(every) for dq, dr in DIRECTIONS
    ]
    return [row for row in rows if every.issuperset(row)]


def _free(board: Mapping[Cell, Stack], row: list[Hex]) -> bool:
    return not any(board.get(hex_cell(place)) for place in row)


def _of(length: int) -> Sort:
    def sort(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
        """An army too short or too long."""
        rows = [row for row in _rows(position, length) if _free(board, row)]
        return _on_top(board, rng.choice(rows), _army(position)) if rows else None

    return sort


def _upon(what: str) -> Sort:
    def sort(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
        """An army that lies over something."""
        rows = [
            row
            for row in _rows(position, 4)
            if any(stack[-1][0].startswith(what) for place in row if (stack := board.get(hex_cell(place))))
            and all(stack[-1][0].startswith(what) for place in row if (stack := board.get(hex_cell(place))))
        ]
        return _on_top(board, rng.choice(rows), _army(position)) if rows else None

    return sort


def _off_the_map(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """An army that lies partly on the border."""
    every = set(position.map.hexes(position.map.all))
    edge = {place for place in board if board[place] == (("border",),)}
    rows = [
        [(q + n * dq, r + n * dr) for n in range(-1, 3)] for q, r in sorted(every) for dq, dr in DIRECTIONS
    ]
    beyond = [
        row
        for row in rows
        if hex_cell(row[0]) in edge and every.issuperset(row[1:]) and _free(board, row[1:])
    ]
    return _on_top(board, rng.choice(beyond), _army(position)) if beyond else None


def _elsewhere(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """An army that does not touch the last one, though it could."""
    allowed = set(position.placements())
    rows = [row for row in _rows(position, 4) if _free(board, row) and position.map.mask(row) not in allowed]
    return _on_top(board, rng.choice(rows), _army(position)) if rows else None


def _bent(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """Four hexes that are no row."""
    rows = [[*row, (row[2][0] - 1, row[2][1] + 1)] for row in _rows(position, 3) if row[1][1] == row[0][1]]
    every = set(position.map.hexes(position.map.all))
    bent = [row for row in rows if row[3] in every and _free(board, row)]
    return _on_top(board, rng.choice(bent), _army(position)) if bent else None


def _taken(position: SiegePosition, play: Play) -> list[Cell]:
    before, after = position.looks(), play.after.looks()
    return [
        place for place in before if before[place] == ("fortress.neutral",) and after[place] != before[place]
    ]


def _not_replaced(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """A captured fortress is left as it was."""
    plays = [play for play in position.plays() if isinstance(play, Placement) and _taken(position, play)]
    if not plays:
        return None
    play = rng.choice(plays)
    return {**play.after.layout(), rng.choice(_taken(position, play)): (("fortress.neutral",),)}


def _replaced_by_the_other(
    position: SiegePosition, board: Changed, made: Play, rng: random.Random
) -> Changed | None:
    """A captured fortress is given to the wrong side."""
    plays = [play for play in position.plays() if isinstance(play, Placement) and _taken(position, play)]
    if not plays:
        return None
    play, other = rng.choice(plays), "blue" if position.turn == "red" else "red"
    return {**play.after.layout(), rng.choice(_taken(position, play)): ((f"fortress.{other}",),)}


def _seized(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """A fortress is taken that nobody besieges."""
    after = dict(made.after.layout())
    neutral = [place for place, stack in after.items() if stack == (("fortress.neutral",),)]
    return {**after, rng.choice(neutral): ((f"fortress.{position.turn}",),)} if neutral else None


def _of_the_other(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """The other side's army is placed."""
    if isinstance(made, Swap):
        return None
    other = ("army.blue" if position.turn == "red" else "army.red",)
    new = [place for place in made.after.layout() if place not in board]
    return {**made.after.layout(), **dict.fromkeys(new, (other,))}


def _passed(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """Nothing is placed."""
    return board


def _twice(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """Two armies are placed."""
    after = dict(made.after.layout())
    rows = [row for row in _rows(position, 4) if _free(after, row)]
    return _on_top(after, rng.choice(rows), _army(position)) if rows else None


def _border_moved(position: SiegePosition, board: Changed, made: Play, rng: random.Random) -> Changed | None:
    """A border token beside the map is gone."""
    seen = position.looks()
    edge = [place for place, stack in board.items() if stack == (("border",),) and place in seen]
    after = dict(made.after.layout())
    if edge:
        del after[rng.choice(edge)]
    return after if edge else None


SORTS: tuple[Sort, ...] = (
    _of(3),
    _of(5),
    _upon("army."),
    _upon("fortress."),
    _off_the_map,
    _elsewhere,
    _bent,
    _not_replaced,
    _replaced_by_the_other,
    _seized,
    _of_the_other,
    _passed,
    _twice,
    _border_moved,
)
"""What can go wrong with a placement."""
