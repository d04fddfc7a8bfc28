"""Fits the networks of ``vision.checkers.stacks`` and ``vision.blind.full_rows`` to what ``train`` kept;
wants torch."""

from __future__ import annotations

import copy
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import conv2d, cross_entropy, pad

from training.stacks.examples import QUANTA
from vision.stack_network import CHANNELS, HEIGHTS, SIDE

WIDE = (16, 24, 32)
"""Channels of the layers."""
BATCH = 128
SOFT = ((0.25, 0.3, 0.7), (0.2, 0.5, 4.0))
"""How often a lens is a little soft, and how often it is out of focus, and by how many pixels."""


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


def network() -> nn.Sequential:
    """Three halvings, and two layers that see all of the patch."""

    def block(inputs: int, outputs: int, stride: int = 1, side: int = 3) -> nn.Sequential:
        bent = nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False)
        return nn.Sequential(bent, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))

    return nn.Sequential(
        block(CHANNELS, WIDE[0], 2, 5),
        block(WIDE[0], WIDE[1], 2),
        block(WIDE[1], WIDE[1]),
        block(WIDE[1], WIDE[2], 2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(WIDE[2] * 25, 32),
        nn.ReLU(),
        nn.Linear(32, HEIGHTS),
    )


def follow(mean: nn.Module, net: nn.Module, step: int) -> None:
    """The mean of the weights on their way goes on: with it one training differs less from the next."""
    kept = min(0.99, (step + 1) / (step + 50))
    with torch.no_grad():
        for one, other in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            one.copy_(kept * one + (1 - kept) * other if one.dtype.is_floating_point else other)


def softened(planes: Tensor, sigma: float) -> Tensor:
    """Planes blurred by so many pixels."""
    line = torch.exp(-0.5 * (torch.arange(-8, 9) / sigma) ** 2)
    line /= line.sum()
    for size, edge in (((1, 17), (8, 8, 0, 0)), ((17, 1), (0, 0, 8, 8))):
        kernel = line.view(1, 1, *size).expand(planes.shape[1], 1, *size).contiguous()
        planes = conv2d(pad(planes, edge, mode="replicate"), kernel, groups=planes.shape[1])
    return planes


def trained(
    learned: NDArray[np.int8],
    target: NDArray[np.int64],
    out: Path,
    rounds: float,
    minutes: float,
    rng: np.random.Generator,
) -> nn.Module:
    """The mean of a network's weights on their way, rare answers shown more often than they are."""
    net = network()
    share = 1 / np.sqrt(np.maximum(np.bincount(target, minlength=HEIGHTS), 1) / len(target))
    chance = np.cumsum(share[target] / share[target].sum())
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=1e-3)
    steps = max(1, int(rounds * len(target)) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps, pct_start=0.1)
    static = rng.standard_normal(1 << 23, dtype=np.float32)
    mean = copy.deepcopy(net)
    began, recent = time.process_time(), 0.0
    for step in range(steps):
        chosen = np.minimum(np.searchsorted(chance, rng.random(BATCH)), len(target) - 1)
        batch = torch.from_numpy(varied(learned[chosen].astype(np.float32) / QUANTA, static, rng))
        for often, least, most in SOFT:
            if rng.random() < often:
                batch[:, :6] = softened(batch[:, :6], float(rng.uniform(least, most)))
        net.train()
        loss = cross_entropy(net(batch), torch.from_numpy(target[chosen]), label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 5 == 4:
            follow(mean, net, step)
        recent = 0.99 * recent + 0.01 * float(loss.detach()) if step else float(loss.detach())
        if step % 100 == 99:
            print(f"{step + 1}/{steps} loss {recent:.4f} {time.process_time() - began:.0f}s", flush=True)
        if step % 1000 == 999:
            torch.save(mean.state_dict(), out.with_suffix(".pt"))
        if time.process_time() - began > 60 * minutes:
            break
    return mean


def report(net: nn.Module, name: str, some: NDArray[np.int8], truth: NDArray[np.int8]) -> None:
    """How often each height is told right, how often surely wrong, and what best divides the log-odds."""
    with torch.no_grad():
        parts = [some[i : i + 512].astype(np.float32) / QUANTA for i in range(0, len(some), 512)]
        said = np.concatenate([net(torch.from_numpy(part)).numpy() for part in parts]).astype(np.float64)
    told = said - np.logaddexp.reduce(said, axis=1, keepdims=True)
    right = np.clip(truth, 0, 3).astype(np.int64)
    hits, each = told.argmax(axis=1) == right, np.arange(len(right))
    shares = " ".join(
        f"{h}: {100 * hits[right == h].mean():.2f}% of {np.sum(right == h)}"
        for h in range(HEIGHTS)
        if (right == h).any()
    )
    sure = np.exp(told.max(axis=1)) >= 0.99
    print(
        f"{name:14} {shares}; nats {-told[each, right].mean():.4f};"
        f" sure and wrong {int((sure & ~hits).sum())} of {int(sure.sum())}",
        flush=True,
    )
    divisors = np.arange(0.5, 3.01, 0.1)
    costs = [np.mean(np.logaddexp.reduce(said / t, axis=1) - said[each, right] / t) for t in divisors]
    print(f"{'':14} best divisor of its log-odds {divisors[int(np.argmin(costs))]:.1f}", flush=True)


def fit(
    given: list[Path],
    held: list[Path],
    without: list[str],
    out: Path,
    rounds: float,
    minutes: float,
    seed: int,
) -> None:
    """Train, say how it does on boards that were held out, and write the network to ``out``."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    files = [np.load(path) for path in given]
    shown, right, boards = (
        np.concatenate([file[name] for file in files]) for name in ("shown", "right", "boards")
    )
    names = sorted(set(boards.tolist()))
    mine = ~np.isin(boards, list(set(without) or set(names[::8])))
    target = np.clip(right[mine], 0, 3).astype(np.int64)
    net = trained(shown[mine], target, out, rounds, minutes, np.random.default_rng(seed))
    net.eval()
    report(net, "trained on", shown[mine][::7], right[mine][::7])
    if not mine.all():
        report(net, "held boards", shown[~mine], right[~mine])
    for path in held:
        part = np.load(path)
        report(net, path.stem, part["shown"], part["right"])
        for name in sorted(set(part["boards"].tolist())):
            some = part["boards"] == name
            report(net, f"  {name}"[:14], part["shown"][some], part["right"][some])
    torch.onnx.export(
        net,
        (torch.zeros(2, CHANNELS, SIDE, SIDE),),
        str(out),
        input_names=["shown"],
        output_names=["heights"],
        dynamic_axes={"shown": {0: "n"}, "heights": {0: "n"}},
        opset_version=12,
        dynamo=False,
    )
