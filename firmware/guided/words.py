"""What the guides find, in words for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.messages import joined, phrase
from firmware.guided.button_guide import ButtonOutcome, How, exchanged
from firmware.guided.header import pin_of
from firmware.guided.lamp_guide import LampFault, LampGuide, LampQuestion
from firmware.guided.waving import WaveSeen
from hardware.buttons import Wire

PLACES = {
    "bar": phrase("the bar"),
    "off": phrase("the tray"),
    "player": phrase("the player's lamps"),
    "cube": phrase("the cube"),
    "dice": phrase("the die"),
    "row": phrase("row"),
    "column": phrase("column"),
    "first": phrase("first side"),
    "second": phrase("second side"),
}


def button(wire: Wire) -> str:
    """A button with its place: whose, what, GPIO, pin of the header."""
    return phrase(
        "{side}: {button} (GPIO {gpio}, pin {pin})",
        side=wire.side or phrase("shared"),
        button=wire.button,
        gpio=wire.pin,
        pin=pin_of(wire.pin) or "?",
    )


def place(name: str) -> str:
    """A lamp's place."""
    if name[:1] == "p" and name[1:].isdigit():
        return phrase("point {point}", point=name[1:])
    return joined(", ", [PLACES.get(part, part) for part in name.split(".")])


def outcome(found: ButtonOutcome, debounce: float) -> str:
    """What became of one button, and what to do."""
    if found.how is How.OTHER and found.other is not None:
        return phrase(
            "{button} answered in its place; exchange wires, or pins in [buttons]", button=button(found.other)
        )
    return {
        How.WELL: phrase("works"),
        How.SKIPPED: phrase("not heard: is it wired to this pin and to ground?"),
        How.BOUNCES: phrase(
            "one press counted more than once: it bounces longer than {time} ms; use another button, solder"
            " its wires again, or raise debounce in [buttons]",
            time=f"{1000 * debounce:g}",
        ),
        How.STUCK: phrase("stays down; is it jammed, or does its wire touch ground?"),
    }[found.how]


def wires(outcomes: Sequence[ButtonOutcome]) -> Iterator[str]:
    """What all buttons together say about the wiring."""
    for one, other in exchanged(outcomes):
        yield phrase(
            "exchange the wires of {one} and {other}, or their numbers in [buttons]",
            one=button(one),
            other=button(other),
        )


def question(asked: LampQuestion) -> str:
    """What is asked about the lamps."""
    if asked.kind == "red":
        return phrase("Is the whole strip red now, and nothing of it dark?")
    if asked.kind == "green":
        return phrase("Is the whole strip green now, and nothing of it dark?")
    if asked.kind == "last":
        return phrase("Does one lamp shine, the very last of the strip?")
    if asked.kind == "any":
        return phrase("Does any lamp shine? (number {n})", n=asked.leds[0][0])
    first, last = place(asked.places[0]), place(asked.places[-1])
    if asked.kind == "where":
        return phrase("This is {place}: do you see the light there?", place=first)
    if len(asked.places) == 1:
        return phrase("Do you see the light at {place}?", place=first)
    if len(asked.places) == 2:
        return phrase("Does the light go {first}, then {last}, in this order?", first=first, last=last)
    return phrase(
        "Does the light go along {n} places, {first} to {last}, in this order?",
        n=len(asked.places),
        first=first,
        last=last,
    )


def seen(found: WaveSeen) -> str:
    """Where something moved."""
    across = {
        "left": phrase("on the left"),
        "middle": phrase("in the middle"),
        "right": phrase("on the right"),
    }[found.across]
    down = {
        "top": phrase("seen at the top of the picture, {across}", across=across),
        "middle": phrase("seen in the middle of the picture, {across}", across=across),
        "bottom": phrase("seen at the bottom of the picture, {across}", across=across),
    }
    return down[found.down]


def lamp_fault(found: LampFault, guide: LampGuide) -> str:
    """What is wrong with the lamps, and what to do."""
    if found.kind == "colours":
        return phrase("the colours are wrong, or some lamps are dark; does kind in [strip] name this strip?")
    if found.kind == "count" and found.number:
        return phrase(
            "only {shining} of {count} LEDs shine: count in [strip] is too large, or the strip is broken"
            " behind LED {last}",
            shining=found.number,
            count=guide.count,
            last=found.number - 1,
        )
    if found.kind == "count":
        return phrase(
            "no LED shines: 5 V, ground, data on pin 19 and clock on pin 23? Data goes in where the arrow"
            " begins"
        )
    if found.kind == "dark":
        return phrase(
            "{place}: no light (LED {led})", place=place(found.place), led=_leds(guide.map[found.place])
        )
    return phrase("{place}: its light is at {other}", place=place(found.place), other=place(found.seen))


def map_lines(guide: LampGuide) -> Iterable[str]:
    """The corrected places as lines of ``[strip.map]``."""
    return [f"{name} = {_leds(leds)}" for name, leds in guide.corrected().items()]


def _leds(leds: Sequence[int]) -> str:
    if len(leds) == 1:
        return str(leds[0])
    whole = list(leds) == list(range(leds[0], leds[-1] + 1))
    return f'"{leds[0]}-{leds[-1]}"' if whole else str(list(leds))
