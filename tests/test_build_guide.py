"""The build guide says what the program does: its drawings and tables are made from the defaults, and these
are of today."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from docs.drawings import guide
from docs.drawings.facts import HEADER, LENSES, SUPPLY, lamp_aside, power, wiring
from docs.drawings.places import span
from firmware.settings.config import Config

DRAWINGS = sorted(guide.drawings().items())
NAMES = [path.name for path, _ in DRAWINGS]
WIDTH = {"title": 15 * 0.6, "small": 11 * 0.56}
"""Units that a letter takes, at most on average, in the styles that are not the usual one."""


@pytest.mark.parametrize(("path", "text"), DRAWINGS, ids=NAMES)
def test_every_drawing_is_of_today(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run: python -m docs.drawings"


def test_every_table_is_of_today() -> None:
    text = guide.GUIDE.read_text(encoding="utf-8")
    assert guide.filled(text) == text, "run: python -m docs.drawings"
    assert set(re.findall(r"<!-- made: (\w+) -->", text)) == set(guide.tables())


@pytest.mark.parametrize("text", [text for _, text in DRAWINGS], ids=NAMES)
def test_no_words_leave_the_sheet(text: str) -> None:
    root = ET.fromstring(text)
    width, height = (float(value) for value in root.attrib["viewBox"].split()[2:])
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        long = len(element.text or "") * WIDTH.get(element.attrib["class"], 13 * 0.56)
        x, y = float(element.attrib["x"]), float(element.attrib["y"])
        left = x - long * {"start": 0, "middle": 0.5, "end": 1}[element.attrib["text-anchor"]]
        assert left >= 0 <= y <= height, element.text
        assert left + long <= width, element.text


def test_every_picture_of_the_guide_is_there_and_has_words() -> None:
    found = re.findall(r"!\[([^\]]*)\]\(([^)]*)\)", guide.GUIDE.read_text(encoding="utf-8"))
    assert set(NAMES) <= {name.removeprefix("img/") for _, name in found}
    assert all(words and (guide.GUIDE.parent / name).exists() for words, name in found)


def test_the_header_has_forty_pins_of_which_each_is_one_thing() -> None:
    assert sorted([*HEADER, *SUPPLY]) == list(range(1, 41))
    assert sorted(HEADER.values()) == list(range(28))


def test_every_button_and_the_strip_are_wired() -> None:
    config = Config()
    wired = {HEADER[pin] for pin in wiring(config) if pin in HEADER}
    assert wired == {pin for _, _, pin in config.buttons.wired()} | {10, 11}


def test_the_arithmetic_is_that_of_the_strip() -> None:
    config = Config()
    found = power(config)
    assert found.bare == config.strip.count * (3 * config.strip.channel + config.strip.idle)
    assert found.sent <= min(found.capped, config.strip.milliamps)


def test_each_lens_sees_the_board_from_its_height() -> None:
    assert [(lens.name, lens.above) for lens in LENSES[:2]] == [
        ("Camera Module 3", 81),
        ("Camera Module 3 Wide", 46),
    ]


def test_a_lamp_as_high_as_the_camera_is_mirrored_half_way() -> None:
    assert lamp_aside(80, 80) == 75.0


def test_leds_are_told_in_few_words() -> None:
    assert span((3, 1, 2, 7)) == "1-3, 7"
