"""Trains the network of ``vision.checkers.stacks``, which tells no checker from one, two and three, on drawn
and rendered tables alone.

    python -m tests.bench.rendered.relief DRAWN --boards 120 --pictures 2 --crowd python -m
    tests.bench.train_closeup gather DRAWN EXAMPLES.npz [--changes N] [--of all|asked|left] python -m
    tests.bench.train_closeup gather DATA HELD.npz --changes 1 python -m tests.bench.train_closeup painted
    PAINTED.npz [--boards 22] python -m tests.bench.train_closeup fit EXAMPLES.npz [--held HELD.npz]
    [--without BOARD] --out vision/checkers/stacks.onnx

``gather`` keeps what the network would be shown of every checker, and of places beside and beyond them, under
changed colours, lamps and noise; ``--of asked`` of those places only about which a reader would ask, where it
takes them to be; ``--of left`` of bare places that were full when the table was learned. Where a set does not
say where each checker is, boards are calibrated from their start position with corners as a person clicks
them, and labelled rows are looked for. ``fit`` wants ``pip install torch==2.13.0 onnx``. Every eighth of the
examples' boards is held out and measured (none with ``--without none``); so is ``--held``, which nothing is
trained on.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.closeup_examples import QUANTA, look_asked, look_at, look_known, look_left
from tests.bench.closeup_painted import look_painted
from tests.bench.rendered.known import Known, known
from tests.bench.vision import renders
from vision import stack_network
from vision.errors import CalibrationError

LOOKS = {"all": look_known, "asked": look_asked, "left": look_left}


def gather(root: Path, out: Path, changes: int, seed: int, most: int, of: str) -> None:
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
            one, heights = (
                LOOKS[of](table, changes, rng) if isinstance(table, Known) else look_at(table, changes, rng)
            )
        except CalibrationError as error:
            print(f"{table.name}: left out: {error}", flush=True)
            continue
        shown += one
        right += heights
        boards += [table.name] * len(heights)
        print(f"{table.name}: {len(right)} examples so far", flush=True)
    np.savez(out, shown=np.concatenate(shown), right=np.array(right, np.int8), boards=np.array(boards))


def paint(out: Path, boards: int, pictures: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = {f"painted{number}": look_painted(number, pictures, rng) for number in range(boards)}
    names = [name for name, (_, heights) in found.items() for _ in heights]
    right = np.array([height for _, heights in found.values() for height in heights], np.int8)
    np.savez(
        out,
        shown=np.concatenate([each for shown, _ in found.values() for each in shown]),
        right=right,
        boards=np.array(names),
    )
    print(f"{len(right)} examples")


def varied(
    batch: NDArray[np.float32], static: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Patches as they might look as well: mirrored, upside down, in other hues and contrasts, with a lamp or
    a colour learned a little wrong, grainier (``static``: noise)."""
    count = len(batch)
    mirrored, over, hues = (rng.random(count) < part for part in (0.5, 0.3, 0.4))
    batch[mirrored] = batch[mirrored][..., ::-1]
    batch[mirrored, 6] *= -1
    batch[over] = batch[over][..., ::-1, :]
    batch[over, 7] *= -1
    turn = (rng.uniform(0, 2 * np.pi, count) * hues).astype(np.float32)
    cosine, sine = np.cos(turn)[:, None, None], np.sin(turn)[:, None, None]
    for red in (1, 4):  # both chromas, of the difference from the tint and from the surface
        first, second = batch[:, red].copy(), batch[:, red + 1].copy()
        batch[:, red], batch[:, red + 1] = cosine * first - sine * second, sine * first + cosine * second
    batch[:, [0, 3]] *= np.exp(rng.normal(0, 0.22, (count, 1, 1, 1))).astype(np.float32)
    batch[:, [1, 2, 4, 5]] *= np.exp(rng.normal(0, 0.3, (count, 1, 1, 1))).astype(np.float32)
    if rng.random() < 0.7:
        batch[:, :6] += rng.normal(0, 0.12, (count, 6, 1, 1)).astype(np.float32)
        batch[:, :6] *= np.exp(rng.normal(0, 0.15, (count, 6, 1, 1))).astype(np.float32)
    begin = int(rng.integers(len(static) - batch[:, :6].size))
    some = static[begin : begin + batch[:, :6].size].reshape(batch[:, :6].shape)
    batch[:, :6] += some * np.abs(rng.normal(0, 0.15, (count, 1, 1, 1))).astype(np.float32)
    return np.ascontiguousarray(batch)


def fit(
    given: list[Path],
    held: list[Path],
    without: list[str],
    out: Path,
    rounds: float,
    minutes: float,
    seed: int,
) -> None:
    import torch
    from torch import nn
    from torch.nn.functional import cross_entropy

    def block(inputs: int, outputs: int, stride: int = 1, side: int = 3) -> nn.Sequential:
        bent = nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False)
        return nn.Sequential(bent, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    wide = (16, 24, 32)
    net = nn.Sequential(
        block(stack_network.CHANNELS, wide[0], 2, 5),
        block(wide[0], wide[1], 2),
        block(wide[1], wide[1]),
        block(wide[1], wide[2], 2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(wide[2] * 25, 32),
        nn.ReLU(),
        nn.Linear(32, stack_network.HEIGHTS),
    )
    parts = [np.load(path) for path in given]
    shown, right, boards = (
        np.concatenate([part[name] for part in parts]) for name in ("shown", "right", "boards")
    )
    names = sorted(set(boards.tolist()))
    apart = set(without) or set(names[::8])
    mine = ~np.isin(boards, list(apart))
    rng = np.random.default_rng(seed)
    learned, target = shown[mine], np.clip(right[mine], 0, 3).astype(np.int64)
    share = 1 / np.sqrt(np.bincount(target, minlength=stack_network.HEIGHTS) / len(target))
    chance = np.cumsum(share[target] / share[target].sum())
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=1e-3)
    steps = max(1, int(rounds * len(target)) // 128)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps, pct_start=0.1)
    static = rng.standard_normal(1 << 23, dtype=np.float32)
    mean = copy.deepcopy(net)  # of the weights on their way: one training differs less from the next

    def follow(step: int) -> None:
        kept = min(0.99, (step + 1) / (step + 50))
        with torch.no_grad():
            for one, other in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
                one.copy_(kept * one + (1 - kept) * other if one.dtype.is_floating_point else other)

    def soft(planes: torch.Tensor, sigma: float) -> torch.Tensor:
        line = torch.exp(-0.5 * (torch.arange(-8, 9) / sigma) ** 2)
        line /= line.sum()
        for size, edge in (((1, 17), (8, 8, 0, 0)), ((17, 1), (0, 0, 8, 8))):
            kernel = line.view(1, 1, *size).expand(planes.shape[1], 1, *size).contiguous()
            planes = nn.functional.conv2d(
                nn.functional.pad(planes, edge, mode="replicate"), kernel, groups=planes.shape[1]
            )
        return planes

    began, recent = time.process_time(), 0.0
    for step in range(steps):
        chosen = np.minimum(np.searchsorted(chance, rng.random(128)), len(target) - 1)
        batch = torch.from_numpy(varied(learned[chosen].astype(np.float32) / QUANTA, static, rng))
        for chance_of_it, least, most in (
            (0.25, 0.3, 0.7),
            (0.2, 0.5, 4.0),
        ):  # a lens a little soft, and one out of focus
            if rng.random() < chance_of_it:
                batch[:, :6] = soft(batch[:, :6], float(rng.uniform(least, most)))
        net.train()
        loss = cross_entropy(net(batch), torch.from_numpy(target[chosen]), label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 5 == 4:
            follow(step)
        recent = 0.99 * recent + 0.01 * float(loss.detach()) if step else float(loss.detach())
        if step % 100 == 99:
            print(f"{step + 1}/{steps} loss {recent:.4f} {time.process_time() - began:.0f}s", flush=True)
        if step % 1000 == 999:
            torch.save(mean.state_dict(), out.with_suffix(".pt"))
        if time.process_time() - began > 60 * minutes:
            break
    net = mean
    net.eval()

    def report(name: str, some: NDArray[np.int8], truth: NDArray[np.int8]) -> None:
        with torch.no_grad():
            said = np.concatenate(
                [
                    net(torch.from_numpy(some[i : i + 512].astype(np.float32) / QUANTA)).numpy()
                    for i in range(0, len(some), 512)
                ]
            ).astype(np.float64)
        told = said - np.logaddexp.reduce(said, axis=1, keepdims=True)
        truth = np.clip(truth, 0, 3).astype(np.int64)
        hits = told.argmax(axis=1) == truth
        each = " ".join(
            f"{h}: {100 * hits[truth == h].mean():.2f}% of {np.sum(truth == h)}"
            for h in range(stack_network.HEIGHTS)
            if (truth == h).any()
        )
        sure = np.exp(told.max(axis=1)) >= 0.99
        cost = -told[np.arange(len(truth)), truth]
        print(
            f"{name:14} {each}; nats {cost.mean():.4f}; sure and wrong {int((sure & ~hits).sum())} of"
            f" {int(sure.sum())}",
            flush=True,
        )
        best = min(
            np.arange(0.5, 3.01, 0.1),
            key=lambda t: float(
                np.mean(np.logaddexp.reduce(said / t, axis=1) - said[np.arange(len(truth)), truth] / t)
            ),
        )
        print(f"{'':14} best divisor of its log-odds {best:.1f}", flush=True)

    report("trained on", learned[::7], right[mine][::7])
    if not mine.all():
        report("held boards", shown[~mine], right[~mine])
    for path in held:
        part = np.load(path)
        report(path.stem, part["shown"], part["right"])
        for name in sorted(set(part["boards"].tolist())):
            report(
                f"  {name}"[:14], part["shown"][part["boards"] == name], part["right"][part["boards"] == name]
            )
    torch.onnx.export(
        net,
        (torch.zeros(2, stack_network.CHANNELS, stack_network.SIDE, stack_network.SIDE),),
        str(out),
        input_names=["shown"],
        output_names=["heights"],
        dynamic_axes={"shown": {0: "n"}, "heights": {0: "n"}},
        opset_version=12,
        dynamo=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    gathering = commands.add_parser("gather")
    gathering.add_argument("data", type=Path)
    gathering.add_argument("out", type=Path)
    gathering.add_argument("--changes", type=int, default=3)
    gathering.add_argument("--seed", type=int, default=1)
    gathering.add_argument("--boards", type=int, default=1000)
    gathering.add_argument(
        "--of", choices=LOOKS, default="all", help="which places of drawn and rendered tables"
    )
    painting = commands.add_parser("painted")
    painting.add_argument("out", type=Path)
    painting.add_argument("--boards", type=int, default=22)
    painting.add_argument("--pictures", type=int, default=10)
    painting.add_argument("--seed", type=int, default=5)
    fitting = commands.add_parser("fit")
    fitting.add_argument("examples", type=Path, nargs="+")
    fitting.add_argument("--held", type=Path, nargs="*", default=[])
    fitting.add_argument(
        "--without", nargs="*", default=[], help="boards to hold out and measure instead of every eighth"
    )
    fitting.add_argument("--rounds", type=float, default=12)
    fitting.add_argument("--minutes", type=float, default=12)
    fitting.add_argument("--seed", type=int, default=1)
    fitting.add_argument("--out", type=Path, default=Path("vision/checkers/stacks.onnx"))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    if given.command == "painted":
        paint(given.out, given.boards, given.pictures, given.seed)
    elif given.command == "gather":
        gather(given.data, given.out, given.changes, given.seed, given.boards, given.of)
    else:
        fit(given.examples, given.held, given.without, given.out, given.rounds, given.minutes, given.seed)


if __name__ == "__main__":
    main()
