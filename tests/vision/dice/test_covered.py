"""A die that is not found where it lay: picked up, or covered?"""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.dice import DiceReader, Die, Lies, Lying, covered
from vision.dice.cube_or_die import LyingReader
from vision.picture.frame import Frame, Image

BOARD = "green-felt"


@pytest.fixture(scope="module")
def dice() -> DiceReader:
    return DiceReader.of_table(CheckersReader(rig(BOARD)))


def place(dice: DiceReader) -> Die:
    """A die's place in the middle of the right half, where the start position has none."""
    x, y = 0.75 * dice.size[0], dice.size[1] / 2
    u, v = map(float, dice.camera.project([[x, y, 0.0]])[0])
    return Die(3, (u, v), 0.999, "black", Lies.FLAT, (x, y), 1.5)


def over(image: Image, die: Die, colour: tuple[int, int, int], wide: int = 60) -> Image:
    at = (round(die.at[0]), round(die.at[1]))
    return np.asarray(cv2.circle(image.copy(), at, wide, colour, -1), np.uint8)


def lamp(image: Image, die: Die) -> Image:
    high, wide = image.shape[:2]
    y, x = np.mgrid[:high, :wide]
    shine = 260 * np.exp(-((x - die.at[0]) ** 2 + (y - die.at[1]) ** 2) / 50**2)
    return np.asarray(np.clip(image + shine[..., None], 0, 255), np.uint8)


def around(image: Image, dice: DiceReader, die: Die) -> covered.Around:
    return covered.around(image, covered.level_of(image), dice.camera, die, ())


def test_a_place_is_bare_again_in_other_light_and_is_not_under_a_thing(dice: DiceReader) -> None:
    image, die = picture(BOARD).image, place(dice)
    before = around(over(image, die, (240, 240, 235), 12), dice, die)
    noise = np.random.default_rng(1).normal(0, 4, image.shape)
    shadow = np.where(np.arange(image.shape[1])[:, None] > die.at[0] - 100, 0.65, 1.0)
    for light in (0.6, 0.9, 1.0, shadow):
        again = np.clip(light * image + noise, 0, 255).astype(np.uint8)
        assert covered.is_bare(before, around(again, dice, die))
    for thing in (over(image, die, (16, 24, 38)), over(image, die, (240, 240, 235)), lamp(image, die)):
        assert not covered.is_bare(before, around(thing, dice, die))


def test_where_a_checker_fills_all_that_is_around_nobody_says_that_it_is_bare(dice: DiceReader) -> None:
    image, die = picture(BOARD).image, place(dice)
    beneath = [(*die.at, 90.0)]
    before = covered.around(image, covered.level_of(image), dice.camera, die, beneath)
    assert not before.bare.any()
    assert not covered.is_bare(before, around(over(image, die, (20, 20, 160)), dice, die))


def test_where_the_board_has_a_pattern_it_is_bare_in_any_light_that_leaves_the_pattern(
    dice: DiceReader,
) -> None:
    image = picture(BOARD).image
    point = Die(3, (0.0, 0.0), 0.999, "black", Lies.FLAT, (0.44 * dice.size[0], 0.35 * dice.size[1]), 1.5)
    u, v = map(float, dice.camera.project([[*point.place, 0.0]])[0])
    die = replace(point, at=(u, v))
    before, shine = around(image, dice, die), np.array((0.35, 0.6, 1.0))
    warm = image * np.where(np.arange(image.shape[1])[:, None] > u - 100, shine, 1.0)
    assert covered.is_bare(before, around(warm.astype(np.uint8), dice, die))
    for thing in (over(image, die, (16, 24, 38)), lamp(image, die)):
        assert not covered.is_bare(before, around(thing, dice, die))


def test_a_die_under_a_cup_lies_there_still_and_one_that_was_picked_up_does_not(dice: DiceReader) -> None:
    bare, die = picture(BOARD).image, place(dice)
    table = CheckersReader(rig(BOARD))
    lying, reading = LyingReader(), table.read(Frame(bare))
    seen = [(die, around(over(bare, die, (30, 30, 30), 12), dice, die))]
    lying._seen = list(seen)
    cup = over(bare, die, (16, 24, 38))
    [hidden] = lying.read(table, cup, reading, [die])[1].dice
    assert (hidden.value, hidden.lies) == (3, Lies.COVERED)
    found_again = CheckersReader(rig(BOARD))
    [still] = lying.read(found_again, cup, reading, [hidden])[1].dice
    assert still.lies is Lies.COVERED
    assert lying.read(table, bare, reading, [still])[1].dice == ()
    lying._seen = list(seen)
    [at] = table.flat.at([die.place]).tolist()
    checker = replace(reading, marks={**reading.marks, "p4": (("white", *at, 14.0),)})
    assert lying.read(table, cup, checker, [die])[1].dice == ()  # no die lies under a checker


def test_a_thing_over_a_die_that_looks_like_one_keeps_no_turn_from_ending(
    dice: DiceReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, die = picture(BOARD).image, place(dice)
    table = CheckersReader(rig(BOARD))
    lying, reading = LyingReader(), table.read(Frame(bare))
    lying._seen = [(die, around(over(bare, die, (30, 30, 30), 12), dice, die))]
    looks = [Lying((replace(die, value=None, confidence=0.7, colour="red"),)), Lying()]
    monkeypatch.setattr(DiceReader, "look", lambda *_: looks.pop(0))
    [hidden] = lying.read(table, over(bare, die, (16, 24, 160)), reading, [die])[1].dice
    assert (hidden.value, hidden.lies) == (3, Lies.COVERED)
    assert lying.read(table, bare, reading, [hidden])[1].dice == ()
