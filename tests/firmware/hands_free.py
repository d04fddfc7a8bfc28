"""A table without buttons: simulated frames say what stands on the board, and what lies beside it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from engine.event_json import from_json
from engine.events import Begin, DiceFrom, Event, Moves
from engine.evidence import Evidence
from engine.layout import Looks
from engine.match import Terms
from engine.position import Position
from engine.session import Session
from firmware.page.state import page_state
from firmware.record.journal import Journal
from firmware.table.board_watcher import BoardWatcher
from firmware.table.cube_watcher import CubeWatcher
from firmware.table.dice_watcher import DiceWatcher
from firmware.table.news import News, prove_view
from firmware.table.referee import Referee, Stimulus, restore
from firmware.table.throws import Habits
from firmware.troubles import Troubles
from hardware.protocols import Frame
from hardware.simulated import ScriptedDice
from vision.dice import Die, DoublingCube, Lies, Lying
from vision.reading import BoardReader

STRICT = Habits(strict=True, picking_up=True, right_half="white")
OWN = {"white": 45.0, "black": 15.0}
"""Where in the thrower's right half dice fall, in cm."""


def die(value: int | None, x: float, y: float = 24.0, lies: Lies = Lies.FLAT, sure: float = 0.99995) -> Die:
    return Die(value, (10 * x, 10 * y), sure if value else 0.7, "red", lies, (x, y), 1.3)


def thrown(side: str, *values: int | None, lies: Lies = Lies.FLAT, sure: float = 0.99995) -> tuple[Die, ...]:
    return tuple(die(value, OWN[side] + 3 * k, lies=lies, sure=sure) for k, value in enumerate(values))


LOG = "hands-free"


class Table:
    """The referee and the dice's watcher; the queue between them is emptied after every picture."""

    def __init__(
        self,
        folder: Path,
        habits: Habits = STRICT,
        length: int = 1,
        source: DiceFrom = DiceFrom.INFERRED,
        board: BoardReader | None = None,
        moves: Moves = Moves.LEGAL,
        terms: Terms | None = None,
    ) -> None:
        self.seen: dict[str, tuple[Looks | None, Lying]] = {}
        self.queue: deque[Stimulus] = deque()
        self.said: list[str] = []
        """What the log says, line by line."""
        self.troubles = Troubles(self.said.append)
        self.t, self.events = 0.0, list[Event]()
        self.refused: list[str] = []
        self.looks: Looks = {}
        self.hidden: frozenset[str] = frozenset()
        self.out_of_view: tuple[str, ...] = ()
        """Cells that the camera does not have in its picture."""
        self.journal = Journal.open(folder / "journal.db")
        self.cube: DoublingCube | None = None
        self.table = board
        self._watchers = lambda: (
            BoardWatcher(reads_dice=source is DiceFrom.INFERRED),
            CubeWatcher(self, folder / "cube.json"),
            DiceWatcher(self, habits),
        )
        self._sit(None)
        begin = Begin(t=0, rules="backgammon", terms=terms or Terms(length=length), dice=source, moves=moves)
        self.referee.begin(begin)

    def _sit(self, session: Session | None) -> None:
        self.boards, self.cubes, self.watcher = own = self._watchers()
        self.watcher._known = self.table
        for each in own:
            each.attach(self)  # type: ignore[arg-type]
        self.referee = Referee(
            self.journal,
            LOG,
            self,
            ScriptedDice([]),
            watchers=[self._note, *own],
            session=session,
            proofs=[prove_view, self._show_page],
        )

    def _show_page(self, news: News) -> None:
        """What cannot be shown is refused, as at a real table."""
        page_state(news.session, news.t, [], hands_free=True)

    def restart(self) -> None:
        """The program is killed, and starts again."""
        entries = self.journal.entries(LOG)
        self.queue.clear()
        self._sit(restore(LOG, entries))
        for each in (self.boards, self.cubes, self.watcher):
            each.begin_match(LOG, self.position.rules, [from_json(entry.body) for entry in entries])
        self.troubles = Troubles(self.said.append)
        self.watcher._known = self.table

    # what the watcher asks of its eyes and of the table

    def look(self, frame: Frame) -> Evidence | None:
        looks = self.seen[frame.name][0]
        looks = looks and {cell: look for cell, look in looks.items() if cell not in self.out_of_view}
        return None if looks is None else Evidence.certain(looks)

    def lying_in(self, name: str) -> Lying:
        return self.seen[name][1]

    def resting_reading(self) -> Any:
        looks = {cell: look for cell, look in self.looks.items() if cell not in self.out_of_view}
        return type("Read", (), {"looks": looks, "occluded": self.hidden})()

    def report_trouble(self, what: str, words: str) -> None:
        self.troubles.set(what, words)

    @property
    def told(self) -> str:
        """What the players are told of dice and cube."""
        return " ".join(self.troubles.words)

    def hand_over(self, stimulus: Stimulus) -> None:
        self.queue.append(stimulus)

    def _note(self, news: News) -> None:
        if news.event is not None and news.refused is None:
            self.events.append(news.event)
        if news.refused:
            self.refused.append(news.refused)

    # what the players do

    @property
    def session(self) -> Session:
        return self.referee.session

    @property
    def position(self) -> Position:
        assert self.session.position is not None
        return self.session.position

    def show(self, looks: Looks | None, *dice: Die) -> None:
        """The next picture, at rest; None: a hand is over the board."""
        self.t += 1
        name = f"{self.t}"
        self.seen[name], self.looks = (looks, Lying(dice, self.cube)), looks or self.looks
        self.take(Frame(self.t, name, np.zeros((1, 1, 3), np.uint8)))

    def take(self, stimulus: Stimulus) -> None:
        self.referee.take(stimulus)
        while self.queue:
            self.referee.take(self.queue.popleft())

    def open(self, white: int, black: int) -> tuple[Die, Die]:
        dice = die(white, OWN["white"]), die(black, OWN["black"])
        self.show(self.position.looks(), *dice)
        return dice
