"""Fits the networks of ``vision.dice`` to drawn dice, and exports them; wants torch.

    python -m training.dice.train finder EXAMPLES --out vision/dice/finder.onnx [--steps N]
    python -m training.dice.train eye EXAMPLES --out EYE.onnx [--steps N]
    python -m training.fitting.packing EYE.onnx vision/dice/eye.onnx.xz

Trains on a GPU where there is one. The weights are kept that read best what is held out (``batches``).
No render of the shared data and no photograph is trained on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as entropy
from torch.nn.functional import cross_entropy, logsigmoid

from training.dice.altered import normal
from training.dice.batches import Maps, Squares, held_out
from training.dice.examples import WINDOW
from training.dice.net import Eye, Finder, Taught, plain
from training.fitting.coming import Coming
from training.fitting.loop import Limits, device_here, fit
from training.fitting.shipped import begin

PLACES = 1.0
"""What it weighs in a loss where the pips are, beside what the whole square shows."""


def find_loss(out: Tensor, near: Tensor, here: Tensor, edge: Tensor) -> Tensor:
    """How likely each cell is a die's middle, but for cells next to one, which are nearly right, and for dice
    of which nothing is to be read; and the edge where there is a die. What it says are chances: a loss that
    passes over what it nearly knows leaves plain dice at log-odds of one."""
    centre, logs = here.float(), out[:, 0]
    there = -(centre * logsigmoid(logs)).sum()
    away = -((1 - near) ** 4 * (1 - centre) * logsigmoid(-logs)).sum()
    known = torch.isfinite(edge)
    off = torch.abs(out[:, 1][known] - edge[known]).mean() if known.any() else out.sum() * 0
    return (there + away) / centre.sum().clamp(min=1) + off


def to_ship(net: nn.Module) -> nn.Module:
    """The part of a network that ships."""
    return net.eye if isinstance(net, Taught) else net


def read_loss(out: Tensor, shown: Tensor, cocked: Tensor) -> Tensor:
    """What it shows, and whether it is cocked where it is a die or a cube."""
    there = shown > 0
    tilt = entropy(out[there, -1], cocked[there]) if there.any() else out.sum() * 0
    return cross_entropy(out[:, :-1], shown, label_smoothing=0.002) + 0.2 * tilt


def place_loss(outs: tuple[Tensor, ...], faces: Tensor) -> Tensor:
    """Where the face that is up is, and its own pips: few cells show any of them, so that they weigh more."""
    weight = 1 + 3 * faces
    return sum((entropy(out.float(), faces, weight) for out in outs), faces.new_zeros(()))


def answers(net: nn.Module, squares: Squares) -> tuple[Tensor, Tensor]:
    """Log-odds (N x 13) of squares, the mean of both looks; and what they show (N)."""
    net.eval()
    outs, shown = [], []
    with torch.no_grad():
        for pixels, value, *_ in squares.kept.values():
            for part in pixels.split(2048):
                seen = normal(part.permute(0, 3, 1, 2).float()).to(memory_format=torch.channels_last)
                outs.append((net(seen) + net(seen.flip(3)))[:, :-1] / 2)
            shown.append(value)
    net.train()
    return torch.cat(outs), torch.cat(shown)


def measure(net: nn.Module, squares: Squares) -> None:
    """How it reads squares that it never saw."""
    logs, shown = (each.cpu().numpy() for each in answers(net, squares))
    chance = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    said, sure = chance.argmax(1), chance.max(1)
    right, dice = said == shown, (shown > 0) & (shown < 7)
    firm = sure >= 0.99
    print(
        f"held out: {len(right)} squares, right {right.mean():.4f}, dice right {right[dice].mean():.4f};"
        f" sure {firm.mean():.4f}, wrong and sure {(firm & ~right).sum()} of {firm.sum()};"
        f" dice sure {firm[dice].mean():.4f}, wrong and sure {(firm & ~right)[dice].sum()}",
        flush=True,
    )


def train_finder(options: argparse.Namespace, device: torch.device) -> nn.Module:
    """The network that finds dice."""
    rng, net = Generator(device).manual_seed(options.seed), Finder()
    mine, others = Maps(device), Maps(device)
    more = Coming(options.examples, "*.npz", held_out).wait(mine, others, options.follow)
    begin(net, options.start, mine.batch(rng, 24)[0].cpu())
    net.to(device)

    def loss(net: nn.Module, maps: Maps, rng: Generator, many: int) -> Tensor:
        images, *truth = maps.batch(rng, many)
        return find_loss(net(images.to(memory_format=torch.channels_last)).float(), *truth)

    def unseen(net: nn.Module) -> float:
        net.eval()
        same = Generator(device).manual_seed(0)
        others.own.manual_seed(0)
        with torch.no_grad():
            found = float(sum(loss(net, others, same, 24) for _ in range(16))) / 16
        net.train()
        return found

    limits, many = Limits(options.steps, options.minutes, options.rate or 3e-3), options.batch or 24
    return fit(net, limits, lambda: loss(net, mine, rng, many), unseen, more, options.keep)


def train_eye(options: argparse.Namespace, device: torch.device) -> nn.Module:
    """The network that reads squares."""
    rng, eye = Generator(device).manual_seed(options.seed), Eye()
    mine, others = Squares(device), Squares(device)
    more = Coming(options.examples, "*.npz", held_out).wait(mine, others, options.follow)
    begin(eye, options.start, mine.batch(rng, 512)[0].cpu())
    taught = Taught(eye).to(device)

    def loss() -> Tensor:
        squares, shown, cocked, faces = mine.batch(rng, options.batch or 128)
        out, *places = taught(squares.to(memory_format=torch.channels_last))
        return read_loss(out.float(), shown, cocked) + PLACES * place_loss(tuple(places), faces)

    def unseen(net: nn.Module) -> float:
        return float(cross_entropy(*answers(to_ship(net), others)))

    limits = Limits(options.steps, options.minutes, options.rate or 2e-3)
    net = to_ship(fit(taught, limits, loss, unseen, more, options.keep))
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
    parser.add_argument("--batch", type=int, help="examples a step: more on a GPU")
    parser.add_argument("--follow", action="store_true", help="take in what is gathered while it trains")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    kept = options.out.with_suffix(".pt")
    options.keep = lambda net: torch.save(to_ship(net).state_dict(), kept)
    device = device_here()
    try:
        net = (train_finder if options.what == "finder" else train_eye)(options, device).cpu()
    except ValueError as error:
        parser.error(str(error))
    options.keep(net)
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
