"""What makes the networks, and what measures the program, runs on the program as it is: every module is
imported, and each recipe does its cheapest step on one small board. Benches and training are in no wheel and
in no mypy run, so nothing else notices when the program's names move away under them."""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.bench import calibration as calibration_bench
from tests.bench.altered import ALTERED
from tests.bench.sets import Table, reel, renders
from training.blind import train as finder
from training.changes import relearned, same
from training.discs import train as discs
from training.discs.examples import NUMBERS, examples
from training.rendered import relief
from training.rendered.setting import game, set_up
from training.rendered.table import random_board
from training.stacks import blind, train
from training.stacks.examples import look_at
from training.stacks.painted import look_painted
from training.surfaces.examples import Shots, keep, painted_shot
from training.surfaces.picture import example
from vision import onnx_file
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.picture.frame import load
from vision.stack_network import CHANNELS, HEIGHTS, SIDE
from vision.surface_finder.network import SIDE as SQUARE

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in ("training", "tests/bench")
    for path in (ROOT / folder).rglob("*.py")
)
EXTRAS = {"torch", "onnx", "bpy", "mathutils", "PIL", "schemathesis"}
"""What some of them want that ./check does not install."""
OWN = {"engine", "vision", "hardware", "firmware", "tests", "training"}
PATCH = (CHANNELS, SIDE, SIDE)


def imported(name: str) -> object:
    """A module of ours; None where it wants what is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in EXTRAS:
            raise
        return None


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("default")  # those of other people's packages are theirs
def test_imports(name: str) -> None:
    if imported(name):
        return
    source = ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text("utf-8")
    for line in ast.walk(ast.parse(source)):  # what it wants of us is there all the same
        if isinstance(line, ast.ImportFrom) and line.module and line.module.partition(".")[0] in OWN:
            module = imported(line.module)
            for asked in line.names if module else ():
                assert hasattr(module, asked.name) or imported(f"{line.module}.{asked.name}"), asked.name


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one drawn board: the start, and one picture more."""
    folder = tmp_path_factory.mktemp("drawn")
    with pytest.MonkeyPatch.context() as patch:
        given = ["--boards", "1", "--pictures", "1", "--width", "640"]
        patch.setattr(sys, "argv", ["relief", str(folder), *given])
        relief.main()
    return folder


@pytest.fixture
def table(drawn: Path) -> Table:
    """The same as benches and recipes for labelled pictures take it."""
    return next(renders(drawn))


def shown(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Patches that were kept, and how many checkers each shows."""
    with np.load(path) as kept:
        assert len(kept["shown"]) == len(kept["right"]) == len(kept["boards"]) > 0
        assert kept["shown"].shape[1:] == PATCH
        return kept["shown"], kept["right"]


@pytest.mark.parametrize("of", sorted(train.LOOKS))
def test_patches_of_a_drawn_board(drawn: Path, tmp_path: Path, of: str) -> None:
    kept = tmp_path / "kept.npz"
    train.gather(drawn, kept, changes=1, seed=1, most=1, of=of)
    patches, right = shown(kept)
    assert len(np.unique(patches, axis=0)) > 1
    assert (set(right.tolist()) == {0}) == (of == "left")  # only there is every place bare


def test_patches_of_a_labelled_board(table: Table) -> None:
    patches, right = look_at(table, 1, np.random.default_rng(1))
    assert np.concatenate(patches).shape == (len(right), *PATCH)
    assert {0, 1} <= set(right)


def test_patches_of_a_painted_table() -> None:
    patches, right = look_painted(0, 1, np.random.default_rng(1))
    assert np.concatenate(patches).shape == (len(right), *PATCH)


def test_patches_as_a_blind_reader_sees_them(drawn: Path) -> None:
    rng = np.random.default_rng(1)
    for tables in (blind.of_painted(20000, 1, 0.6), blind.of_drawn(drawn)):
        found = [blind.examples(table, rng) for table in tables]
        assert sum(len(right) for _, right in found) > 0
        assert all(patches.shape == (len(right), *PATCH) for patches, right in found)


def test_places_on_and_off_the_checkers_of_a_labelled_board(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.discs.examples.CLICKS", (0.0,))
    numbers, right, boards = examples(iter([table]), 1, 0.0, np.random.default_rng(1))
    assert numbers.shape == (len(right), NUMBERS)
    assert {0, 1, 2, 3} == set(right.tolist())
    assert set(boards.tolist()) == {0}


def test_both_networks_of_discs_are_fitted(drawn: Path, tmp_path: Path) -> None:
    kept, out = tmp_path / "kept.npz", tmp_path / "discs.npz"
    asked = argparse.Namespace(kept=kept, rendered=[drawn], data=None, changes=1, grey=0.0, seed=1)
    discs.gather(asked)
    discs.fit(argparse.Namespace(kept=[kept] * 2, without=None, rounds=1, seed=1, out=out))
    with np.load(out) as made, np.load(ROOT / "vision/checkers/discs.npz") as ships:
        assert {name: made[name].shape for name in made} == {name: ships[name].shape for name in ships}


def test_a_table_is_learned_anew_as_its_calibration_learned_it(table: Table) -> None:
    start = table.shots[0].path
    corners = [(float(x), float(y)) for x, y in table.corners]
    rig = calibrate(load(start).image, corners, table.geometry)
    assert relearned(CheckersReader(rig).flat, rig.measures, start, None, same).paint == rig.paint


def test_no_die_lies_in_the_bar() -> None:
    """It is raised: nobody would see such a die, and the label would name it."""
    lying = 0
    for number in range(40):
        rng = np.random.default_rng(number)
        board = random_board(rng)
        setting = game(rng, False)
        set_up(rng, board, setting, bare=False)
        lying += len(setting.dice)
        assert all(abs(x - board.width / 2) >= board.bar / 2 + 1.2 for x, *_ in setting.dice)
    assert lying > 40


def test_boards_are_painted_for_the_finder_of_discs(tmp_path: Path) -> None:
    finder.paint(tmp_path, first=0, chunks=1, size=2)
    with np.load(tmp_path / "c0000.npz") as chunk:
        assert chunk["im"].shape[0] == chunk["tops"].shape[0] == 2


def test_boards_are_put_into_rooms_for_the_finder_of_surfaces(tmp_path: Path) -> None:
    keep(tmp_path / "painted-001.npz", [painted_shot(0)])
    shots = Shots()
    shots.take([tmp_path / "painted-001.npz"])
    one = next(
        each for seed in range(9) if (each := example(np.random.default_rng(seed), shots)).marks[1].any()
    )
    assert one.seen.shape == (3, SQUARE, SQUARE)
    assert one.marks[0].max() > 0.7, "a corner is marked"
    assert 0.02 < one.marks[1].mean() < 0.95, "so is the surface"


def answers(network: Path, *shape: int) -> tuple[int, ...]:
    """The shape of what a network says, read as the program reads it."""
    return onnx_file.answer(network, np.zeros(shape, np.float32)).shape


@pytest.mark.filterwarnings("default")  # torch's
def test_the_networks_of_stacks_are_fitted(drawn: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from training.stacks.fit import fit

    kept, out = tmp_path / "kept.npz", tmp_path / "stacks.onnx"
    train.gather(drawn, kept, changes=1, seed=1, most=1, of="all")
    fit([kept], [kept], ["none"], out, rounds=0, minutes=1, seed=1)
    assert answers(out, 2, *PATCH) == (2, HEIGHTS)
    assert answers(ROOT / "vision/checkers/stacks.onnx", 2, *PATCH) == (2, HEIGHTS)


@pytest.mark.filterwarnings("default")  # torch's
def test_the_finder_of_surfaces_is_fitted(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from training.fitting.packing import pack
    from training.surfaces.fit import Limits, export, fit

    for number in (0, 1):
        keep(tmp_path / f"painted-{number:03d}.npz", [painted_shot(number)])
    fit(tmp_path, tmp_path / "weights.pt", Limits(1, 9.0, 1e-3), None, 1)
    export(tmp_path / "weights.pt", tmp_path / "finder.onnx")
    pack(tmp_path / "finder.onnx", tmp_path / "finder.onnx.xz")
    assert answers(tmp_path / "finder.onnx.xz", 1, 3, SQUARE, SQUARE) == (1, 3, SQUARE // 4, SQUARE // 4)


@pytest.mark.filterwarnings("default")  # torch's
def test_the_finder_of_discs_is_fitted(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from training.blind.fit import Limits, export, fit
    from vision.disc_finder.flat_map import HIGH, WIDE
    from vision.disc_finder.network import WEIGHTS

    finder.paint(tmp_path, first=0, chunks=2, size=1)
    fit(tmp_path, tmp_path / "weights.pt", Limits(1, 9.0, 1e-3), None, 1, False)
    export(tmp_path / "weights.pt", tmp_path / "finder.onnx")
    maps = 1, 3, HIGH, WIDE
    assert answers(tmp_path / "finder.onnx", *maps) == answers(WEIGHTS, *maps)


def test_the_bench_of_calibrations(table: Table) -> None:
    tally = calibration_bench.Tally()
    calibration_bench.one(table, "click+", ALTERED["as it is"], tally, frames=1, start=0, bare=False)
    assert (tally.done, tally.told, len(tally.points)) == (1, [], 24)


def test_without_shared_data_the_recorded_game_is_the_one_of_the_demo(tmp_path: Path) -> None:
    (own,) = reel(tmp_path)
    assert len(own.shots) > 100
    assert all(shot.path.exists() for shot in own.shots)


def test_the_demo_s_recording_is_what_its_script_says() -> None:
    from firmware.commands.demo import REEL
    from training.demo import script

    written, kept = script.write(), json.loads((REEL / "reel.json").read_text())
    assert kept["timeline"] == written.timeline
    assert kept["begin"] == written.begin
    assert {path.name for path in REEL.glob("*.webp")} == set(written.shots)
