"""Fits the network of ``vision.surface_finder`` to boards in rooms (``train``); wants torch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as entropy
from torch.utils.data import DataLoader, IterableDataset

from training.fitting.coming import Coming
from training.fitting.loop import Limits, device_here, keeping
from training.fitting.loop import fit as training
from training.fitting.shipped import begin
from training.surfaces.examples import Shots
from training.surfaces.net import Net
from training.surfaces.picture import example
from vision.surface_finder.network import SIDE

WEIGHTS = (12.0, 1.0, 1.0)
"""What each mark weighs in the loss: corners are few cells."""
SURE = 0.2
"""What a cell counts that is told rightly; one that is wrong by all counts one more."""
MEASURED = 160
"""Examples of what is held out, always the same."""


def held_out(path: Path) -> bool:
    """Whether a chunk is only measured: the first of each kind."""
    return path.stem.endswith("-000")


class _Endless(IterableDataset[tuple[Tensor, Tensor]]):
    """Examples of these pictures, without end."""

    def __init__(self, shots: Shots, seed: int) -> None:
        self._shots, self._seed = shots, seed

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for number in count():
            yield _drawn(self._shots, self._seed, number)


def _drawn(shots: Shots, seed: int, number: int) -> tuple[Tensor, Tensor]:
    one = example(np.random.default_rng([seed, number]), shots)
    return torch.from_numpy(one.seen), torch.from_numpy(one.marks)


def loss(out: Tensor, marks: Tensor) -> Tensor:
    """Cross-entropy, the more for cells that are told wrongly."""
    wrong = (torch.sigmoid(out.detach()) - marks).abs()
    share = torch.tensor(WEIGHTS, device=out.device)[None, :, None, None]
    return (entropy(out, marks, reduction="none") * share * (SURE + wrong)).mean()


def turned(pixels: Tensor, marks: Tensor) -> tuple[Tensor, Tensor]:
    """Both turned by quarters and mirrored, at random: a square has eight sides to be seen from."""
    quarters, mirror = int(torch.randint(4, ())), bool(torch.randint(2, ()))
    pixels, marks = torch.rot90(pixels, quarters, (2, 3)), torch.rot90(marks, quarters, (2, 3))
    return (pixels.flip(3), marks.flip(3)) if mirror else (pixels, marks)


def fit(folder: Path, weights: Path, limits: Limits, start: Path | None, batch: int) -> None:
    """Train on the chunks of a folder, from ``start`` (.pt, or the .onnx that ships), with ``batch`` examples
    a step. Raises ValueError where there are none to train on, or none that are held out."""
    device = device_here()
    torch.manual_seed(5)
    shots, others = Shots(), Shots()
    more = Coming([folder], "*.npz", held_out).wait(shots, others, follow=False)
    drawn = (_drawn(others, 1, number) for number in range(MEASURED))
    measured = [torch.stack(each) for each in zip(*drawn, strict=True)]
    loader = iter(DataLoader(_Endless(shots, 2), batch, num_workers=1))
    net = Net()
    begin(net, [start] if start else [], measured[0][:32])
    net.to(device)

    def one() -> Tensor:
        pixels, marks = turned(*(each.to(device) for each in next(loader)))
        return loss(net(pixels.contiguous(memory_format=torch.channels_last)).float(), marks)

    @torch.no_grad()
    def unseen(net: nn.Module) -> float:
        net.eval()
        told = [
            float(loss(net(pixels.to(device)).float(), marks.to(device)))
            for pixels, marks in zip(*(each.split(32) for each in measured), strict=True)
        ]
        net.train()
        return float(np.mean(told))

    keep = keeping(weights)
    keep(training(net, limits, one, unseen, more, keep))


def export(weights: Path, out: Path) -> None:
    """Write the network as OpenCV reads it."""
    net = Net()
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    net.eval()
    torch.onnx.export(
        net,
        (torch.zeros(1, 3, SIDE, SIDE),),
        str(out),
        input_names=["square"],
        output_names=["marks"],
        opset_version=12,
        dynamo=False,
    )
