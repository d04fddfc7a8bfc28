"""Pictures of the same things under other lamps, by other cameras: on a batch at once, wherever it is kept.

Pixels are N x 3 x rows x columns, 0-255."""

from __future__ import annotations

import torch
from torch import Generator, Tensor
from torch.nn.functional import affine_grid, grid_sample, interpolate


def between(rng: Generator, like: Tensor, low: float, high: float, *shape: int) -> Tensor:
    """A number for each of a batch (N x 1 x 1 x 1, or N x ``shape``), from ``low`` to ``high``."""
    drawn = torch.rand((len(like), *(shape or (1, 1, 1))), generator=rng, device=like.device)
    return low + (high - low) * drawn


def some(rng: Generator, like: Tensor, part: float) -> Tensor:
    """Which of a batch are changed: so large a part of them (N)."""
    return torch.rand(len(like), generator=rng, device=like.device) < part


def normal(pixels: Tensor) -> Tensor:
    """As ``look.even`` does it."""
    mean = pixels.mean((1, 2, 3), keepdim=True)
    spread = pixels.std((1, 2, 3), keepdim=True, unbiased=False)
    return (pixels - mean) / (spread + 6)


def coloured(rng: Generator, pixels: Tensor) -> Tensor:
    """Other colours, contrast and noise."""
    order = torch.rand(pixels.shape[:2], generator=rng, device=pixels.device).argsort(1)
    plain = torch.arange(3, device=pixels.device).expand_as(order)
    order = torch.where(some(rng, pixels, 0.4)[:, None], order, plain)
    pixels = pixels.gather(1, order[:, :, None, None].expand_as(pixels))
    pixels = pixels * between(rng, pixels, 0.8, 1.2, 3, 1, 1)
    grey = (some(rng, pixels, 0.12))[:, None, None, None].float()
    pixels = pixels * (1 - grey) + pixels.mean(1, keepdim=True) * grey
    noise = torch.randn(pixels.shape, generator=rng, device=pixels.device)
    return (pixels + noise * between(rng, pixels, 0, 7)).clamp(0, 255)


def _across(rng: Generator, pixels: Tensor) -> tuple[Tensor, Tensor]:
    """How far every pixel is from a line through somewhere near the middle, and how far along it."""
    rows, columns = (torch.arange(side, device=pixels.device) / side - 0.5 for side in pixels.shape[2:])
    angle = between(rng, pixels, 0, 2 * torch.pi, 1, 1)
    off = torch.randn((len(pixels), 2, 1, 1), generator=rng, device=pixels.device) / 6
    rows, columns = rows[None, :, None] - off[:, 0], columns[None, None] - off[:, 1]
    along = columns * torch.cos(angle) + rows * torch.sin(angle)
    return rows * torch.cos(angle) - columns * torch.sin(angle), along


def glared(rng: Generator, pixels: Tensor) -> Tensor:
    """Other exposures; a lamp mirrored somewhere in some of them."""
    bent = torch.exp(0.25 * torch.randn((len(pixels), 1, 1, 1), generator=rng, device=pixels.device))
    pixels = 255 * (pixels / 255) ** bent
    across, along = _across(rng, pixels)
    wide, long = between(rng, pixels, 0.05, 0.22, 1, 1), between(rng, pixels, 1, 3, 1, 1)
    glow = torch.exp(-((along / wide / long) ** 2) - (across / wide) ** 2)[:, None]
    power = between(rng, pixels, 30, 260) * some(rng, pixels, 0.2)[:, None, None, None]
    return (pixels + power * glow).clamp(0, 255)


def shaded(rng: Generator, pixels: Tensor) -> Tensor:
    """A shadow's edge across some of them, hard or soft."""
    across, _ = _across(rng, pixels)
    dark = torch.sigmoid(across / between(rng, pixels, 0.01, 0.3, 1, 1))[:, None]
    depth = between(rng, pixels, 0.1, 0.65) * some(rng, pixels, 0.2)[:, None, None, None]
    return pixels * (1 - depth * dark)


def shifted(rng: Generator, pixels: Tensor, faces: Tensor) -> tuple[Tensor, Tensor]:
    """Half of them in a mirror; half of them turned, moved and made larger or smaller by a little: the finder
    is not exact. ``faces``: what is told place by place, at any scale."""
    count, device = len(pixels), pixels.device
    angle, x, y, size = 0.07, 0.04, 0.04, 0.06
    drawn = torch.randn((4, count), generator=rng, device=device)
    drawn = drawn * torch.tensor([[angle], [x], [y], [size]], device=device) * some(rng, pixels, 0.5)
    turn, u, v, larger = drawn[0], drawn[1], drawn[2], torch.exp(drawn[3])
    mirror = 1 - 2 * some(rng, pixels, 0.5).float()
    ways = torch.stack(
        [
            torch.stack([mirror * larger * torch.cos(turn), -larger * torch.sin(turn), u], 1),
            torch.stack([mirror * larger * torch.sin(turn), larger * torch.cos(turn), v], 1),
        ],
        1,
    )

    def seen(maps: Tensor) -> Tensor:
        grid = affine_grid(ways, list(maps.shape), align_corners=False)
        return grid_sample(maps, grid, padding_mode="border", align_corners=False)

    return seen(pixels), seen(faces)


def blurred(rng: Generator, pixels: Tensor) -> Tensor:
    """Some of dice that have not come to rest, or by a camera that shakes; some of fewer pixels."""
    dice = torch.randint(-2, 3, (3,), generator=rng, device=pixels.device).tolist()
    steps = [(int(k * dice[0]), int(k * dice[1])) for k in range(-1, 2 + dice[2] % 2)]
    moved = torch.stack([pixels.roll(each, (2, 3)) for each in steps]).mean(0)
    pixels = torch.where(some(rng, pixels, 0.1)[:, None, None, None], moved, pixels)
    few = int(torch.randint(17, 40, (1,), generator=rng, device=pixels.device))
    small = interpolate(pixels, size=(few, few), mode="area")
    coarse = interpolate(small, size=pixels.shape[2:], mode="bilinear")
    return torch.where(some(rng, pixels, 0.35)[:, None, None, None], coarse, pixels)
