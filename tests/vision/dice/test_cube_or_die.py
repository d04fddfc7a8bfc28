"""What looks like a die and like the cube, told apart."""

from __future__ import annotations

from vision.dice import Die, DoublingCube, Lies, Lying
from vision.dice.cube_or_die import told_apart, usual_edge


def die(value: int | None, x: float, size: float) -> Die:
    return Die(value, (0.0, 0.0), 0.999, "light", Lies.FLAT, (x, 20.0), size)


PAIR = (die(3, 10.0, 1.4), die(5, 15.0, 1.5))
CUBE = DoublingCube(None, (0.0, 0.0), 0.5, (30.0, 20.0), 2.8)


def test_the_edge_of_the_dice_is_that_of_the_two_smallest() -> None:
    assert usual_edge((*PAIR, die(1, 30.0, 3.4))) == 1.5
    assert usual_edge(PAIR[:1]) is None
    assert usual_edge((die(3, 10.0, 1.4), die(1, 30.0, 3.4))) is None


def test_dice_without_a_cube_stay_as_they_are() -> None:
    assert told_apart(Lying(PAIR), 1.5) == (PAIR, None)
    assert told_apart(Lying(PAIR, CUBE), 1.5) == (PAIR, CUBE)


def test_what_is_much_larger_than_the_dice_is_the_cube() -> None:
    dice, cube = told_apart(Lying((*PAIR, die(1, 30.0, 3.4))), 1.5)
    assert dice == PAIR
    assert cube is not None
    assert (cube.place, cube.value) == ((30.0, 20.0), None)
    large = (*PAIR, die(1, 30.0, 3.4))
    assert told_apart(Lying(large)) == (large, None)  # nobody knows how large dice are here
    assert told_apart(Lying(large, CUBE), 1.5) == (PAIR, CUBE)


def test_a_thing_that_looks_like_both_is_a_die_only_where_its_value_is_sure() -> None:
    assert told_apart(Lying((*PAIR, die(None, 30.5, 1.5)), CUBE), 1.5) == (PAIR, CUBE)
    sure = (*PAIR, die(4, 30.5, 1.5))
    assert told_apart(Lying(sure, CUBE), 1.5) == (sure, None)
