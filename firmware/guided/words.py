"""What the guides find, in words for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firmware.guided.button_guide import ButtonOutcome, How, exchanged
from firmware.guided.header import pin_of
from firmware.guided.lamp_guide import LampFault, LampGuide, Question
from hardware.buttons import Wire

PLACES = {
    "bar": "the bar",
    "off": "the tray",
    "player": "the player's lamps",
    "cube": "the cube",
    "dice": "the die",
    "row": "row",
    "column": "column",
    "first": "first side",
    "second": "second side",
}


def button(wire: Wire) -> str:
    """A button with its place: whose, what, GPIO, pin of the header."""
    return f"{wire.side or 'shared'}: {wire.button} (GPIO {wire.pin}, pin {pin_of(wire.pin) or '?'})"


def place(name: str) -> str:
    """A lamp's place."""
    if name[:1] == "p" and name[1:].isdigit():
        return f"point {name[1:]}"
    return ", ".join(PLACES.get(part, part) for part in name.split("."))


def outcome(found: ButtonOutcome, debounce: float) -> str:
    """What became of one button, and what to do."""
    if found.how is How.OTHER and found.other is not None:
        return f"{button(found.other)} answered in its place; exchange wires, or pins in [buttons]"
    return {
        How.WELL: "works",
        How.SKIPPED: "not heard: is it wired to this pin and to ground?",
        How.BOUNCES: f"one press counted more than once: it bounces longer than {1000 * debounce:g} ms;"
        " use another button, solder its wires again, or raise debounce in [buttons]",
        How.STUCK: "stays down; is it jammed, or does its wire touch ground?",
    }[found.how]


def wires(outcomes: Sequence[ButtonOutcome]) -> Iterator[str]:
    """What all buttons together say about the wiring."""
    for one, other in exchanged(outcomes):
        yield f"exchange the wires of {button(one)} and {button(other)}, or their numbers in [buttons]"


def question(asked: Question) -> str:
    """What is asked about the lamps."""
    if asked.kind in ("red", "green"):
        return f"Is the whole strip {asked.kind} now, and nothing of it dark?"
    if asked.kind == "last":
        return "Does one lamp shine, the very last of the strip?"
    if asked.kind == "any":
        return f"Does any lamp shine? (number {asked.leds[0][0]})"
    if asked.kind == "where":
        return f"This is {place(asked.places[0])}: do you see the light there?"
    if len(asked.places) == 1:
        return f"Do you see the light at {place(asked.places[0])}?"
    named = ", then ".join(place(each) for each in (asked.places[0], asked.places[-1]))
    several = f"along {len(asked.places)} places: {place(asked.places[0])} to {place(asked.places[-1])}"
    return f"Does the light go {several if len(asked.places) > 2 else named}, in this order?"


def lamp_fault(found: LampFault, guide: LampGuide) -> str:
    """What is wrong with the lamps, and what to do."""
    if found.kind == "colours":
        return "the colours are wrong, or some lamps are dark; does kind in [strip] name this strip?"
    if found.kind == "count":
        return (
            f"only {found.number} of {guide.count} LEDs shine: count in [strip] is too large, or the strip is"
            f" broken behind LED {found.number - 1}"
            if found.number
            else "no LED shines: 5 V, ground, data on pin 19 and clock on pin 23? Data goes in where the"
            " arrow begins"
        )
    if found.kind == "dark":
        return f"{place(found.place)}: no light (LED {_leds(guide.map[found.place])})"
    return f"{place(found.place)}: its light is at {place(found.seen)}"


def map_lines(guide: LampGuide) -> Iterable[str]:
    """The corrected places as lines of ``[strip.map]``."""
    return [f"{name} = {_leds(leds)}" for name, leds in guide.corrected().items()]


def _leds(leds: Sequence[int]) -> str:
    if len(leds) == 1:
        return str(leds[0])
    whole = list(leds) == list(range(leds[0], leds[-1] + 1))
    return f'"{leds[0]}-{leds[-1]}"' if whole else str(list(leds))
