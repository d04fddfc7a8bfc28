"""The eyes of the simulated table, of which the page asks pictures while the table reads them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine import rules as games
from firmware.simulated.board_eyes import BoardEyes


def test_pictures_that_are_asked_for_at_once_are_what_they_are_alone() -> None:
    start = games.get("backgammon").start({}).roll((6, 1))
    boards = [start, *(play.after for play in start.plays()[:3])]

    def painted(number: int) -> bytes:
        eyes = BoardEyes()
        eyes.sit_down(boards[number])
        picture = eyes.still()
        assert picture is not None
        return np.asarray(picture).tobytes()

    alone = [painted(number) for number in range(len(boards))]
    with ThreadPoolExecutor(len(boards)) as pool:
        assert list(pool.map(painted, range(len(boards)))) == alone
