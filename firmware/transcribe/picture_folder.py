"""A folder of pictures as a film: their times are in a ``reel.json`` beside them, or in their names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import strict_json
from engine.event_json import FARTHEST
from engine.messages import phrase
from firmware.files import read_whole
from firmware.transcribe.film import FilmError, Shot, sampled, told_of
from vision.errors import ImageError
from vision.geometry.camera import Corner
from vision.picture.frame import Image, load

REEL = "reel.json"
KINDS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})[-_h:](\d{2})[-_m:](\d{2}(?:\.\d+)?)s?(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})[T_ -](?=\d{1,2}[-_h:]?\d{2})")
_COMPACT = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})(\.\d+)?(?!\d)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class PictureFolder:
    """Keeps :class:`firmware.transcribe.film.Film`. ``corners`` and ``geometry`` are those that a
    ``reel.json`` gives, None and nothing without one."""

    def __init__(self, path: Path) -> None:
        """Raises FilmError."""
        self.path = path
        self.notes: list[str] = []
        self.corners: Sequence[Corner] | None = None
        self.geometry: dict[str, Any] = {}
        try:
            reel = path / REEL
            self._pictures = self._from_reel(reel) if reel.is_file() else self._from_names()
        except OSError as error:
            raise FilmError(told_of(path, error.strerror or str(error))) from error
        if not self._pictures:
            words = phrase("no pictures in this folder; give a video file, or a folder of JPEG or PNG files")
            raise FilmError(told_of(path, words))
        first = self._pictures[0][0]
        self._pictures = [(t - first, name) for t, name in self._pictures]
        height, width = self._load(self._pictures[0][1]).shape[:2]
        self.size: tuple[int, int] = (width, height)
        self.seconds: float | None = self._pictures[-1][0]

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    def digest(self) -> str:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        return self._whole

    @cached_property
    def _whole(self) -> str:
        return self._beginning(len(self._pictures))

    def mark(self) -> str:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        return f"{len(self._pictures)} {self.digest()}"

    def goes_on(self, mark: str) -> bool:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        number, _, told = mark.partition(" ")
        known = number.isdecimal() and int(number) <= len(self._pictures)
        return known and told == self._beginning(int(number))

    def _beginning(self, number: int) -> str:
        """What tells the first ``number`` pictures from others."""
        told = hashlib.sha256(f"{self.corners} {self.geometry}".encode())
        for t, name in self._pictures[:number]:
            told.update(f"{t} {name} {sampled(self.path / name)}".encode())
        return told.hexdigest()

    def shots(self, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
        """Keeps :class:`firmware.transcribe.film.Film`. A picture that cannot be read is told and passed
        over."""
        due = since
        for t, name in self._pictures:
            if t + 1e-6 < due:
                continue
            try:
                image = self._load(name)
            except FilmError as error:
                if str(error) not in self.notes:
                    self.notes.append(str(error))
                continue
            if image.shape[1::-1] != self.size:
                words = phrase("a picture of another size is passed over")
                self.notes.append(told_of(self.path / name, words))
                continue
            due = t + step
            yield _shot(t, image)

    def _load(self, name: str) -> Image:
        try:
            return load(self.path / name).image
        except ImageError as error:
            raise FilmError(str(error)) from error

    def _from_reel(self, reel: Path) -> list[tuple[float, str]]:
        try:
            data = strict_json.loads_object(read_whole(reel).decode("utf-8-sig"))
            moments = [each for each in data["timeline"] if isinstance(each, dict) and "frame" in each]
            found = [(_time(each["t"]), str(each["frame"])) for each in moments if not each.get("moving")]
            corners = data.get("corners_px")
            if corners is not None:
                self.corners = [(float(x), float(y)) for x, y in corners]
            self.geometry = dict(data.get("geometry_cm") or {})
        except (ValueError, KeyError, TypeError) as error:
            words = phrase("it does not say when which picture was taken: {reason}", reason=str(error))
            raise FilmError(told_of(reel, words)) from error
        for _, name in found:
            if Path(name).name != name or not (self.path / name).is_file():
                words = phrase("there is no picture {name} beside it", name=repr(name))
                raise FilmError(told_of(reel, words))
        return sorted(found)

    def _from_names(self) -> list[tuple[float, str]]:
        names = sorted(each.name for each in self.path.iterdir() if each.suffix.lower() in KINDS)
        found = []
        for name in names:
            t = time_in(Path(name).stem)
            if t is None:
                words = phrase(
                    "no time in its name; name pictures by seconds, like 0012.5.jpg, or put a {file} beside"
                    " them",
                    file=REEL,
                )
                raise FilmError(told_of(self.path / name, words))
            found.append((t, name))
        found.sort()
        twice = next((b for a, b in pairwise(found) if a[0] == b[0]), None)
        if twice is not None:
            words = phrase("another picture has the same time in its name")
            raise FilmError(told_of(self.path / twice[1], words))
        return found


def time_in(stem: str) -> float | None:
    """The seconds that a picture's name tells: a date and a time of day, ``01-02-03.5``, or its last number;
    None where there is none."""
    day = _DAY.search(stem)
    if day is not None:
        rest = stem[day.end() :]
        clock = _CLOCK.search(rest) or _COMPACT.search(rest)
        if clock is not None:
            try:
                date = datetime(int(day[1]), int(day[2]), int(day[3]))
            except ValueError:
                return None
            return date.toordinal() * 86400.0 + _seconds(clock)
    clock = _CLOCK.search(stem)
    if clock is not None:
        return _seconds(clock)
    numbers = _NUMBER.findall(stem)
    return float(numbers[-1]) if numbers else None


def _time(value: Any) -> float:
    """A time of ``reel.json``. Raises ValueError or TypeError where it is none."""
    if not abs(t := float(value)) <= FARTHEST:
        raise ValueError(f"no time: {value}")
    return t


def _seconds(clock: re.Match[str]) -> float:
    parts = clock.groups(default="")
    return int(parts[0]) * 3600 + int(parts[1]) * 60 + float("".join(parts[2:]))


def _shot(t: float, image: Image) -> Shot:
    def planes() -> NDArray[np.uint8]:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV), np.uint8).transpose(2, 0, 1)

    return Shot(t, planes, lambda: image)
