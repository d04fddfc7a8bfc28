"""Draws whole matches as recorded sessions, with dice on the board, and with the truth: films to measure by.

    python -m training.dice.reels FOLDER --number 3 [--length 3] [--width 1280] [--turns 60] [--cube]
        [--player usual] [--deep] [--traced]

A turn shows two pictures: the dice that were thrown, and the play done while they still lie there. Each
player has a pair and throws into the half at the own right. ``reel.json`` has rolls and buttons too, which
``barpoint transcribe`` does not look at; ``truth.json`` has what was played, as the shared reel has it.

With ``--traced`` Blender renders it (``pip install bpy``; some 20 s a picture of 1280 pixels), and a hand
reaches in between a turn's two pictures (``filmed``).

Rows are as neat as they are drawn, or as other players leave them (``training.rendered.loose_rows``).

With a cube, it lies on the rim at the left until it is offered on the field (a picture more), and then with
who took it, at his end of the bar (another); ``truth.json`` has ``cube`` too: before which turn (counted from
0), by whom, and whether it was taken.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import rules as games
from engine.cube import Cube
from engine.match import Match, Terms
from engine.position import Awaits, Dice, Outcome, Play, Position
from training.dice.body import random_body
from training.dice.put import Thing, turned
from training.dice.stage import DrawnStage, Stage
from training.rendered.deep import DEEP
from training.rendered.lens import project
from training.rendered.loose_rows import HANDS
from training.rendered.setting import Setting

RULES = games.get("backgammon")
SECONDS = 1.0
"""Between two pictures."""
OFTEN = 0.12
"""How often who may double does."""
DROPS = 0.3
"""How often a double is dropped."""


class DrawnCube:
    """The doubling cube of a match on one stage; its chances are its own, so that a match without one is
    drawn as ever."""

    def __init__(self, stage: Stage, often: float = OFTEN) -> None:
        self.rng, self.often = np.random.default_rng([816, stage.seed]), often
        self._stage, self._body = stage, random_body(self.rng, cube=True)
        self._size = float(self.rng.uniform(2.2, 3.0))
        self.begin()

    def begin(self) -> None:
        """A game begins: it lies on the rim, between the players, and shows 64."""
        board = self._stage.board
        self.state = Cube()
        self._lay(-board.frame / 2, board.height / 2, board.rail, 64)

    def _lay(self, x: float, y: float, z: float, value: int) -> None:
        face = self._body.values.index(min(value, 64))
        turn = turned(self.rng, face, abs(float(self.rng.normal(0, 0.5))))
        self.thing = Thing(self._body, x, y, z, self._size, turn, face)

    def offer(self, side: str, setting: Setting, dice: list[Thing]) -> None:
        """It is put onto the field, where nothing lies."""
        board = self._stage.board
        self.state = self.state.offered(side, RULES.other(side))
        while True:
            x = float(self.rng.uniform(0.06, 0.94) * board.width)
            y = float(self.rng.uniform(0.25, 0.75) * board.height)
            free = abs(x - board.width / 2) > board.bar / 2 + self._size
            free = free and all(
                np.hypot(x - each.x, y - each.y) > board.checker / 2 + 0.9 * self._size
                for each in setting.pieces
            )
            if free and all(np.hypot(x - each.x, y - each.y) > 1.5 * self._size for each in dice):
                break
        self._lay(x, y, 0.0, 2 * self.state.value)

    def take(self) -> None:
        """Who was offered it has it, at the own end of the bar."""
        board = self._stage.board
        self.state = self.state.taken()
        near = self.state.owner == RULES.sides[0]
        y = 0.6 * self._size if near else board.height - 0.6 * self._size
        self._lay(board.width / 2, y, board.ridge, self.state.value)


class Reel:
    """A recorded session that is being written."""

    def __init__(self, folder: Path, stage: Stage) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        board = stage.board
        corners = [[0, 0, 0], [board.width, 0, 0], [board.width, board.height, 0], [0, board.height, 0]]
        self._folder, self._t, self.turns = folder, 0.0, 0
        self._reel: dict[str, Any] = {
            "size": list(stage.view.size),
            "corners_px": project(stage.view, np.array(corners, np.float64)).round(2).tolist(),
            "geometry_cm": {"pitch": board.pitch, "checker": board.checker, "bar": board.bar,
                            "width": board.width, "height": board.height, "tray": board.tray},
            "timeline": [],
        }  # fmt: skip
        self._truth: list[dict[str, Any]] = []
        self._cube: list[dict[str, Any]] = []

    def show(self, picture: NDArray[np.uint8]) -> None:
        """A picture, a second after the last."""
        name = f"{sum('frame' in each for each in self._reel['timeline']):04d}.jpg"
        cv2.imwrite(str(self._folder / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
        self._tell(frame=name)
        self._t += SECONDS

    def _tell(self, **what: Any) -> None:
        self._reel["timeline"].append({"t": round(self._t, 2), **what})

    def rolled(self, side: str, dice: Dice) -> None:
        """A roll."""
        self._tell(side=side, roll=list(dice))

    def played(self, side: str, dice: Dice, before: Position, after: Position) -> None:
        """A turn's end."""
        self._tell(side=side, button="done")
        told = {"turn": self.turns, "verdict": "legal", "side": side, "dice": list(dice)}
        self._truth.append({**told, "before": before.to_json(), "after": after.to_json()})
        self.turns += 1

    def doubled(self, side: str, taken: bool) -> None:
        """A double, and its answer."""
        self._tell(side=side, button="double")
        self._tell(side=RULES.other(side), button="take" if taken else "drop")
        self._cube.append({"before": self.turns, "side": side, "take": taken})

    def save(self) -> None:
        """Write what was told so far."""
        truth = {"verdicts": self._truth, **({"cube": self._cube} if self._cube else {})}
        (self._folder / "reel.json").write_text(json.dumps(self._reel))
        (self._folder / "truth.json").write_text(json.dumps(truth))


def chosen(rng: np.random.Generator, plays: list[Play]) -> Play:
    """A play as people make them, more or less: points rather than blots, hits, home."""

    def worth(play: Play) -> float:
        data: dict[str, Any] = dict(play.after.to_json())
        white = play.after.turn == "black"
        points = {int(number): count if white else -count for number, count in data["points"].items()}
        blots = sum(count == 1 for count in points.values())
        made = sum(count >= 2 for count in points.values())
        hit, gone = data["bar"][1 if white else 0], data["off"][0 if white else 1]
        pips = sum((n if white else 25 - n) * count for n, count in points.items() if count > 0)
        return made - blots + 2.5 * hit + gone - 0.05 * pips + float(rng.normal(0, 0.4))

    return max(plays, key=worth)


def play(
    stage: Stage, reel: Reel, position: Position, most: int, match: Match, cube: DrawnCube | None = None
) -> Outcome | None:
    """One game, or as much of it as ``most`` turns of the reel; how it ended."""
    setting = stage.setting(position)
    stage.lay(setting)
    lying: list[Thing] = []

    def show(things: list[Thing], hand: bool = False) -> None:
        reel.show(stage.take(things if cube is None else [*things, cube.thing], hand))

    if cube is not None:
        cube.begin()
    show([])
    while position.awaits is not Awaits.NOTHING and reel.turns < most:
        if cube is not None and position.turn is not None and _doubles(cube, match, position.turn):
            cube.offer(position.turn, setting, lying)
            show(lying)
            taken = bool(cube.rng.random() >= DROPS)
            reel.doubled(position.turn, taken)
            if not taken:
                reel.save()
                return Outcome(position.turn, "single", cube.state.value)
            cube.take()
            show(lying)
        one, two = (int(value) for value in stage.rng.integers(1, 7, 2))
        if position.turn is None and one == two:
            continue
        opened = RULES.sides[0 if one > two else 1]
        side = position.turn or opened
        rolled = position.roll((one, two))
        done = chosen(stage.rng, list(rolled.plays())).after
        after = stage.setting(done)
        lying = stage.thrown(setting, after, RULES.sides.index(side), (one, two))
        reel.rolled(side, (one, two))
        show(lying)
        if after.pieces != setting.pieces:
            if stage.hands:
                show(lying, hand=True)
            stage.lay(after)
            show(lying)
        reel.played(side, (one, two), position, done)
        position, setting = done, after
        reel.save()
        print(reel.turns, end=" ", flush=True)
    outcome = position.outcome
    if outcome is None or cube is None:
        return outcome
    return Outcome(outcome.winner, outcome.kind, cube.state.points(match, outcome.points))


def _doubles(cube: DrawnCube, match: Match, side: str) -> bool:
    """Whether ``side`` doubles now."""
    return cube.state.refusal(match, side, (2, 2)) is None and bool(cube.rng.random() < cube.often)


def draw_match(stage: Stage, reel: Reel, length: int, turns: int, cube: DrawnCube | None = None) -> Match:
    """Game after game until somebody has won ``length`` points, or so many ``turns`` are shown."""
    match = Match.begin(Terms(length=length), RULES.sides)
    while match.winner is None and reel.turns < turns:
        outcome = play(stage, reel, RULES.start(RULES.options), turns, match, cube)
        if outcome is None:
            break
        match = match.award(outcome.winner, outcome.points).next(tie=False)
    return match


def _stage(options: argparse.Namespace) -> Stage:
    if not options.traced:
        return DrawnStage(options.number, options.width, options.deep, HANDS[options.player])
    from training.dice.filmed import TracedStage  # wants Blender: a drawn match does not

    return TracedStage(options.number, options.width, options.deep, HANDS[options.player])


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=0, help="which table, and which match on it")
    parser.add_argument("--length", type=int, default=3, help="points that the match is played to")
    parser.add_argument("--width", type=int, default=1280, help="pixels of a picture")
    parser.add_argument("--turns", type=int, default=60, help="turns that are shown at most")
    parser.add_argument("--cube", action="store_true", help="with the doubling cube")
    parser.add_argument("--deep", action="store_true", help=DEEP)
    parser.add_argument("--player", choices=HANDS, default="neat", help="how rows are left")
    parser.add_argument("--traced", action="store_true", help="path-traced in Blender, with hands")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    stage = _stage(options)
    reel, cube = Reel(options.folder, stage), DrawnCube(stage) if options.cube else None
    match = draw_match(stage, reel, options.length, options.turns, cube)
    print(f"\n{reel.turns} turns, {match.score}")


if __name__ == "__main__":
    main()
