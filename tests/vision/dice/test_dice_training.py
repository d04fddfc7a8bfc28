"""What the networks of dice are trained among."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from training.dice.body import random_body
from training.dice.clutter import KINDS, ON_CHECKERS, Spot
from training.dice.examples import JITTERS, NOTHING, Examples, describe
from training.dice.put import Thing, turned
from training.dice.strew import Throw, photograph, throw
from training.dice.tables import Table
from training.dice.targets import GRID, Shown
from training.rendered.lens import project
from training.rendered.setting import Setting
from training.rendered.table import random_board, random_view
from vision.dice.networks import CUBES


@pytest.fixture(scope="module")
def drawn() -> Table:
    rng = np.random.default_rng(8)
    board = random_board(rng)
    view = random_view(rng, board, (320, 240))
    return Table(board, view, Setting(), np.zeros((240, 320, 3), np.float16))


@pytest.mark.parametrize(
    "kind", sorted({*KINDS, *ON_CHECKERS}, key=lambda kind: kind.__name__), ids=lambda k: k.__name__
)
def test_what_is_taken_for_dice_is_painted_around_its_place_and_nowhere_else(
    kind: Callable[[np.random.Generator, Spot], None],
) -> None:
    for seed in range(10):
        light = np.full((240, 240, 3), 0.3, np.float32)
        kind(np.random.default_rng(seed), Spot(light, 120, 120, 12, (0.5, 0.4, 0.3)))
        assert np.isfinite(light).all()
        changed = np.abs(light - np.float32(0.3))
        assert changed.max() > 0.02
        changed[120 - 60 : 120 + 60, 120 - 60 : 120 + 60] = 0
        assert not changed.any()


def test_a_throw_has_what_was_asked_for(drawn: Table) -> None:
    rng = np.random.default_rng(3)
    two = Throw(many=2, sets=1, places=(1, 0, 0, 0, 0), beside=0, cubes=0, clear=True)
    things = throw(rng, drawn, two)
    assert len(things) == 2
    assert len({thing.size for thing in things}) == 1
    assert all(thing.body.clear > 0 and not thing.body.numerals for thing in things)
    board = drawn.board
    assert all(0 < thing.x < board.width and 0 < thing.y < board.height for thing in things)


def test_dice_of_a_tray_lie_on_its_floor(drawn: Table) -> None:
    board = replace(drawn.board, tray="right")
    table = replace(drawn, board=board)
    things = throw(np.random.default_rng(4), table, Throw(many=6, places=(0, 0, 0, 0, 1), beside=0))
    assert things
    assert all(thing.x > board.width + board.wall and thing.z == 0 for thing in things if not thing.cocked)


def test_rendered_dice_are_not_thrown_again_and_only_what_was_rendered_teaches(
    drawn: Table,
) -> None:
    wide = replace(drawn.view, size=(1280, 960), bend=0.0)
    rng = np.random.default_rng(5)
    things = tuple(throw(rng, drawn, Throw(many=4, places=(1, 0, 0, 0, 0), beside=0, cubes=0)))
    light = rng.uniform(0.2, 0.4, (960, 1280, 3)).astype(np.float16)
    things = (replace(things[0], hid=True), *things[1:])
    photo = photograph(rng, replace(drawn, view=wide, light=light, things=things), Throw())
    assert [lying.value for lying in photo.lying] == [-1, *(t.body.values[t.face] for t in things[1:])]
    assert photo.part == pytest.approx((0, 0, photo.image.shape[1], photo.image.shape[0]), abs=1)

    whole, half = (Examples([], [], [], [], [], []) for _ in range(2))
    describe(np.random.default_rng(6), photo, whole)
    left, top, right, bottom = photo.part
    describe(np.random.default_rng(6), replace(photo, part=(left, top, (left + right) / 2, bottom)), half)
    assert sum(value > 0 for value in whole.shown) == JITTERS * (len(things) - 1)
    assert half.maps[0].shape[1] < 0.7 * whole.maps[0].shape[1]
    assert sum(value == NOTHING for value in half.shown) < sum(value == NOTHING for value in whole.shown)


def test_the_pips_of_the_face_that_is_up_are_told_from_all_others(drawn: Table) -> None:
    view = replace(drawn.view, size=(1280, 960), bend=0.0)
    rng = np.random.default_rng(7)
    body = replace(random_body(rng), pip=0.06, apart=0.3, round=0.05)
    for face, value in enumerate(body.values):
        thing = Thing(body, 20.0, 20.0, 0.0, 1.5, turned(rng, face, 0.0), face)
        beside = replace(thing, x=21.7)
        shown = Shown(view, 1.0, (thing, beside))
        at = project(view, thing.top[None])[0]
        half = float(np.linalg.norm(project(view, thing.top[None] + [1.5, 0, 0])[0] - at))
        square = at + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        cells = cv2.resize(shown.square(square, 0), (4 * GRID, 4 * GRID), interpolation=cv2.INTER_CUBIC)
        assert cv2.connectedComponents(np.uint8(cells[..., 1] > 128))[0] - 1 == value
        assert cells[..., 0][cells[..., 1] > 128].mean() > 200
        assert (cells[..., 2] > 128).any()  # its neighbour's
        nobodys = shown.square(square, None)
        assert not nobodys[..., :2].any()


def test_the_answers_are_nothing_six_values_and_six_numbers_of_a_cube() -> None:
    assert [*range(1 + 6), *CUBES] == list(range(13))


def test_a_channel_that_says_what_another_says_is_left_out_and_nothing_is_lost() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from training.dice.narrow import nearest

    rng = np.random.default_rng(2)
    seen = np.hstack([rng.normal(size=(400, 27)), np.ones((400, 1))])
    seen[:, 9:18] = 2 * seen[:, :9]
    weights = rng.normal(size=(4, 28))
    lost, kept, fitted = nearest(seen.T @ seen / len(seen), weights, 2)
    assert lost < 1e-5
    assert 2 in kept
    of = [9 * channel + k for channel in kept for k in range(9)] + [27]
    assert np.allclose(seen[:, of] @ fitted.T, seen @ weights.T, atol=1e-3)
