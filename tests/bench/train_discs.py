"""Trains the two small networks of ``vision.discs`` from labelled renders, and says how they do on boards
that they never saw.

    python -m tests.bench.train_discs gather EXAMPLES.npz [--data DIR] [--changes N] [--grey PART] [--seed N]
    python -m tests.bench.train_discs gather EXAMPLES.npz --rendered FOLDER ... [--changes N] [--grey PART]
    [--seed N] python -m tests.bench.train_discs fit EXAMPLES.npz ... [--without NUMBER] [--rounds N] [--seed
    N] --out vision/discs.npz

Renders only: photographs are for measuring. ``gather`` calibrates every labelled board (the renders of
``--data`` and its reel) a few times with corners moved as a person's clicks are; where each checker stands
follows from the labelled count and the present network, on the unchanged picture. Of the tables of
``tests.bench.rendered`` all that is known. Then colours are changed - channels exchanged, inverted, gamma,
saturation, contrast, dimmed, vignetted, noise, blur - for the calibration and the pictures of a board alike,
its lamp and noise from picture to picture, and places on and off the checkers are described as
``Discs.describe`` does. ``fit`` uses each example twice, the second time with the two tints exchanged; a file
that is named twice counts double. A labelled board (``--without`` its number, in the order of their names)
and every eighth drawn one are only measured.
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
from vision.checkers import plan
from vision.checkers.calibration import calibrate
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.checkers.calibration.measures import Estimates
from vision.checkers.discs import Discs, Moments
from vision.checkers.reader import CheckersReader
from vision.geometry.camera import CLICK
from vision.geometry.flat import Flat, Map
from vision.geometry.points import ROW, Measures, Orientation
from vision.light import colour, lamp
from vision.picture.frame import Frame, Image, load

BARE, OTHER = 0, 3
TAKE = {BARE: 8, 1: 8, 2: 8, OTHER: 6}
"""Most places of each answer that are taken from one point of one picture."""
ON, OFF, CLEAR = 1.1, 2.6, 13.0
"""Map pixels from a checker's centre: nearer than ON it is that checker, from OFF to CLEAR something else;
past the last one, bare."""
CLICKS = (0.0, 2.0, 4.0)
GREY = 0.12
"""The part of changed copies that have no colour at all."""
QUICK, THOROUGH = (16, 12), (128, 64)
"""Units of the network that is asked about every place, and of the one that is asked where the first thinks
of a disc."""
LASTING = 0.999
"""The part of the kept weights that is left after each step of training: their mean over many knows new
boards better than the last do."""
BATCH = 1024
NUMBERS = 42
Change = Callable[[Image, bool, int], Image]
Examples = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]


def change_of(rng: np.random.Generator, grey_part: float = GREY) -> Change:
    """One change of colours, to grey now and then: ``change(image, own, seed)``, where ``own`` adds what
    differs from picture to picture."""
    if rng.random() < grey_part:
        return grey_copy
    order = rng.permutation(3) if rng.random() < 0.6 else np.arange(3)
    inverted, gamma = rng.random() < 0.35, np.exp(rng.normal(0, 0.25))
    contrast = rng.uniform(0.6, 1.0) if rng.random() < 0.5 else 1.0
    grey = rng.uniform(40, 160)
    vivid = np.exp(rng.uniform(-0.7, 1.0)) if rng.random() < 0.6 else 1.0
    dim = rng.uniform(0.3, 1.0) if rng.random() < 0.5 else 1.0
    slant, noise = rng.normal(0, 0.25, 2), rng.uniform(0, 3)

    def change(image: Image, own: bool, seed: int) -> Image:
        now = np.random.default_rng(seed)
        values = image[..., order].astype(np.float32) / 255
        values = 255 * np.clip(1.02 - values if inverted else values, 0, 1) ** gamma
        values = grey + (values - grey) * contrast
        mean = values.mean(axis=-1, keepdims=True)
        y, x = (
            np.linspace(-1, 1, image.shape[0])[:, None, None],
            np.linspace(-1, 1, image.shape[1])[None, :, None],
        )
        lamp = np.exp(now.normal(0, 0.08) + now.normal(0, 0.04, 3)) if own else 1.0
        values = (
            np.clip(mean + vivid * (values - mean), 0, 255) * lamp * dim * np.exp(slant[0] * x + slant[1] * y)
        )
        values = values + now.normal(0, now.uniform(0, 5) if own else noise, values.shape)
        eight = np.clip(values, 0, 255).astype(np.uint8)
        soft = float(now.uniform(0, 1.3))
        return np.asarray(cv2.GaussianBlur(eight, (0, 0), soft), np.uint8) if soft > 0.5 else eight

    return change


def grey_copy(image: Image, own: bool, seed: int) -> Image:
    """No colour, and no other change."""
    return np.ascontiguousarray(
        np.repeat(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2).astype(np.uint8)
    )


def same(image: Image, own: bool, seed: int) -> Image:
    """No change."""
    return image


def answers(
    reader: CheckersReader, image: Image, looks: dict[str, tuple[str, ...]]
) -> dict[int, NDArray[np.int64]]:
    """For every point whose checkers are found: the right answer at every step and place aside, -1 where none
    is sure."""
    plan = reader._plan
    assert isinstance(plan, plan.Plan)
    values = reader.lay(Frame(image)).values
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
        kind, first = ("white", "black").index(look[0]), min(len(look), ROW)
        chains = plan._chains(rows[kind][0])
        if chains.scores[first, index] < -1e8:
            continue
        gains = raw[kind].reshape(count, steps, asides)[index]
        label = np.full((steps, asides), -1)
        nearest, last = np.full((steps, asides), 99.0), 0
        for place, at in enumerate(chains.places(index, first)):
            beside = rows[kind][1][index, at]
            weight = np.exp(np.clip(gains - gains[at, beside], -9, 0)) * (
                np.hypot(step - at, aside - beside) < 3.6
            )
            away = np.hypot(
                step - np.average(step, weights=weight), aside - np.average(aside, weights=weight)
            )
            last = max(last, at)
            if place < len(look) - ROW:  # one lies upon it: where the upper one is, nobody said
                nearest = np.minimum(nearest, np.where(away < 7, 50.0, 99.0))
                continue
            label[away <= ON] = 1 + kind
            nearest = np.minimum(nearest, away)
        label[(nearest > OFF) & (nearest < CLEAR)] = OTHER
        label[step > last + CLEAR] = BARE
        found[index] = label
    return found


def examples(tables: Iterator[Table], changes: int, grey: float, rng: np.random.Generator) -> Examples:
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
            reader = CheckersReader(calibrate.calibrate(start, corners, table.geometry))
            labels = [answers(reader, load(shot.path).image, dict(shot.looks)) for shot in shots]
            for turn in range(changes):
                change = change_of(rng, grey) if turn or clicks else same
                one = _describe(table, reader, list(zip(shots, labels, strict=True)), change, rng)
                described.append(one[0])
                right += one[1]
                boards += [number] * len(one[1])
        print(f"{table.name}: {len(right)} examples so far", flush=True)
    return np.concatenate(described), np.array(right), np.array(boards)


def relearned(flat: Flat, measures: Measures, start: Path, empty: Path | None, change: Change) -> Discs:
    """What a table's calibration picture, changed, says of it under a camera."""
    sort = plan.Checkers()
    guess = Hypothesis(sort, sort.start(), (), Estimates(measures, ()), Orientation(), flat.camera, CLICK)
    bare = colour.logs(flat.lay(change(load(empty).image, False, 2))) if empty else None
    values = colour.logs(flat.lay(change(load(start).image, False, 1)))
    paint, surface, guessed = calibrate._learn(guess, flat, values, bare)
    return Discs(surface, lamp.spread(flat.shape, paint.light), paint, guessed)


def _describe(
    table: Table, reader: CheckersReader, shots: list, change: Change, rng: np.random.Generator
) -> tuple[NDArray[np.float32], list[int]]:
    flat, plan = reader.flat, reader._plan
    assert isinstance(plan, plan.Plan)
    empty = table.empty if table.empty and table.empty.exists() and rng.random() < 0.25 else None
    discs = relearned(flat, reader.rig.measures, table.shots[0].path, empty, change)
    surface = discs.surface
    u, v = plan._rows["points"]
    found: list[NDArray[np.float32]] = []
    right: list[int] = []
    for shot, labels in shots:
        values = colour.logs(flat.lay(change(load(shot.path).image, True, int(rng.integers(1 << 30)))))
        gain, _ = lamp.relight(values, surface)
        moments = discs.moments(np.asarray(values - gain, np.float32))
        for index, label in labels.items():
            numbers, told = taken(discs, moments, label, (u[index], v[index]), rng)
            found.append(numbers)
            right += told
    return np.concatenate(found), right


def taken(
    discs: Discs,
    moments: Moments,
    label: NDArray[np.int64],
    places: tuple[Map, Map],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], list[int]]:
    """Some of a row's places (map columns and rows, labelled) as the network is told of them, and the
    answers."""
    u, v = places
    found, right = [np.zeros((0, NUMBERS), np.float32)], []
    for answer, most in TAKE.items():
        some = np.argwhere(label == answer)
        if not len(some):
            continue
        chosen = some[rng.choice(len(some), min(most, len(some)), replace=False)]
        if answer == BARE:  # and as many that look most like a disc: a row is read at its best places
            like = np.max(discs.gains(moments, u[tuple(some.T)][None], v[tuple(some.T)][None]), axis=0)[0]
            chosen = np.concatenate([chosen, some[np.argsort(like)[-most:]]])
        at = (chosen[:, 0], chosen[:, 1])
        found.append(discs.describe(moments, u[at][None], v[at][None])[0])
        right += [answer] * len(chosen)
    return np.concatenate(found), right


def rendered(roots: list[Path], changes: int, grey: float, rng: np.random.Generator) -> Examples:
    """Examples from tables whose every checker is known (``tests.bench.rendered``); their boards are numbered
    from 100 up."""
    from tests.bench.rendered.known import answers as truth
    from tests.bench.rendered.known import known

    described, right, boards = [], [], []
    every = (table for root in roots for table in known(root, rng))
    for number, table in enumerate(every, 100):
        for turn in range(changes):
            change = change_of(rng, grey) if turn else same
            discs = table.learned(change)
            for path, label in table.pictures:
                image = change(load(path).image, path.stem != "start", int(rng.integers(1 << 30)))
                values = colour.logs(table.flat.lay(image))
                gain, _ = lamp.relight(values, discs.surface)
                moments = discs.moments(np.asarray(values - gain, np.float32))
                tops = table.tops(label)
                for name in ("points", "bar"):
                    u, v = table.plan._rows[name]
                    for index in range(len(u)):
                        numbers, told = taken(
                            discs,
                            moments,
                            truth(table, tops, (u[index], v[index])),
                            (u[index], v[index]),
                            rng,
                        )
                        described.append(numbers)
                        right += told
                        boards += [number] * len(told)
        if number % 10 == 0:
            print(f"{table.name}: {len(right)} examples so far", flush=True)
    return np.concatenate(described), np.array(right), np.array(boards)


def exchanged(found: Examples) -> Examples:
    """The examples, and the same with the two tints exchanged."""
    numbers, right, boards = found
    width = 13
    other = numbers.copy()
    other[:, :width], other[:, width : 2 * width] = numbers[:, width : 2 * width], numbers[:, :width]
    return (
        np.concatenate([numbers, other]),
        np.concatenate([right, np.array([0, 2, 1, 3])[right]]),
        np.concatenate([boards, boards]),
    )


def train(
    numbers: NDArray[np.float32], right: NDArray[np.int64], hidden: tuple[int, ...], rounds: int, seed: int
) -> list[NDArray[np.float32]]:
    """Adam on the cross entropy; the network's matrices and offsets, with the scaling of its input folded
    in."""
    rng = np.random.default_rng(seed)
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0) + 1e-3
    layers: list[NDArray[np.float32]] = []
    for before, after in pairwise([numbers.shape[1], *hidden, 4]):
        layers += [
            rng.normal(0, np.sqrt(2 / before), (before, after)).astype(np.float32),
            np.zeros(after, np.float32),
        ]
    first, second = [np.zeros_like(part) for part in layers], [np.zeros_like(part) for part in layers]
    kept = [part.copy() for part in layers]
    count, steps = 0, rounds * (len(right) // BATCH)
    for _ in range(rounds):
        order = rng.permutation(len(right))
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[begin : begin + BATCH]
            count += 1
            rate = 1.5e-3 * (1 + np.cos(np.pi * count / steps))
            lasting = min(LASTING, count / (count + 10))
            for index, slope in enumerate(_slopes(layers, (numbers[chosen] - mean) / spread, right[chosen])):
                first[index] = 0.9 * first[index] + 0.1 * slope
                second[index] = 0.999 * second[index] + 0.001 * slope * slope
                layers[index] -= (
                    rate
                    * (first[index] / (1 - 0.9**count))
                    / (np.sqrt(second[index] / (1 - 0.999**count)) + 1e-8)
                )
                kept[index] = lasting * kept[index] + (1 - lasting) * layers[index]
    kept[0] = kept[0] / spread[:, None]
    kept[1] = kept[1] - mean @ kept[0]
    return [part.astype(np.float32) for part in kept]


def _slopes(
    layers: list[NDArray[np.float32]], signal: NDArray[np.float32], right: NDArray[np.int64]
) -> list[NDArray[np.float32]]:
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


def report(
    name: str, layers: list[NDArray[np.float32]], numbers: NDArray[np.float32], right: NDArray[np.int64]
) -> None:
    """How often bare board and the two tints are taken for each other."""
    signal = numbers
    for index in range(0, len(layers), 2):
        signal = signal @ layers[index] + layers[index + 1]
        signal = np.maximum(signal, 0) if index < len(layers) - 2 else signal
    said = signal.argmax(axis=1)
    harm = (said != right) & ~(np.isin(said, (BARE, OTHER)) & np.isin(right, (BARE, OTHER)))
    print(f"{name:20} {100 * harm.mean():.2f}% of {len(right)} places taken for something else", flush=True)


def gather(options: argparse.Namespace) -> None:
    """Describe the places of tables, and keep them."""
    rng = np.random.default_rng(options.seed)
    if options.rendered:
        found = rendered(options.rendered, options.changes, options.grey, rng)
    else:
        found = examples(
            iter([*renders(options.data), *reel(options.data / "reel")]), options.changes, options.grey, rng
        )
    np.savez(
        options.kept,
        numbers=found[0].astype(np.float16),
        right=found[1].astype(np.int8),
        boards=found[2].astype(np.int16),
    )


def fit(options: argparse.Namespace) -> None:
    """Train both networks on what was kept."""
    parts = [np.load(path) for path in options.kept]
    found = tuple(np.concatenate([part[name] for part in parts]) for name in ("numbers", "right", "boards"))
    numbers, right, boards = exchanged(
        (found[0].astype(np.float32), found[1].astype(np.int64), found[2].astype(np.int64))
    )
    held = {"drawn, held": (boards >= 100) & (boards % 8 == 3)}
    if options.without is not None:
        held[f"board {options.without}"] = boards == options.without
    mine = ~np.any(list(held.values()), axis=0)
    stored = {}
    for name, hidden in (("quick", QUICK), ("thorough", THOROUGH)):
        layers = train(numbers[mine], right[mine], hidden, options.rounds, options.seed)
        stored |= {f"{name}{index}": part for index, part in enumerate(layers)}
        for what, some in (("trained on", mine), *held.items()):
            if some.any():
                report(f"{name}, {what}", layers, numbers[some], right[some])
    np.savez(options.out, **stored)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ways = parser.add_subparsers(required=True)
    way = ways.add_parser("gather")
    way.add_argument("kept", type=Path)
    way.add_argument("--data", type=Path, default=Path(os.environ.get("BARPOINT_DATA", "../shared/data")))
    way.add_argument("--changes", type=int, default=3)
    way.add_argument(
        "--grey", type=float, default=GREY, help="the part of changed copies that have no colour"
    )
    way.add_argument(
        "--rendered",
        type=Path,
        nargs="*",
        default=[],
        help="folders of tests.bench.rendered, every checker known",
    )
    way.set_defaults(run=gather)
    way = ways.add_parser("fit")
    way.add_argument("kept", type=Path, nargs="+")
    way.add_argument("--without", type=int, help="a labelled board to leave out")
    way.add_argument("--rounds", type=int, default=6)
    way.add_argument("--out", type=Path, default=Path("vision/discs.npz"))
    way.set_defaults(run=fit)
    for way in ways.choices.values():
        way.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.run(options)


if __name__ == "__main__":
    main()
