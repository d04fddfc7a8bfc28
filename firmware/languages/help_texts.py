"""The command line's help in the reader's language. click keeps it in English, as it stands in the source;
its own words (``Usage:``, ``Missing option``) it takes from a catalogue where :mod:`gettext` looks for one,
``catalogues/de/LC_MESSAGES/messages.mo``, which is made of ours.
"""

from __future__ import annotations

import copy
import gettext
import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from engine.messages import phrase
from firmware.languages.catalogue import FOLDER, LanguageCatalogue, catalogue
from firmware.languages.choice import of_terminal, reader, reading

AnyCommand = TypeVar("AnyCommand", bound=click.Command)

AS_IT_STANDS = "\b\n"
"""What a paragraph begins with whose lines click leaves alone: examples of commands."""
EXAMPLE = phrase("Example:")
OF_CLICK: tuple[str | tuple[str, str], ...] = (
    "Usage:",
    "Options",
    "Commands",
    "Show this message and exit.",
    "default: {default}",
    "required",
    "file",
    "directory",
    "path",
    "Missing command.",
    "Missing argument",
    "Missing option",
    "Choose from:\n\t{choices}",
    "No such option {name!r}.",
    "Invalid value: {message}",
    "Invalid value for {param_hint}: {message}",
    "{value!r} is not a valid {number_type}.",
    "{value} is not in the range {range}.",
    "{name} {filename!r} does not exist.",
    "{name} {filename!r} is a file.",
    "{name} {filename!r} is a directory.",
    "{name} {filename!r} is not readable.",
    "{name} {filename!r} is not writable.",
    "Option {name!r} does not take a value.",
    "Argument {name!r} takes {nargs} values.",
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ("Takes {nargs} values but 1 was given.", "Takes {nargs} values but {len} were given."),
)
"""What people meet of click's own words, as it writes them (8.1 to 8.5); what is not here is in English."""


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a help text, each on one line; an example as it stands."""
    return [
        part if part.startswith(AS_IT_STANDS) else " ".join(part.split())
        for part in inspect.cleandoc(text).split("\n\n")
    ]


def in_language(command: AnyCommand) -> AnyCommand:
    """A copy of ``command`` whose help is in the language of :data:`firmware.languages.choice.reader`."""
    language = catalogue(reader.get())
    told = copy.copy(command)
    told.help = _told(command.help, language)
    told.params = [copy.copy(each) for each in command.params]
    for each in told.params:
        if isinstance(each, click.Option):
            each.help = _told(each.help, language)
    return told


@contextmanager
def terminal_language() -> Iterator[None]:
    """Meanwhile the terminal's language is that of the environment, also in click's own words."""
    before = os.environ.get("LANGUAGE")
    try:
        with reading(of_terminal()):
            speak(reader.get())
            yield
    finally:
        os.environ.pop("LANGUAGE", None)
        if before is not None:
            os.environ["LANGUAGE"] = before


def speak(code: str) -> None:
    """From now on the terminal's language is this one."""
    reader.set(code)
    os.environ["LANGUAGE"] = code  # the only thing that gettext asks
    gettext.bindtextdomain(gettext.textdomain(), FOLDER)


def _told(text: str | None, language: LanguageCatalogue) -> str | None:
    if text is None:
        return None
    return "\n\n".join(
        part.replace(EXAMPLE, language.gettext(EXAMPLE))
        if part.startswith(AS_IT_STANDS)
        else language.gettext(part)
        for part in paragraphs(text)
    )
