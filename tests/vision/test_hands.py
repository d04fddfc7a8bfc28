from __future__ import annotations

import cv2
import numpy as np

from tests.vision.boards import rig
from vision import hands
from vision.read import Reader
from vision.scene import RESOLUTION

SHAPE = (180, 200)
RIM = np.ones(SHAPE, bool)
RIM[16:-16, 16:-16] = False
NOTHING = np.zeros(SHAPE, bool)


def circles(places: list[tuple[float, float]]) -> np.ndarray:
    drawn = np.zeros(SHAPE, np.uint8)
    for u, v in places:
        cv2.circle(drawn, (round(u), round(v)), RESOLUTION // 2, 1, -1)
    return drawn > 0


def test_a_sleeve_that_was_taken_for_a_row_of_checkers_is_a_hand_to_its_end() -> None:
    change = NOTHING.copy()
    change[:110, 60:84] = True
    taken = [[(66.0 + 12 * column, 22.0 + RESOLUTION * place) for place in range(7)] for column in (0, 1)]
    hand = hands.find(change, circles([*taken[0], *taken[1]]), RIM, NOTHING, taken)
    assert hand.here
    assert hand.mask[change].all()


def test_checkers_beside_a_hand_stay_checkers() -> None:
    change = NOTHING.copy()
    change[:60, 60:84] = True
    row = [(120.0, 22.0 + (RESOLUTION + 1) * place) for place in range(5)]
    change |= circles(row)
    hand = hands.find(change, circles(row), RIM, NOTHING, [row])
    assert hand.here
    assert not hand.mask[circles(row)].any()


def test_what_an_arm_covers_of_a_tray_is_hidden_too() -> None:
    tray = NOTHING.copy()
    tray[:, 180:] = True
    change = NOTHING.copy()
    change[80:100, 120:] = True
    hand = hands.find(change, NOTHING, RIM, tray)
    assert hand.here
    assert hand.covers({"off.white": tray, "p1": NOTHING}) == {"off.white"}


def test_borne_off_checkers_alone_are_no_hand() -> None:
    tray = NOTHING.copy()
    tray[:, 180:] = True
    change = NOTHING.copy()
    change[100:160, 185:197] = True
    assert not hands.find(change, NOTHING, RIM, tray).here


def test_a_cube_that_leans_over_the_rim_is_no_hand_and_an_arm_over_it_is() -> None:
    place, cube, arm = NOTHING.copy(), NOTHING.copy(), NOTHING.copy()
    place[:30, 92:108] = True
    cube[4:22, 94:106] = True
    arm[:60, 88:112] = True
    assert hands.find(cube, NOTHING, RIM, NOTHING).here
    assert not hands.find(cube, NOTHING, RIM, NOTHING, cubes=place).here
    assert hands.find(arm, NOTHING, RIM, NOTHING, cubes=place).mask[arm].all()


def test_seen_from_aside_a_cube_may_cover_the_rim_behind_it() -> None:
    reader = Reader(rig("green-felt"))
    measures = reader.rig.measures
    rim = reader.flat.outside(measures.width, measures.height)
    eye = reader.rig.camera.eye()
    upright = hands.cubes(reader.flat, measures)
    middle = np.round(reader.flat.at([(measures.width / 2, 0.5 * measures.checker)])).astype(int)[0]
    assert upright[middle[1], middle[0]]
    assert not upright[:, : upright.shape[1] // 4].any()
    # the higher a thing, the further from the camera's foot it is seen
    below = reader.flat.at([(measures.width / 2, measures.height)], hands.CUBE * measures.checker)[0]
    assert (below[1] < reader.flat.at([(measures.width / 2, measures.height)])[0][1]) == (eye[1] < measures.height)
    assert (upright & rim).any() == (0 < eye[1] < measures.height)
