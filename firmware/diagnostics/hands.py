"""``barpoint doctor --hands``: what only hands and eyes can try, step by step on a terminal.

:mod:`firmware.guided` knows what to ask and what the answers mean; here the devices are opened, and somebody
sits at the terminal. All devices are let go and the lamps dark again, also when it is broken off.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from engine.messages import joined, phrase, phrase_number
from firmware.diagnostics.doctor import Finding
from firmware.errors import BadInput
from firmware.guided import words
from firmware.guided.button_guide import ButtonGuide, How
from firmware.guided.lamp_guide import NO, NOWHERE, YES, LampGuide, LampQuestion
from firmware.guided.waving import Waving
from firmware.settings.config import Config
from firmware.settings.lamp_settings import LampSettings
from firmware.table import drivers
from hardware.buttons import GpioButtons, Wire, pin_factory
from hardware.contact import Timing
from hardware.protocols import Buttons, Camera, Clock, DeviceError, Heard, Lights, Pressed
from hardware.strip import OFF

PAUSE = 0.05
"""Seconds between two looks at the buttons, or two frames of the strip."""
WAVES = 3
"""Places at which a hand must be seen before all is well."""


class Person(Protocol):
    """Who sits at the terminal."""

    def tell(self, text: str) -> None:
        """Shows a line."""

    def line(self, wait: float) -> str | None:
        """The line that was typed within ``wait`` seconds, without its end; None: none yet. Raises
        EOFError where nobody can type any more."""


def try_all(config: Config, lamps: LampSettings, person: Person) -> Iterator[Finding]:
    """Buttons, then lamps, then the camera. What cannot be opened is a finding."""
    parts: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("buttons", lambda: _buttons(config, person)),
        ("lights", lambda: _lights(config, lamps, person)),
        ("camera", lambda: _camera(config, person)),
    )
    for part, tried in parts:
        try:
            yield from tried()
        except (DeviceError, BadInput) as error:
            yield Finding(part, False, str(error))


def _buttons(config: Config, person: Person) -> Iterator[Finding]:
    wires = [dataclasses.replace(wire, held=None) for wire in drivers.button_wires(config)]
    if config.buttons.factory == "none" or not wires:
        yield Finding("buttons", None, phrase("none are configured"))
        return
    timing = Timing(config.buttons.debounce, config.buttons.hold, config.buttons.stuck)
    box = GpioButtons(wires, pin_factory(config.buttons.factory), time.monotonic, timing)
    try:
        yield from press_each(box, wires, config.buttons.debounce, person, time.monotonic)
    finally:
        box.close()


def press_each(
    box: Buttons, wires: list[Wire], debounce: float, person: Person, now: Clock
) -> Iterator[Finding]:
    """Asks for each button of the ``box``; a finding for each."""
    guide, heard, lock = ButtonGuide(wires), list[tuple[float, Wire]](), threading.Lock()
    known = {(wire.side, wire.button): wire for wire in wires}

    def hear(what: Heard) -> None:
        if isinstance(what, Pressed):
            with lock:
                heard.append((now(), known[what.side, what.button]))

    box.listen(hear)
    person.tell(
        phrase("Press each of {n} buttons once. Enter goes on to the next, Ctrl-C ends.", n=len(wires))
    )
    asked: Wire | None = None
    told: Wire | None = None
    ended = 0
    while True:
        faults = box.check()
        with lock:
            presses, heard[:] = heard[:], []
        for t, wire in presses:
            guide.hear(t, wire)
        guide.look(now(), box.down(), faults)
        for found in guide.outcomes[ended:]:
            yield Finding(
                "button",
                found.how is How.WELL,
                phrase(
                    "{button}: {outcome}",
                    button=words.button(found.wire),
                    outcome=words.outcome(found, debounce),
                ),
            )
        ended = len(guide.outcomes)
        if guide.asked is None:
            break
        if guide.asked is not asked:
            asked, told = guide.asked, None
            person.tell(phrase("→ {button}", button=words.button(asked)))
        if guide.other is not told:
            told = guide.other
            person.tell(
                phrase(
                    "  That was {button}. If you did press the right one: Enter.", button=words.button(told)
                )
                if told
                else ""
            )
        if person.line(PAUSE) is not None:
            guide.skip()
    for each in words.wires(guide.outcomes):
        yield Finding("buttons", False, each)


def _lights(config: Config, lamps: LampSettings, person: Person) -> Iterator[Finding]:
    strip = drivers.make_strip(config)
    if strip is None:
        yield Finding("lights", None, phrase("none are configured"))
        return
    try:
        yield from see_each(strip, lamps, person, time.monotonic)
    finally:
        strip.close()


def see_each(strip: Lights, lamps: LampSettings, person: Person, now: Clock) -> Iterator[Finding]:
    """Lights the ``strip`` piece by piece, and asks; a finding for each fault, or one that all is well."""
    guide = LampGuide(lamps.map, strip.count)
    skipped = 0
    person.tell(
        phrase(
            "Lamps: Enter is yes, n is no, s goes on without an answer. Points as the first player counts"
            " them."
        )
    )
    while (asked := guide.question) is not None:
        question = words.question(asked)
        if asked.kind == "where":
            question = phrase(
                "{question} (Enter: yes; 0: nowhere; or where it is: 7 for point 7, bar.first …)",
                question=question,
            )
        person.tell(question)
        said = _shine(strip, asked, person, now).strip().lower()
        if said == "s":
            skipped += 1
            guide.skip()
            continue
        try:
            guide.answer(_answer(asked, said))
        except BadInput as error:
            person.tell(joined("", ("  ", str(error))))
    strip.show([OFF] * strip.count)
    for fault in guide.faults:
        yield Finding("lights", False, words.lamp_fault(fault, guide))
    lines = list(words.map_lines(guide))
    if lines:
        person.tell(phrase("In [strip.map] of the configuration, or on the page under Set up:"))
        for line in lines:
            person.tell(f"    {line}")
    if not guide.faults:
        yield Finding(
            "lights",
            True if not skipped else None,
            phrase("{n} LEDs; questions left out: {skipped}", n=strip.count, skipped=skipped),
        )


def _shine(strip: Lights, asked: LampQuestion, person: Person, now: Clock) -> str:
    begun = now()
    while True:
        strip.show(asked.frame(now() - begun, strip.count))
        said = person.line(PAUSE)
        if said is not None:
            return said


def _answer(asked: LampQuestion, said: str) -> str:
    if said in ("", "y", "yes"):
        return YES
    if said in ("n", "no"):
        return NOWHERE if asked.kind == "where" else NO
    return f"p{said}" if said.isdigit() and said != NOWHERE else said


def _camera(config: Config, person: Person) -> Iterator[Finding]:
    camera = drivers.make_camera(config, time.monotonic)
    if camera is None:
        yield Finding("camera", None, phrase("none is configured"))
        return
    try:
        yield from wave(camera, person)
    finally:
        camera.close()


def wave(camera: Camera, person: Person) -> Iterator[Finding]:
    """Waits until a hand was seen at several places of the picture."""
    person.tell(
        phrase(
            "Camera: hold a hand over the board, here and there, until {n} places are seen. Enter ends.",
            n=WAVES,
        )
    )
    waving, places, whole = Waving(), set[tuple[str, str]](), False
    while len(places) < WAVES:
        seen = waving.look(camera.read().pixels)
        if seen is not None and (seen.across, seen.down) not in places:
            places.add((seen.across, seen.down))
            person.tell(joined("", ("  ", words.seen(seen))))
        if waving.whole and not whole:
            whole = True
            person.tell(phrase("  the whole picture changed: a lamp, or the camera moves; fix it to its arm"))
        if person.line(0) is not None:
            break
    well = len(places) >= WAVES
    found = phrase_number("a hand was seen at {n} place", "a hand was seen at {n} places", len(places))
    if not well:
        found = phrase("{found}; was the hand below the camera, and is the lamp on?", found=found)
    yield Finding("camera", well, found)
