"""What ``training.stacks.train`` trains on: patches of checkers and bare places as
``vision.checkers.stacks`` is shown them, and how many checkers each holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tests.bench.sets import Table
from training.changes import change_of, relearned, same
from training.rendered.known import Known
from training.rendered.known import Top as Standing
from training.rendered.setting import start
from vision.checkers import stacks
from vision.checkers.calibration import calibrate
from vision.checkers.discs import Discs
from vision.checkers.plan import ASIDE
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import ROW, SIDES, Measures
from vision.geometry.flat import RESOLUTION, Flat
from vision.light import colour, lamp
from vision.picture.frame import Frame, Image, load

Examples = tuple[list[NDArray[np.int8]], list[int]]
"""Patches, and how many checkers each one shows."""
QUANTA = 31.0
"""Patches are kept as whole numbers: 1/QUANTA each."""
CLICKS = 2.5
OTHER = 0.15
"""The part of the checkers that are looked at as if they were the other side's: a lamp may make them look so,
and whose they are is for others to say."""
ON, BESIDE = 0.2, 0.45
"""Distances (diameters) from a checker's middle up to which it is the checker that is looked at, and from
which on it is none."""
WORST = -12.0
"""Nats: a labelled row that fits the picture worse than this was not found, and is left out."""


def rows(
    reader: CheckersReader, image: Image, looks: dict[str, tuple[str, ...]]
) -> list[tuple[stacks.Top, int]]:
    """The tops of all labelled rows, and how many checkers each tops."""
    plan = reader._plan
    values = reader.lay_flat(Frame(image)).values
    gains = plan._gains(reader._discs, values)["points"]
    found = []
    for kind, side in enumerate(SIDES):
        chains = plan._chains(gains[kind][0])
        for index in range(24):
            look = looks[f"p{index + 1}"]
            first = min(len(look), ROW)
            upper = reader.rig.orientation.place(index + 1) > 12
            if (look and look[0] != side) or chains.scores[first, index] < WORST:
                continue
            steps = chains.places(index, first)
            beyond = (steps[-1] + RESOLUTION,) if steps else (3,)
            asides = gains[kind][1][index]
            if len(look) < ROW and beyond[0] < len(asides):
                found.append((stacks.Top(*plan._centres("points", index, beyond, asides)[0], kind, upper), 0))
            for place, (u, v) in enumerate(plan._centres("points", index, steps, asides)):
                found.append((stacks.Top(u, v, kind, upper), (len(look) + ROW - 1 - place) // ROW))
    return found


def look_at(table: Table, changes: int, rng: np.random.Generator) -> Examples:
    """What the network would be shown of a labelled board's checkers, and how many each is."""
    start = load(table.shots[0].path).image
    shown, right = [], []
    for turn in range(changes):
        corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, CLICKS, (4, 2))]
        reader = CheckersReader(calibrate.calibrate(start, corners, table.geometry))
        change = change_of(rng) if turn else same
        discs = relearned(reader.flat, reader.rig.measures, table.shots[0].path, None, change)
        for number, shot in enumerate(table.shots):
            if shot.hand:
                continue
            image = load(shot.path).image
            tops = rows(reader, image, dict(shot.looks))
            if tops:
                image = change(image, number > 0, int(rng.integers(1 << 30)))
                shown.append(
                    seen(reader.flat, reader.rig.measures, discs, image, [top for top, _ in tops], rng)
                )
                right += [height for _, height in tops]
    return shown, right


def look_known(table: Known, changes: int, rng: np.random.Generator) -> Examples:
    """The same of a board whose every checker is known."""
    shown, right = [], []
    for turn in range(changes):
        change = change_of(rng) if turn or rng.random() < 0.5 else same
        discs = table.learned(change)
        for path, label in table.pictures:
            every = table.tops(label)
            tops = [
                (stacks.Top(top.column, top.row, top.kind, top.upper), top.count)
                for top in every
                if not top.bar
            ]
            tops = [
                (replace(top, kind=1 - top.kind) if rng.random() < OTHER else top, count)
                for top, count in tops
            ]
            tops += bare_places(table, every, rng)
            image = change(load(path).image, path.stem != "start", int(rng.integers(1 << 30)))
            shown.append(seen(table.flat, table.measures, discs, image, [top for top, _ in tops], rng, 0.45))
            right += [height for _, height in tops]
    return shown, right


def look_asked(table: Known, changes: int, rng: np.random.Generator) -> Examples:
    """What a reader that knows the board so would look at closely: mostly full rows, and bare places of which
    its map is not sure."""
    shown, right = [], []
    for _ in range(changes):
        change = change_of(rng) if rng.random() < 0.5 else same
        discs = table.learned(change)
        for path, label in table.pictures[1:]:
            image = change(load(path).image, True, int(rng.integers(1 << 30)))
            values = lamp.relight(colour.logs(table.flat.lay(image)), discs.bare.values)
            stand = np.array(
                [(top.column, top.row, top.count) for top in table.tops(label) if not top.bar]
            ).reshape(-1, 3)
            tops = []
            for row in table.plan.read(discs, values).rows:
                for u, v in row.centres[row.sure :]:
                    away = np.hypot(stand[:, 0] - u, stand[:, 1] - v)
                    near = int(away.argmin())
                    if ON * RESOLUTION < away[near] < BESIDE * RESOLUTION:
                        continue
                    tops.append(stacks.Top(u, v, row.kind, int(row.cell[1:]) > 12))
                    right.append(int(stand[near, 2]) if away[near] <= ON * RESOLUTION else 0)
            if tops:
                shown.append(seen(table.flat, table.measures, discs, image, tops, rng, 0.0))
    return shown, right


def look_left(table: Known, changes: int, rng: np.random.Generator) -> Examples:
    """Bare places of rows that were full when the table was learned: the surface there is a guess."""
    u, v = table.plan._rows["points"]
    shown = []
    for _ in range(changes):
        change = change_of(rng) if rng.random() < 0.5 else same
        discs = table.learned(change)
        for path, label in table.pictures[1:]:
            stand = np.array([(top.column, top.row) for top in table.tops(label)]).reshape(-1, 2)
            tops = []
            for number, count in start().items():
                if label["points"].get(str(number)):
                    continue
                for most in (7, 7, RESOLUTION * abs(count) - 3, RESOLUTION * abs(count) - 3):
                    step, aside = min(int(rng.integers(most)), u.shape[1] - 1), int(rng.integers(u.shape[2]))
                    place = float(u[number - 1, step, aside]), float(v[number - 1, step, aside])
                    if (np.hypot(*(stand - place).T) > BESIDE * RESOLUTION).all():
                        tops.append(stacks.Top(*place, int(rng.integers(2)), number > 12))
            if tops:
                image = change(load(path).image, True, int(rng.integers(1 << 30)))
                shown.append(seen(table.flat, table.measures, discs, image, tops, rng, 0.3))
    return shown, [0] * sum(map(len, shown))


def bare_places(
    table: Known, every: list[Standing], rng: np.random.Generator
) -> list[tuple[stacks.Top, int]]:
    """Places in every row where no checker has its middle: at random, and about one diameter beyond the
    last."""
    u, v = table.plan._rows["points"]
    found = []
    for index in range(24):
        aside = int(rng.integers(u.shape[2]))
        away = np.min([np.hypot(u[index] - top.column, v[index] - top.row) for top in every], axis=0)
        free = np.flatnonzero(away[:, aside] > 0.4 * RESOLUTION)
        taken = np.flatnonzero(away[:, ASIDE] < 0.2 * RESOLUTION)
        steps = [int(rng.choice(free))] if len(free) else []
        beyond = (taken[-1] + RESOLUTION if len(taken) else 3) + int(rng.integers(-2, 3))
        steps += [beyond] if beyond < len(away) and away[beyond, aside] > 0.4 * RESOLUTION else []
        for step in steps:
            top = stacks.Top(
                float(u[index, step, aside]), float(v[index, step, aside]), int(rng.integers(2)), index >= 12
            )
            found.append((top, 0))
    return found


def seen(
    flat: Flat,
    measures: Measures,
    discs: Discs,
    image: Image,
    tops: list[stacks.Top],
    rng: np.random.Generator,
    astray: float = 0.25,
) -> NDArray[np.int8]:
    """Patches of tops, each looked for a little beside its place (``astray``, map pixels)."""
    values = lamp.relight(colour.logs(flat.lay(image)), discs.bare.values)
    moved = [
        replace(top, column=top.column + rng.normal(0, astray), row=top.row + rng.normal(0, astray))
        for top in tops
    ]
    shown = stacks.patches(flat, discs, image, values, moved, measures)
    return np.clip(np.round(shown * QUANTA), -127, 127).astype(np.int8)
