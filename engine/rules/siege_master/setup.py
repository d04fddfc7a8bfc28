"""What may stand on a Siege Master board, before anything is proved of it.

A :class:`SiegeSetup` holds whatever a file, a camera or the players say. ``SiegeSetup.reasons`` names every
fault; a position is only made of a setup without faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import ImpossibleSetup
from engine.layout import DIRECTIONS, Hex, Looks, Side, hex_cell, name_parts
from engine.messages import phrase
from engine.position import Json
from engine.rules.siege_master.hexmap import (
    LIMIT,
    Board,
    apart,
    enclosed,
    in_order,
    name,
    on_board,
    parse_hex,
)

NAME = "siege-master"
OPTIONS = ("cols", "rows", "border", "fortresses")
"""What a game needs to start: the board's size, and what the players put on it."""
SIDES: tuple[Side, Side] = ("red", "blue")
NEUTRAL = "neutral"
ARMIES = 20
"""Army tokens of each colour (COMPONENTS)."""
ARMY = 4
"""Hexes in a row that an army covers (COMPONENTS)."""
FORTRESSES = 15
"""Neutral fortress tokens in the box (COMPONENTS)."""
NEW_ARMIES = 8
"""How many armies may be new or moved when an illegal play stands: more is another game, and slow to split
into rows."""
SPACING = 3
"""Most fortresses are at least this many spaces from all others (SET-UP)."""


@dataclass(frozen=True)
class SiegeSetup:
    """A board, a map and the tokens on it, possible or not.

    ``fortresses`` maps hexes to ``neutral``, ``red`` or ``blue``; ``armies`` are in the order placed, each
    with its colour now.
    """

    board: Board | None
    border: frozenset[Hex]
    cells: frozenset[Hex]
    fortresses: Mapping[Hex, str]
    armies: tuple[tuple[Side, tuple[Hex, ...]], ...] = ()
    turn: Side | None = SIDES[0]
    last_capture: bool = False

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> SiegeSetup:
        """The start of a game on a board that the players have set up (SET-UP).

        ``cols`` and ``rows`` of the board, ``border`` and ``fortresses`` as hexes (``"3,-1"``). Raises
        ImpossibleSetup.
        """
        faults: list[str] = []
        _raise(
            f"there is no option {key!r}; there is {', '.join(OPTIONS)}"
            for key in options
            if key not in OPTIONS
        )
        missing = [key for key in OPTIONS if options.get(key) is None]
        if missing:
            wanted = "Siege Master is played on a board that the players set up"
            raise ImpossibleSetup((f"{wanted}: show it to the camera, or give {', '.join(missing)}",))
        board = _board({"cols": options["cols"], "rows": options["rows"]}, faults)
        border = _hexes(options["border"], "border", faults)
        fortresses = dict.fromkeys(_hexes(options["fortresses"], "fortresses", faults), NEUTRAL)
        if isinstance(options["fortresses"], Mapping):
            taken = sorted(str(key) for key, owner in options["fortresses"].items() if owner != NEUTRAL)
            faults += [f"the fortress at {key} must be neutral at the start" for key in taken]
        _raise(faults)
        assert board is not None  # _board says a fault where it finds none
        outside = in_order((border | set(fortresses)) - on_board(board))
        _raise([f"{name(place)} is not on the board of {board[0]} x {board[1]} hexes" for place in outside])
        return cls(board, border, enclosed(board, border, frozenset(fortresses)), fortresses)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SiegeSetup:
        """The setup in the stable JSON form. Raises ImpossibleSetup where the data is no such form.

        ``cells`` may be left out where ``board`` (``{"cols": 19, "rows": 15}``) says how far the board
        reaches.
        """
        faults: list[str] = []
        if data.get("rules", NAME) != NAME:
            faults.append(f"the position is of {data['rules']!r}, not of {NAME!r}")
        board = _board(data["board"], faults) if data.get("board") is not None else None
        border = _hexes(data.get("border", ()), "border", faults)
        fortresses: dict[Hex, str] = {}
        listed = data.get("fortresses", {})
        if not isinstance(listed, Mapping):
            faults.append("fortresses must be an object of hexes and owners")
            listed = {}
        for key, owner in listed.items():
            for place in _hexes([key], "fortresses", faults):
                fortresses[place] = str(owner)
        if data.get("cells") is not None:
            cells = _hexes(data["cells"], "cells", faults)
        elif board is not None:
            cells = enclosed(board, border, frozenset(fortresses))
        else:
            cells = frozenset()
            faults.append("cells are missing: list the hexes of the map")
        armies = _armies(data.get("armies", []), faults)
        last_capture = data.get("last_capture", False)
        if not isinstance(last_capture, bool):
            faults.append(f"last_capture must be true or false, not {last_capture!r}")
        _raise(faults)
        return cls(board, border, cells, fortresses, armies, data.get("turn"), last_capture)

    def to_json(self) -> Json:
        """The inverse; ``board`` only where it is known."""
        data: Json = {"rules": NAME}
        if self.board is not None:
            data["board"] = {"cols": self.board[0], "rows": self.board[1]}
        data["border"] = [name(place) for place in in_order(self.border)]
        data["cells"] = [name(place) for place in in_order(self.cells)]
        data["fortresses"] = {name(place): self.fortresses[place] for place in in_order(self.fortresses)}
        data["armies"] = [[side, [name(place) for place in places]] for side, places in self.armies]
        if self.turn is not None:
            data["turn"] = self.turn
        data["last_capture"] = self.last_capture
        return data

    def reasons(self) -> tuple[str, ...]:
        """Every reason why these tokens cannot stand so; empty where they can."""
        return (*self._map_faults(), *self._fortress_faults(), *self._army_faults(), *self._turn_faults())

    def _map_faults(self) -> list[str]:
        faults: list[str] = []
        if not self.cells:
            faults.append(
                phrase(
                    "the map is empty: close the border, or place a fortress in each area that is to be"
                    " played on"
                )
            )
        faults += [
            f"{name(place)} holds a border token and cannot be a hex of the map"
            for place in in_order(self.border & self.cells)
        ]
        if self.board is not None:
            outside = in_order((self.cells | self.border) - on_board(self.board))
            faults += [
                f"{name(place)} is not on the board of {self.board[0]} x {self.board[1]} hexes"
                for place in outside
            ]
        return faults

    def _fortress_faults(self) -> list[str]:
        faults: list[str] = [] if self.fortresses else [phrase("there is no fortress to win")]
        for place, owner in self.fortresses.items():
            if place not in self.cells:
                faults.append(phrase("the fortress at {hex} does not stand on the map", hex=name(place)))
            if owner not in (NEUTRAL, *SIDES):
                faults.append(f"the fortress at {name(place)} must be neutral, red or blue, not {owner!r}")
        return faults

    def _army_faults(self) -> list[str]:
        faults = []
        covered: Counter[Hex] = Counter()
        for side, places in self.armies:
            label = f"the army {' '.join(map(name, places))}"
            if side not in SIDES:
                faults.append(f"{label} must be red or blue, not {side!r}")
            if not straight(places):
                faults.append(f"{label} does not cover four hexes in a row")
            if not self.cells.issuperset(places):
                faults.append(f"{label} does not lie on the map")
            faults += [
                f"{label} lies on the fortress at {name(place)}"
                for place in places
                if place in self.fortresses
            ]
            covered.update(set(places))
        faults += [f"two armies lie on {name(place)}" for place in in_order(covered) if covered[place] > 1]
        for side, number in Counter(side for side, _ in self.armies).items():
            if number > ARMIES:
                faults.append(f"{side} has {number} armies on the map, but only {ARMIES} exist")
        return faults

    def _turn_faults(self) -> list[str]:
        faults = []
        if self.turn not in (None, *SIDES):
            faults.append(f"turn must be red or blue, not {self.turn!r}")
        if self.last_capture and not (self.armies and set(self.fortresses.values()) - {NEUTRAL}):
            faults.append("last_capture is true, but no fortress has been captured")
        return faults

    def notes(self) -> tuple[str, ...]:
        """What the players may want to know of their board before they start; none of it is forbidden."""
        found: list[str] = []
        places = in_order(self.fortresses)
        for count, one in enumerate(places):
            for other in places[count + 1 :]:
                if apart(one, other) < SPACING:
                    found.append(
                        phrase(
                            "the fortresses at {one} and {other} are closer than {count} spaces",
                            one=name(one),
                            other=name(other),
                            count=SPACING,
                        )
                    )
        if len(places) % 2 == 0:
            found.append(
                phrase("{count} fortresses are an even number: the game can end in a draw", count=len(places))
            )
        if len(places) > FORTRESSES:
            found.append(
                phrase(
                    "{count} fortresses are more than the {most} in the box",
                    count=len(places),
                    most=FORTRESSES,
                )
            )
        return tuple(found)

    def standing(self, looks: Looks, mover: Side, other: Side) -> SiegeSetup:
        """The setup that ``looks`` shows after ``mover`` made a play that stands though it was illegal;
        ``other`` is on turn.

        What a cell that is not in ``looks`` holds is taken as known before. An army stays in its place in the
        order when its four hexes still show one colour; whatever else is covered must be rows of four, which
        count as placed now. Raises ImpossibleSetup.
        """
        faults: list[str] = []
        known = dict.fromkeys(self.border, ("border",))
        known |= {place: (f"fortress.{owner}",) for place, owner in self.fortresses.items()}
        known |= {place: (f"army.{side}",) for side, places in self.armies for place in places}
        board = on_board(self.board) if self.board is not None else self.border | self.cells
        fortresses: dict[Hex, str] = {}
        colours: dict[Hex, Side] = {}
        for place in in_order(board):
            kind, colour = name_parts("+".join(looks.get(hex_cell(place), known.get(place, ()))))
            if (kind == "border") != (place in self.border):
                faults.append(
                    phrase("the border at {hex} has changed: put it back as the game began", hex=name(place))
                )
            elif (kind == "fortress") != (place in self.fortresses):
                faults.append(
                    phrase("the fortress at {hex} has moved: put it back as the game began", hex=name(place))
                )
            elif kind == "fortress":
                fortresses[place] = colour
            elif kind == "army":
                colours[place] = colour
            elif kind not in ("", "border"):
                faults.append(f"{kind} at {name(place)} is not a piece of this game")
        armies = []
        for _, places in self.armies:
            side = colours.get(places[0])
            if side is not None and all(colours.get(place) == side for place in places):
                armies.append((side, places))
                for place in places:
                    del colours[place]
        placed = _split(colours) if len(colours) <= ARMY * NEW_ARMIES else None
        if placed is None:
            faults.append(
                phrase(
                    "the armies at {hexes} are not rows of four of one colour",
                    hexes=" ".join(map(name, in_order(colours))),
                )
            )
        _raise(faults)
        taken = any(owner == mover != self.fortresses[place] for place, owner in fortresses.items())
        return SiegeSetup(
            self.board, self.border, self.cells, fortresses, (*armies, *(placed or ())), other, taken
        )


def straight(places: tuple[Hex, ...]) -> bool:
    """Whether these are four hexes in a row."""
    row = in_order(places)
    return len(row) == ARMY and any(
        row == [(row[0][0] + count * dq, row[0][1] + count * dr) for count in range(ARMY)]
        for dq, dr in DIRECTIONS
    )


def _split(colours: Mapping[Hex, Side]) -> list[tuple[Side, tuple[Hex, ...]]] | None:
    """Coloured hexes as armies, or None where they are not rows of four: the first hex in reading order
    begins a row."""
    if not colours:
        return []
    q, r = in_order(colours)[0]
    for dq, dr in DIRECTIONS:
        row = tuple((q + n * dq, r + n * dr) for n in range(ARMY))
        if all(colours.get(place) == colours[q, r] for place in row):
            rest = _split({place: side for place, side in colours.items() if place not in row})
            if rest is not None:
                return [(colours[q, r], row), *rest]
    return None


def _raise(faults: Iterable[str]) -> None:
    if reasons := tuple(faults):
        raise ImpossibleSetup(reasons)


def _board(data: Any, faults: list[str]) -> Board | None:
    cols, rows = (data.get("cols"), data.get("rows")) if isinstance(data, Mapping) else (None, None)
    if type(cols) is int and type(rows) is int and 1 <= cols <= LIMIT and 1 <= rows <= LIMIT:
        return cols, rows
    faults.append(f"the board must have cols and rows from 1 to {LIMIT}")
    return None


def _hexes(data: Any, where: str, faults: list[str]) -> frozenset[Hex]:
    if isinstance(data, str) or not isinstance(data, Iterable):
        faults.append(f"{where} must be a list of hexes like '3,-1'")
        return frozenset()
    found = set()
    for text in data:
        try:
            found.add(parse_hex(text))
        except ValueError as error:
            faults.append(f"{where}: {error}")
    return frozenset(found)


def _armies(data: Any, faults: list[str]) -> tuple[tuple[Side, tuple[Hex, ...]], ...]:
    if not isinstance(data, list | tuple):
        faults.append("armies must be a list of [side, four hexes]")
        return ()
    found = []
    for entry in data:
        if not (isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[1], list | tuple)):
            faults.append(f"{entry!r} is not an army: write [side, four hexes]")
            continue
        found.append((str(entry[0]), tuple(in_order(_hexes(entry[1], "armies", faults)))))
    return tuple(found)
