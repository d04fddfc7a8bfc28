"""What shines: a colour and a pattern for every named place, from the session alone.

Places are the cells of the game and the lamps around them: ``player.<side>``, ``dice.<side>.<face>`` (a
row of six), ``die.<1 or 2>.<spot>`` (dice with seven lamps each, spots counted as one reads),
``cube`` (its middle) and ``cube.<side>``, and ``reserve.<side>.1`` and on, one for each piece that lies there
(``locked`` and ``hand`` alike). Which LEDs belong to a place, and how bright they may be, is the hardware's
configuration; a place without LEDs is dark.

Nothing is told by colour alone. Every pattern has one meaning, so that a colour-blind player, or one across
the room, reads the same: *steady* is how things are, *pulse* asks somebody to act, *blink* says that
something is wrong or waits for an answer now. The colours are from Okabe and Ito's palette, which the common
kinds of colour blindness keep apart.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from engine.layout import Cell, differing, name_parts
from engine.match_state import CANNOT_MOVE, MatchState, State
from engine.position import Dice, Play
from engine.session import Session


class Colour(NamedTuple):
    """Red, green, blue, 0-255 each, at full brightness."""

    red: int
    green: int
    blue: int


WRONG = Colour(213, 30, 0)
"""Vermilion, redder than Okabe and Ito's because LEDs show it orange."""
DOUBT = Colour(230, 159, 0)
"""Orange."""
MOVE = Colour(0, 114, 178)
"""Blue."""
OWED = Colour(86, 180, 233)
"""Sky blue."""
GOOD = Colour(0, 158, 115)
"""Bluish green."""
PLAIN = Colour(255, 255, 255)
DIM = Colour(60, 60, 60)


class Pattern(enum.StrEnum):
    """How a lamp shines over time; the hardware says how fast."""

    STEADY = "steady"
    PULSE = "pulse"
    BLINK = "blink"


@dataclass(frozen=True, slots=True)
class Light:
    """What one place shows."""

    colour: Colour
    pattern: Pattern = Pattern.STEADY


SUPPLIES = ("reserve.", "locked.", "hand.")
"""Where pieces lie beside the board."""
SPOTS = {1: (4,), 2: (1, 7), 3: (1, 4, 7), 4: (1, 2, 6, 7), 5: (1, 2, 4, 6, 7), 6: (1, 2, 3, 5, 6, 7)}
"""The lamps that a face of a die has, of seven: two above, three in the middle, two below."""
LOW = 30.0
"""Seconds of reserve under which the player's lamp warns."""


def signals(session: Session, t: float | None = None, tumbling: Dice = ()) -> Mapping[str, Light]:
    """Every place that shines at time ``t`` (None: when the clock last started), and how; all other places
    are dark. While dice tumble, ``tumbling`` is what they show instead of the roll."""
    table = session.table and session.table.settled
    if table is None:
        return {}
    return {
        **_supplies(table),
        **_dice(table, tumbling),
        **_cube(table),
        **_players(table, table.clock.since if t is None else t),
        **_cells(table),
    }


def _cells(table: MatchState) -> dict[str, Light]:
    """A foul's cells blink until it is fixed; the cells on which the candidates of a doubtful play differ
    pulse. Of a play that was said, the cells that pieces leave pulse, those where they come are steady."""
    if table.pending is None:
        return {} if table.intention is None else _intended(table, table.intention)
    light = Light(WRONG, Pattern.BLINK) if table.fouled else Light(DOUBT, Pattern.PULSE)
    return dict.fromkeys(table.pending.cells, light)


def _intended(table: MatchState, play: Play) -> dict[str, Light]:
    side, before, after = table.position.turn, table.position.looks(), play.after.looks()

    def leave(cell: Cell) -> bool:
        had, has = (sum(name_parts(piece)[0] == side for piece in looks[cell]) for looks in (before, after))
        return has < had

    return {
        cell: Light(MOVE, Pattern.PULSE) if leave(cell) else Light(GOOD) for cell in differing(before, after)
    }


def _dice(table: MatchState, tumbling: Dice) -> dict[str, Light]:
    """The faces rolled, on the row of the side on turn and as spots; a face that was rolled more than once
    pulses in the row. A number that is owed from a roll of before pulses there in a colour of its own."""
    side, dice = table.position.turn, tumbling or table.dice
    if side is None or table.result is not None:
        return {}
    shown = {face: Light(PLAIN, Pattern.PULSE if dice.count(face) > 1 else Pattern.STEADY) for face in dice}
    shown |= dict.fromkeys(table.position.owed(), Light(OWED, Pattern.PULSE))
    row = {f"dice.{side}.{face}": light for face, light in shown.items()}
    return row | {
        f"die.{number}.{spot}": Light(PLAIN) for number, face in enumerate(dice, 1) for spot in SPOTS[face]
    }


def _supplies(table: MatchState) -> dict[str, Light]:
    """One lamp for each piece that lies beside the board, where a camera may not see it."""
    counts = {
        cell: sum(map(len, stack))
        for cell, stack in table.position.layout().items()
        if cell.startswith(SUPPLIES)
    }
    return {
        f"{cell}.{number}": Light(DIM) for cell, count in counts.items() for number in range(1, count + 1)
    }


def _cube(table: MatchState) -> dict[str, Light]:
    """A double blinks at the side that is to answer; else the cube is steady where it lies, and dark while
    out of play."""
    cube = table.cube
    if cube.offer is not None:
        return {f"cube.{cube.offer.to}": Light(DOUBT, Pattern.BLINK)}
    if not table.rules.cube or not table.match.terms.cube or table.match.crawford or table.result is not None:
        return {}
    return {"cube" if cube.owner is None else f"cube.{cube.owner}": Light(DIM)}


def _players(table: MatchState, t: float) -> dict[str, Light]:
    """Whose turn it is; who is asked; who runs out of time; who has won. Green is for whose turn it is again,
    since something was taken back or set by hand."""
    if table.proposal is not None and table.state is State.PROPOSED:
        return {f"player.{side}": Light(DOUBT, Pattern.BLINK) for side in table.proposal.waits}
    if table.result is not None or table.match.winner is not None:
        winner = table.match.winner or (table.result.outcome.winner if table.result is not None else None)
        return {f"player.{side}": Light(GOOD) for side in table.rules.sides if winner in (None, side)}
    if table.state is State.PAUSED:
        return {f"player.{side}": Light(DIM, Pattern.PULSE) for side in table.rules.sides}
    due = table.due
    if due is None:
        return {f"player.{side}": Light(MOVE, Pattern.PULSE) for side in table.rules.sides}
    if table.state is State.FOUL:
        light = Light(WRONG, Pattern.BLINK)
    elif table.state in (State.OFFERED, State.RESIGNED):
        light = Light(DOUBT, Pattern.BLINK)
    elif table.state is State.ASKED:
        light = Light(DOUBT, Pattern.PULSE)
    elif table.clock.running == due and table.clock.left(due, t) < LOW:
        light = Light(WRONG, Pattern.PULSE)
    else:
        news = {each.kind for each in table.news}
        asked = table.state in (State.ROLL, State.OPENING) or CANNOT_MOVE in news
        colour = GOOD if news & {"undo", "correction"} else MOVE
        light = Light(colour, Pattern.PULSE if asked else Pattern.STEADY)
    return {f"player.{due}": light}
