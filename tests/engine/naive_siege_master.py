"""Siege Master once more, slowly and literally: sets of hexes, flood fill, the rule text line by line.

It shares nothing with ``engine.rules.siege_master``; the tests compare the two. States are in the stable JSON
form.
"""

from __future__ import annotations

from typing import Any

State = dict[str, Any]
Hex = tuple[int, int]

SIX = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def hexes(names: list[str]) -> set[Hex]:
    return {(int(name.split(",")[0]), int(name.split(",")[1])) for name in names}


def text(place: Hex) -> str:
    return f"{place[0]},{place[1]}"


def rows_of_four(places: set[Hex]) -> set[frozenset[Hex]]:
    """Every straight four inside a set of hexes."""
    found = set()
    for q, r in places:
        for dq, dr in SIX:
            row = [(q, r), (q + dq, r + dr), (q + 2 * dq, r + 2 * dr), (q + 3 * dq, r + 3 * dr)]
            if all(place in places for place in row):
                found.add(frozenset(row))
    return found


def regions(places: set[Hex]) -> list[set[Hex]]:
    """The connected parts of a set of hexes."""
    parts = []
    rest = set(places)
    while rest:
        part = {rest.pop()}
        grown = True
        while grown:
            grown = False
            for q, r in list(part):
                for dq, dr in SIX:
                    if (q + dq, r + dr) in rest:
                        rest.discard((q + dq, r + dr))
                        part.add((q + dq, r + dr))
                        grown = True
        parts.append(part)
    return parts


def covered(state: State) -> set[Hex]:
    return {place for _, places in state["armies"] for place in hexes(places)}


def empty(state: State) -> set[Hex]:
    return hexes(state["cells"]) - covered(state) - hexes(list(state["fortresses"]))


def placements(state: State) -> set[frozenset[Hex]]:
    """Where the player on turn may place an army."""
    anywhere = rows_of_four(empty(state))
    if state["armies"] and not state["last_capture"]:
        last = hexes(state["armies"][-1][1])
        touching = {
            row for row in anywhere if any((q + dq, r + dr) in last for q, r in row for dq, dr in SIX)
        }
        if touching:
            return touching
    return anywhere


def result(state: State) -> dict[str, Any] | None:
    """How the game has ended, before the player on turn does anything; None while it goes on."""
    owners = list(state["fortresses"].values())
    red, blue = owners.count("red"), owners.count("blue")
    left = 20 - sum(side == state["turn"] for side, _ in state["armies"])
    majority = red > len(owners) / 2 or blue > len(owners) / 2
    if not majority and left > 0 and rows_of_four(empty(state)):
        return None
    if red == blue:
        return {"winner": None, "kind": "draw", "points": 0}
    return {"winner": "red" if red > blue else "blue", "kind": "win", "points": 1}


def place(state: State, row: frozenset[Hex]) -> State:
    """The state after the player on turn has placed an army on a row."""
    mover = state["turn"]
    after = {
        **state,
        "armies": [*state["armies"], [mover, [text(one) for one in row]]],
        "fortresses": dict(state["fortresses"]),
        "turn": "blue" if mover == "red" else "red",
        "last_capture": False,
    }
    standing = hexes(list(state["fortresses"]))
    for region in regions(hexes(state["cells"]) - covered(after)):
        if rows_of_four(region - standing):
            continue
        for one in region & standing:
            if after["fortresses"][text(one)] == "neutral":
                after["fortresses"][text(one)] = mover
                after["last_capture"] = True
    return after


def swap(state: State) -> State:
    """The state after Blue has taken over Red's tokens."""
    exchanged = {"red": "blue", "blue": "red", "neutral": "neutral"}
    return {
        **state,
        "armies": [[exchanged[side], places] for side, places in state["armies"]],
        "fortresses": {one: exchanged[owner] for one, owner in state["fortresses"].items()},
        "turn": "red",
    }


def results(state: State) -> list[State]:
    """Every state that the player on turn can reach."""
    if result(state):
        return []
    found = [place(state, row) for row in placements(state)]
    if len(state["armies"]) == 1 and state["armies"][0][0] == "red" and state["turn"] == "blue":
        found.append(swap(state))
    return found


def canonical(state: State) -> tuple[object, ...]:
    """A state to compare: the order of hexes does not count, that of armies does."""
    return (
        frozenset(state["border"]),
        frozenset(state["cells"]),
        frozenset(state["fortresses"].items()),
        tuple((side, frozenset(places)) for side, places in state["armies"]),
        state["last_capture"],
        None if result(state) else state["turn"],
    )


def land(cols: int, rows: int, border: set[Hex], fortresses: set[Hex]) -> set[Hex]:
    """The map-grid: areas outlined on a board."""
    board = {(col - (row - row % 2) // 2, row): (col, row) for row in range(rows) for col in range(cols)}
    found = set()
    for area in regions(set(board) - border):
        edge = [one for one in area if board[one][0] in (0, cols - 1) or board[one][1] in (0, rows - 1)]
        if not edge or area & fortresses:
            found |= area
    return found
