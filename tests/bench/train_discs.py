"""Trains the small network of ``vision.discs`` from labelled renders, and says how it does on boards that it never saw.

    python -m tests.bench.train_discs [--data DIR] [--changes N] [--seed N] [--out vision/discs.npz]

Renders only: photographs are for measuring. Every board is calibrated a few times with corners moved as a person's clicks are; where each
checker stands follows from the labelled count and the present network, on the unchanged picture. Then colours are changed - channels
exchanged, inverted, gamma, saturation, contrast, dimmed, vignetted, noise, blur - for the calibration and the pictures of a
board alike, its lamp and noise from picture to picture, and places on and off the checkers are described as ``Discs.describe``
does. Each example is used twice, the second time with the two tints exchanged.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.vision import Table, reel, renders
from vision import appearance, checkers
from vision.board import Lie, Measures
from vision.camera import CLICK
from vision.discs import Discs, Moments
from vision.frame import Frame, Image, load
from vision.learning import calibrate
from vision.read import Reader
from vision.scene import Flat, Map

BARE, OTHER = 0, 3
TAKE = {BARE: 8, 1: 8, 2: 8, OTHER: 6}
"""Most places of each answer that are taken from one point of one picture."""
ON, OFF, CLEAR = 1.1, 2.6, 13.0
"""Map pixels from a checker's centre: nearer than ON it is that checker, from OFF to CLEAR something else; past the last one, bare."""
CLICKS = (0.0, 2.0, 4.0)
GREY = 0.12
"""The part of changed copies that have no colour at all."""
HIDDEN = (32, 24)
NUMBERS = 33
Change = Callable[[Image, bool, int], Image]
Examples = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]


def change_of(rng: np.random.Generator) -> Change:
    """One change of colours: ``change(image, own, seed)``, where ``own`` adds what differs from picture to picture."""
    order = rng.permutation(3) if rng.random() < 0.6 else np.arange(3)
    inverted, gamma = rng.random() < 0.35, np.exp(rng.normal(0, 0.25))
    contrast = rng.uniform(0.6, 1.0) if rng.random() < 0.5 else 1.0
    grey = rng.uniform(40, 160)
    vivid = np.exp(rng.uniform(-0.7, 1.0)) if rng.random() < 0.6 else 1.0
    dim = rng.uniform(0.3, 1.0) if rng.random() < 0.5 else 1.0
    colourless = rng.random() < GREY
    slant, noise = rng.normal(0, 0.25, 2), rng.uniform(0, 3)

    def change(image: Image, own: bool, seed: int) -> Image:
        now = np.random.default_rng(seed)
        values = image[..., order].astype(np.float32) / 255
        values = 255 * np.clip(1.02 - values if inverted else values, 0, 1) ** gamma
        values = grey + (values - grey) * contrast
        mean = values.mean(axis=-1, keepdims=True)
        y, x = np.linspace(-1, 1, image.shape[0])[:, None, None], np.linspace(-1, 1, image.shape[1])[None, :, None]
        lamp = np.exp(now.normal(0, 0.08) + now.normal(0, 0.04, 3)) if own else 1.0
        values = np.clip(mean + vivid * (values - mean), 0, 255) * lamp * dim * np.exp(slant[0] * x + slant[1] * y)
        values = values + now.normal(0, now.uniform(0, 5) if own else noise, values.shape)
        if colourless:
            values = np.broadcast_to(values.mean(axis=-1, keepdims=True), values.shape)
        eight = np.clip(values, 0, 255).astype(np.uint8)
        soft = float(now.uniform(0, 1.3))
        return np.asarray(cv2.GaussianBlur(eight, (0, 0), soft), np.uint8) if soft > 0.5 else eight

    return change


def same(image: Image, own: bool, seed: int) -> Image:
    """No change."""
    return image


def answers(reader: Reader, image: Image, looks: dict[str, tuple[str, ...]]) -> dict[int, NDArray[np.int64]]:
    """For every point whose checkers are found: the right answer at every step and place aside, -1 where none is sure."""
    plan = reader._plan
    assert isinstance(plan, checkers.CheckerPlan)
    values, _ = reader.lay(Frame(image))
    moments = reader._discs.moments(values)
    rows = plan._gains(reader._discs, values)["points"]
    u, v = plan._rows["points"]
    count, steps, asides = u.shape
    raw = reader._discs.gains(moments, u.reshape(-1, asides), v.reshape(-1, asides))
    step, aside = np.mgrid[0:steps, 0:asides].astype(float)
    found = {}
    for index in range(count):
        look = looks[f"p{index + 1}"]
        if not look:
            found[index] = np.full((steps, asides), BARE)
            continue
        kind, first = ("white", "black").index(look[0]), min(len(look), checkers.ROW)
        chains = plan._chains(rows[kind][0])
        if chains.scores[first, index] < -1e8:
            continue
        gains = raw[kind].reshape(count, steps, asides)[index]
        label = np.full((steps, asides), -1)
        nearest, last = np.full((steps, asides), 99.0), 0
        for place, at in enumerate(chains.places(index, first)):
            beside = rows[kind][1][index, at]
            weight = np.exp(np.clip(gains - gains[at, beside], -9, 0)) * (np.hypot(step - at, aside - beside) < 3.6)
            away = np.hypot(step - np.average(step, weights=weight), aside - np.average(aside, weights=weight))
            last = max(last, at)
            if place < len(look) - checkers.ROW:  # one lies upon it: where the upper one is, nobody said
                nearest = np.minimum(nearest, np.where(away < 7, 50.0, 99.0))
                continue
            label[away <= ON] = 1 + kind
            nearest = np.minimum(nearest, away)
        label[(nearest > OFF) & (nearest < CLEAR)] = OTHER
        label[step > last + CLEAR] = BARE
        found[index] = label
    return found


def examples(tables: Iterator[Table], changes: int, rng: np.random.Generator) -> Examples:
    """Descriptions, answers, and the number of the board that each is from."""
    described: list[NDArray[np.float32]] = []
    right: list[int] = []
    boards: list[int] = []
    for number, table in enumerate(tables):
        shots = [shot for shot in table.shots if not shot.hand]
        if len(shots) > 20:
            shots = [shots[int(i)] for i in rng.choice(len(shots), 14, replace=False)]
        start = load(table.shots[0].path).image
        for clicks in CLICKS:
            corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, clicks, (4, 2))]
            reader = Reader(calibrate.calibrate(start, corners, table.geometry))
            labels = [answers(reader, load(shot.path).image, dict(shot.looks)) for shot in shots]
            for turn in range(changes):
                change = change_of(rng) if turn or clicks else same
                one = _describe(table, reader, list(zip(shots, labels, strict=True)), change, rng)
                described.append(one[0])
                right += one[1]
                boards += [number] * len(one[1])
        print(f"{table.name}: {len(right)} examples so far", flush=True)
    return np.concatenate(described), np.array(right), np.array(boards)


def relearned(flat: Flat, measures: Measures, start: Path, empty: Path | None, change: Change) -> Discs:
    """What a table's calibration picture, changed, says of it under a camera."""
    sort = checkers.Checkers()
    guess = calibrate._Guess(sort, sort.start(), (), calibrate.Loose(measures, ()), Lie(), flat.camera, CLICK)
    bare = appearance.logs(flat.lay(change(load(empty).image, False, 2))) if empty else None
    values = appearance.logs(flat.lay(change(load(start).image, False, 1)))
    paint, surface, guessed = calibrate._learn(guess, flat, values, bare)
    return Discs(surface, appearance.spread(flat.shape, paint.light), paint, guessed)


def _describe(table: Table, reader: Reader, shots: list, change: Change, rng: np.random.Generator) -> tuple[NDArray[np.float32], list[int]]:
    flat, plan = reader.flat, reader._plan
    assert isinstance(plan, checkers.CheckerPlan)
    empty = table.empty if table.empty and table.empty.exists() and rng.random() < 0.25 else None
    discs = relearned(flat, reader.rig.measures, table.shots[0].path, empty, change)
    surface = discs.surface
    u, v = plan._rows["points"]
    found: list[NDArray[np.float32]] = []
    right: list[int] = []
    for shot, labels in shots:
        values = appearance.logs(flat.lay(change(load(shot.path).image, True, int(rng.integers(1 << 30)))))
        gain, _ = appearance.relight(values, surface)
        moments = discs.moments(np.asarray(values - gain, np.float32))
        for index, label in labels.items():
            numbers, told = taken(discs, moments, label, (u[index], v[index]), rng)
            found.append(numbers)
            right += told
    return np.concatenate(found), right


def taken(
    discs: Discs, moments: Moments, label: NDArray[np.int64], places: tuple[Map, Map], rng: np.random.Generator
) -> tuple[NDArray[np.float32], list[int]]:
    """Some of a row's places (map columns and rows, labelled) as the network is told of them, and the answers."""
    u, v = places
    found, right = [np.zeros((0, NUMBERS), np.float32)], []
    for answer, most in TAKE.items():
        some = np.argwhere(label == answer)
        if len(some):
            chosen = some[rng.choice(len(some), min(most, len(some)), replace=False)]
            at = (chosen[:, 0], chosen[:, 1])
            found.append(discs.describe(moments, u[at][None], v[at][None])[0])
            right += [answer] * len(chosen)
    return np.concatenate(found), right


def rendered(roots: list[Path], changes: int, rng: np.random.Generator) -> Examples:
    """Examples from tables whose every checker is known (``tests.bench.rendered``); their boards are numbered from 100 up."""
    from tests.bench.rendered.known import answers as truth
    from tests.bench.rendered.known import known

    described, right, boards = [], [], []
    every = (table for root in roots for table in known(root, rng))
    for number, table in enumerate(every, 100):
        for turn in range(changes):
            change = change_of(rng) if turn else same
            discs = table.learned(change)
            for path, label in table.pictures:
                image = change(load(path).image, path.stem != "start", int(rng.integers(1 << 30)))
                values = appearance.logs(table.flat.lay(image))
                gain, _ = appearance.relight(values, discs.surface)
                moments = discs.moments(np.asarray(values - gain, np.float32))
                tops = table.tops(label)
                for name in ("points", "bar"):
                    u, v = table.plan._rows[name]
                    for index in range(len(u)):
                        numbers, told = taken(discs, moments, truth(table, tops, (u[index], v[index])), (u[index], v[index]), rng)
                        described.append(numbers)
                        right += told
                        boards += [number] * len(told)
        if number % 10 == 0:
            print(f"{table.name}: {len(right)} examples so far", flush=True)
    return np.concatenate(described), np.array(right), np.array(boards)


def exchanged(found: Examples) -> Examples:
    """The examples, and the same with the two tints exchanged."""
    numbers, right, boards = found
    width = 10
    other = numbers.copy()
    other[:, :width], other[:, width : 2 * width] = numbers[:, width : 2 * width], numbers[:, :width]
    return np.concatenate([numbers, other]), np.concatenate([right, np.array([0, 2, 1, 3])[right]]), np.concatenate([boards, boards])


def train(numbers: NDArray[np.float32], right: NDArray[np.int64], rounds: int, seed: int) -> list[NDArray[np.float32]]:
    """Adam on the cross entropy; the network's matrices and offsets, with the scaling of its input folded in."""
    rng = np.random.default_rng(seed)
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0) + 1e-3
    scaled = ((numbers - mean) / spread).astype(np.float32)
    sizes = [numbers.shape[1], *HIDDEN, 4]
    layers: list[NDArray[np.float32]] = []
    for before, after in pairwise(sizes):
        layers += [rng.normal(0, np.sqrt(2 / before), (before, after)).astype(np.float32), np.zeros(after, np.float32)]
    first, second = [np.zeros_like(part) for part in layers], [np.zeros_like(part) for part in layers]
    count = 0
    for turn in range(rounds):
        rate = 1.5e-3 * (1 + np.cos(np.pi * turn / rounds))
        order = rng.permutation(len(scaled))
        for begin in range(0, len(order), 512):
            chosen = order[begin : begin + 512]
            count += 1
            for index, slope in enumerate(_slopes(layers, scaled[chosen], right[chosen])):
                first[index] = 0.9 * first[index] + 0.1 * slope
                second[index] = 0.999 * second[index] + 0.001 * slope * slope
                layers[index] -= rate * (first[index] / (1 - 0.9**count)) / (np.sqrt(second[index] / (1 - 0.999**count)) + 1e-8)
    layers[0] = (layers[0] / spread[:, None]).astype(np.float32)
    layers[1] = (layers[1] - mean @ layers[0]).astype(np.float32)
    return layers


def _slopes(layers: list[NDArray[np.float32]], signal: NDArray[np.float32], right: NDArray[np.int64]) -> list[NDArray[np.float32]]:
    signals = [signal]
    for index in range(0, len(layers), 2):
        signal = signal @ layers[index] + layers[index + 1]
        signal = np.maximum(signal, 0) if index < len(layers) - 2 else signal
        signals.append(signal)
    chances = np.exp(signals[-1] - signals[-1].max(axis=1, keepdims=True))
    error = chances / chances.sum(axis=1, keepdims=True)
    error[np.arange(len(right)), right] -= 1
    error /= len(right)
    slopes: list[NDArray[np.float32]] = []
    for index in range(len(layers) - 2, -1, -2):
        slopes = [signals[index // 2].T @ error + 1e-4 * layers[index], error.sum(axis=0), *slopes]
        if index:
            error = (error @ layers[index].T) * (signals[index // 2] > 0)
    return slopes


def report(name: str, layers: list[NDArray[np.float32]], numbers: NDArray[np.float32], right: NDArray[np.int64]) -> None:
    """How often bare board and the two tints are taken for each other."""
    signal = numbers
    for index in range(0, len(layers), 2):
        signal = signal @ layers[index] + layers[index + 1]
        signal = np.maximum(signal, 0) if index < len(layers) - 2 else signal
    said = signal.argmax(axis=1)
    harm = (said != right) & ~(np.isin(said, (BARE, OTHER)) & np.isin(right, (BARE, OTHER)))
    print(f"{name:12} {100 * harm.mean():.2f}% of {len(right)} places taken for something else", flush=True)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("BARPOINT_DATA", "../shared/data")))
    parser.add_argument("--changes", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--out", type=Path, default=Path("vision/discs.npz"))
    parser.add_argument("--skip-check", action="store_true", help="do not train without each board in turn first")
    parser.add_argument("--rendered", type=Path, nargs="*", default=[], help="folders of tests.bench.rendered, every checker known")
    parser.add_argument("--rendered-changes", type=int, default=2)
    parser.add_argument("--only-rendered", action="store_true", help="train on those alone; the labelled sets are only measured")
    parser.add_argument("--keep", type=Path, help="keep the examples in this file, or take them from it")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    tables = [*renders(options.data), *reel(options.data / "reel")]
    if options.keep and options.keep.exists():
        kept = np.load(options.keep)
        found = kept["numbers"].astype(np.float32), kept["right"].astype(np.int64), kept["boards"].astype(np.int64)
    else:
        rng = np.random.default_rng(options.seed)
        parts = [examples(iter(tables), options.changes, rng)] if options.changes else []
        parts += [rendered(options.rendered, options.rendered_changes, rng)] if options.rendered else []
        found = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts]), np.concatenate([p[2] for p in parts])
        if options.keep:
            np.savez(options.keep, numbers=found[0].astype(np.float16), right=found[1].astype(np.int8), boards=found[2].astype(np.int16))
    numbers, right, boards = exchanged(found)
    drawn = boards >= 100
    if not options.skip_check:
        for number, table in enumerate(tables):
            kept = (boards != number) & (drawn | (not options.only_rendered))
            report(f"not {table.name}", train(numbers[kept], right[kept], 6, options.seed), numbers[~kept], right[~kept])
    held = drawn & (boards % 8 == 3)
    mine = (drawn if options.only_rendered else np.full(len(right), True)) & ~held
    layers = train(numbers[mine], right[mine], options.rounds, options.seed)
    report("all", layers, numbers[mine], right[mine])
    for name, some in (("drawn, held", held), *((table.name, boards == number) for number, table in enumerate(tables))):
        if some.any():
            report(name, layers, numbers[some], right[some])
    np.savez(options.out, *layers)


if __name__ == "__main__":
    main()
