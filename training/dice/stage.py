"""The table of a match that is drawn, under one camera: checkers, dice, pictures (see ``reels``)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.position import Dice, Position
from training.dice.body import Body, random_body
from training.dice.put import Thing, put, turned
from training.rendered.deep import deep_board, deep_view
from training.rendered.lens import SHAPES, develop, random_sensor, through_lens
from training.rendered.light import random_sheen
from training.rendered.loose_rows import HANDS, Hand, left
from training.rendered.relief import empty_board, ground_of, photograph, pile
from training.rendered.setting import Setting, set_up
from training.rendered.table import random_board, random_view

CLEAR = 1.2
"""How far from a checker's rim a die's middle lies, in its edges."""


class Stage:
    """One table under one camera; every position is shown in the same light, with what was not moved where it
    was. ``hands``: whether it can show one."""

    hands = False

    def __init__(self, seed: int, width: int, deep: bool = False, player: Hand = HANDS["neat"]) -> None:
        """``deep``: with high walls, under one lamp at the side; ``player``: who leaves the rows."""
        self.seed, self.width, self._player = seed, width, player
        rng = np.random.default_rng([815, seed])
        self.board = replace(random_board(rng), tray="right")
        shape = SHAPES[int(rng.integers(len(SHAPES)))]
        self.view = random_view(rng, self.board, (width, int(width * shape)))
        if deep:
            self.board = deep_board(rng, self.board)
            self.view = deep_view(rng, self.board, self.view)
        self._begin(rng)
        self._sensor, self._gain = random_sensor(rng), np.zeros(3)
        size = float(rng.uniform(1.1, 1.6))
        self._pairs: list[tuple[Body, float]] = [(random_body(rng), size), (random_body(rng), size)]
        self.rng = rng

    def _begin(self, rng: np.random.Generator) -> None:
        """The empty table."""
        raise NotImplementedError

    def lay(self, setting: Setting) -> None:
        """From here on these checkers lie there."""
        raise NotImplementedError

    def _light(self, things: list[Thing], hand: bool) -> NDArray[np.float32]:
        """What a pinhole sees, linear."""
        raise NotImplementedError

    def setting(self, position: Position) -> Setting:
        """A position's checkers: those of a row that was not touched lie as they lay."""
        data = position.to_json()
        points = {int(number): int(count) for number, count in data["points"].items()}  # type: ignore[union-attr]
        bar, off = tuple(data["bar"]), tuple(data["off"])  # type: ignore[arg-type]
        whole = Setting(points=points, bar=bar, off=off)
        rows = [Setting(points={number: count}) for number, count in points.items()]
        for number, row in enumerate([*rows, Setting(bar=bar), Setting(off=off)]):
            rng = np.random.default_rng([self.seed, number, *row.points])
            set_up(rng, self.board, row, bare=True)
            whole.pieces += left(self.board, row.pieces, self._player, rng) if row.points else row.pieces
        return whole

    def thrown(self, setting: Setting, after: Setting, side: int, dice: Dice) -> list[Thing]:
        """The pair of a side (0 White), where no checker lies before the play or after it."""
        board, (body, size) = self.board, self._pairs[side]
        low = board.width / 2 + board.bar / 2 if side == 0 else 0.0
        things: list[Thing] = []
        while len(things) < 2:
            x = low + float(self.rng.uniform(1.5, board.width / 2 - board.bar / 2 - 1.5))
            y = float(self.rng.uniform(0.3, 0.7) * board.height)
            reach = board.checker / 2 + CLEAR * size
            free = all(np.hypot(x - p.x, y - p.y) > reach for p in (*setting.pieces, *after.pieces))
            free = free and all(np.hypot(x - one.x, y - one.y) > 1.6 * size for one in things)
            if free or self.rng.random() < 0.005:  # a full board: on a checker's edge, in the end
                face = body.values.index(dice[len(things)])
                turn = turned(self.rng, face, abs(float(self.rng.normal(0, 0.7))))
                things.append(Thing(body, x, y, 0.0, size, turn, face))
        return things

    def take(self, things: list[Thing], hand: bool = False) -> NDArray[np.uint8]:
        """The picture of the table with dice on it, and a ``hand`` above."""
        shown = through_lens(self.view, self._light(things, hand))
        if not self._gain.any():
            bright = max(float(np.percentile(shown, 90)), 1e-6)
            self._gain = 0.5 / bright * np.exp(self.rng.normal(0, 0.05, 3))
        return develop(self.rng, shown, self._gain, self._sensor)


class DrawnStage(Stage):
    """A table drawn as sheets."""

    def _begin(self, rng: np.random.Generator) -> None:
        self._ground = ground_of(self.board)
        self._bare, self._sheen = empty_board(rng, self.board, self._ground), random_sheen(rng, self.board)

    def lay(self, setting: Setting) -> None:
        rng = np.random.default_rng([self.seed, 7])
        sheets = [*self._bare, *pile(rng, self.board, self._ground, setting)]
        every = sorted(sheets, key=lambda sheet: sheet.z)
        self._bright = photograph(rng, every, self._ground, self.view, self.board.thick / 2, self._sheen)

    def _light(self, things: list[Thing], hand: bool) -> NDArray[np.float32]:
        shown, still = self._bright.copy(), np.random.default_rng([self.seed, 8])
        for thing in things:
            put(still, shown, self.view, thing, np.ones(len(self.view.lamps), np.float32))
        return shown
