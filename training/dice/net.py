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
    there, and the logarithm of its edge in usual ones."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(block(3, 8, 2), block(8, 16, 2))
        self.quarter = block(16, 24)
        self.eighth = nn.Sequential(block(24, 28, 2), block(28, 28))
        self.narrow = nn.Conv2d(28, 24, 1)
        self.after = block(24, 16)
        self.head = nn.Conv2d(16, 2, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.quarter(self.stem(x))
        up = interpolate(self.narrow(self.eighth(quarter)), scale_factor=2.0, mode="nearest")
        out: Tensor = self.head(self.after(quarter + up))
        return out


class Eye(nn.Module):
    """Square (N x 3 x 48 x 48) to log-odds (N x ANSWERS)."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Sequential(
            block(3, 36, 2),
            block(36, 48),
            block(48, 96, 2),
            block(96, 96),
            block(96, 144, 2),
            block(144, 144),
        )
        self.last = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(144 * 36, 96), nn.ReLU(), nn.Linear(96, ANSWERS)
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
        self.fine = nn.Sequential(nn.Conv2d(96, 4 * KINDS, 1), nn.PixelShuffle(2))
        self.coarse = nn.Sequential(nn.Conv2d(144, 16 * KINDS, 1), nn.PixelShuffle(4))
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
