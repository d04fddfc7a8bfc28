"""``GET /look.css``: the colours and proportions of the table's own board, as its calibration saw it.

A style sheet, so that the first drawing has them already, and lies as the board does. A browser with a theme
of its own choice passes over the colours (``data-theme``), and without a calibration the sheet is empty: then
the page's usual ones count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from fastapi import FastAPI, Response

from vision.reading import Appearance

Look: TypeAlias = Callable[[], Appearance | None]
"""What the table's board looks like; None where that is not known."""

TOLD_APART = 1.6
"""Contrast (as in WCAG, 1-21) that the checkers of both sides must have between them; else the page's usual
ones are drawn."""
INK = "#1c1a19", "#fbf7ee"
"""For numbers and pips on light things, and on dark ones."""


def style_of(look: Appearance) -> str:
    """The style sheet."""
    one, other = look.checkers
    given = {
        "field": look.field,
        "odd": look.points[0],
        "even": look.points[1],
        "wood": look.wood,
        "label": _ink(look.wood),
        "bar-wide": f"{look.bar:g}",
        "board-high": f"{look.height:g}",
        "checker-wide": f"{look.checker:g}",
    }
    if contrast(one, other) >= TOLD_APART:
        given |= {"first": one, "second": other, "on-first": _ink(one), "on-second": _ink(other)}
    told = " ".join(f"--{name}: {value};" for name, value in given.items())
    mirrored = ":root { --mirrored: 1; }\n" if look.mirrored else ""
    return mirrored + (
        "@media (prefers-contrast: no-preference), (prefers-contrast: custom) {"
        f" :root:not([data-theme]) {{ {told} }} }}\n"
    )


def contrast(one: str, other: str) -> float:
    """How well two colours (``#rrggbb``) are told apart, 1-21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _ink(ground: str) -> str:
    return max(INK, key=lambda ink: contrast(ink, ground))


def _luminance(colour: str) -> float:
    """WCAG's relative luminance, 0-1."""
    levels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def add(app: FastAPI, look: Look | None) -> None:
    """Adds the route."""

    @app.get("/look.css", include_in_schema=False)
    async def style() -> Response:
        found = None if look is None else look()
        text = "" if found is None else style_of(found)
        return Response(text, media_type="text/css", headers={"Cache-Control": "no-cache"})
