from __future__ import annotations

import cv2
import numpy as np

from vision.straight_edges import outlines

BOARD = np.array([[300, 420], [790, 440], [770, 70], [320, 60]])


def nearest(image: np.ndarray) -> float:
    return min((float(np.abs(found - BOARD).max()) for found in outlines(image)), default=np.inf)


def test_a_surface_lies_between_the_edges_of_its_rims() -> None:
    image = np.full((540, 960, 3), 90, np.uint8)
    cv2.fillPoly(image, [BOARD + np.array([[-30, 30], [30, 30], [30, -30], [-30, -30]])], (30, 60, 90))
    cv2.fillPoly(image, [BOARD], (120, 160, 150))
    for x in range(330, 740, 45):  # points and checkers make edges, too
        cv2.fillConvexPoly(image, np.array([[x, 100], [x + 40, 100], [x + 20, 240]]), (20, 20, 160))
        cv2.circle(image, (x + 20, 400), 19, (230, 230, 230), -1)
    assert nearest(image) < 3


def test_red_on_green_has_an_edge_though_not_in_grey() -> None:
    image = np.full((540, 960, 3), (0, 100, 0), np.uint8)
    cv2.fillPoly(image, [BOARD], (0, 0, 196))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    assert np.ptp(grey) <= 1
    assert nearest(image) < 3


def test_where_nothing_is_straight_there_is_no_outline() -> None:
    assert outlines(np.full((540, 960, 3), 90, np.uint8)) == []
    assert outlines(np.full((40, 60, 3), 90, np.uint8)) == []
