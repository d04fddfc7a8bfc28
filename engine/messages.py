"""Text that can be said in any language.

A message is a ``str``: in a log, in a journal, for a program it reads in English, as ever. It also remembers
what it was made of, a pattern and what stands in it, so that whoever shows it to somebody can say it in that
reader's language. No language is chosen here, and no catalogue is read: two who look at one table may read
two languages (``firmware.languages`` has the catalogues).

    phrase("{player} rolls {dice}", player="Anna", dice="5-2")       -> "Anna rolls 5-2"
    phrase_number("{n} point", "{n} points", 2)                      -> "2 points"

The patterns are found in the source (``python -m firmware.languages``), so they stand there whole, never
glued together: what is put together of messages is a message with messages in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol


class Language(Protocol):
    """A catalogue, as :mod:`gettext` has them: a pattern in English gives the one in its language."""

    def gettext(self, message: str, /) -> str:
        """The pattern for ``message``; itself where there is none."""

    def ngettext(self, one: str, many: str, n: int, /) -> str:
        """The pattern for so many."""

    def set_in(self, text: str, /) -> str:
        """A name, a play or dice as they stand in a sentence of this language."""


class Text(str):
    """What can be said in another language; its own value is English. ``str()`` of it, and of an error that
    was raised with it, is the same Text."""

    def __str__(self) -> str:
        """Itself, not a plain copy."""
        return self

    def told(self, language: Language) -> str:
        """The text in ``language``."""
        return str.__str__(self)


class Message(Text):
    """A pattern with what stands in it."""

    pattern: str
    many: str
    """The pattern for more than one; "" where nothing is counted."""
    given: Mapping[str, Any]

    def told(self, language: Language) -> str:
        """The pattern of ``language``, filled."""
        pattern = (
            language.ngettext(self.pattern, self.many, self.given["n"])
            if self.many
            else language.gettext(self.pattern)
        )
        given = {name: _set_in(value, language) for name, value in self.given.items()}
        try:
            return pattern.format(**given)
        except (LookupError, ValueError):  # a catalogue that somebody has edited wrongly
            return self.pattern.format(**given)


class Joined(Text):
    """Texts, one after the other."""

    separator: str
    parts: tuple[str, ...]

    def told(self, language: Language) -> str:
        """Every part in ``language``."""
        return str(told(self.separator, language)).join(_set_in(part, language) for part in self.parts)


class Sentence(Text):
    """A text that begins with a capital letter."""

    text: Text

    def told(self, language: Language) -> str:
        """The same in ``language``."""
        return _capital(self.text.told(language))


def told(value: Any, language: Language) -> Any:
    """``value`` in ``language`` if it is a text; any other as it is."""
    return value.told(language) if isinstance(value, Text) else value


def translated(data: Any, language: Language) -> Any:
    """JSON-ready data with every text in it in ``language``."""
    if isinstance(data, Mapping):
        return {name: translated(value, language) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [translated(each, language) for each in data]
    return told(data, language)


def to_data(value: Any) -> Any:
    """JSON-ready data from which :func:`from_data` makes a text again; others as they are."""
    match value:
        case Message():
            given = {name: to_data(each) for name, each in value.given.items()}
            return {"pattern": value.pattern, "many": value.many, "given": given}
        case Joined():
            return {"separator": to_data(value.separator), "parts": [*map(to_data, value.parts)]}
        case Sentence():
            return {"sentence": to_data(value.text)}
    return value


def from_data(data: Any) -> Any:
    """The text that was kept so. Raises LookupError, TypeError or ValueError where it is no such data."""
    if not isinstance(data, dict):
        return data
    if "sentence" in data:
        return sentence(from_data(data["sentence"]))
    if "parts" in data:
        return joined(from_data(data["separator"]), map(from_data, data["parts"]))
    given = {name: from_data(each) for name, each in data["given"].items()}
    if data["many"]:
        return phrase_number(data["pattern"], data["many"], given.pop("n"), **given)
    return phrase(data["pattern"], **given)


def phrase(pattern: str, /, **given: Any) -> Message:
    """A message: ``given`` stands where the pattern names it."""
    message = Message(pattern.format(**given))
    message.pattern, message.many, message.given = pattern, "", given
    return message


def phrase_number(one: str, many: str, n: int, /, **given: Any) -> Message:
    """A message about ``n`` things, which the patterns call ``{n}``."""
    given["n"] = n
    message = Message((one if n == 1 else many).format(**given))
    message.pattern, message.many, message.given = one, many, given
    return message


def joined(separator: str, parts: Iterable[str]) -> str:
    """The parts with ``separator`` between them, itself one where it has words in it."""
    parts = tuple(parts)
    if len(parts) == 1:
        return parts[0]
    text = Joined(separator.join(parts))
    text.separator, text.parts = separator, parts
    return text


def sentence(text: str) -> str:
    """The text with a capital letter at its beginning."""
    if not isinstance(text, Text):
        return _capital(text)
    made = Sentence(_capital(text))
    made.text = text
    return made


def all_of(parts: Sequence[str]) -> str:
    """``7, 8 and 11``."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    return phrase("{some} and {last}", some=joined(phrase(", "), parts[:-1]), last=parts[-1])


def one_of(parts: Sequence[str]) -> str:
    """``13/7, or 24/18``."""
    return joined(phrase(", or "), parts)


class _SetIn(str):
    """A value as it stands in a sentence, also where the pattern quotes it (``{name!r}``)."""

    quoted: str

    def __repr__(self) -> str:
        return self.quoted


def _set_in(value: Any, language: Language) -> Any:
    if isinstance(value, Text):
        return value.told(language)
    if isinstance(value, (int, float)):
        return value
    made = _SetIn(language.set_in(str(value)))
    made.quoted = language.set_in(repr(value))
    return made


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
