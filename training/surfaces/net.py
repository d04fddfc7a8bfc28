"""The network's shape: a U of convolutions over the whole picture, its answers on a grid a quarter as fine.

It halves five times, so that what it says of a corner rests on all of the board."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate, relu

from training.blind.net import block

MARKS = ("corner", "surface", "bar")


class Twice(nn.Module):
    """Two convolutions that change what came in; the first looks ``apart`` cells far."""

    def __init__(self, channels: int, apart: int = 1) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, apart, dilation=apart, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
        )
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        return relu(x + self.second(self.first(x)))


class Net(nn.Module):
    """Square (N x 3 x SIDE x SIDE) to log-odds (N x MARKS x GRID x GRID)."""

    def __init__(self, c1: int = 12, c2: int = 24, c3: int = 40, c4: int = 64, c5: int = 80) -> None:
        super().__init__()
        self.quarter = nn.Sequential(block(3, c1, 2), block(c1, c2, 2), Twice(c2))
        self.down8 = nn.Sequential(block(c2, c3, 2), Twice(c3))
        self.down16 = nn.Sequential(block(c3, c4, 2), Twice(c4, 2))
        self.down32 = nn.Sequential(block(c4, c5, 2), Twice(c5, 2), Twice(c5))
        self.up16, self.up8 = block(c5 + c4, c4), block(c4 + c3, c3)
        self.up4 = nn.Sequential(block(c3 + c2, c2), Twice(c2))
        self.head = nn.Conv2d(c2, len(MARKS), 1)
        with torch.no_grad():
            self.head.bias.copy_(torch.tensor([-4.0, -1.0, -2.0]))

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.quarter(x)
        eighth = self.down8(quarter)
        sixteenth = self.down16(eighth)
        up = self.up16(torch.cat([_twice(self.down32(sixteenth)), sixteenth], 1))
        up = self.up8(torch.cat([_twice(up), eighth], 1))
        up = self.up4(torch.cat([_twice(up), quarter], 1))
        out: Tensor = self.head(up)
        return out


def _twice(x: Tensor) -> Tensor:
    return interpolate(x, scale_factor=2.0, mode="nearest")
