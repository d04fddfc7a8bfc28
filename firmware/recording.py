"""A session kept with its pictures, in the form that ``barpoint replay`` referees again (:mod:`firmware.reel`).

A picture is kept when something moved since the last one that was kept, and always before a *done*: the one that it was judged by. When
the pictures are more than ``limit`` bytes, the oldest go first; rolls and buttons stay. ``reel.json`` is replaced whole after every event,
so that a recording is sound whenever the power goes.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.events import Button, Press, Roll
from firmware.referee import News
from hardware.protocols import Frame

MOVED = 12.0
"""The change of the thumbnail's most changed pixel, in grey levels, that counts as movement. A pixel of it is the mean of a
hundred or more of the picture, which takes out noise; the plays of the bundled recording change it by 76 at least."""
THUMB = (96, 72)


class Recording:
    """A watcher of a referee that writes what it hears into ``folder``. ``corners`` (pixels: bottom-left, bottom-right, top-right,
    top-left) and ``geometry`` (cm) are those of the table; ``limit`` is in bytes of pictures. Raises OSError where the folder
    cannot be written."""

    def __init__(
        self, folder: Path, corners: Sequence[Sequence[float]], geometry: Mapping[str, Any], rules: str, limit: int = 500_000_000
    ) -> None:
        self._folder = folder
        self._corners = [[float(value) for value in corner] for corner in corners]
        self._head: dict[str, Any] = {"geometry_cm": dict(geometry), "rules": rules}
        self._limit = limit
        self._timeline: list[dict[str, Any]] = []
        self._sizes: deque[tuple[str, int]] = deque()
        self._bytes = 0
        self._count = 0
        self._last: Frame | None = None
        self._kept: str | None = None
        self._thumb: NDArray[np.float32] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, news: News) -> None:
        """Keeps what happened; what was refused did not."""
        if news.frame is not None:
            self._see(news.frame)
        elif news.refused is None and isinstance(news.event, Roll):
            self._add({"t": news.event.t, "side": news.event.side, "roll": list(news.event.dice)})
        elif news.refused is None and isinstance(news.event, Press) and news.event.button is not Button.ROLL:
            if news.event.button is Button.DONE and self._last is not None and self._last.name != self._kept:
                self._keep(self._last)
            self._add({"t": news.event.t, "side": news.event.side, "button": news.event.button.value})

    def _see(self, frame: Frame) -> None:
        self._last = frame
        small = cv2.cvtColor(cv2.resize(frame.pixels, THUMB, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY).astype(np.float32)
        if self._thumb is None or float(np.abs(small - self._thumb).max()) > MOVED:
            self._thumb = small
            self._keep(frame)

    def _keep(self, frame: Frame) -> None:
        done, data = cv2.imencode(".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, 90])
        if not done:
            raise OSError(f"picture {frame.name} cannot be written as JPEG")
        name = f"{self._count:06d}.jpg"
        self._count += 1
        (self._folder / name).write_bytes(data.tobytes())
        self._kept = frame.name
        self._head["size"] = [frame.pixels.shape[1], frame.pixels.shape[0]]
        self._sizes.append((name, data.size))
        self._bytes += data.size
        gone = set()
        while self._bytes > self._limit and len(self._sizes) > 1:
            old, size = self._sizes.popleft()
            self._bytes -= size
            gone.add(old)
        self._timeline = [moment for moment in self._timeline if moment.get("frame") not in gone]
        self._add({"t": frame.t, "frame": name})
        for old in gone:  # after reel.json no longer names them
            (self._folder / old).unlink(missing_ok=True)

    def _add(self, moment: dict[str, Any]) -> None:
        # A picture before a done is older than what came since: its place is by its time.
        at = len(self._timeline)
        while at and self._timeline[at - 1]["t"] > moment["t"]:
            at -= 1
        self._timeline.insert(at, moment)
        if "size" not in self._head:
            return  # nothing has been seen yet, and a recording without a picture is none
        whole = {**self._head, "corners_px": self._corners, "timeline": self._timeline}
        partial = self._folder / "reel.json.part"
        partial.write_text(json.dumps(whole), encoding="utf-8")
        partial.replace(self._folder / "reel.json")
