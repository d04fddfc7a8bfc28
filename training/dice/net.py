"""The two networks' shapes: one finds dice on the map, one reads a square."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

from training.blind.net import block
from training.dice.targets import KINDS

ANSWERS = 14
"""Of a square: nothing, 1 to 6, a doubling cube's six numbers; and whether it is cocked."""


class Finder(nn.Module):
    """Map (N x 3 x rows x columns) to N x 2 x rows/4 x columns/4: log-odds that a die's top has its middle
    there, and the logarithm of its edge in usual ones. ``wide``: so many times the channels of what ships."""

    def __init__(self, wide: float = 1.0) -> None:
        super().__init__()
        c8, c16, c24, c28 = (round(wide * channels) for channels in (8, 16, 24, 28))
        self.stem = nn.Sequential(block(3, c8, 2), block(c8, c16, 2))
        self.quarter = block(c16, c24)
        self.eighth = nn.Sequential(block(c24, c28, 2), block(c28, c28))
        self.narrow = nn.Conv2d(c28, c24, 1)
        self.after = block(c24, c16)
        self.head = nn.Conv2d(c16, 2, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.quarter(self.stem(x))
        up = interpolate(self.narrow(self.eighth(quarter)), scale_factor=2.0, mode="nearest")
        out: Tensor = self.head(self.after(quarter + up))
        return out


class Eye(nn.Module):
    """Square (N x 3 x 48 x 48) to log-odds (N x ANSWERS). ``wide``: so many times the channels of what
    ships."""

    def __init__(self, wide: float = 1.0) -> None:
        super().__init__()
        c24, c32, c64, c96 = self.channels = [round(wide * channels) for channels in (24, 32, 64, 96)]
        self.parts = nn.Sequential(
            block(3, c24, 2),
            block(c24, c32),
            block(c32, c64, 2),
            block(c64, c64),
            block(c64, c96, 2),
            block(c96, c96),
        )
        self.last = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(c96 * 36, c64), nn.ReLU(), nn.Linear(c64, ANSWERS)
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.last(self.parts(x))
        return out


class Taught(nn.Module):
    """An eye while it is trained: from its features it must also say where the face that is up is, and its
    pips (``targets``). These answers are not exported."""

    def __init__(self, eye: Eye) -> None:
        super().__init__()
        self.eye = eye
        fine, coarse = eye.channels[2:]
        self.fine = nn.Sequential(nn.Conv2d(fine, 4 * KINDS, 1), nn.PixelShuffle(2))
        self.coarse = nn.Sequential(nn.Conv2d(coarse, 16 * KINDS, 1), nn.PixelShuffle(4))
        for head in (self.fine, self.coarse):
            nn.init.constant_(head[0].bias, -2.0)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The eye's answers, and log-odds (N x KINDS x GRID x GRID) from the finer and the coarser of its
        features."""
        fine = self.eye.parts[:4](x)
        coarse = self.eye.parts[4:](fine)
        return self.eye.last(coarse), self.fine(fine), self.coarse(coarse)


def plain(net: nn.Module) -> nn.Module:
    """Ready to be exported."""
    torch.set_grad_enabled(False)
    return net.eval()
