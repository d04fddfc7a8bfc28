"""The part list: what to order, how many, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass

from firmware.settings.config import Config


@dataclass(frozen=True)
class Part:
    """One line: how many of it the starter build needs (camera and page only) and how many the full one, and
    what one costs in euros, about, without shipping."""

    name: str
    starter: int
    full: int
    each: float
    notes: str = ""


def parts(config: Config) -> tuple[Part, ...]:
    """Every part, by the configuration's defaults."""
    buttons, leds = len(list(config.buttons.wired())), config.strip.count
    return (
        Part(
            "Raspberry Pi 4 or 5, 2 GB",
            1,
            1,
            55,
            "a 3B+ does, too; a Zero 2 W has memory enough (216 MB are used), its speed is untried",
        ),
        Part("its own supply (Pi 4: 15 W, Pi 5: 27 W)", 1, 1, 12, "by Raspberry Pi"),
        Part("card of 32 GB, A1 or better", 1, 1, 9, "of a good make: it is written to at every event"),
        Part("Camera Module 3", 1, 1, 28, "Module 2 and HQ do, too; so does a USB camera with 1600 × 1200"),
        Part("ribbon cable of 100 cm", 1, 1, 6, "a Pi 5 wants the narrow 22-pin one"),
        Part(
            "desk lamp, white, CRI 90, with baking paper before it", 2, 2, 20, "left and right of the board"
        ),
        Part("arm with a clamp, 80 cm and more", 1, 1, 30, "for camera and ribbon; copper pipe or wood do"),
        Part("push button, normally open, 24 mm", 0, buttons, 1.5, "arcade buttons; spares are cheap"),
        Part("APA102 or SK9822 pixels on wires, 50 in a row", 0, -(-leds // 50), 22, f"{leds} are used"),
        Part("74AHCT125", 0, 1, 0.8, "the Pi speaks 3.3 V, the strip hears 5 V"),
        Part("resistor of 330 Ω", 0, 2, 0.1, "at the shifter's outputs"),
        Part("capacitor of 1000 µF, 10 V", 0, 1, 0.5, "at the strip's beginning"),
        Part("supply of 5 V, 4 A", 0, 1, 14, "for the strip alone"),
        Part("fuse of 3 A with its holder", 0, 1, 3, "in the strip's plus"),
        Part("wire of 0.25 mm², 10 m", 0, 2, 4, "signals: two colours"),
        Part("wire of 0.75 mm², 5 m, red and black", 0, 1, 5, "the strip's supply"),
        Part("box, 320 × 120 × 50 mm inside", 0, 1, 15, "wood of 4 mm for the lid"),
    )


def table(config: Config) -> str:
    """The list, with its totals."""
    rows = [
        (each.name, str(each.starter or ""), str(each.full), f"{each.each:g}", each.notes)
        for each in parts(config)
    ]
    sums = [sum(count * each.each for each, count in counted) for counted in _counted(config)]
    rows.append(("**total, in euros**", f"**{sums[0]:.0f}**", f"**{sums[1]:.0f}**", "", ""))
    head = ("part", "starter", "full", "each, about", "notes")
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, tuple("---" for _ in head), *rows))


def _counted(config: Config) -> tuple[list[tuple[Part, int]], list[tuple[Part, int]]]:
    found = parts(config)
    return [(each, each.starter) for each in found], [(each, each.full) for each in found]
