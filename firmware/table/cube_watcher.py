"""Follows the doubling cube on the board (``cube = "camera"``): who lays it out has doubled, who takes it
to the own side has taken.

The camera's thread sees it in every picture at rest (:class:`firmware.table.live.LiveEyes`); here, in the
referee's thread, it is held against the match (:mod:`firmware.table.doubling`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine import strict_json
from engine.events import Event
from engine.layout import Side
from engine.match_state import State
from engine.position import Rules
from firmware.files import replace_file
from firmware.table.dice_watcher import DiceEyes, is_set_up, right_half, whole_looks
from firmware.table.doubling import FIELD, MIDDLE, Doubling, SeenCube
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable
from vision.dice import DoublingCube, Lying
from vision.dice.cube_zone import CubeZone, zone_of
from vision.reading import BoardReader


class CubeWatcher(TableWatcher):
    """One table's cube. Where it lay as the game began, and where the last one has left it, is kept in the
    file ``memory`` for the next start of the program."""

    def __init__(self, eyes: DiceEyes, memory: Path) -> None:
        self._eyes, self._memory = eyes, memory
        self._doubling = _remembered(memory)
        self._lying: Lying | None = None
        self._table: WatchedTable | None = None

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """Another match: of the cube it is known only where the last one has left it."""
        self._doubling, self._lying = Doubling(home=self._doubling.home, away=self._doubling.away), None

    def __call__(self, news: News) -> None:
        """A picture at rest, or a change of the match that gives the cube another meaning."""
        table, stage = news.session.table, self._table
        if table is None or stage is None or news.moving or news.refused is not None:
            return
        if news.frame is not None:
            self._lying = self._eyes.lying_in(news.frame.name)
        known, lying = self._eyes.table, self._lying
        if known is None or lying is None or not (table.rules.cube and table.match.terms.cube):
            return
        cube = None if lying.cube is None else seen_cube(lying.cube, known, table.rules)
        new = news.frame is not None
        set_up = new and table.state is State.OFFERED and is_set_up(whole_looks(self._eyes), table)
        before = self._doubling
        self._doubling, asked, words = before.see(cube, lying.dice, set_up, table, news.t)
        self._remember(before)
        stage.report_trouble("cube", words)
        if asked is not None:
            stage.hand_over(asked)

    def _remember(self, before: Doubling) -> None:
        """Keeps where the cube lies now, if it was moved."""
        now = self._doubling
        if _alike(now.home, before.home) and _alike(now.away, before.away):
            self._doubling = replace(now, home=before.home, away=before.away)
            return
        places = {"home": now.home and asdict(now.home), "away": now.away and asdict(now.away)}
        with suppress(OSError):  # a full disk is told of where the journal cannot be written
            replace_file(self._memory, json.dumps(places))


def _alike(one: SeenCube | None, other: SeenCube | None) -> bool:
    return one is other or (one is not None and not one.moved_from(other))


def _remembered(memory: Path) -> Doubling:
    """What was kept; nothing where nothing can be read."""
    try:
        kept = strict_json.loads(memory.read_text(encoding="utf-8"))
        home, away = (kept[name] and _cube(kept[name]) for name in ("home", "away"))
    except (OSError, ValueError, TypeError, KeyError):
        return Doubling()
    return Doubling(home=home, away=away)


def _cube(kept: Mapping[str, Any]) -> SeenCube:
    x, y = map(float, kept["place"])
    return SeenCube(str(kept["where"]), (x, y), float(kept["edge"]))


def seen_cube(cube: DoublingCube, known: BoardReader, rules: Rules) -> SeenCube | None:
    """The cube with where it lies for those who play; None where nobody knows who sits where."""
    _, measures = known.placement()
    near, _ = right_half(known, rules)
    if near is None:
        return None
    where: dict[CubeZone, Side | str] = {
        CubeZone.MIDDLE: MIDDLE,
        CubeZone.FIELD: FIELD,
        CubeZone.NEAR: near,
        CubeZone.FAR: rules.other(near),
    }
    return SeenCube(where[zone_of(cube.place, measures)], cube.place, cube.size)
