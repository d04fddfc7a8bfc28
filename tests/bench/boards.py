"""How well pyramids and hexes are read: ``python -P tests/bench/boards.py [icegammon|siege-master] [DATA] [--vary N]``.

Every board is calibrated from its own first picture(s) and all its pictures are read. With ``--vary N`` each is read N times more, with the
corners clicked up to 3 px off and calibration and pictures changed alike in hue, gamma, sharpness and noise: a table never seen before.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.frame import Frame, Image, load
from vision.hexes import Hexes
from vision.pyramids import Pyramids

Change = Callable[[Image], Image]


def varied(rng: np.random.Generator) -> Change:
    """One camera's and one table's difference from what was rendered, the same for all its pictures."""
    hue, gamma, blur, noise = rng.uniform(-8, 8), rng.uniform(0.75, 1.35), rng.uniform(0, 1.2), rng.uniform(0, 6)
    gains = rng.uniform(0.85, 1.15, 3)

    def change(image: Image) -> Image:
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV).astype(np.int32)
        hsv[..., 0] = (hsv[..., 0] + round(hue)) % 180
        bgr = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.float64)
        bent = 255 * (np.clip(bgr * gains, 0, 255) / 255) ** gamma
        if blur > 0.3:
            bent = np.asarray(cv2.GaussianBlur(bent, (0, 0), blur), np.float64)
        return np.asarray(np.clip(bent + rng.normal(0, noise, bent.shape), 0, 255), np.uint8)

    return change


def hexes(folder: Path, rng: np.random.Generator | None, verbose: bool) -> tuple[int, int, int, int]:
    """Cells right, cells, frames exact, frames (without hands); prints what is wrong."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change: Change = (lambda image: image) if rng is None else varied(rng)
    corners = np.array(labels["start"]["corners_px"]) + (0 if rng is None else rng.uniform(-3, 3, (4, 2)))
    table = Hexes().calibrate(change(load(folder / "start.jpg").image), [tuple(c) for c in corners], labels["map"])
    right = cells = exact = frames = 0
    for name, truth in labels.items():
        if name == "map":
            continue
        begun = time.perf_counter()
        reading = table.read(Frame(change(load(folder / f"{name}.jpg").image)))
        took = time.perf_counter() - begun
        due = {f"hex.{c}": ("border",) for c in truth["border"]}
        due |= {f"hex.{c}": (f"fortress.{owner}",) for c, owner in truth["fortresses"].items()}
        due |= {f"hex.{c}": (f"army.{side}",) for side, covered in truth["armies"] for c in covered}
        wrong = [(cell, look, due.get(cell, ())) for cell, look in reading.looks.items() if look != due.get(cell, ())]
        if verbose or (wrong and not truth["hand"] and name in ("start", "08")):
            print(
                f"  {name}: {len(wrong)} wrong, {len(reading.occluded)} hidden, hand {reading.hand}/{truth['hand']}, {took * 1000:.0f} ms",
                wrong if truth["hand"] else wrong[:6],
            )
        if not truth["hand"]:
            right += len(table.sheet.cells) - len(wrong) - len(reading.occluded)
            cells += len(table.sheet.cells)
            exact += not wrong and not reading.occluded
            frames += 1
        elif verbose and wrong:
            print("   under a hand")
    return right, cells, exact, frames


def pyramids(folder: Path, rng: np.random.Generator | None, verbose: bool) -> tuple[int, int, int, int]:
    """Points and bars right, all of them, frames exact, frames (without hands, without the one learned from); prints what is wrong."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change: Change = (lambda image: image) if rng is None else varied(rng)
    corners = np.array(labels["empty"]["corners_px"]) + (0 if rng is None else rng.uniform(-3, 3, (4, 2)))
    first, bare = (change(load(folder / f"{name}.jpg").image) for name in ("01", "empty"))
    table = Pyramids().calibrate(first, [tuple(c) for c in corners], labels["01"]["geometry_cm"], _due(labels["01"]), bare)
    right = cells = exact = frames = 0
    for name, truth in labels.items():
        begun = time.perf_counter()
        reading = table.read(Frame(change(load(folder / f"{name}.jpg").image)))
        took = time.perf_counter() - begun
        due = _due(truth)
        wrong = [(cell, look, due[cell]) for cell, look in reading.looks.items() if look != due[cell]]
        if verbose:
            print(
                f"  {name}: {len(wrong)} wrong, {len(reading.occluded)} hidden, hand {reading.hand}/{truth['hand']}, {took * 1000:.0f} ms",
                wrong,
            )
        if not truth["hand"] and name not in ("empty", "01"):
            right += len(due) - len(wrong) - len(reading.occluded)
            cells += len(due)
            exact += not wrong and not reading.hand
            frames += 1
    return right, cells, exact, frames


def _due(truth: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    due: dict[str, tuple[str, ...]] = {f"p{number}": () for number in range(1, 25)}
    for point, (owner, sizes) in truth["top"].items():
        due[f"p{point}"] = tuple(f"{'white' if owner > 0 else 'black'}.{size}" for size in sorted(sizes))
    for side, sizes in zip(("white", "black"), truth["bar"], strict=True):
        due[f"bar.{side}"] = tuple(f"{side}.{size}" for size in sorted(sizes))
    return due


def main() -> None:
    arguments = sys.argv[1:]
    vary = int(arguments.pop(arguments.index("--vary") + 1)) if "--vary" in arguments else 0
    arguments = [a for a in arguments if a != "--vary"]
    wanted = [a for a in arguments if a in ("icegammon", "siege-master")]
    arguments = [a for a in arguments if a not in wanted]
    data = Path(arguments[0] if arguments else os.environ.get("BARPOINT_DATA", "../shared/data"))
    for kind, reader in (("icegammon", pyramids), ("siege-master", hexes)):
        if wanted and kind not in wanted:
            continue
        for folder in sorted((data / kind).iterdir()):
            for turn in range(vary + 1):
                rng = np.random.default_rng(turn) if turn else None
                try:
                    right, cells, exact, frames = reader(folder, rng, turn == 0)
                except ValueError as error:
                    print(f"{kind}/{folder.name} variation {turn}: {error}")
                    continue
                print(f"{kind}/{folder.name} variation {turn}: {right}/{cells} cells, {exact}/{frames} pictures exact")


if __name__ == "__main__":
    main()
