"""Rows of which a third layer lies on the second: from above it hardly shows, but checkers do not vanish."""

from __future__ import annotations

from tests.vision.drawn_table import DrawnTable
from training.rendered.setting import start
from vision.blind.reader import read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import Geometry
from vision.picture.frame import Frame

BLACK = {1: -2, 12: -5, 17: -3, 19: -5}


def test_twelve_to_fourteen_checkers_on_one_point_are_counted() -> None:
    table = DrawnTable(12, (1280, 960), tray="none")
    reader = CheckersReader(calibrate(table.picture(start()), table.corners, Geometry(tray="none")))
    for count in (12, 13, 14):
        picture = table.picture({3: count, 13: 15 - count} | BLACK)
        for reading in (read_blind(picture, table.corners), reader.read(Frame(picture))):
            assert len(reading.looks["p3"]) == count
            assert len(reading.looks["p13"]) == 15 - count
