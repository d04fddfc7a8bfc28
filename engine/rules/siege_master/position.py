"""Siege Master as a state machine (siege-master: GAME PLAY, PLAYER ACTIONS).

A position awaits a play until the game is over: there are no dice. A play is an army placed, with the
captures that follow from it, or, on Blue's first turn, the swap. Whether the swap is open needs no memory: it
is Blue's first turn exactly when one army lies on the map, it is red, and Blue is on turn.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.evidence import Evidence
from engine.layout import EMPTY, Cell, Hex, Layout, Look, Looks, Piece, Side, hex_cell
from engine.messages import all_of, phrase
from engine.names import named
from engine.position import Awaits, Dice, Json, Outcome, Play, Position, Rules
from engine.rules import get
from engine.rules.siege_master import faults, notation
from engine.rules.siege_master.hexmap import HexMap, in_order, name
from engine.rules.siege_master.plays import BLUE, RED, Army, Placement, Swap
from engine.rules.siege_master.setup import ARMIES, ARMY, NAME, NEUTRAL, SIDES, SiegeSetup


@dataclass(frozen=True)
class SiegePosition(Position):
    """A proved state of a game. Sets of hexes are bit sets of ``map``; ``held`` are the fortresses that red
    and blue hold.

    ``last_capture`` says whether the last turn captured. ``turn`` is None once the game is over, and only
    then.
    """

    map: HexMap
    armies: tuple[Army, ...]
    fortresses: int
    held: tuple[int, int]
    turn: Side | None = None
    last_capture: bool = False

    whole_looks: ClassVar[bool] = False

    @classmethod
    def of(cls, setup: SiegeSetup) -> SiegePosition:
        """The position that a setup stands for; over already where the rules say so. Raises ImpossibleSetup
        with every reason."""
        if reasons := setup.reasons():
            raise ImpossibleSetup(reasons)
        hexmap = HexMap.of(setup.board, setup.border, setup.cells)
        armies = tuple(Army(side, hexmap.mask(places)) for side, places in setup.armies)
        owned = {
            owner: hexmap.mask(place for place, one in setup.fortresses.items() if one == owner)
            for owner in SIDES
        }
        turn = setup.turn or (_other(armies[-1].side) if armies else RED)
        position = cls(
            hexmap, armies, hexmap.mask(setup.fortresses), (owned[RED], owned[BLUE]), turn, setup.last_capture
        )
        position = position._judged()
        if setup.turn is None and position.turn is not None:
            raise ImpossibleSetup(("turn is missing, but the game is not over: say red or blue",))
        return position

    def _judged(self) -> SiegePosition:
        """This position, over if the rules end the game here (tested after each turn, for the player whose
        turn comes).

        More than half of the fortresses wins at once. Without an army left to the player on turn, or without
        a row of four to put one on, the game ends as well; the swap does not count as a placement left.
        """
        over = any(2 * held.bit_count() > self.fortresses.bit_count() for held in self.held)
        over = over or self.left(self.turn or RED) == 0 or not self.map.room(self._empty)
        return (
            SiegePosition(self.map, self.armies, self.fortresses, self.held, None, self.last_capture)
            if over
            else self
        )

    @cached_property
    def _free(self) -> int:
        """The map without armies: what regions are made of."""
        covered = 0
        for army in self.armies:
            covered |= army.hexes
        return self.map.all & ~covered

    @property
    def _empty(self) -> int:
        """Hexes that hold nothing: an army may not be placed over a fortress, an army or off the map (Figure
        8)."""
        return self._free & ~self.fortresses

    @property
    def _neutral(self) -> int:
        return self.fortresses & ~self.held[0] & ~self.held[1]

    def left(self, side: Side) -> int:
        """The armies that a side has still to place; those on the map are counted by their colour now."""
        return ARMIES - sum(army.side == side for army in self.armies)

    # the state machine

    @property
    def rules(self) -> Rules:
        """Siege Master."""
        return get(NAME)

    @property
    def awaits(self) -> Awaits:
        """A play, or nothing."""
        return Awaits.NOTHING if self.turn is None else Awaits.PLAY

    @property
    def dice(self) -> Dice:
        """None ever."""
        return ()

    @property
    def dice_due(self) -> int:
        """None ever."""
        return 0

    @property
    def outcome(self) -> Outcome | None:
        """More fortresses win, 1 point; as many each is a draw."""
        if self.turn is not None:
            return None
        red, blue = (held.bit_count() for held in self.held)
        if red == blue:
            return Outcome(None, "draw", 0)
        return Outcome(RED if red > blue else BLUE, "win", 1)

    def roll(self, dice: Dice) -> SiegePosition:
        """Raises BadDice: there are no dice in this game."""
        raise BadDice(f"Siege Master is played without dice, but {len(dice)} were given")

    @property
    def may_swap(self) -> bool:
        """Whether Blue may exchange colours instead of placing: on Blue's first turn (GAME PLAY, Figure
        9)."""
        return self.turn == BLUE and [army.side for army in self.armies] == [RED]

    def placements(self) -> list[int]:
        """Where an army may be placed now (PLAYER ACTIONS).

        If the last turn captured nothing, the army must be adjacent to the last one placed wherever that is
        possible; otherwise it may lie anywhere on the map (Figures 10, 11, 14).
        """
        if self.turn is None:
            return []
        empty = self._empty
        fitting = [line for line in self.map.lines if line & empty == line]
        if self.armies and not self.last_capture:
            near = self.map.around(self.armies[-1].hexes)
            if adjacent := [line for line in fitting if line & near]:
                return adjacent
        return fitting

    def captures(self, line: int) -> int:
        """The neutral fortresses that an army on ``line`` captures: all those in siege areas then, wherever
        on the map (Fortress Siege)."""
        free = self._free & ~line
        return self.map.besieged(self._neutral, free, free & ~self.fortresses)

    def _place(self, line: int, taken: int) -> Placement:
        assert self.turn is not None  # who places is on turn
        held = (
            (self.held[0] | taken, self.held[1]) if self.turn == RED else (self.held[0], self.held[1] | taken)
        )
        army = Army(self.turn, line)
        after = SiegePosition(
            self.map, (*self.armies, army), self.fortresses, held, _other(self.turn), taken != 0
        )
        return Placement(after._judged(), self.map, army, taken)

    def _swap(self) -> Swap:
        """The army just placed still counts as the last one, and its capture as the last turn's."""
        army = self.armies[0].hexes
        red, blue = self.held
        after = SiegePosition(
            self.map, (Army(BLUE, army),), self.fortresses, (blue, red), RED, self.last_capture
        )
        return Swap(after, self.map, army, red)

    def plays(self) -> Sequence[Play]:
        """Every placement in the order of the map's rows of four, then the swap."""
        found: list[Play] = [self._place(line, self.captures(line)) for line in self.placements()]
        return [*found, self._swap()] if self.may_swap else found

    def nearest(
        self, evidence: Evidence, count: int = 8, enough: float = -math.inf
    ) -> Sequence[tuple[float, Play]]:
        """The plays that the evidence likes most, found along the evidence.

        What a placement gains over the present looks is the sum over its four hexes, and what it captures.
        Captures take longest to work out, so lines are tried in the order of their own gain, each with the
        most that captures could add to it, until no other line can come among the best.
        """
        if self.turn is None:
            return []
        base = evidence.total(self._looks)
        army: Look = (f"army.{self.turn}",)
        floor = evidence.floor
        gain = {
            place: looks.get(army, floor) - looks.get(EMPTY, floor) for place, looks in evidence.cells.items()
        }
        taking = self._gains_of_capture(evidence)
        hope = sum(value for value in taking.values() if value > 0)
        lines = [
            (sum(gain.get(place, 0.0) for place in self.map.line_cells[line]), line)
            for line in self.placements()
        ]
        lines.sort(key=lambda entry: -entry[0])
        best: list[tuple[float, int, int]] = []
        for value, line in lines:
            if len(best) >= count and base + value + hope <= best[count - 1][0]:
                break
            taken = self.captures(line) if taking else 0
            score = base + value + sum(taking[place] for place in self.map.hexes(taken))
            bisect.insort(best, (score, line, taken), key=lambda entry: -entry[0])
        ranked: list[tuple[float, Play]] = [
            (score, self._place(line, taken)) for score, line, taken in best[:count]
        ]
        if self.may_swap:
            swap = self._swap()
            bisect.insort(ranked, (evidence.total(swap.after.looks()), swap), key=lambda entry: -entry[0])
        return ranked[:count]

    def _gains_of_capture(self, evidence: Evidence) -> dict[Hex, float]:
        """What the evidence gains, for each neutral fortress, when it is the mover's instead."""
        ours: Look = (f"fortress.{self.turn}",)
        neutral: Look = (f"fortress.{NEUTRAL}",)
        return {
            place: evidence.score(hex_cell(place), ours) - evidence.score(hex_cell(place), neutral)
            for place in self.map.hexes(self._neutral)
        }

    def find(self, text: str) -> Play:
        """The play that the text names (see ``notation``). Raises IllegalPlay with the reason."""
        if self.turn is None:
            raise IllegalPlay("the game is over: no play is awaited")
        named = notation.parse(text)
        if named is None:
            if not self.may_swap:
                raise IllegalPlay(phrase("only Blue may swap, and only instead of placing his first army"))
            return self._swap()
        line = self._legal_line(named.army)
        play = self._place(line, self.captures(line))
        captured = set(self.map.hexes(play.captured))
        if named.captures and named.captures != captured:
            raise IllegalPlay(
                phrase(
                    "{army} captures {captured}, not {said}",
                    army=play.text.partition("*")[0],
                    captured=all_of(list(map(name, in_order(captured)))) or phrase("nothing"),
                    said=all_of(list(map(name, in_order(named.captures)))),
                )
            )
        return play

    def _legal_line(self, army: tuple[Hex, ...]) -> int:
        """The bit set of a row of four on which an army may be placed now. Raises IllegalPlay with the
        reason."""
        if outside := [place for place in army if place not in self.map.cells]:
            raise IllegalPlay(phrase("{hex} is not on the map", hex=name(outside[0])))
        line = self.map.mask(army)
        if taken := self.map.hexes(line & ~self._empty):
            fortress = self.map.bit(taken[0]) & self.fortresses
            raise IllegalPlay(
                phrase(
                    "{hex} holds {what}: an army may only be placed on empty hexes",
                    hex=name(taken[0]),
                    what=phrase("a fortress") if fortress else phrase("an army"),
                )
            )
        if line not in self.placements():
            last = self.map.hexes(self.armies[-1].hexes)
            raise IllegalPlay(
                phrase(
                    "the army must touch the last one placed, {army}, which captured nothing",
                    army=f"{name(last[0])}-{name(last[-1])}",
                )
            )
        return line

    # the board

    def _setup(self) -> SiegeSetup:
        places = self.map.hexes
        owners = dict.fromkeys(places(self.fortresses), NEUTRAL)
        for side, held in zip(SIDES, self.held, strict=True):
            owners |= dict.fromkeys(places(held), side)
        armies = tuple((army.side, places(army.hexes)) for army in self.armies)
        return SiegeSetup(
            self.map.board, self.map.border, self.map.cells, owners, armies, self.turn, self.last_capture
        )

    def why(self, looks: Looks, player: Callable[[Side], str] = named) -> str | None:
        """The section of the rules that a board breaks (see ``faults``)."""
        swapped = self.turn == RED and [army.side for army in self.armies] == [BLUE]
        return faults.why(self, looks, self.may_swap, swapped)

    def notes(self) -> Sequence[str]:
        """Fortresses that stand close together, or an even number of them (SET-UP)."""
        return self._setup().notes()

    def stand(self, looks: Looks) -> SiegePosition:
        """The position when an illegal play stands: the board as seen, the other side on turn. The army that
        is new counts as the last one placed. Raises ImpossibleSetup where border or fortresses have moved, or
        armies are no rows of four."""
        if self.turn is None:
            raise ImpossibleSetup(("the game is over: no play is awaited",))
        return SiegePosition.of(self._setup().standing(looks, self.turn, _other(self.turn)))

    @cached_property
    def _looks(self) -> dict[Cell, Look]:
        looks = dict(self.map.bare)
        for owner, fortresses in ((NEUTRAL, self._neutral), *zip(SIDES, self.held, strict=True)):
            for place in self.map.hexes(fortresses):
                looks[hex_cell(place)] = (f"fortress.{owner}",)
        for side, hexes in self.armies:
            look = (f"army.{side}",)
            for covered in self.map.line_cells[hexes]:
                looks[covered] = look
        return looks

    def layout(self) -> Layout:
        """The hexes that hold something, and the tokens beside the board in ``supply.*``; an army counts as
        the four hexes it covers."""
        stacks: dict[Cell, tuple[tuple[Piece, ...], ...]] = {
            place: (look,) for place, look in self._looks.items()
        }
        taken = self.held[0].bit_count() + self.held[1].bit_count()
        stacks[f"supply.{NEUTRAL}"] = ((f"fortress.{NEUTRAL}",) * taken,)
        for side, held in zip(SIDES, self.held, strict=True):
            armies = (f"army.{side}",) * (ARMY * self.left(side))
            fortresses = (f"fortress.{side}",) * (self.fortresses.bit_count() - held.bit_count())
            stacks[f"supply.{side}"] = (armies, fortresses)
        return {
            place: layers
            for place, stack in stacks.items()
            if (layers := tuple(layer for layer in stack if layer))
        }

    def looks(self) -> Looks:
        """Every hex of the board (of border and map, where the board is not known) with the piece on it;
        supplies are not seen."""
        return MappingProxyType(self._looks)

    def stock(self) -> Mapping[Piece, int]:
        """Border tokens and neutral fortresses as set up, as many fortresses of each colour, and the hexes
        that 20 armies cover."""
        fortresses = self.fortresses.bit_count()
        counts = {"border": len(self.map.border), f"fortress.{NEUTRAL}": fortresses}
        for side in SIDES:
            counts |= {f"fortress.{side}": fortresses, f"army.{side}": ARMY * ARMIES}
        return counts

    def to_json(self) -> Json:
        """The stable form; ``board`` only where it is known."""
        return self._setup().to_json()

    def __str__(self) -> str:
        """``siege-master red plays | army 3 blue 6,6-9,6, captured | red 3,4 | blue 4,7 9,3 | of 15``."""
        state = f"{self.turn} plays" if self.turn else "over"
        last = ""
        if self.armies:
            side, hexes = self.armies[-1]
            captured = ", captured" if self.last_capture else ""
            last = f"army {len(self.armies)} {side} {notation.write(self.map.hexes(hexes), ())}{captured} | "
        held = " | ".join(
            " ".join([side, *map(name, self.map.hexes(mask))])
            for side, mask in zip(SIDES, self.held, strict=True)
        )
        return f"{NAME} {state} | {last}{held} | of {self.fortresses.bit_count()}"


def _other(side: Side) -> Side:
    return BLUE if side == RED else RED
