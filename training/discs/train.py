"""Trains the two small networks of ``vision.checkers.discs`` from labelled renders, and says how they do on
boards that they never saw.

    python -m training.discs.train gather EXAMPLES.npz [--data DIR] [--changes N] [--grey PART] [--seed N]
    python -m training.discs.train gather EXAMPLES.npz --rendered FOLDER ... [--changes N] [--grey PART]
    python -m training.discs.train fit EXAMPLES.npz ... [--without NUMBER] [--rounds N]
        --out vision/checkers/discs.npz

Renders only: photographs are for measuring. ``gather`` calibrates every labelled board (the renders of
``--data`` and its reel) a few times with corners moved as a person's clicks are; where each checker stands
follows from the labelled count and the present network, on the unchanged picture. Of the tables of
``training.rendered`` all that is known. Then colours are changed - channels exchanged, inverted, gamma,
saturation, contrast, dimmed, vignetted, noise, blur - for the calibration and the pictures of a board alike,
its lamp and noise from picture to picture, and places on and off the checkers are described as
``Discs.numbers`` does. ``fit`` uses each example twice, the second time with the two tints exchanged; a file
that is named twice counts double. A labelled board (``--without`` its number, in the order of their names)
and every eighth drawn one are only measured.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.arguments import data_option
from tests.bench.sets import reel, renders
from training.changes import GREY
from training.discs.examples import BARE, OTHER, Examples, examples, rendered

QUICK, THOROUGH = (16, 12), (128, 64)
"""Units of the network that is asked about every place, and of the one that is asked where the first thinks
of a disc."""
LASTING = 0.999
"""The part of the kept weights that is left after each step of training: their mean over many knows new
boards better than the last do."""
BATCH = 1024


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
            iter([*renders(options.data), *reel(options.data)]), options.changes, options.grey, rng
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
    data_option(way)
    way.add_argument("--changes", type=int, default=3)
    way.add_argument(
        "--grey", type=float, default=GREY, help="the part of changed copies that have no colour"
    )
    way.add_argument(
        "--rendered",
        type=Path,
        nargs="*",
        default=[],
        help="folders of training.rendered, every checker known",
    )
    way.set_defaults(run=gather)
    way = ways.add_parser("fit")
    way.add_argument("kept", type=Path, nargs="+")
    way.add_argument("--without", type=int, help="a labelled board to leave out")
    way.add_argument("--rounds", type=int, default=6)
    way.add_argument("--out", type=Path, default=Path("vision/checkers/discs.npz"))
    way.set_defaults(run=fit)
    for way in ways.choices.values():
        way.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.run(options)


if __name__ == "__main__":
    main()
