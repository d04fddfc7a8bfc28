"""A board in mid-game of which nothing is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.layout import POINT_CELLS
from tests.vision.boards import corners, labels, picture, rig
from vision.blind.reader import read_blind
from vision.checkers.reader import CheckersReader
from vision.errors import VisionError
from vision.geometry.board_measures import Geometry, Orientation, renamed, start
from vision.picture.frame import Frame
from vision.surface_finder.outlines import PROVED
from vision.unknown_board import (
    find_as_it_stands,
    learn_as_it_stands,
    learn_as_it_went_on,
    lies,
    sides_in_picture,
)

pytestmark = pytest.mark.long


def test_where_no_tray_is_in_view_what_is_missing_is_borne_off_out_of_view() -> None:
    label = labels("no-tray")["mid-game"]  # green-felt's last picture without its tray, in which twelve lie
    frame = picture("no-tray", "mid-game")
    learned = learn_as_it_stands(frame, [(x, y) for x, y in label["corners_px"]], {})
    assert learned.quality.wrong == ()
    looks = learned.table.read(frame).looks
    assert not [cell for cell in looks if cell.startswith("off.")]
    seen = {cell: len(look) * (1 if "white" in look else -1) for cell, look in looks.items() if look}
    assert seen == {f"p{point}": count for point, count in label["points"].items() if count}


def test_a_board_whose_discs_do_not_tell_it_is_found() -> None:
    label = labels("no-tray")["mid-game"]
    learned = learn_as_it_stands(picture("no-tray", "mid-game"), None, {})
    found, told = np.array(learned.table.placement()[0]), np.array(label["corners_px"])
    off = min(float(np.abs(np.roll(found, turn, 0) - told).max()) for turn in range(4))
    wide = float(np.linalg.norm(told[1] - told[0])) / 13
    assert off < wide / 3, "in checkers"
    looks = learned.table.read(picture("no-tray", "mid-game")).looks
    seen = sorted(len(look) for look in looks.values() if look)
    assert seen == sorted(abs(count) for count in label["points"].values())


def test_where_a_game_begins_the_board_is_found_by_its_start() -> None:
    """By what is read it is not: two of this one's checkers are not found there."""
    told = np.array(corners("cork-tan"))
    off = np.abs(np.array(find_as_it_stands(picture("cork-tan"), {}).corners) - told).max()
    assert off < np.linalg.norm(told[1] - told[0]) / 13 / 8, "in checkers"


@pytest.mark.parametrize(("down", "across", "home"), [(1, 1, "right"), (-1, -1, "left"), (1, -1, "left")])
def test_where_a_game_begins_it_is_seen_how_the_board_lies(down: int, across: int, home: str) -> None:
    """Turned by 180 degrees, and with its home on the left: the points are named as the players name them."""
    frame = Frame(np.ascontiguousarray(picture("green-felt").image[::down, ::across]))
    found = find_as_it_stands(frame, {})
    assert found.home == home
    looks = read_blind(frame.image, found.corners, Geometry(home=home)).looks
    assert all(looks[cell] == look for cell, look in start().items() if cell in POINT_CELLS)


@pytest.mark.parametrize("way", [Orientation(), Orientation(turned=True), Orientation(mirrored=True)])
def test_what_stood_a_few_plays_ago_tells_which_way_the_players_move(
    way: Orientation, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = CheckersReader(rig("green-felt"))
    stood = {name: start()[cell] for name, cell in renamed(lies(table), way).items()}
    learned = SimpleNamespace(table=table)
    monkeypatch.setattr("vision.unknown_board.learn_as_it_stands", lambda *_: learned)
    point = next(cell for cell, look in stood.items() if look == ("white",) * 5)
    stood |= {point: ("white",) * 3, next(cell for cell, look in stood.items() if not look): ("white",) * 2}
    found = learn_as_it_went_on(picture("green-felt"), {}, [{}, stood])
    assert lies(found) == way
    with pytest.raises(VisionError):
        learn_as_it_went_on(picture("green-felt"), {}, [dict.fromkeys(stood, ())])


def test_no_board_is_found_by_an_empty_one() -> None:
    with pytest.raises(VisionError):
        find_as_it_stands(picture("blue", "empty"), {})


def test_looking_for_a_board_is_never_more_than_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many outlines are tried as can be, and none is a board's."""
    outline = np.array([(10, 90), (90, 90), (90, 10), (10, 10)], np.float64)
    monkeypatch.setattr("vision.unknown_board.outlines", lambda _: [outline] * PROVED * 3)
    told: list[float] = []
    with pytest.raises(VisionError):
        find_as_it_stands(Frame(np.full((100, 100, 3), 90, np.uint8)), {}, lambda part, _: told.append(part))
    assert 0.0 <= min(told) <= max(told) <= 1.0


@pytest.mark.parametrize(
    ("way", "sides"),
    [
        (Orientation(), ("right", "bottom")),
        (Orientation(mirrored=True), ("left", "bottom")),
        (Orientation(turned=True), ("left", "top")),
    ],
)
def test_sides_are_told_as_in_the_picture(way: Orientation, sides: tuple[str, str]) -> None:
    assert sides_in_picture(CheckersReader(rig("green-felt")), way) == sides
