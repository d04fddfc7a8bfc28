"""Pyramids: whose they are, how large, and how many side by side, under a camera that leans."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.layout import Cell, Layout, Look
from hardware.painter import Painter
from vision import boards
from vision.errors import CalibrationError
from vision.picture.frame import Frame, load
from vision.pyramids.board import PyramidReader
from vision.pyramids.outlines import Outlines, Stand
from vision.pyramids.rows import NEVER, chains, sizes
from vision.pyramids.stack import with_rims
from vision.reading import BoardReader
from vision.settle import Rest, Settler

KNOWN: Layout = {
    **{f"p{point}": ((f"white.{n % 3 + 1}",),) for n, point in enumerate((1, 3, 5, 8, 14, 20))},
    **{f"p{point}": ((f"black.{n % 3 + 1}",),) for n, point in enumerate((2, 6, 10, 16, 19, 23))},
}
DATA = Path(os.environ.get("BARPOINT_DATA", Path(__file__).parents[3] / "shared" / "data")) / "icegammon"


@pytest.fixture(scope="module")
def painter() -> Painter:
    return Painter("pyramids", 3)


def learned(painter: Painter, empty: bool) -> BoardReader:
    looks = {cell: stack[-1] for cell, stack in KNOWN.items()}
    bare = painter.paint({}) if empty else None
    return boards.get("pyramids").calibrate(
        painter.paint(KNOWN), painter.corners, painter.geometry, looks, bare
    )


@pytest.fixture(scope="module")
def table(painter: Painter) -> BoardReader:
    return learned(painter, empty=True)


def read(table: BoardReader, painter: Painter, layout: Layout, shot: int = 1) -> dict[Cell, Look]:
    return {cell: look for cell, look in table.read(Frame(painter.paint(layout, shot))).looks.items() if look}


def tops(layout: Layout) -> dict[Cell, Look]:
    return {cell: tuple(sorted(stack[-1])) for cell, stack in layout.items()}


LAYOUT: Layout = {
    "p1": (("white.1",),),
    "p4": (("black.3", "black.1"),),
    "p12": (("white.2",),),
    "p13": (("black.3",),),
    "p18": (("white.1", "white.1"),),
    "p24": (("white.3", "white.2"),),
    "bar.white": (("white.3",),),
    "bar.black": (("black.2", "black.1"),),
}


def test_sizes_and_owners_are_read_on_points_and_bar(table: BoardReader, painter: Painter) -> None:
    assert read(table, painter, LAYOUT) == tops(LAYOUT)


def test_an_empty_board_is_empty(table: BoardReader, painter: Painter) -> None:
    assert read(table, painter, {}) == {}


def test_a_pinned_piece_does_not_hide_who_is_on_top(table: BoardReader, painter: Painter) -> None:
    layout: Layout = {
        "p3": (("white.2",), ("black.2",)),
        "p17": (("black.1",), ("white.3",)),
        "p22": (("white.3",), ("black.2",)),
    }
    assert read(table, painter, layout) == tops(layout)


def test_a_piece_over_its_own_colour_is_not_ruled_out(table: BoardReader, painter: Painter) -> None:
    evidence = table.read(Frame(painter.paint({"p6": (("white.3",), ("white.2",))}, 2))).evidence
    assert evidence.score("p6", ("white.2",)) > -8


def test_without_a_picture_of_the_empty_board_it_is_put_together(painter: Painter) -> None:
    layout: Layout = {"p1": (("white.1",),), "p13": (("black.3",),), "p24": (("white.3", "white.2"),)}
    assert read(learned(painter, empty=False), painter, layout) == tops(layout)


def test_a_hand_hides_the_points_under_it(table: BoardReader, painter: Painter) -> None:
    picture = painter.paint(LAYOUT, 3)
    cv2.line(picture, (300, 0), (300, 330), (120, 150, 200), 130)
    reading = table.read(Frame(picture))
    assert reading.hand
    assert reading.occluded
    assert not reading.occluded & set(reading.looks)


def test_a_rig_comes_back_from_its_file_as_it_was(
    table: BoardReader, painter: Painter, tmp_path: Path
) -> None:
    boards.save(table, tmp_path / "rig", "icegammon")
    stored = boards.load(tmp_path / "rig")
    assert (stored.board, stored.rules) == ("pyramids", "icegammon")
    assert read(stored.table, painter, LAYOUT) == tops(LAYOUT)


def test_what_is_told_has_the_form_of_the_command_line(table: BoardReader, painter: Painter) -> None:
    told = boards.get("pyramids").describe(table.read(Frame(painter.paint(LAYOUT, 4))))
    assert told["points"]["4"] == ["black", [1, 3]]
    assert told["points"]["24"] == ["white", [2, 3]]
    assert told["bar"] == {"white": [3], "black": [1, 2]}


@pytest.mark.parametrize("looks", [None, {}, {"p1": ("white.1",)}])
def test_both_colours_must_be_shown_to_be_learned(painter: Painter, looks: dict[str, Any] | None) -> None:
    with pytest.raises(CalibrationError, match="both colours"):
        boards.get("pyramids").calibrate(painter.paint({}), painter.corners, painter.geometry, looks)


@pytest.mark.parametrize("bases", [3, {"1": 1}, {"1": 2, "2": 1, "3": 3}, {"1": "a", "2": 2, "3": 3}])
def test_bases_that_do_not_grow_are_refused(bases: object) -> None:
    with pytest.raises(CalibrationError, match="base_side"):
        Stand.of({"width": 49.6, "height": 40, "base_side": bases})


def test_a_tip_leans_away_from_the_foot_of_the_camera(table: Any) -> None:
    eye = table.eye
    for x, y in ((2.0, 2.0), (47.0, 38.0)):
        shape = Outlines(table.flat, table.stand, table.eye).hull((3, x, y, 0.0)).reshape(-1, 2) / 16
        middle, base = shape.mean(axis=0), table.flat.at([(x, y)])[0]
        away = table.flat.at([(x, y)])[0] - table.flat.at([eye[:2]])[0]
        assert (middle - base) @ away > 0


def test_how_pieces_lean_says_where_the_camera_is(painter: Painter) -> None:
    """The corners of a picture that was cut say little of the lens: they take the camera to hang elsewhere
    than it does."""
    cut = (
        np.ascontiguousarray(painter.paint(KNOWN)[40:], np.uint8),
        np.ascontiguousarray(painter.paint({})[40:], np.uint8),
    )
    looks = {cell: stack[-1] for cell, stack in KNOWN.items()}
    table = boards.get("pyramids").calibrate(
        cut[0], [(x, y - 40) for x, y in painter.corners], painter.geometry, looks, cut[1]
    )
    assert isinstance(table, PyramidReader)
    corners, true = table.camera.eye(), painter._eye
    assert abs(table.eye[2] - true[2]) < 0.1 * true[2]
    assert np.linalg.norm(np.array(table.eye) - true) < np.linalg.norm(corners - true)


def test_a_row_of_six_is_read_to_its_end(table: BoardReader, painter: Painter) -> None:
    layout: Layout = {"p13": (("black.3",) * 4 + ("black.2", "black.1"),), "p20": (("white.2",),)}
    assert read(table, painter, layout) == tops(layout)


def test_a_bar_that_looked_otherwise_in_the_empty_photograph_is_empty_in_both_looks(painter: Painter) -> None:
    empty = painter.paint({}).copy()
    bar = np.zeros(empty.shape[:2], np.uint8)
    left, right = (6 * 3.8 / painter.width, (6 * 3.8 + 4.0) / painter.width)
    a, b, c, d = (np.array(corner) for corner in painter.corners)
    outline = [a + left * (b - a), a + right * (b - a), d + right * (c - d), d + left * (c - d)]
    cv2.fillConvexPoly(bar, np.round(outline).astype(np.int32), 1)
    empty[bar > 0] = np.clip(empty[bar > 0].astype(int) + np.array([30, 10, 60]), 0, 255).astype(np.uint8)
    table = boards.get("pyramids").calibrate(
        painter.paint(KNOWN),
        painter.corners,
        painter.geometry,
        {cell: stack[-1] for cell, stack in KNOWN.items()},
        empty,
    )
    reading = table.read(Frame(empty))
    assert not reading.hand
    assert {cell: look for cell, look in reading.looks.items() if look} == {}
    assert read(table, painter, LAYOUT) == tops(LAYOUT)


def test_what_shows_from_under_a_top_piece_does_not_make_it_larger(table: BoardReader) -> None:
    assert isinstance(table, PyramidReader)
    strip = table._strips["p17"]
    x, y = strip.x, strip.start + strip.way * 1.6
    top, pinned, deepest = (
        (2, x - 0.45, y + 0.2, 0.2),
        (2, x + 0.1, y - 0.1, 0.5),
        (2, x + 0.45, y - 0.45, 0.9),
    )
    own, other = (np.full(strip.flat.shape, -3.0, np.float32) for _ in range(2))
    for piece, (speaks, quiet) in ((deepest, (own, other)), (pinned, (other, own)), (top, (own, other))):
        covered = strip.mask([piece])
        speaks[covered], quiet[covered] = 3.0, -1.0
    rows = strip.rows(own)
    seen = with_rims(strip, rows, own, other)
    assert max(seen, key=lambda counts: seen[counts].score) == (0, 1, 0)
    clearer = [found[0, 1, 0].score - found[0, 0, 1].score for found in (rows, seen)]
    assert clearer[1] > clearer[0] + 5


def test_a_bumped_board_is_found_again(table: BoardReader, painter: Painter) -> None:
    turn = cv2.getRotationMatrix2D((640, 480), 1.0, 1.0)
    turn[:, 2] += (20, -12)
    moved = np.asarray(
        cv2.warpAffine(painter.paint(LAYOUT, 2), turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    settler = Settler(table)
    status = settler.push(Frame(moved), 0.0)
    assert (status.rest, settler.moved) == (Rest.AT_REST, 1)
    assert status.reading is not None
    assert {cell: look for cell, look in status.reading.looks.items() if look} == tops(LAYOUT)


def test_rows_are_the_best_of_all_in_which_no_two_bases_overlap() -> None:
    rng = np.random.default_rng(5)
    gains, gap = rng.normal(0, 10, (3, 9)), [[1, 2, 2], [2, 2, 3], [2, 3, 3]]
    best: dict[tuple[int, ...], float] = {}
    stood = [(size, place) for size in range(3) for place in range(9)]
    for count in (1, 2, 3):
        for row in itertools.permutations(stood, count):
            if all(b[1] - a[1] >= gap[a[0]][b[0]] for a, b in itertools.pairwise(row)):
                counts = tuple(sum(size == which for size, _ in row) for which in range(3))
                best[counts] = max(
                    best.get(counts, NEVER), sum(float(gains[size, place]) for size, place in row)
                )
    found = chains(gains, gap, 3, 1000.0)
    assert {counts: round(score, 6) for score, counts, _ in found} == {
        counts: round(score, 6) for counts, score in best.items()
    }
    for score, counts, places in found:
        assert sorted(size for size, _ in places) == list(sizes(counts))
        assert sum(float(gains[size - 1, place]) for size, place in places) == pytest.approx(score)


def test_a_row_far_too_long_is_not_looked_at() -> None:
    gains = np.full((3, 20), -30.0)
    gains[1, 3] = 40.0
    assert {counts for _, counts, _ in chains(gains, [[1] * 3] * 3, 5, 20.0)} == {
        (0, 1, 0),
        (1, 1, 0),
        (0, 2, 0),
        (0, 1, 1),
    }


@pytest.mark.skipif(not DATA.is_dir(), reason="the rendered boards are not here")
def test_rendered_pyramids_are_read_point_by_point() -> None:
    for folder in sorted(DATA.iterdir()):
        labels = json.loads((folder / "labels.json").read_text())
        corners = [tuple(corner) for corner in labels["empty"]["corners_px"]]
        table = boards.get("pyramids").calibrate(
            load(folder / "01.jpg").image,
            corners,
            labels["01"]["geometry_cm"],
            seen(labels["01"]),
            load(folder / "empty.jpg").image,
        )
        for name in ("02", "07"):
            looks = table.read(load(folder / f"{name}.jpg")).looks
            assert {cell: look for cell, look in looks.items() if look} == seen(labels[name])


def seen(truth: dict[str, Any]) -> dict[Cell, Look]:
    names = {1: "white", -1: "black"}
    looks = {
        f"p{point}": tuple(f"{names[owner]}.{size}" for size in sorted(held))
        for point, (owner, held) in truth["top"].items()
    }
    bars = {
        f"bar.{side}": tuple(f"{side}.{size}" for size in sorted(held))
        for side, held in zip(names.values(), truth["bar"], strict=True)
    }
    return {cell: look for cell, look in {**looks, **bars}.items() if look}


def test_pictures_darkened_like_an_evening_are_read_the_same(table: BoardReader, painter: Painter) -> None:
    picture = (painter.paint(LAYOUT, 5).astype(np.float32) * 0.8).astype(np.uint8)
    assert {cell: look for cell, look in table.read(Frame(picture)).looks.items() if look} == tops(LAYOUT)
