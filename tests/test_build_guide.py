"""The build guide says what the program does: its drawings and tables are made from the defaults, and these
are of today."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from docs.drawings import guide, parts, template
from docs.drawings.facts import LENSES, lamp_aside, power
from docs.drawings.places import span
from firmware.guided.header import HEADER, SUPPLY, wiring
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


def test_the_part_list_has_what_the_configuration_needs_and_adds_up() -> None:
    config = Config()
    found = {each.name: each for each in parts.parts(config)}
    buttons = next(each for name, each in found.items() if name.startswith("push button"))
    assert (buttons.starter, buttons.full) == (0, len(list(config.buttons.wired())))
    text = parts.table(config)
    starter, full = (
        sum(getattr(each, build) * each.each for each in found.values()) for build in ("starter", "full")
    )
    assert f"**{starter:.0f}** | **{full:.0f}**" in text
    assert all(each.full >= each.starter for each in found.values())


def test_the_template_is_of_today_and_a_sheet_is_an_a4_sheet() -> None:
    sheets = template.pages(Config())
    data = template.PDF.read_bytes()
    assert data == template.pdf(sheets), "run: python -m docs.drawings.template"
    boxes = [tuple(map(float, box)) for box in re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)]
    assert len(boxes) == len(sheets)
    assert set(boxes) == {(round(297 / 25.4 * 72, 2), round(210 / 25.4 * 72, 2))}
    start = int(data.rpartition(b"startxref\n")[2].split()[0])
    places = [int(line.split()[0]) for line in data[start:].splitlines()[3:] if line.endswith(b"00000 n ")]
    assert [data[place:].split(b" ")[0] for place in places] == [b"%d" % n for n in range(1, len(places) + 1)]


def test_sheets_for_other_points_are_a_file_of_their_own_which_is_named(tmp_path: Path) -> None:
    kept = template.PDF.read_bytes()
    made = subprocess.run(
        [sys.executable, "-m", "docs.drawings.template", "47.5"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(template.PDF.parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == "template-47.5.pdf\n"
    assert (tmp_path / "template-47.5.pdf").read_bytes() == template.pdf(template.pages(Config(), 47.5))
    assert template.PDF.read_bytes() == kept


def test_the_template_has_every_button_and_every_point_and_nothing_leaves_the_sheet() -> None:
    config = Config()
    lid, shared, along, _ = ({words for _, _, words, _ in sheet.words} for sheet in template.pages(config))
    for owner, name, _ in config.buttons.wired():
        assert name in (shared if owner == "shared" else lid), name
    for point in range(1, 25):
        assert f"{point}: LED {span(config.strip.map[f'p{point}'])}" in along
    for sheet in template.pages(config, 47.0):
        for x, y, words, size in sheet.words:
            assert x >= 0 <= y <= template.HIGH, words
            assert x + template.LETTER * size * len(words) <= template.WIDE, words


def test_the_template_is_at_full_size() -> None:
    """A hole of 24 mm is 24 mm across, the points are as far apart as they are on the board."""
    text = template.panel(Config()).content().decode("cp1252")
    starts = re.findall(
        r"([\d.]+) ([\d.]+) m ([\d.]+) [\d.]+ [\d.]+ [\d.]+ [\d.]+ [\d.]+ c (?:[\d.]+ ){4}([\d.]+) ", text
    )
    right, _, _, left = map(float, starts[0])
    assert (right - left) / 72 * 25.4 == pytest.approx(template.BUTTON, abs=0.02)
    marks = [x for x, y, words, _ in template.quarter(Config(), 47.0).words if words.startswith("point ")]
    assert {round(b - a, 1) for a, b in pairwise(marks)} == {47.0}
