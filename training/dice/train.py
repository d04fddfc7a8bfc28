"""Fits the networks of ``vision.dice`` to drawn dice, and exports them; wants torch.

    python -m training.dice.train finder EXAMPLES --out vision/dice/finder.onnx [--steps N]
    python -m training.dice.train eye EXAMPLES --out vision/dice/eye.onnx [--steps N]

Every eighth table is held out (its number divided by 8 leaves 7): the weights are kept that read it best.
No render of the shared data and no photograph is trained on.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as entropy
from torch.nn.functional import cross_entropy
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from training.dice.examples import WINDOW
from training.dice.net import Eye, Finder, Taught, plain
from training.dice.shipped import begin
from vision.dice.look import USUAL
from vision.disc_finder.flat_map import STEP

KEPT = 0.998
"""How much of the mean of its weights a step leaves: what is kept is the mean of some 500 steps."""
PLACES = 1.0
"""What it weighs in a loss where the pips are, beside what the whole square shows."""
EACH = 500
"""Steps from one look at what is held out to the next."""


def held_out(path: Path) -> bool:
    """Whether a table is only measured."""
    return int(path.stem.split("-")[1]) % 8 == 7


def normal(pixels: Tensor) -> Tensor:
    """As ``look.even`` does it (N x 3 x rows x columns)."""
    mean = pixels.mean((1, 2, 3), keepdim=True)
    spread = pixels.std((1, 2, 3), keepdim=True, unbiased=False)
    return (pixels - mean) / (spread + 6)


def coloured(rng: np.random.Generator, pixels: Tensor) -> Tensor:
    """Other colours, contrast and noise (N x 3 x rows x columns, 0-255)."""
    count = len(pixels)
    if rng.random() < 0.4:
        pixels = pixels[:, torch.from_numpy(rng.permutation(3))]
    gain = torch.from_numpy(rng.uniform(0.8, 1.2, (count, 3, 1, 1)).astype(np.float32))
    grey = torch.from_numpy((rng.random((count, 1, 1, 1)) < 0.12).astype(np.float32))
    pixels = pixels * gain
    pixels = pixels * (1 - grey) + pixels.mean(1, keepdim=True) * grey
    noise = torch.from_numpy(rng.uniform(0, 7, (count, 1, 1, 1)).astype(np.float32))
    return (pixels + torch.randn_like(pixels) * noise).clamp(0, 255)


def glared(rng: np.random.Generator, pixels: Tensor) -> Tensor:
    """Other exposures, and a lamp mirrored somewhere in some of them (N x 3 x rows x columns, 0-255)."""
    count, side = len(pixels), pixels.shape[2]
    bent = torch.from_numpy(np.exp(rng.normal(0, 0.25, (count, 1, 1, 1))).astype(np.float32))
    pixels = 255 * (pixels / 255) ** bent
    some = np.nonzero(rng.random(count) < 0.2)[0]
    u, v, angle, wide, long = (
        torch.from_numpy(each.astype(np.float32))[:, None, None]
        for each in (
            *rng.normal(side / 2, side / 6, (2, len(some))),
            rng.uniform(0, np.pi, len(some)),
            side * rng.uniform(0.05, 0.22, len(some)),
            rng.uniform(1, 3, len(some)),
        )
    )
    rows, columns = torch.arange(side)[None, :, None] - v, torch.arange(side)[None, None] - u
    along = columns * torch.cos(angle) + rows * torch.sin(angle)
    across = rows * torch.cos(angle) - columns * torch.sin(angle)
    glow = torch.exp(-((along / wide / long) ** 2) - (across / wide) ** 2)
    power = torch.from_numpy(rng.uniform(30, 260, (len(some), 1, 1, 1)).astype(np.float32))
    pixels[torch.from_numpy(some)] += power * glow[:, None]
    return pixels.clamp(0, 255)


class Maps:
    """Windows of the maps of some files."""

    def __init__(self, paths: list[Path]) -> None:
        self.found: list[tuple[NDArray[np.uint8], NDArray[np.float32]]] = []
        for path in paths:
            with np.load(path) as kept:
                for image, shape, dice in zip(kept["maps"], kept["shapes"], kept["dice"], strict=True):
                    self.found.append((image[: shape[0], : shape[1]].copy(), dice[dice[:, 2] > 0]))

    def batch(self, rng: np.random.Generator, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Windows, and on their grid how much of a die's middle each cell is, and its edge's logarithm (NaN
        where there is none)."""
        cells = WINDOW // STEP
        images = np.zeros((size, WINDOW, WINDOW, 3), np.uint8)
        heat, edge = (
            np.zeros((size, cells, cells), np.float32),
            np.full((size, cells, cells), np.nan, np.float32),
        )
        ys = xs = np.arange(cells, dtype=np.float32) * STEP + (STEP - 1) / 2
        for k in range(size):
            image, dice = self.found[rng.integers(len(self.found))]
            row, column = (int(rng.integers(0, side - WINDOW + 1)) for side in image.shape[:2])
            images[k] = image[row : row + WINDOW, column : column + WINDOW]
            flip = rng.random(2) < 0.5
            for u, v, wide, found in dice:
                x, y = u - column, v - row
                x, y = WINDOW - 1 - x if flip[0] else x, WINDOW - 1 - y if flip[1] else y
                i, j = round((y - 1.5) / STEP), round((x - 1.5) / STEP)
                if not (0 <= i < cells and 0 <= j < cells) or found < 0.5:
                    continue
                glow = np.exp(-((ys - y) ** 2)[:, None] / 24 - ((xs - x) ** 2)[None] / 24)
                heat[k] = np.maximum(heat[k], glow)
                heat[k, i, j] = 1.0
                edge[k, max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2] = np.log(wide / USUAL)
            images[k] = images[k][:: -1 if flip[1] else 1, :: -1 if flip[0] else 1]
        pixels = torch.from_numpy(images.transpose(0, 3, 1, 2).astype(np.float32))
        return normal(coloured(rng, pixels)), torch.from_numpy(heat), torch.from_numpy(edge)


def find_loss(out: Tensor, heat: Tensor, edge: Tensor) -> Tensor:
    """Few cells are dice, most near ones are nearly right: focal; the edge where there is a die."""
    chance = torch.sigmoid(out[:, 0]).clamp(1e-5, 1 - 1e-5)
    centre = (heat >= 1).float()
    many = centre.sum().clamp(min=1)
    there = -(centre * (1 - chance) ** 2 * chance.log()).sum()
    away = -((1 - centre) * (1 - heat) ** 4 * chance**2 * (1 - chance).log()).sum()
    known = torch.isfinite(edge)
    off = torch.abs(out[:, 1][known] - edge[known]).mean() if known.any() else out.sum() * 0
    return (there + away) / many + off


def fit(
    net: nn.Module,
    options: argparse.Namespace,
    rate: float,
    one: Callable[[], Tensor],
    unseen: Callable[[nn.Module], float],
) -> nn.Module:
    """Adam with a rate that rises and falls; stops in time for ``minutes``, of processor time. What comes
    back is the mean of its last steps' weights, as they were where ``unseen`` (a loss of what is held out)
    was least."""
    net.to(memory_format=torch.channels_last)  # twice as fast on a processor, with bfloat16 where it has that
    half = torch.cpu._is_avx512_bf16_supported()  # type: ignore[attr-defined]  # otherwise 13 times slower
    best = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-3)
    mean = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(KEPT), use_buffers=True)
    least, kept = unseen(net), copy.deepcopy(net)
    begun, total = time.process_time(), 0.0
    print(f"0: held out {least:.4f}", flush=True)
    for step in range(options.steps):
        part = max(step / options.steps, (time.process_time() - begun) / 60 / options.minutes)
        for group in best.param_groups:
            group["lr"] = rate * min((step + 1) / 100, 1) * 0.5 * (1 + np.cos(np.pi * min(part, 1)))
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = one()
        best.zero_grad()
        loss.backward()
        best.step()
        mean.update_parameters(net)
        total += float(loss.detach())
        last = part >= 1 or step + 1 == options.steps
        if (step + 1) % EACH and not last:
            continue
        now, spent = unseen(mean.module), time.process_time() - begun
        lately = total / (step % EACH + 1)
        print(f"{step + 1}: {lately:.4f}, held out {now:.4f} ({spent:.0f} s)", flush=True)
        total = 0.0
        if now < least:
            least, kept = now, copy.deepcopy(mean.module)
            torch.save(to_ship(kept).state_dict(), options.out.with_suffix(".pt"))
        if last:
            break
    return kept


def to_ship(net: nn.Module) -> nn.Module:
    """The part of a network that ships."""
    return net.eye if isinstance(net, Taught) else net


class Squares:
    """Squares of some files, on which one trains or measures."""

    def __init__(self, paths: list[Path]) -> None:
        parts = [np.load(path) for path in paths]
        self.squares = np.concatenate([part["squares"] for part in parts])
        self.shown = np.concatenate([part["shown"] for part in parts])
        self.cocked = np.concatenate([part["cocked"] for part in parts])
        self.faces = np.concatenate([part["faces"] for part in parts])

    def batch(self, rng: np.random.Generator, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Some of them, mirrored and coloured at random."""
        chosen = rng.integers(len(self.squares), size=size)
        pixels = torch.from_numpy(self.squares[chosen].transpose(0, 3, 1, 2).astype(np.float32))
        mirrored = torch.from_numpy(rng.random(size) < 0.5)
        pixels[mirrored] = pixels[mirrored].flip(3)
        faces = torch.from_numpy(self.faces[chosen].transpose(0, 3, 1, 2).astype(np.float32) / 255)
        faces[mirrored] = faces[mirrored].flip(3)
        if rng.random() < 0.15:  # a die that has not come to rest, or a camera that shakes
            way = rng.integers(-2, 3, 2)
            ways = [(int(k * way[0]), int(k * way[1])) for k in range(-1, int(rng.integers(1, 3)))]
            pixels = torch.stack([pixels.roll(each, (2, 3)) for each in ways]).mean(0)
        if rng.random() < 0.35:  # a picture of fewer pixels
            few = int(rng.integers(17, 40))
            small = nn.functional.interpolate(pixels, size=(few, few), mode="area")
            pixels = nn.functional.interpolate(small, size=(48, 48), mode="bilinear")
        return (
            normal(coloured(rng, glared(rng, pixels))),
            torch.from_numpy(self.shown[chosen]),
            torch.from_numpy(self.cocked[chosen].astype(np.float32)),
            faces,
        )


def read_loss(out: Tensor, shown: Tensor, cocked: Tensor) -> Tensor:
    """What it shows, and whether it is cocked where it is a die or a cube."""
    there = shown > 0
    tilt = entropy(out[there, -1], cocked[there]) if there.any() else out.sum() * 0
    return cross_entropy(out[:, :-1], shown, label_smoothing=0.002) + 0.2 * tilt


def place_loss(outs: tuple[Tensor, ...], faces: Tensor) -> Tensor:
    """Where the face that is up is, and its own pips: few cells show any of them, so that they weigh more."""
    weight = 1 + 3 * faces
    return sum((entropy(out.float(), faces, weight) for out in outs), faces.new_zeros(()))


def answers(net: nn.Module, squares: Squares) -> Tensor:
    """Log-odds (N x 13) of squares, the mean of both looks."""
    net.eval()
    outs = []
    with torch.no_grad():
        for first in range(0, len(squares.squares), 256):
            some = squares.squares[first : first + 256].transpose(0, 3, 1, 2).astype(np.float32)
            pixels = normal(torch.from_numpy(some)).to(memory_format=torch.channels_last)
            outs.append((net(pixels) + net(pixels.flip(3)))[:, :-1] / 2)
    net.train()
    return torch.cat(outs)


def measure(net: nn.Module, squares: Squares) -> None:
    """How it reads squares that it never saw."""
    chance = torch.softmax(answers(net, squares), 1).numpy()
    said, sure = chance.argmax(1), chance.max(1)
    right, dice = said == squares.shown, (squares.shown > 0) & (squares.shown < 7)
    firm = sure >= 0.99
    print(
        f"held out: {len(right)} squares, right {right.mean():.4f}, dice right {right[dice].mean():.4f};"
        f" sure {firm.mean():.4f}, wrong and sure {(firm & ~right).sum()} of {firm.sum()};"
        f" dice sure {firm[dice].mean():.4f}, wrong and sure {(firm & ~right)[dice].sum()}",
        flush=True,
    )


def train_finder(options: argparse.Namespace, paths: list[Path]) -> nn.Module:
    """The network that finds dice."""
    rng, net = np.random.default_rng(options.seed), Finder()
    maps = Maps([path for path in paths if not held_out(path)])
    others = Maps([path for path in paths if held_out(path)])
    begin(net, options.start, maps.batch(rng, 24)[0])
    print(f"{len(maps.found)} maps, {len(others.found)} held out", flush=True)

    def loss(net: nn.Module, maps: Maps, rng: np.random.Generator) -> Tensor:
        images, *truth = maps.batch(rng, 24)
        return find_loss(net(images).float(), *truth)

    def unseen(net: nn.Module) -> float:
        net.eval()
        same = np.random.default_rng(0)
        with torch.no_grad():
            found = float(np.mean([float(loss(net, others, same)) for _ in range(16)]))
        net.train()
        return found

    return fit(net, options, options.rate or 3e-3, lambda: loss(net, maps, rng), unseen)


def train_eye(options: argparse.Namespace, paths: list[Path]) -> nn.Module:
    """The network that reads squares."""
    rng, eye = np.random.default_rng(options.seed), Eye()
    mine = Squares([path for path in paths if not held_out(path)])
    others = Squares([path for path in paths if held_out(path)])
    begin(eye, options.start, mine.batch(rng, 512)[0])
    print(f"{len(mine.squares)} squares, {len(others.squares)} held out", flush=True)

    def loss() -> Tensor:
        squares, shown, cocked, faces = mine.batch(rng, 128)
        out, *places = taught(squares.to(memory_format=torch.channels_last))
        return read_loss(out.float(), shown, cocked) + PLACES * place_loss(tuple(places), faces)

    def unseen(net: nn.Module) -> float:
        return float(cross_entropy(answers(to_ship(net), others), torch.from_numpy(others.shown)))

    taught = Taught(eye)
    net = to_ship(fit(taught, options, options.rate or 2e-3, loss, unseen))
    measure(net, others)
    return net


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("finder", "eye"))
    parser.add_argument("examples", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--start",
        type=Path,
        nargs="*",
        default=[],
        help="weights to begin with (.pt, or the .onnx that ships); the mean of several",
    )
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--minutes", type=float, default=30.0, help="of processor time: it is done by then")
    parser.add_argument("--rate", type=float, help="the highest; lower for a later round")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    paths = sorted(path for folder in options.examples for path in folder.glob("*.npz"))
    if len({held_out(path) for path in paths}) < 2:
        parser.error("the examples must be of tables to train on and of some that are held out")
    net = (train_finder if options.what == "finder" else train_eye)(options, paths)
    torch.save(net.state_dict(), options.out.with_suffix(".pt"))
    shape = (1, 3, WINDOW, WINDOW) if options.what == "finder" else (1, 3, 48, 48)
    free = {"x": {2: "rows", 3: "columns"}} if options.what == "finder" else {"x": {0: "count"}}
    torch.onnx.export(
        plain(net),
        (torch.zeros(shape),),
        str(options.out),
        input_names=["x"],
        output_names=["y"],
        dynamic_axes=free,
        opset_version=13,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
