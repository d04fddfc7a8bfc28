"""Tells the players where the board is not as the game has it while nobody plays: what was set up wrongly, or
pushed aside after a turn, would be called the next player's foul."""

from __future__ import annotations

from engine import words
from engine.events import DiceFrom
from engine.evidence import Evidence
from engine.judge import astray
from engine.match_state import MatchState, State
from firmware.table.dice_watcher import NOT_OVER, is_set_up
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable


class BoardWatcher(TableWatcher):
    """One table's board before every roll. ``reads_dice``: the camera reads the dice; where it does not, and
    the players say nothing of their own, they have moved before anybody knows that they have rolled."""

    def __init__(self, reads_dice: bool) -> None:
        self._reads_dice = reads_dice
        self._evidence: Evidence | None = None
        self._table: WatchedTable | None = None

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def __call__(self, news: News) -> None:
        """A picture at rest, or a change of the match: whether the board is as it was before the roll."""
        table, stage = news.session.table, self._table
        if news.frame is not None or news.moving:
            self._evidence = news.evidence
        elif table is not None and table.state is State.PLAY:
            return  # the dice have fallen on the board that was told of
        if table is not None and stage is not None and news.refused is None and not news.moving:
            stage.report_trouble("board", self._astray(table))

    def _astray(self, table: MatchState) -> str:
        """Where the board is not as it should be, in words."""
        rolled = self._reads_dice or table.begin.dice is DiceFrom.ROLLED
        if self._evidence is None or not rolled or table.state not in (State.OPENING, State.ROLL):
            return ""
        if any(each.kind == "undo" for each in table.news):
            return ""  # dice were taken back: what was played by them stands there
        if is_set_up(self._evidence.best(), table):
            return NOT_OVER
        seen = astray(table.position, self._evidence)
        return "" if seen is None else words.astray(table.position, seen, table.player)
