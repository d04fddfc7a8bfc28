"""A video file as a film, decoded by PyAV: only the pictures that are asked for, by their own times.

Pictures that nothing refers to are not even decoded where others come soon after. Where the frame rate
varies, a picture is shown until the next one comes: films of a screen have none while nothing moves. A
phone's rotation flag turns the picture. A file that breaks off, or is damaged in the middle, gives what can
be read, and a note; so does one whose pictures have another size from some moment on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from firmware.transcribe.film import SAMPLE, FilmError, Shot, beginning, sampled, told_of
from vision.picture.frame import LEAST, MOST_PIXELS, Image

MISSING = phrase(
    "films are read with PyAV, which is not installed: pip install av; or give a folder of pictures"
)
PLANAR = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray"})
"""Pixel formats whose first plane is 8 bits of brightness."""
CONTAINERS = "mov,matroska,avi,mpegts,mpeg,ogg,flv,asf,h264,hevc,mjpeg,m4v,mxf,wtv,gif"
"""Kinds of film files, as FFmpeg calls them."""
AHEAD = 16
"""Packets that are looked at before one is decoded: pictures are not stored in the order in which they are
shown."""
SPARE = 0.1
"""Seconds between pictures that are asked for, from which on others are spared."""
HELD = 4
"""How often a picture that stays is shown again, until all is at rest for certain; and once before the next
one."""
STREAMS = frozenset({"mpegts", "mpeg", "h264", "hevc", "m4v", "mjpeg"})
"""Kinds that have no index, whose times may begin anew where files were joined, or that know none: nobody can
tell where in them a moment is, so they are read from their beginning."""
JOINED = 1.0
"""Seconds by which times jump back where films were joined."""
WIDEST = 2.5
"""How wide or narrow pixels may be; what a file says beyond that makes no sense."""
UNREAD = 50
"""Packets in a row that do not decode, after which the rest of a film is given up."""


class Video:
    """Keeps :class:`firmware.transcribe.film.Film`."""

    def __init__(self, path: Path) -> None:
        """Raises FilmError where no film is in the file."""
        self.path = path
        self.notes: list[str] = []
        try:
            import av
        except ImportError as error:
            raise FilmError(told_of(path, MISSING)) from error
        self._av: Any = av
        with self._open() as container:
            stream = _pictures(container)
            first = next(self._decoded(container, stream), None)
            if first is None:
                words = phrase("no picture in this film can be decoded; it is damaged, copy it again")
                raise FilmError(told_of(path, words))
            wide = float(stream.sample_aspect_ratio or 1)
            self._wide = wide if 1 / WIDEST <= wide <= WIDEST else 1.0
            """How many times as wide as high its pixels are to be shown (HDV, DVDs)."""
            self.size: tuple[int, int] = self._size(first)
            told = container.duration
            self.seconds: float | None = None if told is None else max(0.0, told / av.time_base)
        if min(self.size) < LEAST:
            words = phrase("its pictures are only {size} pixels", size="x".join(map(str, self.size)))
            raise FilmError(told_of(path, words))
        self.notes.clear()

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    def digest(self) -> str:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        return sampled(self.path)

    def mark(self) -> str:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        length = self.path.stat().st_size
        return f"{length} {beginning(self.path, length)}"

    def goes_on(self, mark: str) -> bool:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        length, _, told = mark.partition(" ")
        known = length.isdecimal() and SAMPLE < int(length) <= self.path.stat().st_size
        return known and told == beginning(self.path, int(length))

    def shots(self, since: float = 0.0, step: float = 0.0, keys: bool = False) -> Iterator[Shot]:
        """Keeps :class:`firmware.transcribe.film.Film`."""
        with self._entered(since) as container:
            stream = _pictures(container)
            codec = stream.codec_context
            codec.thread_type = "AUTO"
            codec.thread_count = min(4, os.cpu_count() or 1)
            codec.skip_frame = "NONKEY" if keys else "DEFAULT"
            begin = float((stream.start_time or 0) * stream.time_base)
            usual = 1.0 / float(stream.average_rate or 25)
            t, due, joined = -usual, since, 0.0
            stays = not keys and step > 0
            shown: Any = None
            for frame in self._decoded(container, stream, step if stays else 0.0):
                # A time that is missing goes on from the last; so do all after one that jumps back, where
                # films were joined.
                told = None if frame.time is None else frame.time - begin + joined
                if told is not None and told < t - JOINED:
                    joined += t + usual - told
                    told = t + usual
                before, t = t, told if told is not None and told > t else t + usual
                if not self._fits(frame):
                    shown = None
                    continue
                if stays and shown is not None and t - before >= 2 * step:
                    yield from (self._shot(shown, again) for again in _again(due, t, step))
                    due = min(due, t)
                if t + 1e-6 >= due:
                    due = max(due + step, t + step / 2)
                    yield self._shot(frame, t)
                shown = frame
            if stays and shown is not None and self.seconds is not None:
                yield from (self._shot(shown, again) for again in _again(due, self.seconds, step))
            self._notice_end(t + usual)

    def _notice_end(self, end: float) -> None:
        if self.seconds is not None and self.seconds - end > max(2.0, 0.02 * self.seconds):
            self._note(
                phrase(
                    "it is cut off: it says {told} s, and ends after {end} s",
                    told=round(self.seconds),
                    end=round(end),
                )
            )

    @contextmanager
    def _entered(self, since: float) -> Iterator[Any]:
        """The file, open at the last moment before ``since`` from which it can be decoded, or at its
        beginning."""
        container = self._open()
        try:
            if since > 0 and not STREAMS & set(container.format.name.split(",")):
                stream = _pictures(container)
                begin = stream.start_time or 0
                try:
                    container.seek(begin + int(since / stream.time_base), stream=stream)
                except self._av.error.FFmpegError:
                    self._note(phrase("it cannot be entered in the middle, so it is read from its beginning"))
                    container.close()  # where it stands now, nobody knows
                    container = self._open()
            yield container
        finally:
            container.close()

    def _size(self, frame: Any) -> tuple[int, int]:
        """The width and height with which a picture is shown."""
        wide, high = round(self._wide * frame.width), frame.height
        return (high, wide) if _quarters(frame) % 2 else (wide, high)

    def _shot(self, frame: Any, t: float) -> Shot:
        """The picture of a frame, ``t`` seconds after the film's beginning."""
        turned, wide = _quarters(frame), round(self._wide * frame.width)

        def planes() -> Sequence[NDArray[np.uint8]]:
            if frame.format.name not in PLANAR:
                image = np.asarray(frame.to_ndarray(format="gray"), np.uint8)
                return [np.rot90(image, turned)]
            whole = [_plane(frame, number) for number in range(len(frame.planes))]
            return [np.rot90(plane, turned) for plane in whole]

        def image() -> Image:
            pixels = np.asarray(frame.to_ndarray(format="bgr24", width=wide), np.uint8)
            turns = (None, cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE)
            how = turns[turned]
            return pixels if how is None else np.asarray(cv2.rotate(pixels, how), np.uint8)

        return Shot(t, planes, image)

    def _fits(self, frame: Any) -> bool:
        """Whether a picture has the film's size; one that has not is noted."""
        size = self._size(frame)
        if size == self.size:
            return True
        words = phrase(
            "pictures of another size ({size}) are passed over: give that part as a film of its own",
            size="x".join(map(str, size)),
        )
        self._note(words)
        return False

    def _open(self) -> Any:
        try:
            if not self.path.is_file():
                raise FilmError(told_of(self.path, phrase("there is no such file or folder")))
            if not self.path.stat().st_size:
                raise FilmError(told_of(self.path, phrase("the file is empty")))
            # No playlist: what a film refers to elsewhere, on this machine or another, is not opened.
            alone = {"protocol_whitelist": "file", "format_whitelist": CONTAINERS}
            container = self._av.open(
                str(self.path.resolve()), metadata_errors="ignore", container_options=alone
            )
        except self._av.error.FFmpegError as error:
            words = phrase(
                "no film that can be read ({reason}); it is no film, or was cut off while it was written:"
                " copy it again, or repair it",
                reason=error.strerror,
            )
            raise FilmError(told_of(self.path, words)) from error
        except OSError as error:
            raise FilmError(told_of(self.path, error.strerror or str(error))) from error
        if not container.streams.video:
            container.close()
            words = phrase("no pictures in it, only sound or text; give the film itself")
            raise FilmError(told_of(self.path, words))
        codec = _pictures(container).codec_context
        if codec.width * codec.height > MOST_PIXELS:
            container.close()
            words = phrase(
                "it says that it is {size}; at most {most} megapixels are read",
                size=f"{codec.width}x{codec.height}",
                most=MOST_PIXELS // 1_000_000,
            )
            raise FilmError(told_of(self.path, words))
        codec.options = {"max_pixels": str(MOST_PIXELS)}  # a film may change its size on the way
        return container

    def _decoded(self, container: Any, stream: Any, step: float = 0.0) -> Iterator[Any]:
        """Every picture that decodes; of those that nothing refers to, the ones after which none comes for
        ``step`` seconds. One that does not decode is passed over; many in a row end the film."""
        unread = 0
        packets = container.demux(stream)
        if step >= SPARE:
            packets = self._spared(packets, stream, step)
        while unread < UNREAD:
            try:
                packet = next(packets)
                frames = packet.decode()
            except StopIteration:
                return
            except self._av.error.EOFError:
                return
            except self._av.error.FFmpegError:
                unread += 1
                if unread == 1:
                    self._note(phrase("parts of it are damaged and were passed over"))
                continue
            if frames:
                unread = 0
            yield from frames
        self._note(phrase("from a damaged place on, nothing can be read"))

    def _spared(self, packets: Iterator[Any], stream: Any, step: float) -> Iterator[Any]:
        """The packets. Before each, the decoder is told whether it may leave the picture out, if no other one
        refers to it: because one comes within ``step`` seconds."""
        queue: deque[Any] = deque()
        around: deque[int] = deque(maxlen=2 * AHEAD)
        """When pictures are shown, in the order in which they are stored."""

        def told() -> Any:
            pts = queue[0].pts
            later = [] if pts is None else [each - pts for each in around if each > pts]
            soon = bool(later) and min(later) * stream.time_base < step
            stream.codec_context.skip_frame = "NONREF" if soon else "DEFAULT"
            return queue.popleft()

        failed: Exception | None = None
        try:
            for packet in packets:
                queue.append(packet)
                if packet.pts is not None:
                    around.append(packet.pts)
                if len(queue) > AHEAD:
                    yield told()
        except self._av.error.FFmpegError as error:
            failed = error
        while queue:
            yield told()
        if failed is not None:
            raise failed

    def _note(self, words: str) -> None:
        told = told_of(self.path, words)
        if told not in self.notes:
            self.notes.append(told)


def _pictures(container: Any) -> Any:
    """The stream that is the film; a cover is one, too."""
    return container.streams.best("video")


def _again(due: float, until: float, step: float) -> list[float]:
    """When a picture is looked at once more that stays until the next one comes."""
    times = [due + number * step for number in range(HELD)]
    return [*(t for t in times if t < until - step), until - step] if due <= until - step else []


def _quarters(frame: Any) -> int:
    """By how many quarters, counterclockwise, a picture is to be turned."""
    return round(float(frame.rotation or 0) / 90) % 4


def _plane(frame: Any, number: int) -> NDArray[np.uint8]:
    """One plane as it lies in memory; of two colours that lie side by side, the first."""
    plane = frame.planes[number]
    lines = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)[: plane.height]
    if frame.format.name == "nv12" and number:
        return lines[:, : 2 * plane.width : 2]
    return lines[:, : plane.width]
