"""A die that is not found where it lay: picked up, or covered?"""

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.dice import DiceReader, Die, Lies, covered
from vision.dice.cube_or_die import LyingReader
from vision.picture.frame import Image

BOARD = "green-felt"


@pytest.fixture(scope="module")
def dice() -> DiceReader:
    return DiceReader.of_table(CheckersReader(rig(BOARD)))


def place(dice: DiceReader) -> Die:
    """A die's place in the middle of the right half, where the start position has none."""
    x, y = 0.75 * dice.size[0], dice.size[1] / 2
    u, v = map(float, dice.camera.project([[x, y, 0.0]])[0])
    return Die(3, (u, v), 0.999, "black", Lies.FLAT, (x, y), 1.5)


def over(image: Image, die: Die, colour: tuple[int, int, int]) -> Image:
    return np.asarray(
        cv2.circle(image.copy(), (round(die.at[0]), round(die.at[1])), 60, colour, -1), np.uint8
    )


def lamp(image: Image, die: Die) -> Image:
    high, wide = image.shape[:2]
    y, x = np.mgrid[:high, :wide]
    shine = 260 * np.exp(-((x - die.at[0]) ** 2 + (y - die.at[1]) ** 2) / 50**2)
    return np.asarray(np.clip(image + shine[..., None], 0, 255), np.uint8)


def test_a_place_is_bare_again_in_other_light_and_is_not_under_a_thing(dice: DiceReader) -> None:
    image, die = picture(BOARD).image, place(dice)
    before = covered.ground(image, dice.camera, die)
    noise = np.random.default_rng(1).normal(0, 4, image.shape)
    for light in (0.6, 0.9, 1.0):
        again = np.clip(light * image + noise, 0, 255).astype(np.uint8)
        assert covered.is_bare(before, covered.ground(again, dice.camera, die))
    for thing in (over(image, die, (16, 24, 38)), over(image, die, (240, 240, 235)), lamp(image, die)):
        assert not covered.is_bare(before, covered.ground(thing, dice.camera, die))


def test_a_die_under_a_cup_lies_there_still_and_one_that_was_picked_up_does_not(dice: DiceReader) -> None:
    bare = picture(BOARD).image
    die = place(dice)
    lying = LyingReader(dice)
    lying.read(bare, ())
    lying._remember([die], (), over(bare, die, (90, 60, 40)))  # it was seen to fall
    cup = over(bare, die, (16, 24, 38))
    [hidden] = lying.read(cup, (), [die]).dice
    assert (hidden.value, hidden.lies) == (3, Lies.COVERED)
    [still] = lying.read(cup, (), [hidden]).dice
    assert still.lies is Lies.COVERED
    assert lying.read(cup, [(*die.at, 30.0)], [still]).dice == ()  # a checker: no die lies under one
    lying.read(bare, ())
    lying._remember([die], (), over(bare, die, (90, 60, 40)))
    assert lying.read(bare, (), [die]).dice == ()


def test_a_die_that_was_not_found_at_once_is_picked_up_all_the_same(dice: DiceReader) -> None:
    """The picture before it was found shows it: nobody knows how its place looked."""
    die, lying = place(dice), LyingReader(dice)
    fallen = over(picture(BOARD).image, die, (90, 60, 40))
    lying.read(fallen, ())
    lying._remember([die], (), fallen)
    assert lying.read(picture(BOARD).image, (), [die]).dice == ()
