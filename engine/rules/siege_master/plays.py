"""What players do in their turn: an army placed, with the captures that follow, or, once, the swap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.layout import Side, hex_cell
from engine.position import Position, Step
from engine.rules.siege_master import notation
from engine.rules.siege_master.hexmap import HexMap
from engine.rules.siege_master.setup import NEUTRAL, SIDES

RED, BLUE = SIDES


class Army(NamedTuple):
    """An army on the map: its colour now and its four hexes, as a set of the map."""

    side: Side
    hexes: int


@dataclass(frozen=True)
class Placement:
    """An army placed. ``captured`` are the fortresses that it takes, as a set of the map."""

    after: Position
    map: HexMap = field(repr=False, compare=False)
    army: Army = field(compare=False)
    captured: int = field(compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The army's four hexes, then each captured fortress replaced."""
        supply = f"supply.{self.army.side}"
        steps = [
            Step(f"army.{self.army.side}", supply, hex_cell(place))
            for place in self.map.hexes(self.army.hexes)
        ]
        for place in self.map.hexes(self.captured):
            steps.append(Step(f"fortress.{NEUTRAL}", hex_cell(place), f"supply.{NEUTRAL}"))
            steps.append(Step(f"fortress.{self.army.side}", supply, hex_cell(place)))
        return tuple(steps)

    @property
    def text(self) -> str:
        """``10,5-13,5*4,7``."""
        return notation.write(self.map.hexes(self.army.hexes), self.map.hexes(self.captured))


@dataclass(frozen=True)
class Swap:
    """Blue takes over Red's army and fortresses instead of placing (GAME PLAY, Figure 9): sets of the
    map."""

    after: Position
    map: HexMap = field(repr=False, compare=False)
    army: int = field(repr=False, compare=False)
    fortresses: int = field(repr=False, compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every red token replaced by a blue one."""
        steps: list[Step] = []
        for kind, tokens in (("army", self.army), ("fortress", self.fortresses)):
            for place in self.map.hexes(tokens):
                steps.append(Step(f"{kind}.{RED}", hex_cell(place), f"supply.{RED}"))
                steps.append(Step(f"{kind}.{BLUE}", f"supply.{BLUE}", hex_cell(place)))
        return tuple(steps)

    @property
    def text(self) -> str:
        """``swap``."""
        return notation.SWAP
