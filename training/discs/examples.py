"""What the networks of ``vision.checkers.discs`` are trained on: places on and off the checkers of labelled
tables, as ``Discs.numbers`` describes them, and what lies there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.sets import Table
from training.changes import Change, change_of, relearned, same
from training.rendered.known import answers as truth
from training.rendered.known import known
from vision.checkers.calibration import calibrate
from vision.checkers.discs import Discs, Moments
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import ROW
from vision.geometry.flat import Map
from vision.light import colour, lamp
from vision.picture.frame import Frame, Image, load

BARE, OTHER = 0, 3
TAKE = {BARE: 8, 1: 8, 2: 8, OTHER: 6}
"""Most places of each answer that are taken from one point of one picture."""
ON, OFF, CLEAR = 1.1, 2.6, 13.0
"""Map pixels from a checker's centre: nearer than ON it is that checker, from OFF to CLEAR something else;
past the last one, bare."""
CLICKS = (0.0, 2.0, 4.0)
NUMBERS = 42
Examples = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]


def answers(
    reader: CheckersReader, image: Image, looks: dict[str, tuple[str, ...]]
) -> dict[int, NDArray[np.int64]]:
    """For every point whose checkers are found: the right answer at every step and place aside, -1 where none
    is sure."""
    plan = reader._plan
    values = reader.lay_flat(Frame(image)).values
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


def _describe(
    table: Table, reader: CheckersReader, shots: list, change: Change, rng: np.random.Generator
) -> tuple[NDArray[np.float32], list[int]]:
    flat, plan = reader.flat, reader._plan
    empty = table.empty if table.empty and table.empty.exists() and rng.random() < 0.25 else None
    discs = relearned(flat, reader.rig.measures, table.shots[0].path, empty, change)
    surface = discs.bare.values
    u, v = plan._rows["points"]
    found: list[NDArray[np.float32]] = []
    right: list[int] = []
    for shot, labels in shots:
        values = colour.logs(flat.lay(change(load(shot.path).image, True, int(rng.integers(1 << 30)))))
        moments = discs.moments(lamp.relight(values, surface))
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
        found.append(discs.numbers(moments, u[at][None], v[at][None])[:, 0].T)
        right += [answer] * len(chosen)
    return np.concatenate(found), right


def rendered(roots: list[Path], changes: int, grey: float, rng: np.random.Generator) -> Examples:
    """Examples from tables whose every checker is known (``training.rendered``); their boards are numbered
    from 100 up."""
    described, right, boards = [], [], []
    every = (table for root in roots for table in known(root, rng))
    for number, table in enumerate(every, 100):
        for turn in range(changes):
            change = change_of(rng, grey) if turn else same
            discs = table.learned(change)
            for path, label in table.pictures:
                image = change(load(path).image, path.stem != "start", int(rng.integers(1 << 30)))
                moments = discs.moments(lamp.relight(colour.logs(table.flat.lay(image)), discs.bare.values))
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
