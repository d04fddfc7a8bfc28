"""A drawn film in which the cube is doubled and dropped, taken and redoubled: from its pictures to the match
file."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner

from engine.record import Doubled, Dropped, Taken
from firmware import formats
from firmware.commands.transcribe import command
from training.dice.reels import DrawnCube, Reel, draw_match
from training.dice.stage import DrawnStage

LENGTH = 5


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few turns with many doubles: the folder, and the match beside it, transcribed."""
    folder = tmp_path_factory.mktemp("drawn")
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    stage = DrawnStage(6, 1280)
    draw_match(stage, Reel(folder / "film", stage), LENGTH, 4, DrawnCube(stage, often=0.4))
    cv2.setNumThreads(threads)
    words = [str(folder / "film"), "-o", str(folder / "match.mat"), "--length", str(LENGTH), "--json"]
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 0, result.output
    (folder / "lines.jsonl").write_text(
        "\n".join(line for line in result.stdout.splitlines() if line.startswith("{"))
    )
    return folder


def test_the_doubles_of_a_drawn_film_are_told(drawn: Path) -> None:
    truth = json.loads((drawn / "film" / "truth.json").read_text())["cube"]
    assert {each["take"] for each in truth} == {True, False}
    lines = [json.loads(line) for line in (drawn / "lines.jsonl").read_text().splitlines()]
    told, turns = [], 0
    for line in lines:
        if "cube" in line and line["cube"]["sure"]:
            cube = line["cube"]
            told.append({"before": turns, "side": cube["double"], "take": cube["take"]})
        turns += line["kind"] != "double"
    assert told == truth
    kept = map(json.loads, (drawn / "match.film" / "sightings.jsonl").read_text().splitlines())
    assert {each["cube"][0] for each in kept if "cube" in each} == {"middle", "field", "near", "far"}


def test_its_match_file_has_them(drawn: Path) -> None:
    truth = json.loads((drawn / "film" / "truth.json").read_text())["cube"]
    for form in ("mat", "sgf"):
        match = formats.read((drawn / f"match.{form}").read_bytes()).record
        found = [
            type(each)
            for game in match.games
            for each in game.actions
            if isinstance(each, Doubled | Taken | Dropped)
        ]
        answers = [(Doubled, Taken if each["take"] else Dropped) for each in truth]
        assert found == [each for pair in answers for each in pair]
    report = (drawn / "match.html").read_text()
    assert report.count('class="cube"') == len(truth)
    assert "White doubles to 4, black takes" in report
