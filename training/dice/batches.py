"""What the two networks of ``vision.dice`` are trained on, batch by batch: windows of maps, and squares.

Every eighth table is held out (its number divided by 8 leaves 7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from training.dice.altered import blurred, coloured, glared, normal, shaded, shifted, some
from training.dice.examples import WINDOW
from vision.dice.look import EDGE
from vision.disc_finder.flat_map import STEP

NAMES = ("squares", "shown", "cocked", "faces")
"""What of a file (``examples.save``) squares are made of."""


def held_out(path: Path) -> bool:
    """Whether a table is only measured."""
    return int(path.stem.split("-")[1]) % 8 == 7


class Maps:
    """Windows of the maps of some files."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.found: list[tuple[Tensor, Tensor]] = []
        self.own = Generator()  # of a GPU's numbers none is waited for

    def __len__(self) -> int:
        return len(self.found)

    def take(self, paths: list[Path]) -> None:
        """Keep the maps of these files, too."""
        for path in paths:
            with np.load(path) as kept:
                for image, shape, dice in zip(kept["maps"], kept["shapes"], kept["dice"], strict=True):
                    part = torch.from_numpy(image[: shape[0], : shape[1]].transpose(2, 0, 1).copy())
                    lying = torch.from_numpy(dice[dice[:, 2] > 0])
                    self.found.append((part.to(self.device), lying.to(self.device)))

    def batch(self, rng: Generator, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Windows, and on their grid how much of a die's middle each cell is, whether it is the cell to be
        found, and its edge's logarithm (NaN where there is none)."""
        drawn = torch.rand((size, 3), generator=self.own).tolist()
        windows, lying, corners = [], [], []
        for which, *part in drawn:
            image, dice = self.found[int(which * len(self.found))]
            row, column = (
                int(some * (side - WINDOW + 1)) for some, side in zip(part, image.shape[1:], strict=True)
            )
            windows.append(image[:, row : row + WINDOW, column : column + WINDOW])
            lying.append(dice)
            corners.append((column, row, 0, 0))
        at = nn.utils.rnn.pad_sequence(lying, batch_first=True, padding_value=-1e4)
        at -= torch.tensor(corners, device=self.device)[:, None]
        images = torch.stack(windows).float()
        for axis in (0, 1):
            flip = some(rng, images, 0.5)
            images = torch.where(flip[:, None, None, None], images.flip(3 - axis), images)
            at[..., axis] = torch.where(flip[:, None], WINDOW - 1 - at[..., axis], at[..., axis])
        return normal(coloured(rng, images)), *on_grid(at)


def on_grid(at: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """For dice (N x dice x 4: column, row, edge in pixels of a window, 1 where it is to be found): on the
    window's grid (N x cells x cells) how near each cell is to a die's middle (1 there), whether it is the
    cell to be found, and its edge's logarithm in usual ones (NaN where there is none)."""
    middles = torch.arange(WINDOW // STEP, device=at.device) * STEP + (STEP - 1) / 2
    x, y, wide, found = (each[..., None, None] for each in at.unbind(2))
    u, v = (middles[None, None, None] - x), (middles[None, None, :, None] - y)
    near = torch.exp(-(u**2 + v**2) / 24)
    known = (found > 0.5).expand_as(near)
    here = (u.abs() <= STEP / 2) & (v.abs() <= STEP / 2) & known
    around = (u.abs() <= 1.5 * STEP) & (v.abs() <= 1.5 * STEP) & known
    edge = torch.log(wide.clamp(min=1) / EDGE).expand_as(near)
    nearest = torch.where(around, near, 0).argmax(1, keepdim=True)
    edge = torch.where(around.any(1), edge.gather(1, nearest)[:, 0], torch.nan)
    return near.amax(1), here.any(1), edge


class Squares:
    """Squares of some files, on which one trains or measures: those of every folder equally often."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.kept: dict[Path, tuple[Tensor, ...]] = {}

    def __len__(self) -> int:
        return sum(len(shown) for _, shown, *_ in self.kept.values())

    def take(self, paths: list[Path]) -> None:
        """Keep the squares of these files, too."""
        for folder in {path.parent for path in paths}:
            parts = [self.kept[folder]] if folder in self.kept else []
            for path in paths:
                if path.parent == folder:
                    with np.load(path) as found:
                        parts.append(tuple(torch.from_numpy(found[name]).to(self.device) for name in NAMES))
            self.kept[folder] = tuple(torch.cat(each) for each in zip(*parts, strict=True))

    def batch(self, rng: Generator, size: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Some of them, mirrored, moved, lit and coloured at random."""
        parts = []
        for number, kept in enumerate(self.kept.values()):
            many = (size + number) // len(self.kept)
            chosen = torch.randint(len(kept[0]), (many,), generator=rng, device=self.device)
            parts.append([each[chosen] for each in kept])
        squares, shown, cocked, faces = (torch.cat(each) for each in zip(*parts, strict=True))
        pixels, maps = shifted(rng, squares.permute(0, 3, 1, 2).float(), faces.permute(0, 3, 1, 2) / 255)
        pixels = coloured(rng, shaded(rng, glared(rng, blurred(rng, pixels))))
        return normal(pixels), shown, cocked.float(), maps
