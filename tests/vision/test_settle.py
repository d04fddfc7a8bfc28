from __future__ import annotations

from unittest import mock

import cv2
import numpy as np
import pytest

from tests.bench.altered import bands
from tests.bench.drifting import WAYS, warp
from tests.vision.boards import corners, picture, rig, truth
from vision.checkers.reader import CheckersReader
from vision.errors import ImageError
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image
from vision.reading import Reading
from vision.settle import Rest, Settler, read_still


def _settler() -> Settler:
    return Settler(CheckersReader(rig("green-felt")))


def _noisy(image: Image, seed: int) -> Frame:
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return Frame(np.clip(image + noise, 0, 255).astype(np.uint8))


def test_a_single_picture_after_a_pause_is_at_rest() -> None:
    status = _settler().push(picture("green-felt", "03"), 10.0)
    assert status.rest is Rest.AT_REST
    assert status.reading is not None
    assert status.reading.looks["p3"] == truth("green-felt", "03")["p3"]


def test_a_hand_is_no_rest() -> None:
    assert _settler().push(picture("green-felt", "05"), 10.0).rest is Rest.HAND


def test_in_a_stream_a_change_is_movement_until_it_is_over() -> None:
    settler = _settler()
    settler.push(picture("green-felt", "start"), 0.0)
    assert settler.push(picture("green-felt", "03"), 0.1).rest is Rest.MOVING
    assert settler.push(_noisy(picture("green-felt", "03").image, 1), 0.2).rest is Rest.MOVING
    assert settler.push(_noisy(picture("green-felt", "03").image, 2), 0.5).rest is Rest.AT_REST


def test_a_board_on_which_nothing_moves_is_read_once() -> None:
    settler = _settler()
    image = picture("green-felt", "03").image
    first = settler.push(_noisy(image, 1), 0.0)
    again = settler.push(_noisy(image, 2), 1.0)
    assert first.fresh
    assert not again.fresh
    assert again.reading is first.reading


def test_a_small_picture_tells_that_nothing_moved_once_there_is_one_to_compare_it_with() -> None:
    settler = _settler()
    before, after = picture("green-felt", "start").image, picture("green-felt", "03").image
    settler.push(_noisy(before, 1), 0.0)
    small = [
        np.asarray(cv2.resize(_noisy(image, 3).image, (320, 240)), np.uint8) for image in (before, after)
    ]
    assert [settler.quiet(small[0], t) for t in (1.0, 2.0)] == [False, True]
    assert not settler.quiet(small[1], 3.0)
    assert settler.push(_noisy(after, 4), 3.1).rest is Rest.MOVING


def test_a_lamp_switched_off_is_said() -> None:
    dark = (picture("green-felt", "03").image * 0.1).astype(np.uint8)
    status = _settler().push(Frame(dark), 0.0)
    assert status.rest is Rest.DARK
    assert "lamp" in status.words


def test_a_camera_that_lost_its_focus_is_said_and_still_read() -> None:
    sharp = picture("green-felt", "03").image
    checker = float(np.linalg.norm(np.subtract(*corners("green-felt")[:2]))) / 13
    soft = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.15 * checker), np.uint8)
    settler = _settler()
    assert settler.push(Frame(sharp), 0.0).words == ""
    status = settler.push(Frame(soft), 10.0)
    assert status.rest is Rest.AT_REST
    assert status.reading is not None
    assert "blurred" in status.words


def test_after_a_gap_the_board_is_read_anew() -> None:
    """An hour without pictures, and not a thing has moved: what is said is new all the same."""
    settler = _settler()
    image = picture("green-felt", "03").image
    first = settler.push(_noisy(image, 1), 0.0)
    settler.forget()
    again = settler.push(_noisy(image, 2), 3600.0)
    assert again.fresh
    assert again.reading is not first.reading


def test_a_thing_of_another_colour_is_a_change_though_it_is_as_bright() -> None:
    settler = _settler()
    image = picture("green-felt", "start").image
    settler.push(_noisy(image, 1), 0.0)
    red = image.astype(np.float32)
    there = np.zeros(image.shape[:2], np.uint8)
    cv2.circle(there, (640, 480), 30, 1, -1)
    red[there > 0] += (-20.0, -20.0, 40.0)
    changed = _noisy(np.clip(red, 0, 255).astype(np.uint8), 2)
    assert settler.push(changed, 0.1).rest is Rest.MOVING


def test_bands_of_a_lamp_on_the_mains_are_no_movement() -> None:
    """Each picture has them elsewhere; what moves among them is seen all the same."""
    settler = _settler()
    seen = [
        settler.push(
            _noisy(bands(0.2, at / 3)(picture("green-felt", name).image, np.empty(0))[0], at), 0.1 * at
        )
        for at, name in enumerate(["start", "start", "start", "03", "03", "03", "03"])
    ]
    assert [each.rest is Rest.AT_REST for each in seen] == [True, True, True, False, False, False, True]
    assert [each.fresh for each in seen] == [True, False, False, True, True, True, True]
    assert seen[-1].reading is not None
    assert seen[-1].reading.looks["p3"] == truth("green-felt", "03")["p3"]


def test_what_moves_beside_the_board_is_no_movement() -> None:
    """A player's elbow, a glass, a clock's figures."""
    settler = _settler()
    board = picture("green-felt", "start").image
    part = settler.reader.flat.part(board)
    assert part.size < 0.8 * board.size
    waved = []
    for seed in range(3):
        beside = np.random.default_rng(seed).integers(0, 255, board.shape, np.uint8)
        settler.reader.flat.part(beside)[:] = part
        waved.append(settler.push(Frame(beside), 0.1 * seed))
    assert [each.rest for each in waved] == [Rest.AT_REST] * 3
    assert [each.fresh for each in waved] == [True, False, False]


def test_a_better_reader_that_comes_while_a_frame_is_read_stays() -> None:
    """The table learns in another thread, and reading takes a second on a small Pi."""
    settler = _settler()
    known, better = settler.reader, CheckersReader(rig("green-felt"))
    whole = known.read_laid

    def slow(laid: LaidFrame) -> Reading:
        settler.adopt(known, better)
        return whole(laid)

    with mock.patch.object(known, "read_laid", slow):
        assert settler.push(picture("green-felt", "03"), 10.0).rest is Rest.AT_REST
    assert settler.reader is better
    assert settler.moved == 0
    assert not settler.adopt(known, known)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_camera_whose_arm_gives_way_is_followed(way: tuple[float, float, float, float, float]) -> None:
    """By little from picture to picture, and far in the end."""
    settler = _settler()
    points = {cell: look for cell, look in truth("green-felt", "03").items() if cell.startswith("p")}
    image = picture("green-felt", "03").image
    size = image.shape[1], image.shape[0]
    for number in range(9):
        moved = cv2.warpPerspective(
            image, warp(way, number / 16, size), size, borderMode=cv2.BORDER_REPLICATE
        )
        status = settler.push(Frame(np.asarray(moved, np.uint8)), float(number))
        assert status.rest is Rest.AT_REST
        assert status.reading is not None
        assert {cell: status.reading.looks[cell] for cell in points} == points
    assert settler.moved >= 2


def test_a_bumped_camera_finds_the_board_again_by_itself() -> None:
    settler = _settler()
    image = picture("green-felt", "03").image
    turn = cv2.getRotationMatrix2D((640, 480), 1.0, 1.0)
    turn[:, 2] += (25, -15)
    moved = np.asarray(cv2.warpAffine(image, turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    status = settler.push(Frame(moved), 0.0)
    assert status.rest is Rest.AT_REST
    assert "moved" in status.words
    assert settler.moved == 1
    assert status.reading is not None
    points = {cell: look for cell, look in truth("green-felt", "03").items() if cell.startswith("p")}
    assert sum(status.reading.looks[cell] != look for cell, look in points.items()) <= 1


@pytest.mark.parametrize("hand", [False, True])
@pytest.mark.parametrize("scale", [0.93, 1.07])
def test_a_camera_that_zooms_is_bumped_and_no_hand(scale: float, hand: bool) -> None:
    """Of a board that lies elsewhere most looks like a hand; so does a hand."""
    image = picture("green-felt", "05" if hand else "03").image
    settler = _settler()
    assert settler.push(Frame(image), 0.0).rest is (Rest.HAND if hand else Rest.AT_REST)
    way = cv2.getRotationMatrix2D((640, 480), 0.0, scale)
    zoomed = np.asarray(cv2.warpAffine(image, way, (1280, 960), borderValue=(40, 60, 50)), np.uint8)
    status = settler.push(Frame(zoomed), 60.0)
    assert status.rest is Rest.BUMPED or (settler.moved == 1 and status.reading is not None)
    if status.reading is not None and not hand:  # found again, and rightly
        points = {cell: look for cell, look in truth("green-felt", "03").items() if cell.startswith("p")}
        assert sum(status.reading.looks[cell] != look for cell, look in points.items()) <= 1


def test_a_camera_that_no_longer_sees_the_board_says_so() -> None:
    noise = np.random.default_rng(0).integers(60, 200, (96, 128, 3)).astype(np.uint8)
    status = _settler().push(Frame(np.asarray(cv2.resize(noise, (1280, 960)), np.uint8)), 0.0)
    assert status.rest in (Rest.BUMPED, Rest.HAND)


def test_a_board_that_is_turned_in_the_middle_of_a_game_is_told_by_what_stood_there() -> None:
    """Its edges lie as before: nothing else tells that every point has another name now."""
    settler = _settler()
    settler.push(picture("green-felt", "03"), 10.0)
    turned = Frame(np.asarray(cv2.rotate(picture("green-felt", "03").image, cv2.ROTATE_180), np.uint8))
    status = settler.push(turned, 20.0)
    assert status.rest is Rest.AT_REST
    assert "the other way round" in status.words
    assert status.reading is not None
    known = truth("green-felt", "03")
    assert {cell: look for cell, look in status.reading.looks.items() if known.get(cell, look) != look} == {}


def test_a_single_picture_in_which_the_board_lies_elsewhere_is_refused() -> None:
    reader = CheckersReader(rig("green-felt"))
    image = picture("green-felt", "03").image
    reading, _, words = read_still(reader, Frame(image))
    assert (reading.looks["p3"], words) == (truth("green-felt", "03")["p3"], "")
    nudged = np.asarray(np.roll(image, 60, axis=1), np.uint8)
    reading, again, words = read_still(reader, Frame(nudged))
    assert (reading.looks["p3"], again is reader) == (truth("green-felt", "03")["p3"], False)
    assert "found again" in words
    high, wide = image.shape[:2]
    away = cv2.warpAffine(image, cv2.getRotationMatrix2D((wide / 2, high / 2), 0, 0.9), (wide, high))
    with pytest.raises(ImageError, match="not where it was"):
        read_still(reader, Frame(np.asarray(away, np.uint8)))
    with pytest.raises(ImageError, match="lamp is off"):
        read_still(reader, Frame(np.asarray(image // 8, np.uint8)))


def test_a_board_that_was_turned_while_the_table_was_off_is_told_by_what_stood_there() -> None:
    turned = Frame(np.asarray(cv2.rotate(picture("green-felt", "03").image, cv2.ROTATE_180), np.uint8))
    known = truth("green-felt", "03")
    status = Settler(CheckersReader(rig("green-felt")), known).push(turned, 10.0)
    assert status.reading is not None
    assert status.reading.looks["p3"] == known["p3"]
