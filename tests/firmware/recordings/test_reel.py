"""A recording is sound, or it is refused in one line and nothing is logged."""

import codecs
import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import rules
from firmware.cli import main
from firmware.recordings import reel
from firmware.recordings.reel import BadReel

Spoil = Callable[[dict[str, Any]], object]


def at(place: int, **changes: object) -> Spoil:
    return lambda data: data["timeline"][place].update(changes)


def without(*keys: str) -> Spoil:
    return lambda data: [data.pop(key) for key in keys]


SPOILED: dict[str, tuple[Spoil, str]] = {
    "a frame that is missing": (at(2, frame="no-such.jpg"), "no-such.jpg"),
    "a frame from another folder": (
        at(2, frame="../000.jpg"),
        "timeline[2].frame: must name a file beside reel.json",
    ),
    "a timeline out of order": (at(3, t=0.5), "timeline[3] is out of order"),
    "a time that is no number": (at(3, t="soon"), "timeline[3].t"),
    "a button that no box has": (at(4, button="dance"), "timeline[4].button"),
    "a die with seven": (at(1, roll=[7, 1]), "timeline[1].roll[0]"),
    "a die with nought": (at(1, roll=[1, 0]), "timeline[1].roll[1]"),
    "half a die": (at(1, roll=[1.5, 1]), "timeline[1].roll[0]"),
    "three dice": (at(1, roll=[1, 2, 3]), "rolls 2 dice"),
    "no dice": (at(1, roll=[]), "timeline[1].roll"),
    "a side that does not play": (at(1, side="green"), "timeline[1].side: 'green' does not play backgammon"),
    "a moment that is two things": (
        at(0, button="done"),
        "timeline[0]: must have one of frame, roll, button, event, blind, rig",
    ),
    "a moment that is nothing": (
        lambda data: data["timeline"].append({"t": 99.0}),
        "timeline[5]: must have one of",
    ),
    "a moment that is no object": (
        lambda data: data["timeline"].append(7),
        "timeline[5]: must have one of",
    ),
    "an empty timeline": (lambda data: data.update(timeline=[]), "timeline: there is nothing in it"),
    "no timeline": (without("timeline"), "timeline: field required"),
    "a timeline without frames": (lambda data: data.update(timeline=data["timeline"][1:2]), "no frame"),
    "three corners": (lambda data: data["corners_px"].pop(), "corners_px"),
    "corners that are words": (lambda data: data.update(corners_px=["a", "b", "c", "d"]), "corners_px[0]"),
    "corners in one place": (lambda data: data.update(corners_px=[[5, 5]] * 4), "cannot be learned"),
    "corners that are no board": (
        lambda data: data.update(corners_px=[[0, 0], [1, 0], [1, 1], [0, 1]]),
        "cannot be learned",
    ),
    "no corners": (without("corners_px"), "corners_px: field required"),
    "another size than its pictures": (lambda data: data.update(size=[640, 480]), "the picture is 1280x960"),
    "a game that nobody knows": (lambda data: data.update(rules="tiddlywinks"), "unknown game 'tiddlywinks'"),
    "measures that are words": (lambda data: data["geometry_cm"].update(pitch="wide"), "pitch"),
}


def refused(folder: Path, state: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Replays, expects exit status 2 and nothing logged, and returns the one line on standard error."""
    with pytest.raises(SystemExit) as stopped:
        main(["replay", str(folder), "--json", "--state", str(state)])
    out, err = capsys.readouterr()
    assert stopped.value.code == 2
    assert out == ""
    assert err.startswith("barpoint: ")
    assert err.count("\n") == 1
    assert not state.exists()
    return err


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_recording_is_refused_in_one_line_and_nothing_is_logged(
    name: str, short_reel: Callable[[Spoil], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, expected = SPOILED[name]
    assert expected in refused(short_reel(spoil), tmp_path / "state", capsys)


@pytest.mark.parametrize("length", [0, 1, 2, 500, 70_000, -2])
def test_a_picture_that_is_cut_off_is_refused(
    length: int, short_reel: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = short_reel()
    whole = (folder / "002.jpg").read_bytes()
    (folder / "002.jpg").write_bytes(whole[:length])
    assert "002.jpg" in refused(folder, tmp_path / "state", capsys)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\xff\xfe", '{"size": NaN}', "{" * 100_000])
def test_a_reel_json_that_is_none_is_refused(
    text: str, short_reel: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = short_reel()
    (folder / "reel.json").write_text(text, encoding="latin-1")
    assert "reel.json" in refused(folder, tmp_path / "state", capsys)


def test_a_reel_json_may_begin_with_the_mark_of_windows(short_reel: Callable[..., Path]) -> None:
    file = short_reel() / "reel.json"
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert reel.read(file.parent).frames


def test_a_folder_without_reel_json_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "reel.json" in refused(tmp_path / "nothing", tmp_path / "state", capsys)


def test_whatever_is_wrong_it_is_a_bad_reel_and_never_a_crash(short_reel: Callable[..., Path]) -> None:
    """Random values in random places of the file: sound, or BadReel, and nothing else."""
    folder = short_reel()
    original = (folder / "reel.json").read_text()
    chance = random.Random(20261120)
    values = [None, True, -1, 0, 1e308, "x", "", [], {}, [[]], "done", "000.jpg", [1, 2], {"t": 0}]
    for _ in range(300):
        data = json.loads(original)
        where: Any = data
        while isinstance(where, dict | list) and where and chance.random() < 0.8:
            key = chance.choice(list(where) if isinstance(where, dict) else range(len(where)))
            if not isinstance(where[key], dict | list) or chance.random() < 0.3:
                where[key] = chance.choice(values)
                break
            where = where[key]
        (folder / "reel.json").write_text(json.dumps(data))
        with contextlib.suppress(BadReel):
            reel.check(reel.read(folder), rules.get("backgammon"), folder)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "[]",
        '{"size":[1'
        + "0" * 400
        + ',10],"corners_px":[[0,0],[1,0],[1,1],[0,1]],"timeline":[{"t":0,"frame":"a"}]}',
        '{"size":[9,9],"corners_px":[[0,0],[1,0],[1,1],[0,1]],"timeline":[{"t":0,"event":{"event":"x","a":1e999}}]}',
        '{"size":[9,9],"corners_px":[[0,0],[1,0],[1,1],[0,1]],"timeline":[{"t":0,"event":{"a":1,"a":2}}]}',
        '{"size":[9,9],"corners_px":[[0,0],[1,0],[1,1],[0,1]],"timeline":[{"t":0,"side":"white","button":"'
        + "(" * 5000
        + '"}]}',
    ],
)
def test_a_reel_that_nobody_recorded_is_refused_in_a_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "reel.json").write_text(text)
    with pytest.raises(BadReel, match=r"reel\.json") as refused:
        reel.read(tmp_path)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("counts", [(3, 3), (2, 3, 3, 2, 3), (2, 2, 3)])
def test_a_game_may_begin_from_a_board_that_was_set_by_hand_and_another_follow(
    counts: tuple[int, ...], tmp_path: Path
) -> None:
    rolled = [{"t": float(t), "roll": [6, 2, 1][:count]} for t, count in enumerate(counts)]
    corners = [[0.0, 9.0], [9.0, 9.0], [9.0, 0.0], [0.0, 0.0]]
    recorded = reel.Reel.model_validate_json(
        json.dumps({"size": [9, 9], "corners_px": corners, "timeline": rolled})
    )
    reel.check(recorded, rules.get("icegammon"), tmp_path)
    with pytest.raises(BadReel, match="backgammon rolls 2 dice, not 3"):
        reel.check(recorded, rules.get("backgammon"), tmp_path)
