"""Makes the demo's recording anew: path-traced pictures of gnubg's match, and ``reel.json``.

    pip install bpy opencv-python-headless
    python -m training.demo.shoot firmware/demo/reel [--samples 8] [--threads 2] [--minutes 9]

The camera stands still, so only what has changed since the picture before is traced anew. With ``--minutes``
it ends after about that time; the same command goes on where it ended (``light.npz`` beside the pictures).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.demo import script
from training.demo.table import BOARD, VIEW, Box, Lying, box
from training.rendered.lens import develop, label, through_lens
from training.rendered.setting import Setting

GAIN = 0.72
"""How bright the picture's brightest parts are, of what the sensor holds."""
SENSOR = {"vignette": 0.09, "blur": 0.5, "shot": 0.006, "dark": 0.0015, "contrast": 0.5}
QUALITY = 88
"""WebP's."""
SOFT = 9
"""Pixels over which a part that was traced anew goes over into the old picture."""


def boxes(changed: Iterable[Lying]) -> list[Box]:
    """The parts to be traced anew: those that overlap are taken together."""
    found: list[Box] = []
    for new in map(box, changed):
        apart = []
        for old in found:
            if old[0] < new[2] and new[0] < old[2] and old[1] < new[3] and new[1] < old[3]:
                new = (min(old[0], new[0]), min(old[1], new[1]), max(old[2], new[2]), max(old[3], new[3]))
            else:
                apart.append(old)
        found = [*apart, new]
    return found


def laid_in(light: NDArray[np.float32], new: NDArray[np.float32], part: Box) -> None:
    """Puts the part that was traced anew into the whole, with soft edges."""
    left, top, right, bottom = part
    x, y = np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5
    wide, high = VIEW.size
    near_x = np.minimum(x - left if left else x + SOFT, right - x if right < wide else SOFT)
    near_y = np.minimum(y - top if top else y + SOFT, bottom - y if bottom < high else SOFT)
    weight = np.clip(np.minimum(near_x[None], near_y[:, None]) / SOFT, 0, 1)[..., None].astype(np.float32)
    view = light[top:bottom, left:right]
    view += weight * (new[top:bottom, left:right] - view)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e9)
    options = parser.parse_args()
    from training.demo import studio  # wants Blender: --help does not

    options.folder.mkdir(parents=True, exist_ok=True)
    written = script.write()
    kept, room = options.folder / "light.npz", studio.Studio()
    light, done = np.zeros((VIEW.size[1], VIEW.size[0], 3), np.float32), ""
    if kept.exists():
        with np.load(kept) as held:
            light, done = held["light"], str(held["done"])
    end = time.monotonic() + 60 * options.minutes
    for name, changed in script.changes(written.shots):
        if name <= done:
            continue
        room.lay(written.shots[name])
        for part in boxes(changed) if done else [(0, 0, *VIEW.size)]:
            laid_in(light, studio.trace(part, options.samples, options.threads), part)
        _develop(options.folder / name, light)
        done = name
        print(name, flush=True)
        if time.monotonic() > end:
            np.savez(kept, light=light, done=done)
            return
    _describe(options.folder, written)
    kept.unlink(missing_ok=True)


def _develop(path: Path, light: NDArray[np.float32]) -> None:
    gain = np.full(3, GAIN / float(np.percentile(light, 97)))
    picture = develop(np.random.default_rng(int(path.stem)), through_lens(VIEW, light), gain, SENSOR)
    cv2.imwrite(str(path), picture, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


def _describe(folder: Path, written: script.Script) -> None:
    about = label(BOARD, VIEW, Setting())
    whole = {
        **{key: about[key] for key in ("size", "corners_px", "geometry_cm")},
        "begin": written.begin,
        "timeline": written.timeline,
    }
    (folder / "reel.json").write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
