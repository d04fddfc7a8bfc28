"""The strip with its level shifter and its supply."""

from __future__ import annotations

from docs.drawings.facts import power
from firmware.guided.header import HEADER, STRIP_PINS
from firmware.guided.pen import Sheet
from firmware.settings.config import Config


def strip(config: Config) -> str:
    """The strip: level shifter, supply, fuse and the common ground."""
    sheet = Sheet(
        860,
        420,
        "The strip: data and clock through a 74AHCT125, five volts from a supply of its own, one common"
        " ground",
    )
    pins = {words: gpio for gpio, words in STRIP_PINS[config.strip.bus].items()}
    number = {gpio: pin for pin, gpio in HEADER.items()}
    sheet.rect(30, 60, 150, 230)
    sheet.text(105, 86, "Raspberry Pi", "title", "middle")
    sheet.text(105, 104, "its own supply", "small", "middle")
    sheet.rect(320, 60, 170, 230)
    sheet.text(405, 86, "74AHCT125", "title", "middle")
    sheet.text(405, 104, "3.3 V in, 5 V out", "small", "middle")
    sheet.rect(660, 60, 170, 230)
    sheet.text(745, 86, "LED strip", "title", "middle")
    sheet.text(745, 104, f"{config.strip.count} x APA102 / SK9822", "small", "middle")
    lines = (
        (140, "strip data", "1A (2)", "1Y (3)", "DI", "wa"),
        (180, "strip clock", "2A (5)", "2Y (6)", "CI", "wb"),
    )
    for y, use, into, out, end, style in lines:
        gpio = pins[use]
        sheet.text(172, y + 4, f"GPIO {gpio}, pin {number[gpio]}", "", "end")
        sheet.line([(180, y), (320, y)], f"wire {style}")
        sheet.text(328, y + 4, into)
        sheet.text(482, y + 4, out, "", "end")
        sheet.line([(490, y), (660, y)], f"wire {style}")
        sheet.rect(545, y - 8, 60, 16, "pale", 2)
        sheet.text(575, y + 4, "330 Ω", "small", "middle")
        sheet.text(668, y + 4, end)
    sheet.text(172, 264, "ground, pin 6", "", "end")
    sheet.text(328, 224, "Vcc (14)")
    sheet.text(328, 264, "1OE, 2OE, GND (1, 4, 7)")
    sheet.text(668, 224, "5 V")
    sheet.text(668, 264, "GND")
    # The supply below; its plus climbs between the boxes, its minus joins everything.
    sheet.rect(320, 340, 250, 56)
    sheet.text(445, 364, "supply 5 V, 4 A", "title", "middle")
    sheet.text(
        445, 383, f"the strip never asks for more than {config.strip.milliamps / 1000:g} A", "small", "middle"
    )
    sheet.line([(570, 355), (620, 355), (620, 220), (660, 220)], "wire wpower")
    sheet.line([(620, 220), (515, 220), (515, 315), (300, 315), (300, 220), (320, 220)], "wire wpower")
    sheet.rect(580, 344, 32, 22, "box", 2)
    sheet.text(589, 335, "fuse 3 A", "small", "middle")
    sheet.line([(180, 260), (320, 260)], "wire wground")
    sheet.line([(250, 260), (250, 380), (320, 380)], "wire wground")
    sheet.line([(570, 380), (640, 380), (640, 260), (660, 260)], "wire wground")
    sheet.disc(250, 260, 4, "ink")
    sheet.disc(620, 220, 4, "power")
    sheet.line([(745, 290), (745, 316)], "thin")
    sheet.text(745, 330, "1000 µF across 5 V and GND,", "small", "middle")
    sheet.text(745, 345, "at the strip's own end", "small", "middle")
    drawn = f"{power(config).sent:.0f} mA by the data sheet's figures."
    sheet.text(30, 32, f"The brightest frame that is ever sent draws {drawn}", "")
    return sheet.svg()
