"""Fits the network of ``vision.disc_finder`` to painted boards (``train``); wants torch. On a GPU, where
there is one: the boards lie in its memory, and what is made of them at random is made there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as entropy

from training.blind.net import CHANNELS, Net
from training.blind.paint import NOWHERE
from training.fitting.coming import Coming
from training.fitting.loop import Limits, device_here, keeping
from training.fitting.loop import fit as training
from training.fitting.shipped import begin
from vision.disc_finder.flat_map import GRID, HIGH, STEP, WIDE

ROWS, COLS = GRID
NAMES = ("im", "tops", "axes", "bar", "hand")
"""What a chunk holds of each board."""
WEIGHTS = (1.0, 0.4, 1.0, 0.5, 1.0)
"""What each answer weighs in the loss, in the order of CHANNELS."""


def held_out(path: Path) -> bool:
    """Whether a chunk is only measured: every tenth."""
    return int(path.stem[1:]) % 10 == 0


class Boards:
    """Boards of chunks, on the device that trains; there is room for twice as many when it runs out."""

    def __init__(self, device: torch.device) -> None:
        self.device, self.count = device, 0
        self.parts: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return self.count

    def take(self, paths: Iterable[Path]) -> None:
        """Take up these chunks."""
        for path in paths:
            with np.load(path) as chunk:
                new = {name: torch.from_numpy(chunk[name]).to(self.device) for name in NAMES}
            more = len(new["im"])
            if not self.parts:
                self.parts = new
            for name, rows in new.items() if self.count else ():
                room = self.parts[name]
                if self.count + more > len(room):
                    room = room.new_empty((2 * (self.count + more), *room.shape[1:]))
                    room[: self.count] = self.parts[name][: self.count]
                    self.parts[name] = room
                room[self.count : self.count + more] = rows
            self.count += more

    def some(self, chosen: Tensor) -> tuple[Tensor, ...]:
        """These boards: pictures (N x 3 x HIGH x WIDE, 0-255), tops, axes, bars, hands (0-1)."""
        image, tops, axes, bar, hand = (self.parts[name][chosen] for name in NAMES)
        return image.permute(0, 3, 1, 2).float(), tops, axes, bar, hand.float() / 255


def mirrored(image: Tensor, tops: Tensor, axes: Tensor, bar: Tensor, hand: Tensor) -> tuple[Tensor, ...]:
    """Boards, mirrored either way at random: a mirrored board is a board."""
    count, device = len(image), image.device
    for way, size in ((0, WIDE), (1, HIGH)):
        turn = torch.rand(count, device=device) < 0.5
        picture = turn[:, None, None]
        image = torch.where(picture[..., None], image.flip(3 - way), image)
        hand = torch.where(picture, hand.flip(2 - way), hand)
        spots, ends, quad = tops.clone(), axes.clone(), bar.clone()
        spots[..., way] = torch.where(tops[..., way] == NOWHERE, NOWHERE, size - tops[..., way])
        ends[..., [way, way + 2]] = size - axes[..., [way, way + 2]]
        quad[..., way] = size - bar[..., way]
        if way == 0:
            quad = quad[:, [1, 0, 3, 2]]
        tops, axes, bar = (
            torch.where(turn[:, None, None], new, old)
            for new, old in ((spots, tops), (ends, axes), (quad, bar))
        )
    return image, tops, axes, bar, hand


def normal(pixels: Tensor) -> Tensor:
    """As ``network.find_marks`` does it."""
    mean = pixels.mean((1, 2, 3), keepdim=True)
    return (pixels - mean) / (pixels.std((1, 2, 3), keepdim=True, unbiased=False) + 4)


def coloured(pixels: Tensor) -> Tensor:
    """Other exposures, colours and noise, and all that brought to one brightness (N x 3 x HIGH x WIDE)."""
    count, device = len(pixels), pixels.device

    def drawn(low: float, high: float, wide: int = 1) -> Tensor:
        return torch.rand((count, wide, 1, 1), device=device) * (high - low) + low

    order = torch.argsort(torch.rand((count, 3), device=device), dim=1)
    kept = torch.arange(3, device=device).expand(count, 3)
    order = torch.where(torch.rand((count, 1), device=device) < 0.15, order, kept)
    pixels = pixels.gather(1, order[:, :, None, None].expand_as(pixels))
    bent = torch.where(drawn(0, 1) < 0.5, torch.exp(0.2 * torch.randn((count, 1, 1, 1), device=device)), 1.0)
    pixels = 255 * (pixels / 255) ** bent
    grey = (drawn(0, 1) < 0.05).float()
    pixels = pixels * (1 - grey) + pixels.mean(1, keepdim=True) * grey
    pixels = pixels + torch.randn_like(pixels) * drawn(0, 5) * (drawn(0, 1) < 0.4)
    pixels = normal(pixels.clamp(0, 255))
    some = (drawn(0, 1) < 0.5).float()
    return pixels * (1 + some * drawn(-0.2, 0.2, 3)) + some * drawn(-0.2, 0.2, 3)


def targets(tops: Tensor, axes: Tensor, bar: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the network should say (N x grid each): maps of tops (1 at centres, falling off over a few
    pixels), of axes and of the bar."""
    ys = torch.arange(ROWS, device=tops.device) * STEP + STEP / 2
    xs = torch.arange(COLS, device=tops.device) * STEP + STEP / 2
    row, column, there = centres(tops)
    x, y = tops[..., :1], tops[..., 1:2]
    glow = torch.exp(-((ys - y) ** 2) / 40.5)[..., None] * torch.exp(-((xs - x) ** 2) / 40.5)[:, :, None]
    heat = (glow * there[..., None, None]).amax(1)
    picture = torch.arange(len(tops), device=tops.device)[:, None].expand_as(row)
    middle = torch.zeros_like(heat).index_put((picture, row, column), there, accumulate=True)
    heat = torch.where(middle > 0, 1.0, heat)

    x0, y0, x1, y1 = (axes[..., k, None] for k in range(4))
    at = x0 + (x1 - x0) * (ys - y0) / (y1 - y0 + 1e-6)
    within = (torch.minimum(y0, y1) <= ys) & (torch.maximum(y0, y1) >= ys)
    axis = (torch.exp(-((xs - at[..., None]) ** 2) / 18) * within[..., None]).amax(1)

    (ax, ay), (bx, _), (cx, _), (dx, dy) = (bar[:, k].unbind(1) for k in range(4))
    part = (ys - ay[:, None]) / (dy - ay + 1e-6)[:, None]
    low, high = (ax[:, None] + (dx - ax)[:, None] * part, bx[:, None] + (cx - bx)[:, None] * part)
    barred = ((xs - low[..., None]) / STEP + 0.5).clamp(0, 1) * ((high[..., None] - xs) / STEP + 0.5).clamp(
        0, 1
    )
    return heat, axis, barred * ((part >= 0) & (part <= 1))[..., None]


def centres(tops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The cells of tops' centres (N x most: row, column), and whether (1 or 0) there is one."""
    row, column = (tops[..., 1] // STEP).long(), (tops[..., 0] // STEP).long()
    there = (tops[..., 0] != NOWHERE) & (row >= 0) & (row < ROWS) & (column >= 0) & (column < COLS)
    return row.clamp(0, ROWS - 1), column.clamp(0, COLS - 1), there.float()


def losses(out: Tensor, tops: Tensor, axes: Tensor, bar: Tensor, hand: Tensor) -> Tensor:
    """Tops by focal loss (few cells are tops, most near ones are nearly right), the rest by cross-entropy;
    doubles only where there is a top. In the order of CHANNELS."""
    heat, axis, barred = targets(tops, axes, bar)
    chance = torch.sigmoid(out[:, 0]).clamp(1e-5, 1 - 1e-5)
    centre = (heat >= 1).float()
    focal = (
        -(centre * (1 - chance) ** 2 * chance.log()).sum()
        - ((1 - centre) * (1 - heat) ** 4 * chance**2 * (1 - chance).log()).sum()
    )
    row, column, there = centres(tops)
    picture = torch.arange(len(tops), device=tops.device)[:, None]
    said = out[picture, 1, row, column]
    double = entropy(said, tops[..., 3] * there, weight=there, reduction="sum") / there.sum().clamp(min=1)
    rest = [entropy(out[:, k], truth) for k, truth in ((2, axis), (3, barred), (4, hand))]
    return torch.stack([focal / centre.sum().clamp(min=1), double, *rest])


@torch.no_grad()
def measure(net: nn.Module, boards: Boards, size: int) -> float:
    """The loss of what is held out; tells of its parts, and how the hands are seen."""
    net.eval()
    total, hits = torch.zeros(len(CHANNELS)), np.zeros(3)
    for first in range(0, boards.count, size):
        chosen = torch.arange(first, min(first + size, boards.count), device=boards.device)
        image, *truth = boards.some(chosen)
        out = net(normal(image).to(memory_format=torch.channels_last)).float()
        total += losses(out, *truth).cpu() * len(chosen)
        said, there = torch.sigmoid(out[:, 4]) > 0.3, truth[3] > 0.5
        hits += [int(each.sum()) for each in (said & there, there, said)]
    net.train()
    parts = (total / boards.count).tolist()
    told = " ".join(f"{name} {value:.4f}" for name, value in zip(CHANNELS, parts, strict=True))
    found, true = hits[0] / max(hits[1], 1), hits[0] / max(hits[2], 1)
    whole = sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True))
    print(f"{told}; {found:.3f} of hands found, {true:.3f} of what is marked", flush=True)
    return whole


def fit(folder: Path, weights: Path, limits: Limits, start: Path | None, batch: int, follow: bool) -> None:
    """Train on the chunks of a folder, from ``start`` (.pt, or the .onnx that ships), with ``batch`` boards a
    step; with ``follow`` on those, too, that are painted meanwhile. Raises ValueError where there are none to
    train on, or none that are held out."""
    device = device_here()
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(5)
    boards, others = Boards(device), Boards(device)
    more = Coming([folder], "c*.npz", held_out).wait(boards, others, follow)
    net = Net()
    first = torch.arange(min(len(boards), 64), device=device)
    begin(net, [start] if start else [], normal(boards.some(first)[0]).cpu())
    net.to(device)
    share = torch.tensor(WEIGHTS, device=device)

    def loss() -> Tensor:
        image, *truth = mirrored(*boards.some(torch.randint(len(boards), (batch,), device=device)))
        out = net(coloured(image).to(memory_format=torch.channels_last))
        return (losses(out.float(), *truth) * share).sum()

    keep = keeping(weights)
    keep(training(net, limits, loss, lambda net: measure(net, others, 64), more, keep))


def export(weights: Path, onnx: Path) -> None:
    """Write the network as OpenCV reads it."""
    net = Net()
    net.load_state_dict(torch.load(weights, map_location="cpu"))
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
