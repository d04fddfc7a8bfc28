"""The network's shape: a small U of convolutions over the flat map, its answers on a grid a quarter as fine.

It halves four times, so that what it says of one place rests on all of the board (``mood``: the mean and the
strongest of everything), and comes back up to a quarter, so that it says it to the pixel. 170 000 weights,
half a billion multiplications a map."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

CHANNELS = ("top", "double", "axis", "bar", "hand")


def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """A convolution of 3 x 3 with its normalisation."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Net(nn.Module):
    """Map (N x 3 x HIGH x WIDE) to log-odds (N x CHANNELS x HIGH/4 x WIDE/4)."""

    def __init__(self, c1: int = 12, c2: int = 24, c3: int = 40, c4: int = 56) -> None:
        super().__init__()
        self.stem = nn.Sequential(block(3, c1, 2), block(c1, c2, 2))
        self.quarter = block(c2, c2)
        self.down8 = nn.Sequential(block(c2, c3, 2), block(c3, c3))
        self.down16 = nn.Sequential(block(c3, c4, 2), block(c4, c4), block(c4, c4))
        self.mood = nn.Sequential(nn.Conv2d(2 * c4, c4, 1), nn.ReLU(inplace=True), nn.Conv2d(c4, c4, 1))
        self.up8 = block(c4 + c3, c3)
        self.up4 = nn.Sequential(block(c3 + c2, c2), block(c2, c2))
        self.head = nn.Conv2d(c2, len(CHANNELS), 1)
        nn.init.constant_(self.head.bias[:1], -3.0)

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.quarter(self.stem(x))
        eighth = self.down8(quarter)
        deep = self.down16(eighth)
        mood = torch.cat([deep.mean((2, 3), keepdim=True), deep.amax((2, 3), keepdim=True)], 1)
        # OpenCV 5 does not add a 1 x 1 map to a larger one: spread it first.
        deep = deep + interpolate(self.mood(mood), size=(x.shape[2] // 16, x.shape[3] // 16), mode="nearest")
        up = self.up8(torch.cat([interpolate(deep, scale_factor=2.0, mode="nearest"), eighth], 1))
        up = self.up4(torch.cat([interpolate(up, scale_factor=2.0, mode="nearest"), quarter], 1))
        out: Tensor = self.head(up)
        return out
