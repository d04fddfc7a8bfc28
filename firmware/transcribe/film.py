"""What a film is: pictures with times. A video file (:mod:`firmware.transcribe.video`) and a folder of
pictures (:mod:`firmware.transcribe.picture_folder`) are films; so are several, one after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import joined, phrase, phrase_number
from vision.picture.change import Thumb
from vision.picture.frame import Image

Box: TypeAlias = tuple[int, int, int, int]
"""A part of a picture: left, top, right and bottom in pixels."""
THUMB = 240
"""Pixels across a thumb, at most: a die is 4 of them wide on a board that fills it."""
SAMPLES, SAMPLE = 16, 16_384
"""Parts of a file by which it is told from others, from its beginning to its end, and the bytes of each."""


class FilmError(Exception):
    """A film that cannot be used. The message is one line: what, where, how to fix it."""


def told_of(film: Path | str, words: str) -> str:
    """What is to say of a film, or of a file or a folder of it."""
    return joined(": ", (str(film), words))


def sampled(file: Path) -> str:
    """What tells a file from others without reading all of it: its length, and a hash of some of its parts.
    Raises OSError."""
    length = file.stat().st_size
    told = hashlib.sha256(str(length).encode())
    with file.open("rb") as content:
        if length <= SAMPLES * SAMPLE:
            told.update(content.read())
            return told.hexdigest()
        for number in range(SAMPLES):
            content.seek(max(0, length - SAMPLE) * number // (SAMPLES - 1))
            told.update(content.read(SAMPLE))
    return told.hexdigest()


def beginning(file: Path, length: int) -> str:
    """The same of a file's first ``length`` bytes, but for its head, which is written anew when a recording
    ends: what tells a recording, however long it has become. Raises OSError."""
    told = hashlib.sha256(str(length).encode())
    with file.open("rb") as content:
        for number in range(1, SAMPLES):
            content.seek(max(SAMPLE, (length - SAMPLE) * number // (SAMPLES - 1)))
            told.update(content.read(min(SAMPLE, max(0, length - content.tell()))))
    return told.hexdigest()


@dataclass(frozen=True)
class Shot:
    """One picture of a film, ``t`` seconds after its beginning. Nothing is converted before it is asked
    for. ``planes`` gives what is compared: the luma of the whole view and, if it has colours, how much bluer
    and redder it is than grey (128), each of its own size, the right way up; ``image`` the picture itself,
    the right way up."""

    t: float
    planes: Callable[[], Iterable[NDArray[np.uint8]]]
    image: Callable[[], Image]

    def thumb(self, box: Box | None, size: tuple[int, int]) -> Thumb:
        """The part ``box`` (None: all) of a film of ``size`` (width, height), small: its luma, and with
        colours how blue and how red it is, as levels that grow with the light as luma does."""
        left, top, right, bottom = box or (0, 0, *size)
        wide = min(THUMB, right - left)
        high = max(1, round(wide * (bottom - top) / max(1, right - left)))
        channels = []
        for plane in self.planes():
            across, down = plane.shape[1] / size[0], plane.shape[0] / size[1]
            part = plane[
                int(top * down) : max(int(top * down) + 1, int(bottom * down)),
                int(left * across) : max(int(left * across) + 1, int(right * across)),
            ]
            channels.append(cv2.resize(part, (wide, high), interpolation=cv2.INTER_AREA))
        thumb = np.asarray(np.dstack(channels), np.float32)
        thumb[..., 1:] += thumb[..., :1] - 128
        return thumb


class Film(Protocol):
    """Pictures with times."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of its pictures in pixels, the right way up."""

    @property
    def seconds(self) -> float | None:
        """How long it is; None where that is not known."""

    @property
    def notes(self) -> Sequence[str]:
        """What was wrong with it, so far as it was read: lines for people."""

    def shots(self, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
        """Its pictures from ``since`` seconds on, ``step`` seconds or more apart. A shot can be used until
        the next is asked for. ``keys``: only those that cost little to get at, whatever the step."""

    def digest(self) -> str:
        """What tells it from other films: something made of its files' lengths and contents, so that a copy
        is the same film."""

    def mark(self) -> str:
        """How far it goes, and what tells its beginning from other films'."""

    def goes_on(self, mark: str) -> bool:
        """Whether it begins as the film with this mark, which may have been shorter: a recording that went
        on, or with fewer parts."""


@dataclass(frozen=True)
class Chain:
    """Films that are parts of one, one after the other."""

    films: Sequence[Film]

    @property
    def name(self) -> str:
        """The first one's, and how many follow."""
        more = len(self.films) - 1
        return phrase_number("{first} and {n} more", "{first} and {n} more", more, first=self.films[0].name)

    @property
    def size(self) -> tuple[int, int]:
        """The first one's. Raises FilmError where another has pictures of another size."""
        first = self.films[0]
        for film in self.films[1:]:
            if film.size != first.size:
                words = phrase(
                    "{film}: {size} pixels; {other} has another size: give one by one",
                    film=film.name,
                    size="x".join(map(str, film.size)),
                    other=first.name,
                )
                raise FilmError(words)
        return first.size

    @property
    def seconds(self) -> float | None:
        """All together."""
        known = [film.seconds for film in self.films]
        return None if None in known else sum(each for each in known if each is not None)

    @property
    def notes(self) -> Sequence[str]:
        """All films' notes."""
        return [note for film in self.films for note in film.notes]

    def shots(self, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
        """Keeps :class:`Film`: each part's times go on from the last one's end."""
        begun = 0.0
        for film in self.films:
            end = begun + (film.seconds or 0.0)
            if film.seconds is not None and end <= since:
                begun = end
                continue
            last = begun
            # Of a film whose length nobody knows, where the next one begins is seen at its end only.
            for shot in film.shots(0.0 if film.seconds is None else max(0.0, since - begun), step, keys):
                last = begun + shot.t
                if last >= since:
                    yield replace(shot, t=last)
            begun = max(end, last + 1e-3)

    def digest(self) -> str:
        """All films' digests."""
        return "+".join(film.digest() for film in self.films)

    def mark(self) -> str:
        """All films' marks."""
        return "+".join(film.mark() for film in self.films)

    def goes_on(self, mark: str) -> bool:
        """Keeps :class:`Film`: the last part that there was may have become longer."""
        *whole, last = mark.split("+")
        if len(whole) >= len(self.films) or not self.films[len(whole)].goes_on(last):
            return False
        return all(film.mark() == each for film, each in zip(self.films, whole, strict=False))
