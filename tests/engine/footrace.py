"""A game made up for the tests: the session must referee it like any other, though no module of the program
knows it.

Two runners a side on a track of eight points. White runs from 8 down and off past 1, black from 1 up and off
past 8. One die is rolled; one runner moves by it, and may not land on the other side's. Who cannot move
stays. Both runners off wins; it is a shutout (2 points) if the loser has none off, and a tie with the option
``tie``, to have one. With the option ``swap`` a side may, as its play, exchange the runners.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.evidence import Evidence
from engine.layout import Layout, Looks
from engine.position import Awaits, Dice, Json, Outcome, Play, Position, Rules, Step

SIDES = ("white", "black")
LENGTH = 8


def rank(plays: Sequence[Play], evidence: Evidence, count: int) -> list[tuple[float, Play]]:
    """``nearest`` by looking at every play: for games whose turns have few results."""
    scored = [(evidence.total(play.after.looks()), place, play) for place, play in enumerate(plays)]
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return [(score, play) for score, _, play in scored[:count]]


@dataclass(frozen=True)
class Dash:
    """One play. Equal when the results are."""

    after: Race
    steps: tuple[Step, ...]
    text: str


@dataclass(frozen=True)
class Race(Position):
    """Runners by their way still to go: 8 at the start, 0 off."""

    togo: tuple[tuple[int, int], tuple[int, int]] = ((8, 8), (8, 8))
    turn: str | None = None
    dice: Dice = ()
    swap: bool = False
    tie: bool = False

    @property
    def rules(self) -> Rules:
        return RULES

    @property
    def outcome(self) -> Outcome | None:
        winner = next((side for side, togo in zip(SIDES, self.togo, strict=True) if togo == (0, 0)), None)
        if winner is None:
            return None
        if self.tie:
            return Outcome(None, "tie", 0)
        shutout = min(self.togo[1 - SIDES.index(winner)]) > 0
        return Outcome(winner, "shutout" if shutout else "single", 2 if shutout else 1)

    @property
    def awaits(self) -> Awaits:
        if self.outcome is not None:
            return Awaits.NOTHING
        if self.turn is None:
            return Awaits.OPENING
        return Awaits.PLAY if self.dice else Awaits.ROLL

    @property
    def dice_due(self) -> int:
        return {Awaits.OPENING: 2, Awaits.ROLL: 1}.get(self.awaits, 0)

    def roll(self, dice: Dice) -> Race:
        if len(dice) != self.dice_due or not all(1 <= die <= 6 for die in dice):
            raise BadDice(f"{self.dice_due} dice of 1-6 are due, not {dice}")
        if self.awaits is Awaits.OPENING:
            if dice[0] == dice[1]:
                return self
            return replace(self, turn=SIDES[0] if dice[0] > dice[1] else SIDES[1], dice=(max(dice),))
        return replace(self, dice=dice)

    def plays(self) -> Sequence[Dash]:
        if self.awaits is not Awaits.PLAY:
            return ()
        assert self.turn is not None
        me = SIDES.index(self.turn)
        mine, theirs = self.togo[me], self.togo[1 - me]
        found = []
        for runner in sorted(set(mine), reverse=True):
            left = max(0, runner - self.dice[0])
            blocked = left > 0 and LENGTH + 1 - left in theirs
            if runner and not blocked:
                rest = mine[1] if mine[0] == runner else mine[0]
                step = Step(self.turn, self._cell(me, runner), self._cell(me, left))
                found.append(
                    Dash(
                        self._passed(me, (max(left, rest), min(left, rest))),
                        (step,),
                        f"{runner}/{left or 'off'}",
                    )
                )
        if self.swap and self.togo[0] != self.togo[1]:
            swapped = replace(
                self, togo=(self.togo[1], self.togo[0]), turn=SIDES[1 - me], dice=(), swap=False
            )
            found.append(Dash(swapped, (Step("all", "track", "track"),), "swap"))
        return found or [Dash(self._passed(me, mine), (), "no move")]

    def _passed(self, me: int, mine: tuple[int, int]) -> Race:
        togo = (mine, self.togo[1]) if me == 0 else (self.togo[0], mine)
        after = replace(self, togo=togo, turn=SIDES[1 - me], dice=())
        return after if after.outcome is None else replace(after, turn=None)

    @staticmethod
    def _cell(me: int, togo: int) -> str:
        return f"off.{SIDES[me]}" if togo == 0 else f"p{togo if me == 0 else LENGTH + 1 - togo}"

    def nearest(
        self, evidence: Evidence, count: int = 8, enough: float = -math.inf
    ) -> Sequence[tuple[float, Play]]:
        return rank(self.plays(), evidence, count)

    def find(self, text: str) -> Dash:
        for play in self.plays():
            if play.text == text:
                return play
        raise IllegalPlay(f"no play here is called {text!r}")

    def stand(self, looks: Looks) -> Race:
        togo: list[list[int]] = [[], []]
        for cell, look in looks.items():
            for piece in look:
                if piece not in SIDES:
                    raise ImpossibleSetup((f"{piece!r} is no runner",))
                me = SIDES.index(piece)
                togo[me].append(
                    0 if cell.startswith("off") else int(cell[1:]) if me == 0 else LENGTH + 1 - int(cell[1:])
                )
        if [len(each) for each in togo] != [2, 2]:
            raise ImpossibleSetup(("each side has two runners",))
        white, black = (tuple(sorted(each, reverse=True)) for each in togo)
        assert self.turn is not None
        return replace(
            self, togo=((white[0], white[1]), (black[0], black[1])), turn=RULES.other(self.turn), dice=()
        )

    def layout(self) -> Layout:
        return {cell: (look,) for cell, look in self.looks().items() if look}

    def looks(self) -> Looks:
        looks: dict[str, tuple[str, ...]] = {f"p{point}": () for point in range(1, LENGTH + 1)} | {
            f"off.{side}": () for side in SIDES
        }
        for me, side in enumerate(SIDES):
            for togo in self.togo[me]:
                cell = self._cell(me, togo)
                looks[cell] = tuple(sorted((*looks[cell], side)))
        return looks

    def stock(self) -> Mapping[str, int]:
        return {"white": 2, "black": 2}

    def to_json(self) -> Json:
        return {
            "rules": "footrace",
            "turn": self.turn,
            "togo": [list(togo) for togo in self.togo],
            "tie": self.tie,
        }

    def __str__(self) -> str:
        return f"footrace {self.togo} {self.turn}"


def read(data: Mapping[str, Any]) -> Race:
    togo = data.get("togo", [])
    sound = isinstance(togo, (list, tuple)) and len(togo) == 2
    ways = [way for each in togo if isinstance(each, (list, tuple)) for way in each] if sound else []
    if len(ways) != 4 or any(type(way) is not int or not 0 <= way <= LENGTH for way in ways):
        raise ImpossibleSetup(("each side has two runners, 0-8 points from home",))
    turn = data.get("turn")
    if turn not in (None, *SIDES):
        raise ImpossibleSetup(("the turn is of neither side",))
    tie = data.get("tie", False)
    if type(tie) is not bool:
        raise ImpossibleSetup(("tie is yes or no",))
    (one, two), (three, four) = (sorted(each, reverse=True) for each in togo)
    return Race(togo=((one, two), (three, four)), turn=turn, tie=tie)


RULES = Rules(
    name="footrace",
    title="Footrace",
    sides=SIDES,
    cube=True,
    start=lambda options: Race(swap=options["swap"], tie=options["tie"]),
    read=read,
    options={"swap": False, "tie": False},
    grades=(("single", 1), ("shutout", 2)),
)
