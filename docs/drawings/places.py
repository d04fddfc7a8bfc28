"""Where the LEDs and the buttons sit: along the board, along a hex map, on the box."""

from __future__ import annotations

from itertools import groupby
from math import sqrt

from firmware.guided.pen import Sheet
from firmware.settings.config import Config


def span(leds: tuple[int, ...]) -> str:
    """LEDs in few words: 4, 28-31, 3, 9."""
    runs = []
    for _, run in groupby(enumerate(sorted(leds)), lambda pair: pair[1] - pair[0]):
        found = [led for _, led in run]
        runs.append(f"{found[0]}-{found[-1]}" if len(found) > 1 else str(found[0]))
    return ", ".join(runs)


def board(config: Config) -> str:
    """The board from above, each point's LED at the rim, in the order of the strip."""
    sheet = Sheet(860, 500, "The board from above: one LED at every point, two on the bar, two at the trays")
    leds = config.strip.map
    left, top, pitch, deep = 60.0, 90.0, 50.0, 340.0
    middle = left + 6 * pitch

    def column(point: int) -> float:
        number = 12 - point if point <= 12 else point - 13
        return left + pitch * (number + 0.5) + (70 if number >= 6 else 0)

    sheet.rect(left - 14, top - 14, 12 * pitch + 70 + 28, deep + 28, "wood")
    for x in (left, middle + 70):
        sheet.rect(x, top, 6 * pitch, deep, "box", 0)
    path = []
    for point in range(1, 25):
        x, far = column(point), point > 12
        base, tip, rim, number = (
            (top, top + 130, top - 30, top - 50)
            if far
            else (top + deep, top + deep - 130, top + deep + 30, top + deep + 58)
        )
        sheet.area([(x - 22, base), (x + 22, base), (x, tip)], "pale")
        sheet.text(x, base + (18 if far else -8), str(point), "small", "middle")
        sheet.disc(x, rim, 9, "a")
        sheet.text(x, number + (4 if far else -4), span(leds[f"p{point}"]), "", "middle")
        path.append((x, rim))
    sheet.line(path[:12], "dash")
    sheet.line(path[12:], "dash")
    sheet.line([path[11], (left - 34, path[11][1]), (left - 34, path[12][1]), path[12]], "dash")
    for name, x, y in (
        ("bar.first", middle + 35, top + deep - 110),
        ("bar.second", middle + 35, top + 110),
        ("off.first", left + 12 * pitch + 104, top + deep - 60),
        ("off.second", left + 12 * pitch + 104, top + 60),
    ):
        sheet.disc(x, y, 9, "b")
        sheet.text(x, y + 24, span(leds[name]), "", "middle")
    sheet.text(middle + 35, top + deep / 2 + 4, "bar", "", "middle")
    sheet.text(left + 12 * pitch + 104, top + deep / 2 + 4, "trays", "", "middle")
    sheet.text(
        60,
        22,
        "first player (White) sits below; LED numbers as in the default [strip.map]; dashed: the strip's way"
        " round",
        "",
    )
    return sheet.svg()


def hexes() -> str:
    """A hex map with LEDs along two edges: a cell shines by its row's and its column's."""
    sheet = Sheet(
        620,
        400,
        "A hex map with LEDs along the left and the lower edge: the row's and the column's meet at a cell",
    )
    cols, rows, wide = 8, 6, 52.0
    left, top, step = 90.0, 70.0, wide * sqrt(3) / 2
    chosen = (4, 3)

    def centre(col: int, row: int) -> tuple[float, float]:
        return left + wide * (col + 0.5 + 0.5 * (row % 2)), top + step * row

    radius = wide / sqrt(3)
    for row in range(rows):
        for col in range(cols):
            x, y = centre(col, row)
            corners = [
                (x + dx * wide / 2, y + dy * radius)
                for dx, dy in ((0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5))
            ]
            sheet.area(corners, "b" if (col, row) == chosen else "box")
    low = top + step * (rows - 1) + radius + 26
    for row in range(rows):
        lit = row == chosen[1]
        sheet.disc(left - 26, centre(0, row)[1], 9, "b" if lit else "pale")
        sheet.text(left - 44, centre(0, row)[1] + 4, f"row.{row}", "" if lit else "small", "end")
    for col in range(cols):
        x, lit = left + wide * (col + 0.75), col == chosen[0]
        sheet.disc(x, low, 9, "b" if lit else "pale")
        sheet.text(x, low + 26, str(col), "" if lit else "small", "middle")
    sheet.text(left - 44, low + 26, "column.", "small", "end")
    x, y = centre(*chosen)
    sheet.line([(left - 16, y), (x - wide / 2, y)], "dash")
    sheet.line([(left + wide * (chosen[0] + 0.75), low - 10), (x, y + radius)], "dash")
    sheet.text(
        20, 28, "Odd rows lie half a hex to the right. The cell in column 4, row 3 shines by both.", ""
    )
    return sheet.svg()


SPOT_PLACES = ((-1, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (1, 1))
"""Where the seven lamps of a die lie, ``die.N.1`` first: right and down from its middle."""


def box(config: Config) -> str:
    """The button box from above: buttons and lamps where hands and eyes look for them."""
    sheet = Sheet(
        860,
        400,
        "The button box from above: six buttons for each player, two for both, dice, cube and players' lamps",
    )
    leds = config.strip.map
    sheet.rect(20, 40, 820, 340, "box", 14)
    sheet.text(430, 24, "The box from above; numbers are GPIOs at buttons, LEDs at lamps", "title", "middle")
    for owner, style, x0, words in (
        ("first", "a", 50, "first player"),
        ("second", "b", 560, "second player"),
    ):
        sheet.text(x0 + 125, 70, words, "title", "middle")
        pins = [(name, gpio) for who, name, gpio in config.buttons.wired() if who == owner]
        for number, (name, gpio) in enumerate(pins):
            x, y = x0 + 35 + 90 * (number % 3), 110 + 85 * (number // 3)
            sheet.disc(x, y, 22, style)
            sheet.text(x, y + 4, str(gpio), "on", "middle")
            sheet.text(x, y + 42, name, "", "middle")
        for face in range(1, 7):
            x = x0 + 12 + 45 * (face - 1)
            sheet.disc(x, 292, 8, "power")
            sheet.text(x, 318, span(leds[f"dice.{owner}.{face}"]), "small", "middle")
        sheet.text(x0 + 125, 340, "die: the faces 1 to 6", "", "middle")
        sheet.text(
            x0 + 125,
            362,
            f"player's lamps {span(leds[f'player.{owner}'])}, cube at {span(leds[f'cube.{owner}'])}",
            "small",
            "middle",
        )
    for number, (_, name, gpio) in enumerate(each for each in config.buttons.wired() if each[0] == "shared"):
        x, y = 430, 110 + 85 * number
        sheet.disc(x, y, 22, "c")
        sheet.text(x, y + 4, str(gpio), "on", "middle")
        sheet.text(x, y + 42, f"{name}{' (hold)' if name == 'resign' else ''}", "", "middle")
    sheet.text(430, 252, f"cube in the middle: {span(leds['cube'])}", "small", "middle")
    for die, x in ((1, 393), (2, 467)):
        sheet.rect(x - 28, 268, 56, 56, "box", 8)
        for dx, dy in SPOT_PLACES:
            sheet.disc(x + 17 * dx, 296 + 17 * dy, 6, "power")
        spots = tuple(led for spot in range(1, 8) for led in leds[f"die.{die}.{spot}"])
        sheet.text(x, 340, span(spots), "small", "middle")
    sheet.text(430, 362, "the dice, spots as one reads", "", "middle")
    return sheet.svg()
