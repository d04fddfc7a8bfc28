"""The camera's thread: what it asks the camera for, and what it hands on."""

from __future__ import annotations

import threading
from unittest import mock

import cv2
import numpy as np
import pytest

from firmware.table.live import CameraThread, LiveEyes
from firmware.table.referee import Stimulus
from hardware.protocols import DeviceLost, Frame
from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.errors import VisionError
from vision.picture.frame import Image
from vision.settle import Settler


class Streams:
    """A camera with a small and a large stream, which shows a list of scenes, each for some pictures; None is
    a lost camera."""

    def __init__(self, *scenes: Image | None, each: int = 6) -> None:
        self.scenes = [scene for scene in scenes for _ in range(each)]
        self.asked: list[str] = []
        self.done = threading.Event()
        self.t = 0.0

    def _next(self, stream: str) -> Frame:
        if len(self.asked) == len(self.scenes):
            self.done.set()
            raise DeviceLost("camera: out of pictures")
        scene = self.scenes[len(self.asked)]
        self.asked.append(stream)
        self.t += 0.5
        if scene is None:
            raise DeviceLost("camera: gone")
        noise = np.random.default_rng(len(self.asked)).normal(0, 2, scene.shape)
        pixels = np.clip(scene + noise, 0, 255).astype(np.uint8)
        return Frame(
            self.t,
            f"{len(self.asked)}",
            pixels if stream == "large" else np.asarray(cv2.resize(pixels, (320, 240)), np.uint8),
        )

    def read(self) -> Frame:
        return self._next("large")

    def glance(self) -> Frame | None:
        return self._next("small")

    def close(self) -> None:
        pass


def watched(camera: Streams) -> list[Stimulus]:
    """What the thread hands over while the camera shows its scenes."""
    handed: list[Stimulus] = []
    watch = CameraThread(
        camera,
        LiveEyes(Settler(CheckersReader(rig("green-felt")))),
        lambda: camera.t,
        handed.append,
        lambda words: None,
    )
    mock.patch.object(
        watch._stopping, "wait", side_effect=lambda timeout=None: camera.done.is_set()
    ).start()  # no pauses in a test
    watch.start()
    assert camera.done.wait(120)
    watch.stop()
    return handed


def test_while_nothing_moves_only_small_pictures_are_taken() -> None:
    camera = Streams(picture("green-felt", "start").image, each=12)
    watched(camera)
    assert camera.asked[:4] == [
        "large",
        "small",
        "large",
        "small",
    ]  # the first glance has nothing to be compared with
    assert set(camera.asked[3:]) == {"small"}


def test_what_a_glance_shows_moving_is_looked_at_in_full_and_handed_over() -> None:
    camera = Streams(picture("green-felt", "start").image, picture("green-felt", "03").image, each=8)
    handed = [each.name for each in watched(camera) if isinstance(each, Frame)]
    assert camera.asked[8:10] == ["small", "large"]
    assert handed[0] == "1"
    assert "10" in handed
    assert camera.asked[-3:] == ["small"] * 3


def test_a_camera_that_was_away_is_looked_at_in_full_even_if_nothing_moved() -> None:
    board = picture("green-felt", "start").image
    camera = Streams(board, None, board, each=6)
    handed = [each.name for each in watched(camera) if isinstance(each, Frame)]
    assert camera.asked[12] == "large"
    assert "13" in handed


def test_what_is_seen_after_a_gap_was_read_after_it() -> None:
    eyes = LiveEyes(Settler(CheckersReader(rig("green-felt"))))
    board = picture("green-felt", "start").image
    eyes.push(Frame(1.0, "a", board))
    before = eyes.resting_reading()
    eyes.lost()
    assert eyes.push(Frame(60.0, "b", board))[0]
    assert eyes.resting_reading() is not before


def test_dice_are_read_at_rest_where_that_is_wanted() -> None:
    eyes = LiveEyes(Settler(CheckersReader(rig("green-felt"))))
    assert eyes.push(Frame(1.0, "a", picture("green-felt", "start").image))[0]
    assert eyes.lying_in("a") is None
    eyes.reads_dice = True
    board = picture("green-felt", "03").image  # on which 4 and 1 lie
    assert eyes.push(Frame(2.0, "b", board))[0]
    lying = eyes.lying_in("b")
    assert lying is not None
    assert {die.value for die in lying.dice} <= {4, 1, None}
    assert eyes.resting_reading() is not None
    assert eyes.lying_in("a") is None


def test_eyes_know_when_the_board_was_last_seen_as_in_a_picture() -> None:
    board, eyes = picture("green-felt", "start").image, LiveEyes(Settler(CheckersReader(rig("green-felt"))))
    small = np.asarray(cv2.resize(board, (320, 240)), np.uint8)
    assert eyes.push(Frame(1.0, "a", board))[0]
    assert eyes.last_seen("a") == 1.0
    eyes.quiet(Frame(2.0, "s", small))  # nothing to compare it with
    assert not eyes.push(Frame(2.5, "b", board))[0]
    assert eyes.quiet(Frame(3.0, "s", small))
    assert eyes.quiet(Frame(2.9, "s", small))  # a frozen camera's pictures grow no younger
    assert (eyes.last_seen("a"), eyes.last_seen("b")) == (3.0, float("-inf"))
    assert eyes.resting
    eyes.want(5.0)
    assert not eyes.resting  # a full picture is wanted
    assert not eyes.push(Frame(4.9, "c", board))[0]
    assert eyes.push(Frame(5.0, "d", board))[0]
    assert eyes.look(Frame(5.0, "d", board)) is not None
    assert eyes.resting
    assert LiveEyes(None).last_seen("") == float("inf")


def test_a_camera_that_stays_away_is_tried_ever_more_seldom() -> None:
    told: list[str] = []
    waits: list[float] = []

    class Away:
        def read(self) -> Frame:
            raise DeviceLost("camera 0: none is found")

        def close(self) -> None:
            pass

    watch = CameraThread(Away(), LiveEyes(None), lambda: 0.0, lambda stimulus: None, told.append)

    def wait(timeout: float) -> bool:
        waits.append(timeout)
        if len(waits) == 8:
            watch._stopping.set()
        return True

    with mock.patch.object(watch._stopping, "wait", side_effect=wait):
        watch._run()
    assert waits == [1, 2, 4, 8, 10, 10, 10, 10]
    assert set(told) == {"camera 0: none is found"}


@pytest.mark.parametrize("unreadable", [True, False])
def test_the_picture_of_a_camera_that_is_gone_is_shown_no_longer(unreadable: bool) -> None:
    """Whoever sets up the table would learn it from a picture of before; one that came and cannot be read is
    what the camera sees."""
    eyes, watch = LiveEyes(None), mock.Mock()
    image = picture("green-felt", "start").image
    watch.side_effect = [Frame(0.0, "1", image), DeviceLost("camera: gone")]
    camera = mock.Mock(spec=["read", "close"], read=watch)
    thread = CameraThread(camera, eyes, lambda: 0.0, lambda stimulus: None, lambda words: None)
    seen: list[bool] = []

    def wait(timeout: float) -> bool:
        seen.append(eyes.still() is not None)
        if len(seen) == 2:
            thread._stopping.set()
        return True

    whole = eyes.push

    def push(frame: Frame) -> tuple[bool, str]:
        whole(frame)
        raise VisionError("too dark")

    with mock.patch.object(thread._stopping, "wait", side_effect=wait):
        if unreadable:
            watch.side_effect = [Frame(0.0, "1", image)] * 2
            with mock.patch.object(eyes, "push", side_effect=push):
                thread._run()
        else:
            thread._run()
    assert seen == [True, unreadable]
