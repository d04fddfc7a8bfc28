"""Fits the network of ``vision.disc_finder`` to painted boards (``train``); wants torch."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as entropy

from training.blind.net import CHANNELS, Net
from training.blind.paint import NOWHERE
from vision.disc_finder.flat_map import GRID, HIGH, STEP, WIDE

Chunk = dict[str, NDArray[np.generic]]
ROWS, COLS = GRID
YS = np.arange(ROWS, dtype=np.float32) * STEP + STEP / 2
XS = np.arange(COLS, dtype=np.float32) * STEP + STEP / 2


def targets(
    tops: NDArray[np.float32], axes: NDArray[np.float32], bar: NDArray[np.float32]
) -> tuple[NDArray[np.float32], ...]:
    """What the network should say: maps of tops (1 at centres, falling off over a few pixels), of axes and of
    the bar, and the centres' rows, columns, doubles."""
    heat, axis = np.zeros(GRID, np.float32), np.zeros(GRID, np.float32)
    found = []
    for x, y, _, double in tops:
        i, j = int(y // STEP), int(x // STEP)
        if x == NOWHERE or not (0 <= i < ROWS and 0 <= j < COLS):
            continue
        near = np.s_[max(0, i - 5) : i + 6, max(0, j - 5) : j + 6]
        glow = np.exp(-((YS[near[0]] - y) ** 2) / 40.5)[:, None] * np.exp(-((XS[near[1]] - x) ** 2) / 40.5)
        heat[near] = np.maximum(heat[near], glow)
        heat[i, j] = 1.0
        found.append((i, j, double))
    for x0, y0, x1, y1 in axes:
        rows = np.nonzero((min(y0, y1) <= YS) & (max(y0, y1) >= YS))[0]
        left = max(0, int(x0 // STEP) - 5)
        if len(rows) == 0 or left >= COLS:
            continue
        at = x0 + (x1 - x0) * (YS[rows] - y0) / (y1 - y0 + 1e-6)
        near = np.s_[rows[0] : rows[-1] + 1, left : left + 11]
        axis[near] = np.maximum(axis[near], np.exp(-((XS[near[1]] - at[:, None]) ** 2) / 18))
    part = ((YS - bar[0, 1]) / (bar[3, 1] - bar[0, 1] + 1e-6))[:, None]
    low, high = (bar[a, 0] + (bar[b, 0] - bar[a, 0]) * part for a, b in ((0, 3), (1, 2)))
    barred = (
        np.clip((XS - low) / STEP + 0.5, 0, 1)
        * np.clip((high - XS) / STEP + 0.5, 0, 1)
        * ((part >= 0) & (part <= 1))
    )
    return heat, axis, barred.astype(np.float32), np.array(found, np.float32).reshape(-1, 3)


def turned(rng: np.random.Generator, chunk: Chunk, i: int) -> tuple[NDArray[np.uint8], ...]:
    """One board of a chunk, mirrored either way at random: a mirrored board is a board."""
    image, tops, axes, bar, hand = (chunk[name][i].copy() for name in ("im", "tops", "axes", "bar", "hand"))
    if rng.random() < 0.5:
        image, hand = image[:, ::-1], hand[:, ::-1]
        tops[:, 0] = np.where(tops[:, 0] == NOWHERE, NOWHERE, WIDE - tops[:, 0])
        axes[:, [0, 2]] = WIDE - axes[:, [0, 2]]
        bar[:, 0] = WIDE - bar[:, 0]
        bar = bar[[1, 0, 3, 2]]
    if rng.random() < 0.5:
        image, hand = image[::-1], hand[::-1]
        tops[:, 1], axes[:, [1, 3]], bar[:, 1] = HIGH - tops[:, 1], HIGH - axes[:, [1, 3]], HIGH - bar[:, 1]
    return image, tops, axes, bar, hand


def batch(rng: np.random.Generator, chunks: list[Chunk], size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures (N x 3 x HIGH x WIDE), maps (N x 4 x grid: tops, axes, bar, hand), and tops (rows of picture,
    row, column, double)."""
    pictures = np.empty((size, 3, HIGH, WIDE), np.float32)
    maps = np.empty((size, 4, *GRID), np.float32)
    tops = []
    for k in range(size):
        chunk = chunks[rng.integers(len(chunks))]
        image, spots, axes, bar, hand = turned(rng, chunk, int(rng.integers(len(chunk["im"]))))
        pixels = image.astype(np.float32)
        pixels = (pixels - pixels.mean()) / (pixels.std() + 4)
        if rng.random() < 0.5:
            pixels = pixels * rng.uniform(0.8, 1.2, 3) + rng.uniform(-0.2, 0.2, 3)
        pictures[k] = pixels.transpose(2, 0, 1)
        *drawn, found = targets(spots, axes, bar)
        maps[k] = *drawn, hand / np.float32(255)
        tops.append(np.concatenate([np.full((len(found), 1), k, np.float32), found], axis=1))
    return torch.from_numpy(pictures), torch.from_numpy(maps), torch.from_numpy(np.concatenate(tops))


def losses(out: Tensor, maps: Tensor, tops: Tensor) -> list[Tensor]:
    """Tops by focal loss (few cells are tops, most near ones are nearly right), the rest by cross-entropy;
    doubles only where there is a top."""
    chance = torch.sigmoid(out[:, 0]).clamp(1e-5, 1 - 1e-5)
    heat = maps[:, 0]
    centre = (heat >= 1).float()
    many = centre.sum().clamp(min=1)
    focal = (
        -(centre * (1 - chance) ** 2 * chance.log()).sum()
        - ((1 - centre) * (1 - heat) ** 4 * chance**2 * (1 - chance).log()).sum()
    )
    picture, row, column = tops[:, 0].long(), tops[:, 1].long(), tops[:, 2].long()
    rest = [entropy(out[:, channel], maps[:, channel - 1]) for channel in (2, 3, 4)]
    return [focal / many, entropy(out[picture, 1, row, column], tops[:, 3]), *rest]


def fit(folder: Path, weights: Path, steps: int, start: Path | None, rate: float) -> None:
    """Train; takes up new chunks as they are written. The first chunk is never trained on."""
    torch.set_num_threads(1)
    net = Net()
    if start:
        net.load_state_dict(torch.load(start))
    net = net.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, steps, pct_start=0.05)
    rng = np.random.default_rng(5)
    chunks: dict[Path, Chunk] = {}
    recent, began = np.zeros(5), time.monotonic()
    for step in range(steps):
        if step % 150 == 0:
            chunks |= {
                path: dict(np.load(path)) for path in sorted(folder.glob("c*.npz"))[1:] if path not in chunks
            }
        pictures, maps, tops = batch(rng, list(chunks.values()), 8)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            out = net(pictures.to(memory_format=torch.channels_last))
        parts = losses(out.float(), maps, tops)
        optimiser.zero_grad()
        sum(weight * part for weight, part in zip((1.0, 0.4, 1.0, 0.5, 0.5), parts, strict=True)).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        recent += [float(part.detach()) for part in parts]
        if step % 100 == 99:
            print(
                step + 1,
                len(chunks),
                " ".join(f"{name} {value:.4f}" for name, value in zip(CHANNELS, recent / 100, strict=True)),
                f"{time.monotonic() - began:.0f}s",
                flush=True,
            )
            recent[:] = 0
        if step % 250 == 249 or step == steps - 1:
            torch.save(net.state_dict(), weights)


def export(weights: Path, onnx: Path) -> None:
    """Write the network as OpenCV reads it."""
    net = Net()
    net.load_state_dict(torch.load(weights))
    net.eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, HIGH, WIDE),),
        str(onnx),
        input_names=["flat"],
        output_names=["sight"],
        opset_version=12,
        dynamo=False,
    )
