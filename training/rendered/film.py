"""The pictures that one camera takes of one board, in a folder with ``labels.json``, as ``data/backgammon``
has them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendered.lens import develop, random_sensor, through_lens
from training.rendered.table import View


class Film:
    """Takes pictures one after the other. The first sets the exposure, with the lamp's tint in it; later ones
    drift from that."""

    def __init__(self, rng: np.random.Generator, folder: Path, view: View) -> None:
        self._rng, self._folder, self._view = rng, folder, view
        self._sensor, self._exposure, self._quality = (
            random_sensor(rng),
            np.zeros(3),
            int(rng.integers(80, 96)),
        )
        self._labels: dict[str, dict[str, object]] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, name: str, light: NDArray[np.float32], label: dict[str, object], steady: bool) -> None:
        """Writes a picture of linear light, as a pinhole sees it, and its label; where ``steady`` the lamp
        has not changed."""
        rng = self._rng
        light = through_lens(self._view, light)
        if not self._labels:
            self._exposure = (
                0.5
                * float(rng.uniform(0.5, 1.3))
                / max(float(np.percentile(light, 90)), 1e-6)
                * np.exp(rng.normal(0, 0.06, 3))
            )
        drift = np.ones(3) if steady else np.exp(rng.uniform(-0.2, 0.2)) * np.exp(rng.normal(0, 0.02, 3))
        picture = develop(
            rng,
            light,
            self._exposure * drift,
            {**self._sensor, "shot": self._sensor["shot"] * float(rng.uniform(0.7, 1.6))},
        )
        cv2.imwrite(str(self._folder / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        self._labels[name] = label
        (self._folder / "labels.json").write_text(json.dumps(self._labels))


def asking(doc: str | None, pictures: int, width: int) -> argparse.ArgumentParser:
    """What can be asked of every maker of pictures: which boards, and how many pictures of each, how wide."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--boards", type=int, default=10)
    parser.add_argument("--pictures", type=int, default=pictures)
    parser.add_argument("--width", type=int, default=width)
    parser.add_argument("--crowd", action="store_true", help="no game's positions: full points everywhere")
    return parser
