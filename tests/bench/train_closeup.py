"""Trains the network of ``vision.closeup``, which tells no checker from one, two and three, on drawn and rendered tables alone.

    python -m tests.bench.rendered.relief DRAWN --boards 120 --pictures 2 --crowd
    python -m tests.bench.train_closeup gather DRAWN EXAMPLES.npz [--changes N]
    python -m tests.bench.train_closeup gather DATA HELD.npz --changes 1
    python -m tests.bench.train_closeup fit EXAMPLES.npz [--held HELD.npz] [--without BOARD] --out vision/closeup.onnx

``gather`` keeps what the network would be shown of every checker, and of places beside and beyond them, under changed colours, lamps and
noise. Where a set does not say where each checker is, boards are calibrated from their start position with corners as a person clicks
them, and labelled rows are looked for. ``fit`` wants ``pip install torch==2.13.0 onnx``. Every eighth of the examples' boards is held
out and measured; so is ``--held``, which nothing is trained on.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.rendered.known import Known, known
from tests.bench.rendered.known import Top as Standing
from tests.bench.train_discs import change_of, relearned, same
from tests.bench.vision import Table, renders
from vision import appearance, checkers, closeup
from vision.board import Measures
from vision.discs import Discs
from vision.errors import CalibrationError
from vision.frame import Frame, Image, load
from vision.learning import calibrate
from vision.read import Reader
from vision.scene import RESOLUTION, Flat

QUANTA = 31.0
"""Patches are kept as whole numbers: 1/QUANTA each."""
CLICKS = 2.5
OTHER = 0.15
"""The part of the checkers that are looked at as if they were the other side's: a lamp may make them look so, and whose they are is for
others to say."""
WORST = -12.0
"""Nats: a labelled row that fits the picture worse than this was not found, and is left out."""


def rows(reader: Reader, image: Image, looks: dict[str, tuple[str, ...]]) -> list[tuple[closeup.Top, int]]:
    """The tops of all labelled rows, and how many checkers each tops."""
    plan = reader._plan
    assert isinstance(plan, checkers.CheckerPlan)
    values, _ = reader.lay(Frame(image))
    gains = plan._gains(reader._discs, values)["points"]
    found = []
    for kind, side in enumerate(checkers.SIDES):
        chains = plan._chains(gains[kind][0])
        for index in range(24):
            look = looks[f"p{index + 1}"]
            first = min(len(look), checkers.ROW)
            upper = reader.rig.lie.place(index + 1) > 12
            if (look and look[0] != side) or chains.scores[first, index] < WORST:
                continue
            steps = chains.places(index, first)
            beyond = (steps[-1] + RESOLUTION,) if steps else (3,)
            asides = gains[kind][1][index]
            if len(look) < checkers.ROW and beyond[0] < len(asides):
                found.append((closeup.Top(*plan._centres("points", index, beyond, asides)[0], kind, upper), 0))
            for place, (u, v) in enumerate(plan._centres("points", index, steps, asides)):
                found.append((closeup.Top(u, v, kind, upper), (len(look) + checkers.ROW - 1 - place) // checkers.ROW))
    return found


def look_at(table: Table, changes: int, rng: np.random.Generator) -> tuple[list[NDArray[np.int8]], list[int]]:
    """What the network would be shown of a labelled board's checkers, and how many each is."""
    start = load(table.shots[0].path).image
    shown, right = [], []
    for turn in range(changes):
        corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, CLICKS, (4, 2))]
        reader = Reader(calibrate.calibrate(start, corners, table.geometry))
        change = change_of(rng) if turn else same
        discs = relearned(reader.flat, reader.rig.measures, table.shots[0].path, None, change)
        for number, shot in enumerate(table.shots):
            if shot.hand:
                continue
            image = load(shot.path).image
            tops = rows(reader, image, dict(shot.looks))
            if tops:
                image = change(image, number > 0, int(rng.integers(1 << 30)))
                shown.append(seen(reader.flat, reader.rig.measures, discs, image, [top for top, _ in tops], rng))
                right += [height for _, height in tops]
    return shown, right


def look_known(table: Known, changes: int, rng: np.random.Generator) -> tuple[list[NDArray[np.int8]], list[int]]:
    """The same of a board whose every checker is known."""
    shown, right = [], []
    for turn in range(changes):
        change = change_of(rng) if turn or rng.random() < 0.5 else same
        discs = table.learned(change)
        for path, label in table.pictures:
            every = table.tops(label)
            tops = [(closeup.Top(top.column, top.row, top.kind, top.upper), top.count) for top in every if not top.bar]
            tops = [(replace(top, kind=1 - top.kind) if rng.random() < OTHER else top, count) for top, count in tops]
            tops += bare_places(table, every, rng)
            image = change(load(path).image, path.stem != "start", int(rng.integers(1 << 30)))
            shown.append(seen(table.flat, table.measures, discs, image, [top for top, _ in tops], rng, 0.45))
            right += [height for _, height in tops]
    return shown, right


def bare_places(table: Known, every: list[Standing], rng: np.random.Generator) -> list[tuple[closeup.Top, int]]:
    """Places in every row where no checker has its middle: at random, and about one diameter beyond the last."""
    u, v = table.plan._rows["points"]
    found = []
    for index in range(24):
        aside = int(rng.integers(u.shape[2]))
        away = np.min([np.hypot(u[index] - top.column, v[index] - top.row) for top in every], axis=0)
        free = np.flatnonzero(away[:, aside] > 0.4 * RESOLUTION)
        taken = np.flatnonzero(away[:, checkers.ASIDE] < 0.2 * RESOLUTION)
        steps = [int(rng.choice(free))] if len(free) else []
        beyond = (taken[-1] + RESOLUTION if len(taken) else 3) + int(rng.integers(-2, 3))
        steps += [beyond] if beyond < len(away) and away[beyond, aside] > 0.4 * RESOLUTION else []
        for step in steps:
            top = closeup.Top(float(u[index, step, aside]), float(v[index, step, aside]), int(rng.integers(2)), index >= 12)
            found.append((top, 0))
    return found


def seen(
    flat: Flat, measures: Measures, discs: Discs, image: Image, tops: list[closeup.Top], rng: np.random.Generator, astray: float = 0.25
) -> NDArray[np.int8]:
    """Patches of tops, each looked for a little beside its place (``astray``, map pixels)."""
    values = appearance.logs(flat.lay(image))
    gain, _ = appearance.relight(values, discs.surface)
    moved = [replace(top, column=top.column + rng.normal(0, astray), row=top.row + rng.normal(0, astray)) for top in tops]
    shown = closeup.patches(flat, discs, image, np.asarray(values - gain, np.float32), moved, measures.checker, measures.thickness)
    return np.clip(np.round(shown * QUANTA), -127, 127).astype(np.int8)


def gather(root: Path, out: Path, changes: int, seed: int, most: int) -> None:
    shown: list[NDArray[np.int8]] = []
    right: list[int] = []
    boards: list[str] = []
    first = next((root / "backgammon").glob("*/labels.json"))
    exact = "tops" in json.loads(first.read_text())["start"]
    rng = np.random.default_rng(seed)
    every = known(root, rng) if exact else renders(root)
    for number, table in enumerate(every):
        if number >= most:
            break
        try:
            one, heights = look_known(table, changes, rng) if isinstance(table, Known) else look_at(table, changes, rng)
        except CalibrationError as error:
            print(f"{table.name}: left out: {error}", flush=True)
            continue
        shown += one
        right += heights
        boards += [table.name] * len(heights)
        print(f"{table.name}: {len(right)} examples so far", flush=True)
    np.savez(out, shown=np.concatenate(shown), right=np.array(right, np.int8), boards=np.array(boards))


def fit(given: list[Path], held: list[Path], without: list[str], out: Path, rounds: int, minutes: float) -> None:
    import torch
    from torch import nn
    from torch.nn.functional import cross_entropy

    def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    torch.manual_seed(1)
    torch.set_num_threads(1)
    wide = (16, 24, 32)
    net = nn.Sequential(
        block(closeup.CHANNELS, wide[0], 2),
        block(wide[0], wide[1], 2),
        block(wide[1], wide[1]),
        block(wide[1], wide[2], 2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(wide[2] * 25, 32),
        nn.ReLU(),
        nn.Linear(32, closeup.HEIGHTS),
    )
    parts = [np.load(path) for path in given]
    shown, right, boards = (np.concatenate([part[name] for part in parts]) for name in ("shown", "right", "boards"))
    names = sorted(set(boards.tolist()))
    apart = set(without) or set(names[::8])
    mine = ~np.isin(boards, list(apart))
    rng = np.random.default_rng(1)
    learned, target = shown[mine], np.clip(right[mine], 0, 3).astype(np.int64)
    share = 1 / np.sqrt(np.bincount(target, minlength=closeup.HEIGHTS) / len(target))
    chance = np.cumsum(share[target] / share[target].sum())
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=1e-3)
    steps = max(1, rounds * len(target) // 128)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps, pct_start=0.1)
    static = rng.standard_normal(1 << 23, dtype=np.float32)
    began, recent = time.process_time(), 0.0
    for step in range(steps):
        chosen = np.minimum(np.searchsorted(chance, rng.random(128)), len(target) - 1)
        batch = learned[chosen].astype(np.float32) / QUANTA
        mirrored = rng.random(128) < 0.5
        batch[mirrored] = batch[mirrored][..., ::-1]
        batch[mirrored, 6] *= -1
        if rng.random() < 0.7:  # what stands in doubt when a lamp or a colour was learned a little wrong
            batch[:, :6] += rng.normal(0, 0.12, (128, 6, 1, 1)).astype(np.float32)
            batch[:, :6] *= np.exp(rng.normal(0, 0.15, (128, 6, 1, 1))).astype(np.float32)
        begin = int(rng.integers(len(static) - batch[:, :6].size))
        some = static[begin : begin + batch[:, :6].size].reshape(batch[:, :6].shape)
        batch[:, :6] += some * np.abs(rng.normal(0, 0.15, (128, 1, 1, 1))).astype(np.float32)
        net.train()
        loss = cross_entropy(net(torch.from_numpy(np.ascontiguousarray(batch))), torch.from_numpy(target[chosen]), label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        recent = 0.99 * recent + 0.01 * float(loss.detach()) if step else float(loss.detach())
        if step % 100 == 99:
            print(f"{step + 1}/{steps} loss {recent:.4f} {time.process_time() - began:.0f}s", flush=True)
        if step % 1000 == 999:
            torch.save(net.state_dict(), out.with_suffix(".pt"))
        if time.process_time() - began > 60 * minutes:
            break
    net.eval()

    def report(name: str, some: NDArray[np.int8], truth: NDArray[np.int8]) -> None:
        with torch.no_grad():
            said = np.concatenate(
                [net(torch.from_numpy(some[i : i + 512].astype(np.float32) / QUANTA)).numpy() for i in range(0, len(some), 512)]
            ).astype(np.float64)
        told = said - np.logaddexp.reduce(said, axis=1, keepdims=True)
        truth = np.clip(truth, 0, 3).astype(np.int64)
        hits = told.argmax(axis=1) == truth
        each = " ".join(
            f"{h}: {100 * hits[truth == h].mean():.2f}% of {np.sum(truth == h)}" for h in range(closeup.HEIGHTS) if (truth == h).any()
        )
        sure = np.exp(told.max(axis=1)) >= 0.99
        cost = -told[np.arange(len(truth)), truth]
        print(f"{name:14} {each}; nats {cost.mean():.4f}; sure and wrong {int((sure & ~hits).sum())} of {int(sure.sum())}", flush=True)
        best = min(
            np.arange(0.5, 3.01, 0.1),
            key=lambda t: float(np.mean(np.logaddexp.reduce(said / t, axis=1) - said[np.arange(len(truth)), truth] / t)),
        )
        print(f"{'':14} best divisor of its log-odds {best:.1f}", flush=True)

    report("trained on", learned[::7], right[mine][::7])
    report("held boards", shown[~mine], right[~mine])
    for path in held:
        part = np.load(path)
        report(path.stem, part["shown"], part["right"])
        for name in sorted(set(part["boards"].tolist())):
            report(f"  {name}"[:14], part["shown"][part["boards"] == name], part["right"][part["boards"] == name])
    torch.onnx.export(
        net,
        (torch.zeros(2, closeup.CHANNELS, closeup.SIDE, closeup.SIDE),),
        str(out),
        input_names=["shown"],
        output_names=["heights"],
        dynamic_axes={"shown": {0: "n"}, "heights": {0: "n"}},
        opset_version=12,
        dynamo=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    gathering = commands.add_parser("gather")
    gathering.add_argument("data", type=Path)
    gathering.add_argument("out", type=Path)
    gathering.add_argument("--changes", type=int, default=3)
    gathering.add_argument("--seed", type=int, default=1)
    gathering.add_argument("--boards", type=int, default=1000)
    fitting = commands.add_parser("fit")
    fitting.add_argument("examples", type=Path, nargs="+")
    fitting.add_argument("--held", type=Path, nargs="*", default=[])
    fitting.add_argument("--without", nargs="*", default=[], help="boards to hold out and measure instead of every eighth")
    fitting.add_argument("--rounds", type=int, default=12)
    fitting.add_argument("--minutes", type=float, default=12)
    fitting.add_argument("--out", type=Path, default=Path("vision/closeup.onnx"))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    if given.command == "gather":
        gather(given.data, given.out, given.changes, given.seed, given.boards)
    else:
        fit(given.examples, given.held, given.without, given.out, given.rounds, given.minutes)


if __name__ == "__main__":
    main()
