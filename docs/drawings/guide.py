"""What of the build guide is made: its drawings, and the tables between ``<!-- made: NAME -->`` and ``<!--
/made -->``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from docs.drawings import parts, places, setting, wires
from docs.drawings.facts import CHECKER, LENSES, drop, power
from firmware.guided.header import HEADER, picture, wiring
from firmware.settings.config import Config

GUIDE = Path(__file__).parents[1] / "build-guide.md"
IMAGES = GUIDE.with_name("img")
AREA = 0.75
"""Square millimetres of the supply's wire that the guide advises (AWG 18 is 0.82)."""


def drawings() -> dict[Path, str]:
    """Every drawing, by its file."""
    config = Config()
    made = {
        "side": setting.side(),
        "lenses": setting.lenses(),
        "header": picture(config),
        "strip": wires.strip(config),
        "board": places.board(config),
        "hexes": places.hexes(),
        "box": places.box(config),
    }
    return {IMAGES / f"build-{name}.svg": text for name, text in made.items()}


def tables() -> dict[str, str]:
    """Every table, by the name that the guide has for it."""
    config = Config()
    return {
        "parts": parts.table(config),
        "wiring": _wiring(config),
        "leds": _leds(config),
        "lenses": _lenses(),
        "power": _power(config),
    }


def filled(text: str) -> str:
    """The guide with its tables as they have to be. Raises KeyError for a name that nobody makes."""
    made = tables()
    return re.sub(
        r"(<!-- made: (\w+) -->\n).*?(<!-- /made -->)",
        lambda found: found[1] + made[found[2]] + found[3],
        text,
        flags=re.DOTALL,
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _wiring(config: Config) -> str:
    uses = wiring(config)
    rows = [
        (use, f"GPIO {HEADER[pin]}", str(pin), "to ground" if ":" in use else "through the level shifter")
        for pin, use in uses.items()
        if pin in HEADER
    ]
    order = {"first": 0, "second": 1, "both": 2}
    rows.sort(
        key=lambda row: (order.get(row[0].partition(":")[0], 3), row[0] if ":" not in row[0] else int(row[2]))
    )
    return _table(("what", "GPIO (BCM)", "pin of the header", "the other wire"), rows)


def _leds(config: Config) -> str:
    single = {
        place: leds
        for place, leds in config.strip.map.items()
        if not re.fullmatch(r"p\d+|dice\..*|die\..*", place)
    }
    points = [config.strip.map[f"p{point}"] for point in range(1, 25)]
    rows = [("p1 to p24", places.span(tuple(led for leds in points for led in leds)))]
    for side in ("first", "second"):
        faces = tuple(led for face in range(1, 7) for led in config.strip.map[f"dice.{side}.{face}"])
        rows.append((f"dice.{side}.1 to .6", places.span(faces)))
    for number in (1, 2):
        spots = tuple(led for spot in range(1, 8) for led in config.strip.map[f"die.{number}.{spot}"])
        rows.append((f"die.{number}.1 to .7", places.span(spots)))
    rows += [(place, places.span(leds)) for place, leds in single.items()]
    used = {led for leds in config.strip.map.values() for led in leds}
    spare = tuple(led for led in range(config.strip.count) if led not in used)
    return _table(("place", "LEDs"), [*rows, ("free", places.span(spare))])


def _lenses() -> str:
    rows = [
        (
            lens.name,
            f"{lens.wide:.0f}° × {lens.high:.0f}°",
            f"{lens.width} × {lens.height}",
            f"{lens.above} cm",
            f"{lens.pixel:.2f} mm",
            f"{10 * CHECKER / lens.pixel:.0f}",
            f"{lens.lean:.0f} mm",
        )
        for lens in LENSES
    ]
    return _table(
        (
            "camera",
            "field of view",
            "`width` × `height`",
            "height above the board",
            "a pixel shows",
            "pixels to a checker",
            "lean at the edge",
        ),
        rows,
    )


def _power(config: Config) -> str:
    strip, draws = config.strip, power(config)
    lost = drop(strip.milliamps, 1.0, AREA)
    rows = [
        (
            "every LED white, no limits",
            f"{strip.count} × (3 × {strip.channel:g} + {strip.idle:g}) mA",
            f"{draws.bare:.0f} mA",
        ),
        (
            "the same with `cap`",
            f"{strip.count} × (3 × {strip.channel:g} × {strip.cap} / 255 + {strip.idle:g}) mA",
            f"{draws.capped:.0f} mA",
        ),
        ("the budget, `milliamps`", "what no frame exceeds, whatever is asked", f"{strip.milliamps:.0f} mA"),
        ("every LED dark", f"{strip.count} × {strip.idle:g} mA", f"{strip.count * strip.idle:.0f} mA"),
        (
            f"lost in 1 m of {AREA:g} mm² wire",
            f"{strip.milliamps / 1000:g} A × 2 × 1 m × 0.0172 Ω mm²/m / {AREA:g} mm²",
            f"{lost:.2f} V",
        ),
    ]
    return _table(("what", "arithmetic", "is"), rows)
