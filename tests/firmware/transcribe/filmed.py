"""Small films for tests: painted boards, as a part of a picture with graphics beside it; and what a browser
asks of the page of their doubts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from fastapi import FastAPI

from engine import rules as games
from engine.position import Position
from hardware.painter import Painter
from vision.picture.frame import Image

RULES = games.get("backgammon")
RATE = 10
SIZE = (640, 360)
INSET = (80, 0, 480, 360)
"""Where the board's picture is in the film's: left, top, width, height."""


def screen(inset: Image | None, seconds: float) -> Image:
    """A stream's picture: the board, names beside it, a clock that runs."""
    image = np.full((SIZE[1], SIZE[0], 3), (60, 30, 20), np.uint8)
    if inset is not None:
        left, top, width, height = INSET
        image[top : top + height, left : left + width] = cv2.resize(inset, (width, height))
    cv2.putText(image, "ADA", (4, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255, 255, 255), 2)
    cv2.putText(image, f"{seconds:.1f}", (566, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
    return image


def hand_over(image: Image) -> Image:
    """The picture with an arm across the board."""
    covered = image.copy()
    cv2.line(covered, (640, 0), (600, 520), (110, 140, 200), 150)
    return covered


def played(moves: Iterable[tuple[tuple[int, int], str]]) -> list[Position]:
    """The positions after these plays, the start first."""
    position = RULES.start({})
    found = [position]
    for dice, move in moves:
        position = position.roll(dice).find(move).after
        found.append(position)
    return found


def rests(
    positions: Sequence[Position], rest: float = 1.0, hand: float = 0.3
) -> list[tuple[Image | None, float]]:
    """What a camera sees, each for so many seconds: the positions, and hands between them."""
    painter = Painter("checkers", 3)
    scenes: list[tuple[Image | None, float]] = []
    for number, position in enumerate(positions):
        painted = painter.paint(position.layout(), number)
        scenes += [(painted, rest), (hand_over(painted), hand)]
    return scenes[:-1]


def film(
    path: Path,
    scenes: Iterable[tuple[Image | None, float]],
    shown: Callable[[Image | None, float], Image] = screen,
    times: Callable[[int], int] = lambda number: number,
    unreferred: int = 0,
    size: tuple[int, int] = SIZE,
    wide: Fraction = Fraction(1),
) -> Path:
    """Writes a film; ``times`` gives each picture's time in tenths of a second. ``unreferred``: how many
    pictures in a row may be such that no other one refers to them; ``wide``: how wide its pixels are to be
    shown."""
    import av

    with av.open(str(path), "w") as container:
        options = {"preset": "ultrafast", "crf": "18", "bf": str(unreferred), "b_strategy": "0"}
        stream = container.add_stream("libx264", rate=RATE, options=options)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.codec_context.sample_aspect_ratio = wide
        stream.time_base = Fraction(1, RATE)
        number = 0
        for inset, seconds in scenes:
            for _ in range(round(seconds * RATE)):
                image = shown(inset, number / RATE)
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="bgr24")
                frame.pts, frame.time_base = times(number), Fraction(1, RATE)
                container.mux(stream.encode(frame))
                number += 1
        container.mux(stream.encode(None))
    return path


def ask(site: FastAPI, method: str, url: str, **more: Any) -> httpx.Response:
    """One request of a browser on this computer."""

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app=site)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8090") as client:
            return await client.request(method, url, **more)

    return asyncio.run(request())
