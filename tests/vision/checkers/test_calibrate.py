from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layout import Looks
from engine.messages import told
from tests.bench.altered import ALTERED
from tests.marking import Marking
from tests.vision.boards import corners, flipped, geometry, glared, labels, picture, rig, truth
from vision import boards
from vision.blind.reader import read_blind
from vision.checkers import two_opinions
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.calibration.corners import find
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.checkers.calibration.measures import Estimates, aspect
from vision.checkers.calibration.verify_position import either_way, uneven
from vision.checkers.places import spots
from vision.checkers.reader import CheckersReader
from vision.checkers.rig import Rig
from vision.errors import CalibrationError, DarkError, GeometryError, RigError
from vision.geometry.board_measures import Geometry, Orientation, opposite, start
from vision.geometry.board_measures import middle as board_middle
from vision.geometry.camera import Camera, as_corners, rectangle, triple
from vision.light.colour import lightness
from vision.picture.frame import Frame, Image
from vision.quality import Quality

pytestmark = pytest.mark.long

BOARDS = ("green-felt", "cork-tan", "blue")


@pytest.mark.parametrize("board", BOARDS)
def test_known_checkers_correct_careless_corners(board: str) -> None:
    careless = rig(board, noise=5.0, seed=1)
    exact = np.array(labels(board)["start"]["corners_px"])
    clicked = np.linalg.norm(np.array(corners(board, 5.0, 1)) - exact, axis=1).mean()
    found = careless.camera.project(rectangle(careless.measures.width, careless.measures.height))
    assert np.linalg.norm(found - exact, axis=1).mean() < clicked


@pytest.mark.parametrize("board", BOARDS)
def test_a_rig_is_the_same_after_a_file(board: str, tmp_path: Path) -> None:
    boards.save(CheckersReader(rig(board)), tmp_path / "rig.json", "backgammon")
    again = boards.load(tmp_path / "rig.json").table
    assert isinstance(again, CheckersReader)
    frame = picture(board)
    assert again.read(frame).looks == CheckersReader(rig(board)).read(frame).looks
    assert again.quality == rig(board).quality


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}', '{"version": 1, "kind": "checkers"}'])
def test_a_damaged_rig_file_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "rig.json").write_text(text)
    with pytest.raises(RigError, match=r"rig\.json"):
        boards.load(tmp_path / "rig.json")


@pytest.mark.parametrize("lens", [0.65, 0.8, 1.05, 1.3])
@pytest.mark.parametrize("tilt", [0.0, 20.0, 35.0, 45.0])
@pytest.mark.parametrize("shape", [0.82, 0.87, 0.95])
def test_a_board_seen_from_aside_has_a_boards_shape_through_any_lens(
    lens: float, tilt: float, shape: float
) -> None:
    size, wide = (1920, 1080), 60.0
    turn = np.array([np.pi - np.radians(tilt), 0, 0])
    middle = cv2.Rodrigues(turn)[0] @ np.array([wide / 2, shape * wide / 2, 0])
    eye = Camera(size, lens * size[0], 0.0, triple(turn), triple(np.array([0, 0, 2 * wide * lens]) - middle))
    assert aspect(as_corners(eye.project(rectangle(wide, shape * wide))), size) == pytest.approx(
        shape, rel=0.13
    )


def test_measures_that_nobody_gave_are_estimated() -> None:
    found = calibrate(picture("green-felt").image, corners("green-felt"), Geometry()).measures
    known = geometry("green-felt")
    assert known.pitch is not None
    assert known.checker is not None
    assert known.bar is not None
    assert found.pitch / found.checker == pytest.approx(known.pitch / known.checker, abs=0.04)
    assert found.bar / found.checker == pytest.approx(known.bar / known.checker, abs=0.2)


def test_a_board_with_its_home_on_the_left_is_recognised() -> None:
    image = flipped(picture("green-felt").image)
    right = [(image.shape[1] - x, y) for x, y in corners("green-felt")]
    mirrored = calibrate(image, [right[1], right[0], right[3], right[2]], geometry("green-felt"))
    assert mirrored.orientation.mirrored
    reading = CheckersReader(mirrored).read(Frame(flipped(picture("green-felt", "03").image)))
    points = {cell: look for cell, look in truth("green-felt", "03").items() if cell.startswith("p")}
    assert {cell: reading.looks[cell] for cell in points} == points


def test_a_board_turned_round_is_recognised_by_the_lighter_side() -> None:
    image = np.ascontiguousarray(picture("green-felt").image[::-1, ::-1])
    height, width = image.shape[:2]
    turned = [(width - x, height - y) for x, y in corners("green-felt")]
    rig_turned = calibrate(image, [turned[2], turned[3], turned[0], turned[1]], geometry("green-felt"))
    assert rig_turned.orientation.turned
    reading = CheckersReader(rig_turned).read(
        Frame(np.ascontiguousarray(picture("green-felt", "03").image[::-1, ::-1]))
    )
    points = {cell: look for cell, look in truth("green-felt", "03").items() if cell.startswith("p")}
    assert {cell: reading.looks[cell] for cell in points} == points


def test_sides_that_were_taken_for_each_other_are_exchanged_in_every_reading() -> None:
    table = rig("green-felt")
    other = Rig.from_json(table.exchanged().to_json())
    assert other.exchanged().orientation == table.orientation
    for name in ("start", "03"):
        plain, turned = (CheckersReader(each).read(picture("green-felt", name)) for each in (table, other))
        for cell, look in plain.looks.items():
            assert turned.looks[opposite(cell)] == tuple(
                "black" if piece == "white" else "white" for piece in look
            )
            assert turned.confidence[opposite(cell)] == pytest.approx(plain.confidence[cell], abs=0.02)
    known = calibrate(
        picture("green-felt", "03").image,
        corners("green-felt"),
        geometry("green-felt"),
        truth("green-felt", "03"),
    )
    with pytest.raises(CalibrationError, match="exchange them there"):
        known.exchanged()


def test_sides_of_one_lightness_are_told_with_the_way_out() -> None:
    (said,) = Quality(lead=-1.0).words()
    assert "--exchange" in said
    assert "on the page: Exchange sides" in said


def _dark(image: Image) -> Image:
    return (image * 0.05).astype(np.uint8)


def _blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 25), np.uint8)


@pytest.mark.parametrize(("spoil", "word"), [(_dark, "dark"), (_blurred, "blurred")])
def test_a_picture_that_shows_too_little_is_refused_with_the_reason(spoil: object, word: str) -> None:
    assert callable(spoil)
    with pytest.raises(CalibrationError, match=word):
        calibrate(spoil(picture("green-felt").image), corners("green-felt"), geometry("green-felt"))


@pytest.mark.parametrize("board", BOARDS)
def test_out_of_focus_is_refused_and_a_little_soft_is_not(board: str) -> None:
    image, wide = picture(board).image, rig(board).quality.diameter
    with pytest.raises(CalibrationError, match="blurred"):
        calibrate(
            np.asarray(cv2.GaussianBlur(image, (0, 0), 0.25 * wide), np.uint8),
            corners(board),
            geometry(board),
        )
    pale = np.asarray(
        cv2.convertScaleAbs(image, alpha=0.4, beta=80), np.uint8
    )  # what has little contrast is not blurred
    assert calibrate(pale, corners(board), geometry(board)).quality.blur == pytest.approx(
        rig(board).quality.blur, abs=0.1
    )
    soft = calibrate(
        np.asarray(cv2.GaussianBlur(image, (0, 0), 0.1 * wide), np.uint8), corners(board), geometry(board)
    )
    assert soft.quality.blur > 1.2 * rig(board).quality.blur
    assert soft.quality.wrong == ()


def test_where_a_lamp_is_mirrored_in_checkers_their_side_is_doubted() -> None:
    image = glared(("p19",), 0.93)
    table = calibrate(image, corners("green-felt"), geometry("green-felt"))
    assert table.quality.alike == ("p19",)
    assert any("p19: a lamp or a window is mirrored" in line for line in table.quality.words())
    reading = CheckersReader(table).read(Frame(image))
    assert reading.looks["p19"] == ("black",) * 5  # nobody has twenty white ones
    assert reading.evidence.cells["p19"][("white",) * 5] > -2.0  # but by itself it may be White's as well
    assert (
        reading.evidence.cells["p12"].get(("white",) * 5, -12.0)
        < reading.evidence.cells["p19"][("white",) * 5] - 1.0
    )


def test_a_lamp_that_is_mirrored_in_most_checkers_is_named_as_what_it_is() -> None:
    with pytest.raises(CalibrationError, match="most checkers look as much like"):
        calibrate(glared(("p1", "p12", "p17", "p19"), 0.93), corners("green-felt"), geometry("green-felt"))


@pytest.mark.parametrize(
    ("white", "black"),
    [((15, 170, 130), (140, 120, 40)), ((90, 215, 235), (200, 60, 40)), ((200, 200, 200), (40, 40, 40))],
)
def test_white_is_the_side_that_is_lighter_to_the_eye(
    white: tuple[int, int, int], black: tuple[int, int, int]
) -> None:
    """A vivid yellow or green beside a blue whose channels have the greater mean (BGR)."""
    one, other = lightness([white, black])
    assert one - other > 4
    assert not Quality(lead=-1.0).good
    assert Quality(lead=20.0).good


def test_a_position_that_looks_the_same_in_a_mirror_is_told() -> None:
    table = rig("green-felt")
    same: Looks = {"p1": ("white",) * 2, "p12": ("white",) * 2, "p15": ("black",), "p22": ("black",)}

    def told(looks: Looks, tray: str) -> bool:
        estimates = Estimates(replace(table.measures, tray=tray), ())
        return either_way(Hypothesis(looks, (), estimates, Orientation(), table.camera, 1.0))

    assert told(same, "none")
    assert not told(same, "right")  # a tray says where the home is
    assert not told({**same, "p15": ("white",)}, "none")
    assert any("mirror" in line for line in Quality(either_way=True).words())


def test_a_position_in_which_one_side_has_more_checkers_is_told() -> None:
    table = rig("green-felt")

    def told(looks: Looks) -> tuple[str, ...]:
        return uneven(Hypothesis(looks, (), Estimates(table.measures, ()), Orientation(), table.camera, 1.0))

    assert not told(start())
    assert told({**start(), "p6": ("white",) * 6}) == ("16 white", "15 black")
    assert not told({**start(), "p6": ("white",) * 4, "off.white": ("white",)})
    assert "16 white and 15 black" in Quality(uneven=("16 white", "15 black")).words()[0]


@given(st.dictionaries(st.integers(1, 12), st.integers(1, 5), max_size=4), st.integers(1, 12))
def test_places_do_not_say_whose_pieces_are_whose_where_both_sides_stand_alike(
    white: dict[int, int], more: int
) -> None:
    looks: Looks = {f"p{point}": ("white",) * count for point, count in white.items()}
    looks |= {f"p{25 - point}": ("black",) * count for point, count in white.items()}

    def is_open(known: Looks) -> bool:
        estimates = Estimates(rig("green-felt").measures, ())
        return Hypothesis(known, (), estimates, Orientation(), rig("green-felt").camera, 1.0).names_open

    assert is_open(start())
    assert is_open(looks)
    assert not is_open({**looks, f"p{more}": ("white",) * (white.get(more, 0) + 1)})


def test_a_board_that_is_cut_off_is_refused() -> None:
    image = picture("green-felt").image[:, 330:]
    with pytest.raises(CalibrationError, match="cut off"):
        calibrate(
            np.ascontiguousarray(image),
            [(x - 330, y) for x, y in corners("green-felt")],
            geometry("green-felt"),
        )


def test_corners_given_a_quarter_turn_off_are_refused() -> None:
    bl, br, tr, tl = corners("green-felt")
    with pytest.raises(CalibrationError):
        calibrate(picture("green-felt").image, [br, tr, tl, bl], geometry("green-felt"))


def test_a_missing_stack_is_named() -> None:
    expected = {**start(), "p3": ("black", "black", "black")}
    with pytest.raises(CalibrationError, match="p3"):
        calibrate(picture("green-felt").image, corners("green-felt"), geometry("green-felt"), expected)


@pytest.mark.parametrize("data", [[], {"pitch": "wide"}, {"pitch": -1}, {"tray": "under"}, {"width": True}])
def test_a_geometry_file_of_nonsense_is_refused(data: object) -> None:
    with pytest.raises(CalibrationError):
        Geometry.from_json(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"width": 10, "pitch": 5}, "12 points of 5 cm are wider than a board of 10 cm"),
        ({"bar": 30, "width": 50}, "a bar of 30 cm leaves no points in a width of 50 cm"),
        ({"pitch": 4, "checker": 9}, "a checker of 9 cm does not fit points 4 cm apart"),
        ({"checker": 4, "height": 12}, "a checker of 4 cm does not fit a board 12 cm high"),
    ],
)
def test_a_geometry_file_of_no_board_is_refused_though_measures_are_missing(
    data: dict[str, float], words: str
) -> None:
    with pytest.raises(GeometryError, match=words):
        Geometry.from_json(data)


def test_measures_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(CalibrationError, match="add up"):
        calibrate(
            picture("green-felt").image, corners("green-felt"), Geometry(pitch=5, bar=5, width=30, height=50)
        )


def test_the_surface_is_found_without_corners() -> None:
    found = np.array(find(picture("green-felt").image, geometry("green-felt")).corners)
    exact = np.array(labels("green-felt")["start"]["corners_px"])
    assert np.linalg.norm(found - exact, axis=1).max() < 12


def test_no_board_is_found_on_a_bare_table() -> None:
    with pytest.raises(CalibrationError, match="say what stands there"):
        find(np.full((480, 640, 3), 120, np.uint8))


def test_where_the_picture_is_dark_the_lamp_is_asked_for_not_the_corners() -> None:
    with pytest.raises(DarkError, match="switch the lamp on"):
        find(np.full((480, 640, 3), 3, np.uint8))


def test_what_lies_over_the_board_is_named_in_the_readers_language_and_not_point_by_point() -> None:
    image = picture("green-felt").image.copy()
    outline = np.array(corners("green-felt"))
    middle = outline.mean(axis=0)
    cv2.fillConvexPoly(image, (middle + 0.8 * (outline - middle)).astype(np.int32), (120, 150, 205))
    with pytest.raises(CalibrationError) as refused:
        calibrate(image, corners("green-felt"), geometry("green-felt"), empty=picture("green-felt").image)
    first, over, empty = told(str(refused.value), Marking()).split("; ")
    assert first.startswith("[")
    assert re.fullmatch(r"\[or take away what lies over (\S+, ){4}…\]", over)
    assert empty == "[or the empty board's photo is of another board, lamp or camera position]"


@pytest.mark.parametrize("cell", ["p12", "p24", "p8"])
def test_a_checker_more_than_the_position_has_is_named(cell: str) -> None:
    fewer = {**start(), cell: start()[cell][1:]}
    with pytest.raises(CalibrationError, match=cell):
        calibrate(picture("green-felt").image, corners("green-felt"), geometry("green-felt"), fewer)


def named(error: pytest.ExceptionInfo[CalibrationError]) -> set[str]:
    return set(re.findall(r"\bp\d+\b", str(error.value)))


@pytest.mark.parametrize(("left", "reached"), [("p12", "p22"), ("p19", "p11"), ("p24", "p14")])
def test_of_a_checker_that_stands_elsewhere_both_points_are_named_and_no_other(
    left: str, reached: str
) -> None:
    told = {**start(), left: start()[left][1:], reached: start()[left][:1]}
    with pytest.raises(CalibrationError) as error:
        calibrate(picture("green-felt").image, corners("green-felt"), geometry("green-felt"), told)
    assert named(error) == {left, reached}


@pytest.mark.parametrize("cells", [("p17",), ("p24", "p6"), ("p12", "p13", "p19")])
def test_checkers_that_are_missing_are_named_and_no_other_points(cells: tuple[str, ...]) -> None:
    """The innermost checker of each is taken off, as the picture of the empty board shows it."""
    image, table = picture("blue").image.copy(), rig("blue")
    for cell in cells:
        _, x, y, _ = spots(table.measures, {cell: start()[cell]}, table.orientation)[-1]
        turns = np.linspace(0, 2 * np.pi, 40)
        far = 0.56 * table.measures.checker
        around = [
            (x + far * np.cos(turn), y + far * np.sin(turn), height * table.measures.thickness)
            for turn in turns
            for height in (0, 1)
        ]
        gone = cv2.convexHull(np.round(table.camera.project(around)).astype(np.int32))
        mask = cv2.fillConvexPoly(np.zeros(image.shape[:2], np.uint8), gone, 1) > 0
        image[mask] = picture("blue", "empty").image[mask]
    with pytest.raises(CalibrationError) as error:
        calibrate(image, corners("blue", 3.0), geometry("blue"))
    assert named(error) == set(cells)


def test_a_checker_that_something_hides_is_told() -> None:
    image, table = picture("blue").image.copy(), rig("blue")
    x, y = board_middle(table.measures, 8), 1.5 * table.measures.checker
    ((across, down),) = table.camera.project([(x, y, 2.0)])
    cv2.circle(image, (round(across), round(down)), round(0.8 * table.quality.diameter), (30, 120, 200), -1)
    quality = calibrate(image, corners("blue", 3.0), geometry("blue")).quality
    assert quality.unseen == ("p8",)
    assert any("p8: a checker is not seen at its place" in line for line in quality.words())
    for board in BOARDS:
        assert rig(board).quality.unseen == ()


def test_a_hand_in_the_calibration_picture_is_told_by_the_points_that_it_hides() -> None:
    quality = calibrate(
        picture("green-felt", "05").image,
        corners("green-felt"),
        geometry("green-felt"),
        truth("green-felt", "05"),
    ).quality
    hidden = read_blind(picture("green-felt", "05").image, corners("green-felt")).occluded
    assert {*hidden} <= {*quality.strange} <= {*hidden, "p12"}, (
        "an arm reaches over the rim between p12 and p13"
    )
    assert any("something covered this part" in line for line in quality.words())


def test_a_row_that_begins_beyond_the_rim_is_not_taken_for_whole() -> None:
    exact = np.array(labels("green-felt")["start"]["corners_px"])
    row = (exact[0] - exact[3]) / 11
    low = [(float(x), float(y)) for x, y in exact + np.array([row, row, 0 * row, 0 * row])]
    with pytest.raises(CalibrationError, match="not where they should be"):
        calibrate(picture("green-felt").image, low, geometry("green-felt"))


def test_a_grey_picture_is_learned_and_read_where_the_sides_differ_in_lightness() -> None:
    def grey(name: str) -> Image:
        flat = cv2.cvtColor(picture("green-felt", name).image, cv2.COLOR_BGR2GRAY)
        return np.asarray(cv2.cvtColor(flat, cv2.COLOR_GRAY2BGR), np.uint8)

    reading = CheckersReader(calibrate(grey("start"), corners("green-felt"), geometry("green-felt"))).read(
        Frame(grey("03"))
    )
    wrong = [
        cell
        for cell, look in truth("green-felt", "03").items()
        if cell.startswith("p") and reading.looks.get(cell) != look
    ]
    assert len(wrong) <= 2  # a stack, and a white point where the start position hid the board
    assert all(reading.confidence[cell] < 0.9 for cell in wrong)


@pytest.mark.parametrize(
    ("turn", "turned"), [(0, "as usual"), (90, "a quarter turned"), (180, "upside down"), (-30, "askew")]
)
def test_the_board_is_found_however_the_camera_is_turned(turn: int, turned: str) -> None:
    image = picture("cork-tan").image
    height, width = image.shape[:2]
    side = int(np.hypot(height, width))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix[:, 2] += [(side - width) / 2, (side - height) / 2]
    found = find(np.asarray(cv2.warpAffine(image, matrix, (side, side)), np.uint8))
    exact = np.array(labels("cork-tan")["start"]["corners_px"]) @ matrix[:, :2].T + matrix[:, 2]
    off = min(
        np.linalg.norm(np.roll(np.array(found.corners), k, axis=0) - exact, axis=1).max() for k in range(4)
    )
    assert off < 0.3 * found.rig.quality.diameter, turned
    assert found.rig.quality.wrong == ()


def test_sun_that_lies_across_the_board_in_patches_is_told_and_another_opinion_is_asked() -> None:
    plain = picture("blue").image
    sunny, _ = ALTERED["sun through a blind"](plain, np.array(corners("blue")))
    learned = calibrate(sunny, corners("blue"), geometry("blue")).quality
    assert any("draw the curtain" in words for words in learned.words())
    assert two_opinions.wanted(learned, [])
    evenly = rig("blue").quality
    assert not evenly.in_patches
    assert not two_opinions.wanted(evenly, [])


def test_the_report_says_what_is_weak_and_how_to_fix_it() -> None:
    good = rig("green-felt").quality
    assert good.good
    assert good.words() == []
    weak = Quality(
        reprojection=9.0, corner_error=12.0, separation=1.0, wrong=("p3",), weak=("p7",), diameter=14.0
    )
    said = " ".join(weak.words())
    assert not weak.good
    for word in ("p3", "p7", "1.0 nats", "14 pixels", "9.0 pixels", "12.0 pixels"):
        assert word in said
    assert weak.to_json()["words"] == weak.words()


@pytest.mark.parametrize(("board", "name"), [("cork-tan", "02"), ("blue", "04"), ("green-felt", "03")])
def test_any_known_position_teaches_as_well_as_the_start(board: str, name: str) -> None:
    learned = calibrate(picture(board, name).image, corners(board, 3.0), geometry(board), truth(board, name))
    reading = CheckersReader(learned).read(picture(board))
    wrong = [
        cell
        for cell, look in truth(board, "start").items()
        if cell.startswith("p") and reading.looks.get(cell) != look
    ]
    assert len(wrong) <= 1
    assert all(reading.confidence[cell] < 0.9 for cell in wrong)


def test_a_hand_over_the_calibration_picture_is_told() -> None:
    image, table = picture("green-felt").image.copy(), rig("green-felt")
    measures = table.measures
    left, right = (board_middle(measures, place) for place in (14, 16))
    arm = [
        (left, measures.height + 3),
        (right, measures.height + 3),
        (right, 0.7 * measures.height),
        (left, 0.7 * measures.height),
    ]
    seen = table.camera.project([(x, y, 3.0) for x, y in arm])
    cv2.fillConvexPoly(image, np.round(seen).astype(np.int32), (120, 150, 205))
    quality = calibrate(image, corners("green-felt"), geometry("green-felt")).quality
    assert "p15" in quality.strange
    assert any("a hand" in line for line in quality.words())
    for board in BOARDS:
        assert rig(board).quality.strange == ()


def quarter_turned(image: Image) -> Image:
    """Turned to the left: what was right is at the top."""
    return np.ascontiguousarray(np.rot90(image))


def test_any_position_is_learned_from_a_board_whose_home_is_on_the_left() -> None:
    board, name = "green-felt", "03"
    image = flipped(picture(board, name).image)
    bl, br, tr, tl = ((image.shape[1] - 1 - x, y) for x, y in corners(board))
    learned = calibrate(image, [br, bl, tl, tr], geometry(board), truth(board, name))
    assert learned.orientation.mirrored
    assert learned.quality.home == "left"
    reading = CheckersReader(learned).read(Frame(flipped(picture(board).image)))
    points = {cell: look for cell, look in truth(board, "start").items() if cell.startswith("p")}
    assert sum(reading.looks[cell] != points[cell] for cell in points) <= 1


def test_where_the_home_lies_is_told_as_it_lies_in_the_picture_and_can_be_said() -> None:
    image = quarter_turned(picture("green-felt").image)
    wide = picture("green-felt").image.shape[1]
    turned = [(y, wide - 1 - x) for x, y in corners("green-felt")]
    found = calibrate(image, turned, geometry("green-felt"))
    assert found.quality.home == "top"
    assert Quality.from_json(found.quality.to_json()).home == "top"
    assert found.exchanged().quality.home == "top"
    assert calibrate(image, turned, replace(geometry("green-felt"), home="top")).quality.home == "top"
    with pytest.raises(CalibrationError, match="cannot be on that side"):
        calibrate(image, turned, replace(geometry("green-felt"), home="left"))
    with pytest.raises(CalibrationError, match="known position"):
        calibrate(image, turned, replace(geometry("green-felt"), home="bottom"))


def test_a_position_that_is_its_own_mirror_image_lies_as_it_is_said() -> None:
    table = rig("green-felt")
    same: Looks = {"p1": ("white",) * 2, "p12": ("white",) * 2, "p15": ("black",), "p22": ("black",)}
    estimates = Estimates(replace(table.measures, tray="none"), ())
    said = Hypothesis(same, (), estimates, Orientation(), table.camera, 1.0, home_told=True)
    assert not either_way(said)
    assert said.home == "right"
    assert replace(said, orientation=Orientation(mirrored=True)).home == "left"


def test_a_board_never_seen_is_read_with_its_home_where_it_is_said() -> None:
    usual = read_blind(picture("green-felt").image, corners("green-felt"))
    image = flipped(picture("green-felt").image)
    bl, br, tr, tl = ((image.shape[1] - 1 - x, y) for x, y in corners("green-felt"))
    places = [br, bl, tl, tr]
    assert read_blind(image, places, Geometry(home="left")).looks == usual.looks
    assert read_blind(image, places, Geometry(home="right")).looks != usual.looks
    with pytest.raises(CalibrationError, match="cannot be on that side"):
        read_blind(image, places, Geometry(home="top"))
