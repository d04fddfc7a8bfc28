"""Recorded sessions: what moved is kept, the oldest goes first, and every recording is sound."""

from pathlib import Path

import numpy as np
import pytest

from engine.events import Button, Press, Roll
from engine.session import Session
from firmware import reel
from firmware.recording import Recording
from firmware.referee import News
from hardware.protocols import Frame

CORNERS = ((5.0, 90.0), (110.0, 90.0), (110.0, 5.0), (5.0, 5.0))


def frame(t: float, level: int, noise: int = 0) -> News:
    pixels = np.random.default_rng(int(t * 10)).integers(-noise, noise + 1, (96, 120, 3)) + level
    return News(t, Session(), frame=Frame(t, f"f{t}", pixels.astype(np.uint8)))


def recording(folder: Path, limit: int = 10**9) -> Recording:
    return Recording(folder, CORNERS, {"width": 61.0}, "backgammon", limit)


def test_a_still_table_is_kept_once_and_a_moved_one_again(tmp_path: Path) -> None:
    watch = recording(tmp_path)
    for news in (frame(0, 100, 2), frame(1, 100, 2), frame(2, 100, 2), frame(3, 140, 2), frame(4, 140, 2)):
        watch(news)
    assert [moment.t for moment in reel.read(tmp_path).timeline] == [0, 3]


def test_rolls_buttons_and_the_picture_judged_are_in_the_reel_in_order(tmp_path: Path) -> None:
    watch = recording(tmp_path)
    watch(frame(0, 100))
    watch(News(1, Session(), Roll(t=1, dice=(3, 1), side="white")))
    watch(frame(2, 100))
    watch(News(3, Session(), Press(t=3, button=Button.DONE, side="white")))
    watch(News(4, Session(), Press(t=4, button=Button.DROP, side="white"), refused="no double was offered"))
    found = reel.read(tmp_path)
    assert [(type(moment).__name__, moment.t) for moment in found.timeline] == [("Shown", 0), ("Rolled", 1), ("Shown", 2), ("Pushed", 3)]
    assert found.rules == "backgammon"


@pytest.mark.parametrize("limit", [1, 3000])
def test_beyond_its_limit_the_oldest_pictures_go_and_the_events_stay(tmp_path: Path, limit: int) -> None:
    watch = recording(tmp_path, limit)
    for number in range(12):
        watch(frame(number, 60 + number * 12, 3))
        watch(News(number + 0.5, Session(), Roll(t=number + 0.5, dice=(2, 1))))
    found = reel.read(tmp_path)
    pictures = sorted(file.name for file in tmp_path.glob("*.jpg"))
    assert pictures == sorted(found.frames)
    assert pictures[-1] == "000011.jpg"
    assert len(pictures) == 1 or sum((tmp_path / name).stat().st_size for name in pictures) <= limit
    assert sum(isinstance(moment, reel.Rolled) for moment in found.timeline) == 12
