"""Calibrating and reading from the command line, on the bundled recording's own pictures."""

import json
import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.evidence import Evidence
from firmware.cli import main
from firmware.readings import describe_reading, reading_json
from tests.firmware.conftest import REEL
from vision.dice import DiceReader, Die, Lies, Lying
from vision.picture.frame import WORKING, Image
from vision.reading import Reading

RECORDED = json.loads((REEL / "reel.json").read_text())
CORNERS = [f"{x},{y}" for x, y in RECORDED["corners_px"]]
REST = ("002.jpg", "004.jpg", "006.jpg")


def barpoint(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return int(stopped.value.code or 0)


def counts(line: dict[str, Any]) -> dict[str, Any]:
    return {key: line[key] for key in ("points", "bar", "off")}


def test_a_table_is_learned_from_its_start_and_then_read(
    tmp_path: Path, truth: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    rig, geometry = tmp_path / "table.rig", tmp_path / "board.json"
    geometry.write_text(json.dumps(RECORDED["geometry_cm"]))
    assert (
        barpoint(
            "calibrate",
            str(REEL / "000.jpg"),
            "--corners",
            *CORNERS,
            "--geometry",
            str(geometry),
            "-o",
            str(rig),
            "--json",
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["wrong"] == []
    assert barpoint("read", *(str(REEL / name) for name in REST), "--rig", str(rig), "--json") == 0
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    for name, data in zip(REST, lines, strict=True):
        assert counts(data) == {key: truth["frames"][name][key] for key in ("points", "bar", "off")}
        assert data["file"].endswith(name)
        assert data["occluded"] == []
        assert set(data["confidence"]) >= {f"p{point}" for point in range(1, 25)}


def test_a_board_with_its_home_on_the_left_is_recognised_and_read_in_the_one_numbering(
    tmp_path: Path, truth: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("000.jpg", "002.jpg"):
        picture = cv2.imread(str(REEL / name))
        assert picture is not None
        cv2.imwrite(str(tmp_path / name), picture[:, ::-1])
    width = RECORDED["size"][0]
    left, right, top_right, top_left = ((width - 1 - x, y) for x, y in RECORDED["corners_px"])
    corners = [f"{x},{y}" for x, y in (right, left, top_left, top_right)]
    rig = str(tmp_path / "table.rig")
    assert barpoint("calibrate", str(tmp_path / "000.jpg"), "--corners", *corners, "-o", rig) == 0
    capsys.readouterr()
    assert barpoint("read", str(tmp_path / "002.jpg"), "--rig", rig, "--json") == 0
    assert json.loads(capsys.readouterr().out)["points"] == truth["frames"]["002.jpg"]["points"]


def test_a_board_never_seen_before_is_found_and_read(
    truth: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert barpoint("read", str(REEL / "004.jpg"), "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["points"] == truth["frames"]["004.jpg"]["points"]
    off = max(math.dist(*pair) for pair in zip(data["corners"], RECORDED["corners_px"], strict=True))
    assert off < 25, "pixels: a third of a checker"
    assert "(--corners " in describe_reading(data)


@pytest.mark.parametrize("clockwise", [True, False])
def test_corners_of_a_board_that_lies_turned_a_quarter_may_be_given_as_the_picture_has_them(
    clockwise: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, (width, high) = cv2.imread(str(REEL / "000.jpg")), RECORDED["size"]
    assert picture is not None
    turn = cv2.ROTATE_90_CLOCKWISE if clockwise else cv2.ROTATE_90_COUNTERCLOCKWISE
    photo, rig = str(tmp_path / "turned.png"), str(tmp_path / "table.rig")
    cv2.imwrite(photo, cv2.rotate(picture, turn))
    own = [(high - 1 - y, x) if clockwise else (y, width - 1 - x) for x, y in RECORDED["corners_px"]]
    shown = [*own[1:], *own[:1]] if clockwise else [*own[3:], *own[:3]]
    corners = [f"{x},{y}" for x, y in shown]
    assert barpoint("calibrate", photo, "--corners", *corners, "-o", rig, "--json") == 0
    home = "bottom" if clockwise else "top"
    assert json.loads(capsys.readouterr().out)["home"] == home
    assert barpoint("read", photo, "--corners", *corners, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    start = {"1": -2, "6": 5, "8": 3, "12": -5, "13": 5, "17": -3, "19": -5, "24": 2}
    assert found["points"] == start
    assert found["home"] == home
    assert found["corners"] == [pytest.approx(place, abs=0.1) for place in own]


def test_of_a_dark_picture_no_option_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photo = str(tmp_path / "black.png")
    cv2.imwrite(photo, np.zeros((720, 1280, 3), np.uint8))
    for words in (("read", photo), ("calibrate", photo, "-o", str(tmp_path / "table.rig"))):
        assert barpoint(*words) == 2
        said = capsys.readouterr().err
        assert "switch the lamp on" in said
        assert "--corners" not in said


def test_a_photo_that_cannot_be_read_is_named_and_the_others_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torn.jpg").write_bytes((REEL / "002.jpg").read_bytes()[:9000])
    photos = [str(tmp_path / "torn.jpg"), str(REEL / "004.jpg")]
    assert barpoint("read", *photos, "--corners", *CORNERS, "--json") == 2
    out, err = capsys.readouterr()
    assert [json.loads(text)["file"] for text in out.splitlines()] == photos[1:]
    assert err.count("\n") == 1
    assert "torn.jpg" in err


def test_a_board_that_does_not_stand_as_said_is_not_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = tmp_path / "table.rig"
    assert barpoint("calibrate", str(REEL / "118.jpg"), "--corners", *CORNERS, "-o", str(rig)) == 2
    assert "known position" in capsys.readouterr().err
    assert not rig.exists()


def test_dice_are_told_in_pixels_of_a_picture_that_is_read_at_half_its_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(reader: DiceReader, image: Image) -> Lying:
        high, wide = image.shape[:2]
        return Lying((Die(3, (wide / 4, high / 2), 0.999, "light", Lies.FLAT),))

    monkeypatch.setattr(DiceReader, "look", seen)
    small = cv2.imread(str(REEL / "004.jpg"))
    large = cv2.resize(small, None, fx=3, fy=3)
    assert max(large.shape) > WORKING
    cv2.imwrite(str(tmp_path / "large.jpg"), large)
    corners = [f"{3 * x},{3 * y}" for x, y in RECORDED["corners_px"]]
    assert barpoint("read", str(tmp_path / "large.jpg"), "--corners", *corners, "--json") == 0
    (die,) = json.loads(capsys.readouterr().out)["dice"]
    assert die["at"] == [large.shape[1] / 4, large.shape[0] / 2]


def reading(looks: dict[str, tuple[str, ...]], occluded: tuple[str, ...] = ()) -> Reading:
    return Reading(
        Evidence.certain(looks), frozenset(occluded), bool(occluded), dict.fromkeys(looks, 1.0), looks
    )


def test_what_a_hand_hides_is_said_to_be_hidden_and_not_to_be_empty() -> None:
    data = reading_json(
        "f",
        "backgammon",
        reading(
            {"p1": ("black", "black"), "p2": (), "bar.white": ("white",), "off.white": ()},
            ("p6", "bar.black", "off.black"),
        ),
    )
    assert counts(data) == {"points": {"1": -2}, "bar": [1, None], "off": [0, None]}
    assert data["occluded"] == ["p6", "bar.black", "off.black"]
    assert "hidden: p6" in describe_reading(data)


def test_without_a_tray_in_view_nothing_is_said_of_borne_off_checkers() -> None:
    assert (
        reading_json("f", "backgammon", reading({"p1": (), "bar.white": (), "bar.black": ()}))["off"] is None
    )
