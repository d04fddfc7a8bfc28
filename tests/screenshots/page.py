"""The page's pictures in the documentation: ``python -m tests.screenshots.page [FOLDER]``, docs/img by
default.

Sits down at tables of all kinds as players would, under a painted camera, photographs the page on a phone, a
tablet, a wide screen and a big one, and stores the pictures as WebP. Look at each of them before you keep it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from engine import rules as games
from engine.clock import Control, Timing
from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.layout import Look
from engine.match import Terms
from engine.position import Position
from firmware.jpeg import draw_closeup, encode_jpeg
from firmware.simulated.painted import PaintedEyes
from tests.bench.arguments import arguments
from tests.engine.siege_boards import drawn
from tests.firmware.conftest import REPOSITORY
from tests.firmware.page.test_look import OWN
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, Sitting, enter, expect
from vision.picture.frame import accept
from vision.reading import Appearance

PHONE, TABLET, LAPTOP, WIDE = (390, 844), (820, 1180), (1366, 768), (1920, 1080)
QUALITY = 72
WAIT = 1000
"""Milliseconds until the camera's picture is there."""

GAME: tuple[Event, ...] = (
    Roll(t=0, dice=(3, 1), side="white"),
    Choose(t=0, play="8/5 6/5"),
    Roll(t=0, dice=(5, 2)),
    Choose(t=0, play="13/8 24/22"),
    Roll(t=0, dice=(6, 4)),
    Choose(t=0, play="24/14"),
    Roll(t=0, dice=(4, 1)),
    Choose(t=0, play="13/9 6/5"),
    Roll(t=0, dice=(5, 2)),
)
MAP = drawn(
    [
        "##########",
        "#........#",
        "#.n....n.#",
        "#........#",
        "#...n....#",
        "#......n.#",
        "#........#",
        "##########",
    ]
)


class Painted:
    """A camera over a table: what it sees is painted and read."""

    def __init__(self, rules: str) -> None:
        self.eyes = PaintedEyes(games.get(rules))
        self.eyes.looks = dict(games.get(rules).start({}).looks())

    def picture(self) -> bytes | None:
        frame = accept(self.eyes.picture(0).pixels)
        return encode_jpeg(self.eyes.table.draw(frame.image, self.eyes.table.read(frame)))

    def closeup(self, cells: Collection[str]) -> bytes | None:
        frame = accept(self.eyes.picture(0).pixels)
        return draw_closeup(frame.image, self.eyes.table, self.eyes.table.read(frame), cells)


def position(table: Sitting) -> Position:
    """What stands on the board of a match that has begun."""
    found = table.session.position
    assert found is not None
    return found


@contextmanager
def seated(
    rules: str,
    events: Sequence[Event],
    lies: dict[str, Look] | None = None,
    look: Appearance | None = None,
    **terms: Any,
) -> Iterator[Sitting]:
    """A table at which this was played; ``lies``: how the board differs from what the referee knows;
    ``look``: how its board looked to its calibration."""
    names = dict(zip(games.get(rules).sides, ("Ann", "Bob"), strict=True))
    painted = Painted(rules) if games.get(rules).board == "checkers" else None
    camera = {"picture": painted.picture, "closeup": painted.closeup} if painted is not None else {}
    table = Sitting(Begin(t=0, rules=rules, players=names, **terms), board=lambda: look, **camera)
    try:
        for event in events:
            table.tell(event)
        if lies is not None:
            table.lay(lies)
        if painted is not None:
            assert table.session.position is not None
            painted.eyes.looks = dict(table.session.position.looks()) | (lies or {})
            table.tell(Press(t=0, button=Button.PAUSE))  # a new picture comes with a new state
            table.tell(Press(t=0, button=Button.PAUSE))
        yield table
    finally:
        table.close()


class Album:
    """Photographs the page."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser = browser
        self._folder = folder

    @contextmanager
    def page(self, address: str, size: tuple[int, int], scheme: str = "light") -> Iterator[Any]:
        """A page that looks on."""
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        page.goto(address)
        expect(page.locator("#board.drawn")).to_be_visible()
        yield page
        context.close()

    def take(self, page: Any, name: str) -> None:
        """Stores what is to be seen."""
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(WAIT)
        image = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        if image.shape[1] > 1400:
            image = cv2.resize(image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
        path = self._folder / f"page-{name}.webp"
        cv2.imwrite(str(path), image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
        print(f"{path}: {image.shape[1]} x {image.shape[0]}, {path.stat().st_size / 1000:.0f} kB", flush=True)


def main(folder: Path) -> None:
    """Takes all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    match = {"terms": Terms(length=7), "clock": Control(kind=Timing.DELAY)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        album = Album(browser, folder)
        with (
            seated("backgammon", GAME, {"p13": ("white",) * 4, "p10": ("white",)}, **match) as table,
            album.page(table.address, WIDE) as page,
        ):
            enter(page)
            page.get_by_role("button", name="Ann: Done").click()
            expect(page.locator("#judgement")).to_have_class("judgement illegal")
            album.take(page, "1920")
            with album.page(f"{table.address}tv", WIDE, "dark") as tv:
                album.take(tv, "tv")
        with seated("backgammon", GAME, **match) as table, album.page(table.address, PHONE) as page:
            enter(page)
            page.get_by_role("button", name="Ann: Done").click()
            expect(page.locator("#candidates img.doubt")).to_be_visible()
            album.take(page, "390")
        with (
            seated("backgammon", GAME[:8], **match) as table,
            album.page(table.address, TABLET, "dark") as page,
        ):
            enter(page)
            page.click("#more summary")
            album.take(page, "820")
        with (
            seated("backgammon", GAME, look=OWN, **match) as table,
            album.page(table.address, LAPTOP) as page,
        ):
            enter(page)
            album.take(page, "own")
        with seated(
            "siege-master",
            (),
            options={**MAP["board"], "border": MAP["border"], "fortresses": MAP["fortresses"]},
        ) as table:
            for share in (0.5, 0.2, 0.8, 0.35, 0.65):
                plays = list(position(table).plays())
                table.tell(Choose(t=0, play=plays[int(share * len(plays))].text))
            with album.page(table.address, PHONE) as page:
                album.take(page, "hexes")
        with seated("icegammon", ()) as table:
            table.tell(Press(t=0, button=Button.ROLL))
            for dice in ((6, 4, 1), (5, 3, 2), (6, 2, 1), (5, 4, 3)):
                if position(table).turn is None:
                    table.tell(Roll(t=0, dice=(5, 2)))
                table.tell(Roll(t=0, dice=dice[: position(table).dice_due]))
                plays = list(position(table).plays())
                table.tell(Choose(t=0, play=plays[len(plays) // 3].text))
            with album.page(table.address, PHONE) as page:
                page.click("#flip")
                album.take(page, "pyramids")
        browser.close()


if __name__ == "__main__":
    main(**arguments(__doc__, folder=REPOSITORY / "docs" / "img"))
