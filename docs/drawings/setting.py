"""The table from the side, and what each lens sees of it."""

from __future__ import annotations

from math import radians, tan

from docs.drawings.facts import HIGH, LENSES, MAIN, WIDE, lamp_aside
from firmware.guided.pen import Sheet

CM = 4.0
"""Units for a centimetre in the side view."""


def side() -> str:
    """The table from the side: board, camera straight above, lamps beside it."""
    sheet = Sheet(
        900,
        525,
        "The table from the side: the camera hangs straight above the board, two lamps hang beside it",
    )
    middle, surface = 400.0, 430.0
    eye = surface - MAIN.above * CM
    half = WIDE / 2 * CM
    aside = lamp_aside(MAIN.above, MAIN.above) * CM
    sheet.area([(middle, eye), (middle - half, surface), (middle + half, surface)], "cone")
    for lamp in (middle - aside, middle + aside):
        sheet.area([(lamp, eye + 6), (middle - half, surface), (middle + half, surface)], "glow")
    sheet.line([(middle + aside, eye), (middle + half, surface), (middle, eye)], "dash")
    sheet.line(
        [
            (middle - aside - 20, eye - 22),
            (middle + aside + 40, eye - 22),
            (middle + aside + 40, surface + 10),
        ],
        "line",
    )
    sheet.rect(middle - 14, eye - 22, 28, 20, "box")
    for lamp in (middle - aside, middle + aside):
        sheet.rect(lamp - 22, eye - 22, 44, 14, "b", 3)
    sheet.rect(40, surface + 10, 740, 14, "wood", 2)
    sheet.rect(middle - 140, surface, 280, 10, "box", 1)
    sheet.text(middle, eye - 32, "camera", "title", "middle")
    sheet.text(middle - aside, eye - 32, "lamp", "title", "middle")
    sheet.text(middle + aside, eye - 32, "lamp", "title", "middle")
    sheet.measure((middle, 30), (middle + aside, 30), f"lamp {aside / CM:.0f} cm aside")
    sheet.measure((middle + aside + 62, eye), (middle + aside + 62, surface), f"{MAIN.above} cm")
    sheet.text(middle + aside + 70, (eye + surface) / 2 + 20, f"({MAIN.name})", "small")
    sheet.measure(
        (middle - half, surface + 60),
        (middle + half, surface + 60),
        f"seen: {WIDE:.0f} cm wide, {HIGH:.0f} cm deep",
    )
    sheet.text(middle + half + 52, surface - 64, "a lamp's mirror image", "small")
    sheet.text(middle + half + 52, surface - 50, "lies at the edge", "small")
    sheet.text(
        44,
        surface + 84,
        "Drawn to scale. Box, Pi and strip's supply stand beside the board, outside what the camera sees.",
        "small",
    )
    return sheet.svg()


def lenses() -> str:
    """What each lens sees from the lowest height at which all of the board is in the picture."""
    sheet = Sheet(860, 265, "What each camera sees of the table from its own lowest height")
    scale = 1.6
    for number, lens in enumerate(LENSES):
        middle = 110 + 213 * number
        wide, high = (2 * lens.above * tan(radians(angle / 2)) * scale for angle in (lens.wide, lens.high))
        sheet.rect(middle - wide / 2, 120 - high / 2, wide, high, "box", 2)
        sheet.rect(middle - WIDE / 2 * scale, 120 - HIGH / 2 * scale, WIDE * scale, HIGH * scale, "cone", 0)
        sheet.rect(middle - 35 * scale, 120 - 27.5 * scale, 70 * scale, 55 * scale, "wood", 2)
        sheet.text(middle, 30, lens.name, "title", "middle")
        sheet.text(middle, 50, f"{lens.wide:.0f}° x {lens.high:.0f}°, from {lens.above} cm", "", "middle")
        sheet.text(middle, 196, f"{lens.width} x {lens.height} pixels", "", "middle")
        sheet.text(middle, 214, f"{lens.pixel:.2f} mm each", "", "middle")
        sheet.text(middle, 232, f"edge of the board leans {lens.lean:.0f} mm", "small", "middle")
    sheet.text(
        20,
        256,
        "Brown: a board of 70 x 55 cm with its trays. Blue: what has to be seen. Outer frame: what is seen.",
        "small",
    )
    return sheet.svg()
