"""From anything that somebody says stands on a board to a proved one, or every reason why not.

A setup is the JSON of docs/rules.md: ``points`` maps ``"1"``-``"24"`` to counts, white's positive and
black's negative, and two pairs ``[white, black]`` count the checkers before the first point and after the
last (``bar`` and ``off``; ``reserve`` and ``locked``). One of the two pairs may be left out, or null, where
it was not seen: it is then what is missing of a side's checkers. Where both ``bar`` and ``off`` are left out,
the bar is empty. ``turn`` may be left out: nobody is on turn before the opening roll or after the end. Other
keys are not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import ImpossibleSetup
from engine.layout import POINTS, Looks, Side, point_cell
from engine.messages import joined, phrase
from engine.names import named
from engine.position import Json
from engine.rules._packed import ENTRY, EXIT, PLACES, counts, pack

SIDES: tuple[Side, Side] = ("white", "black")
_ENTRIES = (ENTRY, PLACES - 1 - ENTRY)
_EXITS = (EXIT, PLACES - 1 - EXIT)


def whole(value: object) -> bool:
    """Whether this is a count: an int, and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_turn(data: Mapping[str, Any], name: str, reasons: list[str]) -> Side | None:
    """The side on turn. Adds what is wrong with ``turn`` and ``rules`` to ``reasons``."""
    if data.get("rules", name) != name:
        reasons.append(f"the position is of {data['rules']!r}, not of {name!r}")
    turn = data.get("turn")
    if turn is None or (isinstance(turn, str) and turn in SIDES):
        return turn
    reasons.append(f"turn {turn!r} is neither 'white' nor 'black'")
    return None


def read_board(data: Mapping[str, Any], entry: str, exit: str, checkers: int, reasons: list[str]) -> int:
    """The standing board, with so many ``checkers`` a side. Adds everything that is wrong to ``reasons``; the
    board means nothing then."""
    before = len(reasons)
    sides = _read_points(data.get("points"), checkers, reasons)
    entries = _read_pair(data, entry, checkers, reasons)
    exits = _read_pair(data, exit, checkers, reasons)
    if entries is None and exits is None and entry == "bar":
        entries = [0, 0]
    if entries is None and exits is None and len(reasons) == before:
        reasons.append(f"of {entry} and {exit} at least one must be given")
    if len(reasons) > before:
        return 0
    for side, places in enumerate(sides):
        seen = sum(places) + (entries[side] if entries else 0) + (exits[side] if exits else 0)
        name = named(SIDES[side])
        if seen > checkers:
            reasons.append(
                phrase("{side} has {seen} checkers, {n} too many", side=name, seen=seen, n=seen - checkers)
            )
        elif seen < checkers and entries and exits:
            reasons.append(
                phrase("{side} has {seen} checkers, {n} too few", side=name, seen=seen, n=checkers - seen)
            )
        places[_ENTRIES[side]] = entries[side] if entries else checkers - seen
        places[_EXITS[side]] = exits[side] if exits else checkers - seen
    return pack(*sides) if len(reasons) == before else 0


def _read_points(points: object, checkers: int, reasons: list[str]) -> tuple[list[int], list[int]]:
    sides = [0] * PLACES, [0] * PLACES
    if not isinstance(points, Mapping):
        reasons.append('points must be an object of counts by point, such as {"24": 2, "1": -2}')
        return sides
    for name, number in points.items():
        if str(name) not in _POINT_NAMES:
            reasons.append(f"{name!r} is not a point: they are '1' to '24'")
        elif not whole(number):
            reasons.append(f"point {name} holds {number!r}, which is not a whole number")
        else:
            if abs(number) > checkers:
                reasons.append(f"point {name} holds {abs(number)} checkers; a side has {checkers}")
            places = sides[0 if number > 0 else 1]
            places[int(name)] += abs(number)
    for point, (white, black) in enumerate(zip(*sides, strict=True)):
        if white and black:
            reasons.append(f"point {point} holds checkers of both sides")
    return sides


_POINT_NAMES = frozenset(map(str, POINTS))


def _read_pair(data: Mapping[str, Any], key: str, checkers: int, reasons: list[str]) -> list[int] | None:
    pair = data.get(key)
    if pair is None:
        return None
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(map(whole, pair)):
        reasons.append(f"{key} must be a pair of whole numbers, [white, black], not {pair!r}")
        return [0, 0]
    for side, number in zip(SIDES, pair, strict=True):
        if not 0 <= number <= checkers:
            reasons.append(f"{key} holds {number} checkers of {side}; 0 to {checkers} are possible")
    return list(pair)


def finished(board: int, checkers: int) -> tuple[Side, ...]:
    """The sides whose checkers have all ended their way."""
    white, black = counts(board)
    ended = white[_EXITS[0]] == checkers, black[_EXITS[1]] == checkers
    return tuple(side for side, done in zip(SIDES, ended, strict=True) if done)


def shut_out(board: int) -> bool:
    """Whether both sides are on the bar against a closed board, where neither could ever move again."""
    white, black = counts(board)
    closed = all(number > 1 for number in white[1:7]) and all(number > 1 for number in black[19:25])
    return closed and bool(white[_ENTRIES[0]]) and bool(black[_ENTRIES[1]])


def seen_board(board: int, looks: Looks, mover: Side, entry: str, exit: str, reasons: list[str]) -> int:
    """The standing board as ``looks`` shows it. Cells that are not in ``looks`` keep what they held, so far
    as the rest allows.

    Where a side's places off the points are out of view and the points hold fewer of its checkers than
    before, the mover's are taken to have ended their way and the enemy's to have been hit; where they hold
    more, they came from where checkers enter.
    """
    sides = counts(board)
    checkers = sum(sides[0])
    hidden: list[list[int]] = [[], []]
    for side, name in enumerate(SIDES):
        for key, place in ((entry, _ENTRIES[side]), (exit, _EXITS[side])):
            look = looks.get(f"{key}.{name}")
            if look is None:
                hidden[side].append(place)
            else:
                sides[side][place] = len(look)
                if set(look) - {name}:
                    reasons.append(f"{key}.{name} holds {', '.join(look)}")
    for point in POINTS:
        look = looks.get(point_cell(point))
        if look is not None:
            if len(set(look)) > 1 or set(look) - set(SIDES):
                reasons.append(
                    phrase(
                        "point {point} holds {what}: checkers of one side only can stand on a point",
                        point=point,
                        what=joined(phrase(", "), map(named, look)),
                    )
                )
            for side, name in enumerate(SIDES):
                sides[side][point] = look.count(name)
    for side, name in enumerate(SIDES):
        _balance(sides[side], hidden[side], checkers, name == mover)
    if reasons:
        return 0
    return read_board(_board_json(*sides, entry, exit), entry, exit, checkers, reasons)


def _balance(places: list[int], hidden: list[int], checkers: int, moving: bool) -> None:
    """Make the hidden places (entry before exit) take up or give what the others lack or have too much."""
    missing = checkers - sum(places)
    for place in hidden[::-1] if moving and missing > 0 else hidden:
        change = max(missing, -places[place])
        places[place] += change
        missing -= change


def write_board(board: int, entry: str, exit: str) -> Json:
    """The JSON of a standing board: the inverse of :func:`read_board`."""
    return _board_json(*counts(board), entry, exit)


def _board_json(white: list[int], black: list[int], entry: str, exit: str) -> Json:
    return {
        "points": {
            str(point): white[point] or -black[point]
            for point in range(24, 0, -1)
            if white[point] or black[point]
        },
        entry: [white[_ENTRIES[0]], black[_ENTRIES[1]]],
        exit: [white[_EXITS[0]], black[_EXITS[1]]],
    }


def take_options(given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """``known`` with what is given. Raises ImpossibleSetup on an option that the game does not have, or of
    another type."""
    reasons = [
        f"there is no option {name!r}; there is {', '.join(known) or 'none'}"
        for name in given
        if name not in known
    ]
    reasons += [
        f"option {name!r} must be a {type(known[name]).__name__}, not {value!r}"
        for name, value in given.items()
        if name in known and type(value) is not type(known[name])
    ]
    if reasons:
        raise ImpossibleSetup(tuple(reasons))
    return {**known, **given}
