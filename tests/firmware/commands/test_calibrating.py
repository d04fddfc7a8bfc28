"""``barpoint calibrate`` as a person meets it: corners found or given, what is refused and why, the report
and the picture."""

import json
from pathlib import Path

import cv2
import pytest

from firmware.cli import main
from firmware.commands._corners import read_geometry
from tests.firmware.conftest import REEL
from vision import boards

RECORDED = json.loads((REEL / "reel.json").read_text())
CORNERS = [f"{x},{y}" for x, y in RECORDED["corners_px"]]
START = str(REEL / "000.jpg")


def barpoint(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return int(stopped.value.code or 0)


def test_without_corners_the_board_is_found_and_the_picture_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig, overlay = tmp_path / "table.rig", tmp_path / "look.png"
    assert barpoint("calibrate", START, "-o", str(rig), "--overlay", str(overlay), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    for found, exact in zip(told["corners"], RECORDED["corners_px"], strict=True):
        assert abs(found[0] - exact[0]) < 12
        assert abs(found[1] - exact[1]) < 12
    assert told["sure"] > 0.9
    drawn = cv2.imread(str(overlay))
    assert drawn is not None
    assert drawn.shape[1::-1] == tuple(RECORDED["size"])
    corners = [f"{x},{y}" for x, y in told["corners"]]
    assert barpoint("calibrate", START, "--corners", *corners, "-o", str(rig)) == 0
    assert len(boards.versions(rig)) == 2


def test_the_darker_checkers_are_whites_where_a_person_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = tmp_path / "table.rig"
    assert barpoint("calibrate", START, "--corners", *CORNERS, "-o", str(rig), "--json") == 0
    lead = json.loads(capsys.readouterr().out)["lead"]
    assert lead > 10
    assert barpoint("calibrate", START, "--corners", *CORNERS, "--exchange", "-o", str(rig), "--json") == 0
    assert json.loads(capsys.readouterr().out)["lead"] == -lead
    assert barpoint("read", START, "--rig", str(rig), "--json") == 0
    assert json.loads(capsys.readouterr().out)["points"]["24"] == 2  # the start still, of the other colours


def test_where_no_board_is_seen_nothing_is_written_and_the_way_out_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), cv2.imread(START)[:300, :400])
    assert barpoint("calibrate", str(photo), "-o", str(tmp_path / "table.rig")) == 2
    error = capsys.readouterr().err
    assert "not found" in error
    assert "--corners" in error
    assert not (tmp_path / "table.rig").exists()
    assert barpoint("--language", "de", "calibrate", str(photo), "-o", str(tmp_path / "table.rig")) == 2
    assert "geben Sie seine vier Ecken an: --corners" in capsys.readouterr().err


def test_a_sheet_of_hexes_without_its_numbers_is_sent_to_the_geometry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert barpoint("calibrate", START, "--rules", "siege-master", "-o", str(tmp_path / "table.rig")) == 2
    error = capsys.readouterr().err
    assert '{"cols": 19, "rows": 15}: --geometry FILE' in error
    assert "--corners" not in error


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ({"pich": 4.2}, ("pich", "did you mean pitch")),
        ({"colour": 4.2}, ("colour", "there are pitch")),
        ({"pitch": -1}, ("pitch", "centimetres")),
        ({"bar": 60, "width": 55}, ("bar", "width")),
        ({"pitch": 4, "bar": 30, "width": 50, "height": 40}, ("add up",)),
        ([1], ("JSON object",)),
    ],
)
def test_a_geometry_file_that_no_board_has_is_refused(
    measures: object, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    geometry = tmp_path / "board.json"
    geometry.write_text(json.dumps(measures))
    assert (
        barpoint(
            "calibrate",
            START,
            "--corners",
            *CORNERS,
            "--geometry",
            str(geometry),
            "-o",
            str(tmp_path / "table.rig"),
        )
        == 2
    )
    error = capsys.readouterr().err
    assert all(word in error for word in words), error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "table.rig").exists()


def test_a_geometry_file_may_begin_with_the_mark_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    file.write_text('{"pitch": 4.8}', encoding="utf-8-sig")
    assert read_geometry(file, "checkers") == {"pitch": 4.8}


def test_a_home_on_another_side_than_was_said_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = tmp_path / "table.rig"
    assert barpoint("calibrate", START, "--home", "left", "-o", str(rig)) == 2
    assert "home boards on another side than was said" in capsys.readouterr().err
    assert not rig.exists()
