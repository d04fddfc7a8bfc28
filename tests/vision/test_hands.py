from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.boards import corners, geometry, picture, rig, truth
from vision import hands
from vision.checkers import plan as checkers_plan
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.plan import Plan
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import Geometry, Orientation
from vision.geometry.flat import RESOLUTION
from vision.light.surface import Surface
from vision.picture.frame import Frame, load

REEL = Path(__file__).parents[1] / "data/reel"
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


def test_fingers_beside_a_seam_that_looks_like_the_board_belong_to_the_hand() -> None:
    change = NOTHING.copy()
    change[:60, 60:84] = True
    fingers = [(91.0, 50.0)]
    change |= circles(fingers)
    change[:, 84] = False  # a shaded edge of the hand, as bright as the board
    hand = hands.find(change, circles(fingers), RIM, NOTHING, [fingers])
    assert hand.mask[circles(fingers) & change].all()


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
    assert not hands.find(cube, NOTHING, RIM, NOTHING, aside=place).here
    assert hands.find(arm, NOTHING, RIM, NOTHING, aside=place).mask[arm].all()


def test_a_cup_with_the_row_of_checkers_and_the_cube_beside_it_is_no_arm() -> None:
    place, cube, cup = NOTHING.copy(), NOTHING.copy(), NOTHING.copy()
    place[:26, 90:110], cube[4:22, 94:106] = True, True
    cup[20:60, 64:96] = True
    row = [(118.0, 14.0 + RESOLUTION * k) for k in range(5)]  # seen from aside, it leans over the rim
    shadow = cv2.dilate(circles(row).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    change = cube | cup | shadow
    change[20:24, 94:120] = True  # their shadows join them
    hand = hands.find(change, circles(row), RIM, NOTHING, [row], aside=place)
    assert hand.things[cup].all()
    assert not hand.arm


def test_every_hand_of_a_recorded_game_is_seen_and_none_where_there_is_none() -> None:
    told = json.loads((REEL / "reel.json").read_text())
    frames = json.loads((REEL / "truth.json").read_text())["frames"]
    first, *others = sorted(frames)
    where = [(float(x), float(y)) for x, y in told["corners_px"]]
    board = Geometry.from_json(told["geometry_cm"])
    reader = CheckersReader(calibrate(load(REEL / first).image, where, board))
    for name in [*others[::4], "049.jpg", "087.jpg", "091.jpg", "105.jpg"]:
        assert reader.read(load(REEL / name)).hand == frames[name]["hand"], name


def test_seen_from_aside_a_cube_may_cover_the_rim_behind_it() -> None:
    reader = CheckersReader(rig("green-felt"))
    measures = reader.rig.measures
    rim = reader.flat.outside(measures.width, measures.height)
    eye = reader.rig.camera.eye()
    upright = hands.cubes(reader.flat, measures)
    middle = np.round(reader.flat.at([(measures.width / 2, 0.5 * measures.checker)])).astype(int)[0]
    assert upright[middle[1], middle[0]]
    assert not upright[:, : upright.shape[1] // 4].any()
    # the higher a thing, the further from the camera's foot it is seen
    below = reader.flat.at([(measures.width / 2, measures.height)], hands.CUBE[1] * measures.checker)[0]
    assert (below[1] < reader.flat.at([(measures.width / 2, measures.height)])[0][1]) == (
        eye[1] < measures.height
    )
    assert (upright & rim).any() == (0 < eye[1] < measures.height)


def test_what_the_map_repeats_beyond_the_picture_is_no_hand_and_an_arm_that_comes_from_there_is() -> None:
    unseen = NOTHING.copy()
    unseen[:10] = True
    checker = circles([(120.0, 21.0)])
    smeared = checker.copy()
    smeared[:21, 115:126] = True
    low = NOTHING.copy()
    low[:8] = True
    assert hands.find(smeared, checker, low, NOTHING).here
    assert not hands.find(smeared, checker, low, NOTHING, unseen=unseen).here
    arm = NOTHING.copy()
    arm[:60, 60:84] = True
    hand = hands.find(arm, NOTHING, RIM, NOTHING, unseen=unseen)
    assert hand.here
    assert hand.reaches_in


def light(values: np.ndarray, surface: np.ndarray, guessed: np.ndarray | None = None) -> hands.RelitFrame:
    """A picture of lumas of a board of lumas."""
    known = [
        np.repeat(each[..., None], 3, axis=2).astype(np.float32) * np.float32([1, 0, 0])
        for each in (surface, values)
    ]
    return hands.RelitFrame(Surface(known[0], guessed), known[1])


STRIPED = 4.5 + 0.3 * ((np.arange(SHAPE[1]) // 8) % 2)[None, :] + np.zeros(SHAPE)


LAMP = np.linspace(0, 1.5, SHAPE[1])[None, :] + np.zeros(SHAPE)


@pytest.mark.parametrize(
    ("surface", "seen", "hand"),
    [
        (STRIPED, STRIPED + 0.15, False),
        (STRIPED, STRIPED + 0.4, False),
        (STRIPED, np.full(SHAPE, 3.4), True),
        (STRIPED + LAMP, STRIPED + 1.5 * LAMP, False),
        (
            4.6 + LAMP,
            4.0 + LAMP,
            True,
        ),  # a plain sleeve over a plain board, both in the light of one near lamp
        (4.0 + LAMP, 4.6 + LAMP, False),  # nothing but brighter, in the middle of the board
    ],
)
def test_light_through_which_the_board_shows_is_no_hand(
    surface: np.ndarray, seen: np.ndarray, hand: bool
) -> None:
    lying = NOTHING.copy()
    lying[60:100, 60:120] = True
    assert hands.find(lying, NOTHING, RIM, NOTHING).here
    assert hands.find(lying, NOTHING, RIM, NOTHING, light=light(seen, surface)).here == hand


def test_a_plain_sleeve_of_the_boards_hue_is_a_hand_where_it_crosses_the_rim() -> None:
    arm = NOTHING.copy()
    arm[:60, 60:84] = True
    assert hands.find(arm, NOTHING, RIM, NOTHING, light=light(4.6 + LAMP, 4.0 + LAMP)).here


def test_what_differs_from_a_guess_alone_is_no_hand() -> None:
    lying = NOTHING.copy()
    lying[60:100, 60:120] = True
    seen = np.full(SHAPE, 3.4)
    assert not hands.find(lying, NOTHING, RIM, NOTHING, light=light(seen, STRIPED, lying)).here
    half = lying.copy()
    half[:, :90] = False
    assert hands.find(lying, NOTHING, RIM, NOTHING, light=light(seen, STRIPED, half)).here


def test_a_thin_strip_along_the_edge_is_no_hand_and_fingers_over_the_rim_are() -> None:
    strip, fingers = NOTHING.copy(), NOTHING.copy()
    strip[:4, 20:150] = True
    fingers[:20, 60:66] = True
    assert not hands.find(strip, NOTHING, RIM, NOTHING).here
    assert hands.find(fingers, NOTHING, RIM, NOTHING).here


def test_what_lies_in_a_tray_that_nobody_bears_off_to_is_no_hand_and_an_arm_across_it_is() -> None:
    reader = CheckersReader(rig("green-felt"))
    flat = replace(reader.flat, left=-2.5 * reader.rig.measures.checker)
    plan = Plan(replace(reader.rig.measures, tray="both"), flat, Orientation(), 15)
    rim = flat.outside(reader.rig.measures.width, reader.rig.measures.height)
    lying, nothing = np.zeros(flat.shape, bool), np.zeros(flat.shape, bool)
    lying[:, flat.x < 0] = True
    arm = lying.copy()
    arm[80:100, : flat.shape[1] // 3] = True
    assert not hands.find(lying, nothing, rim, plan.loose).here
    assert hands.find(arm, nothing, rim, plan.loose).mask[arm].all()


@pytest.mark.parametrize("away", [1.8, 4.5])
def test_a_cube_on_a_rim_or_beside_the_board_is_no_hand(away: float) -> None:
    """It lies there through the whole game, partly out of the map's view."""
    reader = CheckersReader(rig("green-felt"))
    flat, size = reader.flat, reader.rig.measures
    rim = flat.outside(size.width, size.height)
    x, y = flat.x[None, :], flat.y[:, None]
    lying = (np.abs(x - size.width / 3) < 1.8) & (np.abs(y + away) < 1.8)
    nothing = np.zeros(flat.shape, bool)
    assert lying.any()
    assert not hands.find(lying, nothing, rim, reader._plan.loose).here
    fingers = lying | ((np.abs(x - size.width / 3) < 2) & (np.abs(y) < 4))
    assert hands.find(fingers, nothing, rim, reader._plan.loose).here


def test_checkers_on_the_bar_that_are_too_faint_to_be_believed_are_no_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = CheckersReader(rig("cork-tan"))
    frame = picture("cork-tan", "02")
    assert len(truth("cork-tan", "02")["bar.white"]) == 2
    monkeypatch.setitem(checkers_plan.PRICE, "bar", 20.0)
    found = reader._plan.read(reader._discs, reader.lay_flat(frame).values)
    assert "bar.white" not in found.marks
    assert len(found.likely["bar.white"]) == 2
    monkeypatch.setattr(hands, "SIZES", replace(hands.SIZES, lying=0.6 * hands.CHECKER))  # as these two are
    values = reader.lay_flat(frame).values
    assert reader._hand(
        hands.changed(reader._discs.bare, values),
        hands.RelitFrame(reader._discs.bare, values),
        found,
        {},
        None,
    ).here
    assert not reader.read(frame).hand


def test_a_board_at_the_edge_of_the_picture_has_no_ghosts() -> None:
    board = "blue"
    top = int(min(y for _, y in corners(board))) + 3  # the far rim is out of view
    places = [(x, max(y - top, 0.0)) for x, y in corners(board)]
    reader = CheckersReader(
        calibrate(np.ascontiguousarray(picture(board).image[top:]), places, geometry(board))
    )
    assert not reader.read(Frame(np.ascontiguousarray(picture(board, "04").image[top:]))).hand


def test_a_cloth_in_the_other_tray_is_no_hand() -> None:
    board = "green-felt"
    table = calibrate(picture(board).image, corners(board), replace(geometry(board), tray="both"))
    d, height = table.measures.checker, table.measures.height
    places = [
        (-1.0 * d, 0.2 * height, 0),
        (-0.45 * d, 0.2 * height, 0),
        (-0.45 * d, 0.8 * height, 0),
        (-1.0 * d, 0.8 * height, 0),
    ]
    image = picture(board).image.copy()
    cv2.fillConvexPoly(image, np.round(table.camera.project(places)).astype(np.int32), (200, 60, 200))
    assert not CheckersReader(table).read(Frame(image)).hand
    over = [
        (-1.0 * d, 0.4 * height, 0),
        (3.0 * d, 0.4 * height, 0),
        (3.0 * d, 0.6 * height, 0),
        (-1.0 * d, 0.6 * height, 0),
    ]
    cv2.fillConvexPoly(image, np.round(table.camera.project(over)).astype(np.int32), (200, 60, 200))
    assert CheckersReader(table).read(Frame(image)).hand
