"""Positions from outside: the stable JSON form, checked for every fault, and a board as a camera sees it
after an illegal play.

Stacks are taken as they are. By captures and by pieces leaving a pinning layer play itself brings
about a small piece on a large one, a layer on one of its own colour, and almost anything else; only pieces
that do not add up cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import ImpossibleSetup
from engine.layout import POINTS, Look, Looks, Side, name_parts, point_of
from engine.messages import phrase
from engine.position import Json
from engine.rules.icegammon.board import (
    BAR,
    CELL,
    EACH,
    HAND,
    OFF,
    SEEN,
    SIDES,
    SIZES,
    Bag,
    IceState,
    Pile,
    bags,
    finished,
    held,
    layers,
    look_at,
    other,
    pile_of,
    put,
    take,
)
from engine.rules.icegammon.turn import DOUBLED, opposite

NAME = "icegammon"
WORDS = {"1": "small", "2": "medium", "3": "large"}


@dataclass(frozen=True, slots=True)
class Stage:
    """Moves of one number that are owed (9), and the number of the stage after them."""

    number: int
    left: int
    then: int | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The moves owed, one by one."""
        return (self.number,) * self.left


@dataclass(frozen=True, slots=True)
class IceSetup:
    """What a board and its players can say: anything that the pieces allow, proved or not to leave a play."""

    state: IceState
    turn: Side | None = None
    stage: Stage | None = None
    stuck: Side | None = None


def to_json(setup: IceSetup) -> Json:
    """The stable form: layers bottom to top, sizes in order, empty spaces left out."""
    data: Json = {"rules": NAME}
    if setup.turn:
        data["turn"] = setup.turn
    data["points"] = {
        str(point): [[side, [int(size) for size in bag]] for side, bag in layers(setup.state[point])]
        for point in POINTS
        if setup.state[point]
    }
    data.update(bags(setup.state))
    if setup.stage:
        data["stage"] = {"number": setup.stage.number, "left": setup.stage.left, "then": setup.stage.then}
    if setup.stuck:
        data["stuck"] = setup.stuck
    return data


def read(data: Mapping[str, Any]) -> IceSetup:
    """The inverse of :func:`to_json`. Raises ImpossibleSetup with every reason."""
    faults: list[str] = []
    if data.get("rules", NAME) != NAME:
        faults.append(f"the position is one of {data['rules']!r}, not of {NAME}")
    state = ["" for _ in CELL]
    for place, stack in _mapping(data, "points", faults).items():
        if place not in map(str, POINTS):
            faults.append(f"there is no point {place!r}; points are 1-24")
        else:
            state[int(place)] = _pile(f"point {place}", stack, faults)
    for name, places in (("hand", HAND), ("bar", BAR), ("off", OFF)):
        for side, sizes in _mapping(data, name, faults).items():
            if side in SIDES:
                state[places[side]] = _bag(f"{name} of {side}", sizes, faults)
            else:
                faults.append(f"{name}: {side!r} is not a colour; the colours are white and black")
    if not faults:
        faults.extend(_missing(tuple(state)))
    setup = IceSetup(
        tuple(state), _side(data, "turn", faults), _stage(data, faults), _side(data, "stuck", faults)
    )
    if all(finished(setup.state, side) for side in SIDES):
        faults.append("both players have borne off everything, and the first to do so ended the game")
    if setup.stage and not setup.turn:
        faults.append("a stage is owed, but 'turn' does not say by whom")
    if setup.stuck and (setup.turn or setup.stage):
        faults.append(f"{setup.stuck} was stuck and has lost, so nobody is on turn and nothing is owed")
    if faults:
        raise ImpossibleSetup(tuple(faults))
    return setup


def first(options: Mapping[str, Any]) -> Side | None:
    """Who begins (3), if the players have named one. Raises ImpossibleSetup on another name, or another
    option."""
    if unknown := [key for key in options if key != "first"]:
        raise ImpossibleSetup(tuple(f"there is no option {key!r}; there is first" for key in unknown))
    side = options.get("first")
    if side is not None and side not in SIDES:
        raise ImpossibleSetup(
            (f"'first' names the player to begin, white or black, not {side!r}; leave it out to roll for it",)
        )
    return side


def _mapping(data: Mapping[str, Any], key: str, faults: list[str]) -> Mapping[str, Any]:
    value = data.get(key, {})
    if isinstance(value, Mapping):
        return value
    faults.append(f"{key!r} must be an object, not {value!r}")
    return {}


def _pile(where: str, stack: object, faults: list[str]) -> Pile:
    if not isinstance(stack, list | tuple):
        faults.append(f"{where}: must be a list of layers, not {stack!r}")
        return ""
    pile = ""
    for layer in stack:
        if not isinstance(layer, list | tuple) or len(layer) != 2:
            faults.append(f'{where}: a layer is ["white", [sizes]], not {layer!r}')
        elif layer[0] not in SIDES:
            faults.append(f"{where}: {layer[0]!r} is not a colour; the colours are white and black")
        elif bag := _bag(where, layer[1], faults):
            pile += layer[0][0] + bag
        elif layer[1] in ([], ()):
            faults.append(f"{where}: a layer has no pieces")
    return pile


def _bag(where: str, sizes: object, faults: list[str]) -> Bag:
    if not isinstance(sizes, list | tuple):
        faults.append(f"{where}: must be a list of sizes, not {sizes!r}")
        return ""
    wrong = [size for size in sizes if type(size) is not int or str(size) not in SIZES]
    if wrong:
        faults.append(f"{where}: sizes are 1, 2 and 3, not {', '.join(map(repr, wrong))}")
        return ""
    return put("", "".join(map(str, sizes)))


def _missing(state: IceState) -> Iterator[str]:
    for side in SIDES:
        bag = held(state, side)
        for size in SIZES:
            if bag.count(size) != EACH:
                yield f"{side} has {bag.count(size)} {WORDS[size]} pieces in all, and a stash holds {EACH}"


def _side(data: Mapping[str, Any], key: str, faults: list[str]) -> Side | None:
    side = data.get(key)
    if side is None or side in SIDES:
        return side
    faults.append(f"{key!r} is white or black, not {side!r}")
    return None


def _stage(data: Mapping[str, Any], faults: list[str]) -> Stage | None:
    stage = data.get("stage")
    if stage is None:
        return None
    if not isinstance(stage, Mapping):
        faults.append(f"'stage' must be an object, not {stage!r}")
        return None
    number, left, then = stage.get("number"), stage.get("left"), stage.get("then")
    before = len(faults)
    if type(number) is not int or not 1 <= number <= 6:
        faults.append(f"stage: the number is 1-6, not {number!r}")
    elif then is not None and (type(then) is not int or then != opposite(number)):
        faults.append(
            f"stage: after {number} comes its opposite, {opposite(number)}, or nothing, not {then!r}"
        )
    if type(left) is not int or not 1 <= left <= DOUBLED:
        faults.append(f"stage: 1-{DOUBLED} moves can be left, not {left!r}")
    return (
        Stage(number, left, then)
        if len(faults) == before and isinstance(number, int) and isinstance(left, int)
        else None
    )


def seen(state: IceState, looks: Looks, mover: Side) -> IceState:
    """The state when a board is taken as it is seen, after ``mover`` has played. Raises ImpossibleSetup with
    every reason.

    A space that looks as before is as before. One that does not shows its new top layer on some of the layers
    known to lie there. Of all such boards, that one is taken for which fewest pieces must have come from or
    gone out of view, then the one with fewest layers changed. Pieces come into view from the hand, then from
    those borne off, and at last from under what pins them; the mover's that went out of view were borne off,
    the opponent's were put back in hand. So a board can stand exactly if no more pieces of a kind are in view
    than a stash holds.
    """
    faults: list[str] = []
    boards: dict[tuple[int, ...], tuple[int, dict[int, str]]] = {(0,) * 6: (0, {})}
    for place in SEEN:
        look = looks.get(CELL[place])
        changes = (
            [(0, state[place])]
            if look is None or look == look_at(state, place)
            else list(_changes(state, place, look, faults))
        )
        grown: dict[tuple[int, ...], tuple[int, dict[int, str]]] = {}
        for counts, (rank, chosen) in boards.items():
            for cost, content in changes:
                key = tuple(map(sum, zip(counts, _counts(place, content), strict=True)))
                if key not in grown or rank + cost < grown[key][0]:
                    grown[key] = (rank + cost, {**chosen, place: content})
        boards = grown
    if faults:
        raise ImpossibleSetup(tuple(faults))
    beside = tuple((state[HAND[side]] + state[OFF[side]]).count(size) for side in SIDES for size in SIZES)

    def moved(entry: tuple[tuple[int, ...], tuple[int, dict[int, str]]]) -> tuple[int, int, int]:
        counts, (rank, _) = entry
        excess = sum(max(0, number - EACH) for number in counts)
        return (
            excess,
            sum(abs(EACH - number - known) for number, known in zip(counts, beside, strict=True)),
            rank,
        )

    counts, (_, chosen) = min(boards.items(), key=moved)
    new = [chosen.get(place, content) for place, content in enumerate(state)]
    faults = _shared_out(new, counts, state, looks, mover)
    if faults:
        raise ImpossibleSetup(tuple(faults))
    return tuple(new)


def _shared_out(
    new: list[str], counts: tuple[int, ...], state: IceState, looks: Looks, mover: Side
) -> list[str]:
    """Gives what is not in view to hands and borne-off bags: ``counts`` are the pieces in view, by colour and
    size. Returns what does not add up."""
    faults = []
    for index, number in enumerate(counts):
        side, size = SIDES[index // 3], SIZES[index % 3]
        if number > EACH:
            number -= _unpinned(new, state, looks, side, size, number - EACH)
        if number > EACH:
            faults.append(
                f"the board shows {number} {WORDS[size]} pieces of {side}, and a stash holds {EACH}"
            )
        hand, off = state[HAND[side]].count(size), state[OFF[side]].count(size)
        gone = EACH - number - hand - off
        if gone < 0:
            hand, off = max(0, hand + gone), off + min(0, hand + gone)
        elif side == mover:
            off += gone
        else:
            hand += gone
        new[HAND[side]] = put(new[HAND[side]].replace(size, ""), size * hand)
        new[OFF[side]] = put(new[OFF[side]].replace(size, ""), size * off)
    return faults


def _unpinned(new: list[str], state: IceState, looks: Looks, side: Side, size: str, wanted: int) -> int:
    """Takes pieces of one kind from where nobody sees them: they are in view elsewhere now. Returns how many,
    ``wanted`` at most.

    Spaces that look different come first, and in each pile the layers nearest to the top.
    """
    left = wanted
    for place in sorted(SEEN, key=lambda place: (looks.get(CELL[place]) == look_at(state, place), place)):
        stack = (
            list(layers(new[place]))
            if place in POINTS
            else [(side, new[place])]
            if place == BAR[side]
            else []
        )
        hidden = len(stack) - (CELL[place] in looks)
        for depth in range(hidden - 1, -1, -1):
            colour, bag = stack[depth]
            if colour == side:
                found = min(left, bag.count(size))
                left -= found
                stack[depth] = colour, take(bag, size * found)
        if hidden > 0:
            new[place] = (
                pile_of(tuple(layer for layer in stack if layer[1])) if place in POINTS else stack[0][1]
            )
    return wanted - left


def _changes(state: IceState, place: int, look: Look, faults: list[str]) -> Iterator[tuple[int, str]]:
    """What may lie where a new look is seen, each with how many layers it changes."""
    found = [name_parts(piece) for piece in look]
    colours = {side for side, _ in found}
    bag = put("", "".join(size for _, size in found))
    if not colours <= set(SIDES) or set(bag) - set(SIZES) or any(len(size) != 1 for _, size in found):
        faults.append(f"{CELL[place]}: {list(look)} are not pieces of this game")
        return
    if place not in POINTS:
        owner = next(side for side in SIDES if BAR[side] == place)
        if colours - {owner}:
            faults.append(f"{CELL[place]}: pieces of {other(owner)} cannot lie there")
        yield 1, bag
    elif len(colours) > 1:
        faults.append(
            phrase("point {point}: pieces of both colours lie side by side", point=point_of(CELL[place]))
        )
    elif not look:
        yield len(layers(state[place])), ""
    else:
        new = (colours.pop(), bag)
        stack = layers(state[place])
        for kept in range(len(stack), -1, -1):
            if kept and stack[kept - 1] == new:
                yield len(stack) - kept, pile_of(stack[:kept])
            yield len(stack) - kept + 1, pile_of((*stack[:kept], new))


def _counts(place: int, content: str) -> tuple[int, ...]:
    """How many pieces of each colour and size lie in one place."""
    stack = (
        layers(content)
        if place in POINTS
        else ((next(side for side in SIDES if BAR[side] == place), content),)
    )
    return tuple(
        sum(bag.count(size) for colour, bag in stack if colour == side) for side in SIDES for size in SIZES
    )
