"""Sheets to lay on the wood, in millimetres: where to drill the button box, and where the strip's LEDs go
along the board. ``python -m docs.drawings.template PITCH`` writes ``template-PITCH.pdf`` here, for points
that are PITCH millimetres wide; without PITCH ``docs/template.pdf``, for 45.

The PDF is written here, without a library: lines, circles and a font that every reader has are six of PDF's
own operators. So the file is the same byte for byte wherever it is made, and a test can compare it. What
packages for PDF (fpdf2, reportlab) add, fonts and layout, is not needed, and a browser's print has the date
in it.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

from docs.drawings.places import SPOT_PLACES, span
from firmware.settings.config import Config

PDF = Path(__file__).parents[1] / "template.pdf"
WIDE, HIGH = 297.0, 210.0
"""An A4 sheet that lies on its side, in mm."""
BUTTON, LAMP = 24.0, 12.0
"""Diameters of the holes, in mm: an arcade button's, a pixel's on a wire."""
PITCH = 45.0
"""Width of a usual point, in mm."""
SIZES = {"title": 5.0, "small": 2.8, "": 3.6}
"""Heights of letters, in mm."""
LETTER = 0.52
"""The width of Helvetica's letters, on average, in parts of their height."""
ROUND = 0.5523
"""Where the handles of four curves lie that make a circle, in parts of its radius."""
POINT = 72 / 25.4
"""PDF's points in a millimetre."""


class Page:
    """One sheet; places are in mm from its upper left corner."""

    def __init__(self, title: str, hint: str) -> None:
        self._parts: list[str] = []
        self.words: list[tuple[float, float, str, float]] = []
        """Where each text begins, what it says, and how high its letters are."""
        self.text(15, 15, title, "title")
        self.text(15, 21, hint)
        self.line(15, HIGH - 12, 115, HIGH - 12)
        for x in range(15, 116, 10):
            self.line(x, HIGH - 14, x, HIGH - 12)
        self.text(
            120, HIGH - 11, "this line is 100 mm long: print at 100%, not fitted to the page, and measure it"
        )

    def text(self, x: float, y: float, words: str, style: str = "", anchor: str = "start") -> None:
        """Words on a base line."""
        size = SIZES[style]
        wide = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * LETTER * size * len(words)
        self.words.append((x - wide, y, words, size))
        told = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        place = f"{(x - wide) * POINT:.2f} {(HIGH - y) * POINT:.2f} Td"
        self._parts.append(f"BT /F {size * POINT:.2f} Tf {place} ({told}) Tj ET")

    def line(self, x: float, y: float, to_x: float, to_y: float, style: str = "mark") -> None:
        """A line."""
        dashes = "[4 3] 0 d" if style == "dash" else "[] 0 d"
        self._parts.append(f"{dashes} {_at(x, y)} m {_at(to_x, to_y)} l S")

    def rect(self, x: float, y: float, wide: float, high: float) -> None:
        """A rectangle."""
        place = f"{_at(x, y + high)} {wide * POINT:.2f} {high * POINT:.2f}"
        self._parts.append(f"[] 0 d {place} re S")

    def hole(self, x: float, y: float, across: float, words: str) -> None:
        """A hole with its cross to punch, and what comes there."""
        r, h = across / 2, ROUND * across / 2
        curves = (
            ((x + r, y + h), (x + h, y + r), (x, y + r)),
            ((x - h, y + r), (x - r, y + h), (x - r, y)),
            ((x - r, y - h), (x - h, y - r), (x, y - r)),
            ((x + h, y - r), (x + r, y - h), (x + r, y)),
        )
        drawn = " ".join(f"{' '.join(_at(*each) for each in curve)} c" for curve in curves)
        self._parts.append(f"[] 0 d {_at(x + r, y)} m {drawn} S")
        self.line(x - 3, y, x + 3, y)
        self.line(x, y - 3, x, y + 3)
        self.text(x, y + r + 4, words, "small", "middle")

    def content(self) -> bytes:
        """The sheet in PDF's operators."""
        return "\n".join(["0.6 w", *self._parts]).encode("cp1252")


def _at(x: float, y: float) -> str:
    return f"{x * POINT:.2f} {(HIGH - y) * POINT:.2f}"


def panel(config: Config) -> Page:
    """A player's part of the lid: six buttons, six lamps of the die, four of the player, two of the cube."""
    page = Page(
        "Button box: one player's panel, 1:1",
        f"Print it twice. Holes: buttons {BUTTON:g} mm, lamps {LAMP:g} mm. Lamps: first player / second.",
    )
    left, top = 30.0, 32.0
    page.rect(left, top, 130, 112)
    names = [name for owner, name, _ in config.buttons.wired() if owner == "first"]
    for number, name in enumerate(names):
        page.hole(left + 25 + 40 * (number % 3), top + 20 + 36 * (number // 3), BUTTON, name)
    leds = config.strip.map
    for face in range(1, 7):
        words = "/".join(span(leds[f"dice.{side}.{face}"]) for side in ("first", "second"))
        page.hole(left + 15 + 20 * (face - 1), top + 84, LAMP, f"{face}: {words}")
    for number in range(4):
        page.hole(left + 15 + 20 * number, top + 102 - 0.0, 6, "")
    page.text(
        left + 125,
        top + 103,
        f"player {span(leds['player.first'])}/{span(leds['player.second'])}",
        "small",
        "end",
    )
    page.text(170, 40, "Cut along the outer line. Punch the crosses, drill 3 mm,")
    page.text(170, 45, "then the full width.")
    page.text(170, 52, "Pixels on wires clip into 12 mm holes from below; the")
    page.text(170, 57, "player's four shine through 6 mm holes from behind.")
    page.text(170, 66, f"Cube at this player: LEDs {span(leds['cube.first'])} / {span(leds['cube.second'])},")
    page.text(170, 71, "in the side of the box that faces the board.")
    return page


def middle(config: Config) -> Page:
    """The part of the lid between the players."""
    page = Page("Button box: the middle, 1:1", f"Holes: buttons {BUTTON:g} mm, lamps {LAMP:g} mm.")
    left, top = 30.0, 32.0
    page.rect(left, top, 60, 112)
    shared = [name for owner, name, _ in config.buttons.wired() if owner == "shared"]
    for number, name in enumerate(shared):
        page.hole(left + 30, top + 20 + 36 * number, BUTTON, name)
    first, second = config.strip.map["cube"]
    for led, x in ((first, left + 20), (second, left + 40)):
        page.hole(x, top + 94, LAMP, f"cube: {led}")
    for die, x in ((1, left + 100), (2, left + 142)):
        page.rect(x - 19, top + 20, 38, 44)
        for spot, (dx, dy) in enumerate(SPOT_PLACES, 1):
            page.hole(x + 12 * dx, top + 39 + 12 * dy, 6, span(config.strip.map[f"die.{die}.{spot}"]))
    page.text(
        left + 81, top + 74, "The dice, 6 mm holes: pixels glued behind, the number is the LED.", "small"
    )
    return page


def quarter(config: Config, pitch: float) -> Page:
    """The LEDs along one quarter of the board: six points."""
    page = Page(
        f"Strip along the board, 1:1, for points {pitch:g} mm wide",
        "Lay it at the rim, the long line along the feet of the points; drill or glue at the crosses."
        " One sheet for all four quarters.",
    )
    leds, left = config.strip.map, (WIDE - 6 * pitch) / 2
    page.line(left, 60, left + 6 * pitch, 60)
    for place in range(6):
        x = left + pitch * (place + 0.5)
        for edge in (x - pitch / 2, x + pitch / 2):
            page.line(edge, 55, edge, 75)
        page.hole(x, 46, LAMP, "")
        page.text(x, 66, f"point {6 - place}", "", "middle")
        rows = [(6 - place), (12 - place), (13 + place), (19 + place)]
        for row, point in enumerate(rows):
            page.text(x, 82 + 7 * row, f"{point}: LED {span(leds[f'p{point}'])}", "small", "middle")
    for row, words in enumerate(("below, right", "below, left", "above, left", "above, right")):
        page.text(4, 82 + 7 * row, words, "small")
    hints = (
        "The middle of an LED lies 14 mm outside the feet of the points, in the frame; one for each point.",
        "Between two LEDs is one point's width: cut pixels on wires to that, or a strip.",
        "From the sixth LED of a half to the first of the next is the bar's width more: longer wire.",
    )
    for row, words in enumerate(hints):
        page.text(left, 125 + 6 * row, words)
    return page


def around(config: Config) -> Page:
    """The way of the strip round bar and trays; not to scale."""
    page = Page("The strip's way round the board (not to scale)", "Seen from above, the first player below.")
    leds, x0, y0, wide, deep = config.strip.map, 40.0, 45.0, 180.0, 110.0
    page.rect(x0, y0, wide, deep)
    page.rect(x0 + wide / 2 - 8, y0, 16, deep)
    page.rect(x0 + wide, y0, 22, deep)
    right, low, high = x0 + wide + 30, y0 + deep + 8, y0 - 8
    way = [(x0 + wide, low), (x0 - 10, low), (x0 - 10, high), (right, high), (right, y0 + 20)]
    for (x, y), (to_x, to_y) in pairwise(way):
        page.line(x, y, to_x, to_y, "dash")
    page.text(x0 + wide, low + 5, "in: data, clock, 5 V, ground", "small", "end")
    page.text(
        x0 + wide / 2 + 60,
        low + 5 - 10,
        f"p1-p12: {span(tuple(led for n in range(1, 13) for led in leds[f'p{n}']))}",
        "small",
    )
    page.text(
        x0 + 20,
        high - 3,
        f"p13-p24: {span(tuple(led for n in range(13, 25) for led in leds[f'p{n}']))}",
        "small",
    )
    page.text(x0 + wide / 2, y0 + 40, f"bar {span(leds['bar.second'])}", "small", "middle")
    page.text(x0 + wide / 2, y0 + 75, f"bar {span(leds['bar.first'])}", "small", "middle")
    bar = x0 + wide / 2 + 4
    loop = [(right, y0 + 20), (bar, y0 + 70), (bar, y0 + 45), (right, y0 + 75), (right, y0 + 40)]
    for (x, y), (to_x, to_y) in pairwise(loop):  # in the order of the strip: the first player's come first
        page.line(x, y, to_x, to_y, "dash")
    page.text(right + 3, y0 + 75, f"tray {span(leds['off.first'])}", "small")
    page.text(right + 3, y0 + 40, f"tray {span(leds['off.second'])}", "small")
    page.line(right, y0 + 40, right + 30, y0 + 40, "dash")
    page.text(right + 12, y0 + 35, "to the box: 28 on", "small")
    hints = (
        "A folding board: the two LEDs of the bar hang on a loop of wire of twice the bar's height,",
        "under the hinge, glued to one half only. Trays at the left: the same, mirrored.",
        "Without trays their two pixels stay dark.",
    )
    for row, words in enumerate(hints):
        page.text(x0, 175 + 6 * row, words)
    return page


def pages(config: Config, pitch: float = PITCH) -> list[Page]:
    """Every sheet."""
    return [panel(config), middle(config), quarter(config, pitch), around(config)]


def pdf(sheets: list[Page]) -> bytes:
    """The sheets as one PDF file."""
    count = len(sheets)
    box = f"[0 0 {WIDE * POINT:.2f} {HIGH * POINT:.2f}]"
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, sheet in enumerate(sheets):
        content = sheet.content()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    made += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    start = made.index(b"xref\n0 ")
    return made + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    sheets = Path(f"template-{given[0]:g}.pdf") if given else PDF
    sheets.write_bytes(pdf(pages(Config(), *given)))
    print(sheets)
