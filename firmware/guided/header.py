"""The Pi's 40-pin header as this configuration uses it: which pin is for what, and a picture of it."""

from __future__ import annotations

from engine.messages import phrase
from firmware.guided.pen import Sheet
from firmware.languages.choice import local
from firmware.settings.config import Config

HEADER = dict(
    zip(
        (
            3,
            5,
            7,
            8,
            10,
            11,
            12,
            13,
            15,
            16,
            18,
            19,
            21,
            22,
            23,
            24,
            26,
            27,
            28,
            29,
            31,
            32,
            33,
            35,
            36,
            37,
            38,
            40,
        ),
        (
            2,
            3,
            4,
            14,
            15,
            17,
            18,
            27,
            22,
            23,
            24,
            10,
            9,
            25,
            11,
            8,
            7,
            0,
            1,
            5,
            6,
            12,
            13,
            19,
            16,
            26,
            20,
            21,
        ),
        strict=True,
    )
)
"""Which GPIO each pin of the 40-pin header is (Raspberry Pi documentation, "GPIO and the 40-pin header")."""
SUPPLY = {
    1: "3.3 V",
    17: "3.3 V",
    2: "5 V",
    4: "5 V",
    **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), phrase("ground")),
}
STRIP = phrase("strip data"), phrase("strip clock")
STRIP_PINS = {0: dict(zip((10, 11), STRIP, strict=True)), 1: dict(zip((20, 21), STRIP, strict=True))}
"""What the strip needs of each SPI bus, by GPIO."""
OWNERS = {"first": phrase("first"), "second": phrase("second"), "shared": phrase("both")}
BUTTONS = {
    "roll": phrase("roll"),
    "done": phrase("done"),
    "double": phrase("double"),
    "take": phrase("take"),
    "drop": phrase("drop"),
    "undo": phrase("undo"),
    "resign": phrase("resign"),
    "pause": phrase("pause"),
    "swap": phrase("swap"),
}
LEGEND = (
    ("a", phrase("first player")),
    ("b", phrase("second player")),
    ("c", phrase("both")),
    ("power", phrase("strip")),
)

STYLES = (
    ("first:", "a"),
    ("second:", "b"),
    ("both:", "c"),
    ("strip", "power"),
    ("3.3 V", "soft"),
    ("5 V", "soft"),
    ("ground", "ink"),
)


def picture(config: Config, asked: int | None = None) -> str:
    """The 40-pin header, seen from above, with what each pin is for; SVG. ``asked``: a GPIO to point at."""
    sheet = Sheet(
        620,
        560,
        local(phrase("The 40-pin header: every button from its pin to ground, the strip's data and clock")),
    )
    uses = wiring(config)
    title = local(phrase("40-pin header, seen from above, the card's end up"))
    sheet.text(310, 26, title, "title", "middle")
    sheet.rect(276, 40, 68, 484, "box", 6)
    for pin in range(1, 41):
        left, y = pin % 2 == 1, 56 + 24 * ((pin - 1) // 2)
        x, edge = (294, 268) if left else (326, 352)
        use = uses.get(pin, "")
        style = next((style for start, style in STYLES if use.startswith(start)), "pale")
        if asked is not None and HEADER.get(pin) == asked:
            sheet.disc(x, y, 13, "asked")
        sheet.disc(x, y, 10, style)
        sheet.text(x, y + 4, str(pin), "on" if use else "small", "middle")
        gpio = f"GPIO {HEADER[pin]}" if pin in HEADER else ""
        words = " · ".join(part for part in ((local(use), gpio) if left else (gpio, local(use))) if part)
        sheet.text(edge, y + 4, words, "" if use else "small", "end" if left else "start")
    for x, (style, owner) in zip((24, 154, 284, 414), LEGEND, strict=True):
        sheet.disc(x + 8, 544, 8, style)
        sheet.text(x + 24, 548, local(owner))
    return sheet.svg()


def wiring(config: Config) -> dict[int, str]:
    """What every pin of the header is for, by the pin's number."""
    buttons = {
        gpio: phrase("{what}: {text}", what=OWNERS[owner], text=BUTTONS.get(name, name))
        for owner, name, gpio in config.buttons.wired()
    }
    uses = buttons | (STRIP_PINS[config.strip.bus] if config.strip.kind != "none" else {})
    return SUPPLY | {pin: uses[gpio] for pin, gpio in HEADER.items() if gpio in uses}


def pin_of(gpio: int) -> int | None:
    """The header's pin of a GPIO; None where the header has none."""
    return next((pin for pin, each in HEADER.items() if each == gpio), None)
