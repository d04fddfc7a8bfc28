"""Rows of which a third layer lies on the second: from above it hardly shows, but checkers do not vanish."""

from __future__ import annotations

from tests.bench.tall_rows import position
from tests.vision.drawn_table import DrawnTable
from training.rendered.setting import start
from vision.blind.reader import read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import Geometry
from vision.picture.frame import Frame


def test_twelve_to_fourteen_checkers_on_one_point_are_counted() -> None:
    table = DrawnTable(6, (1280, 960), tray="none")
    reader = CheckersReader(calibrate(table.picture(start()), table.corners, Geometry(tray="none")))
    for count in (12, 13, 14):
        _, points = position(1, count)
        picture = table.picture(points)
        for reading in (read_blind(picture, table.corners), reader.read(Frame(picture))):
            assert len(reading.looks["p3"]) == count
            assert len(reading.looks["p13"]) == 15 - count
