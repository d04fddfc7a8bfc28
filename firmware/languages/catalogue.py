"""A catalogue: one language's words, numbers and dates.

The files are read as people edit them (``.po``, by Babel), once for each language that somebody reads.
"""

from __future__ import annotations

import gettext
import json
import unicodedata
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path

from engine.outside import OVERRIDES

FOLDER = Path(__file__).parent / "catalogues"
ENGLISH = "en"
NAMES: Mapping[str, str] = {
    ENGLISH: "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "tr": "Türkçe",
    "el": "Ελληνικά",
    "ru": "Русский",
    "ja": "日本語",
    "he": "עברית",
}
"""Every language by its code, called as its readers call it."""
RIGHT_TO_LEFT = ("he",)


class LanguageCatalogue:
    """One language. Keeps :class:`engine.messages.Language`."""

    def __init__(
        self,
        code: str,
        words: Mapping[str, str],
        counted: Mapping[str, tuple[str, ...]],
        plural: str,
        scripts: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.code = code
        self._words = words
        self._counted = counted
        self._plural = plural
        self._scripts = scripts or {}
        """For each message of a page the scripts that say it."""

    @property
    def direction(self) -> str:
        """``ltr`` or ``rtl``, as HTML has it."""
        return "rtl" if self.code in RIGHT_TO_LEFT else "ltr"

    @cached_property
    def _form(self) -> Callable[[int], int]:
        form: Callable[[int], int] = gettext.c2py(self._plural)
        return form

    def gettext(self, message: str, /) -> str:
        """The pattern for ``message``, in English where there is none."""
        return self._words.get(message, message)

    def ngettext(self, one: str, many: str, n: int, /) -> str:
        """The pattern for so many."""
        forms = self._counted.get(one)
        if forms is None:
            return one if n == 1 else many
        return forms[self._form(n)]

    def set_in(self, text: str, /) -> str:
        """A name, a play or dice as they stand in a sentence: each keeps its own direction, and the sentence
        its own around a name from right to left, or with marks in it that would turn what follows."""
        text = text.translate(OVERRIDES)
        turns = any(unicodedata.bidirectional(each) in ("R", "AL") for each in text)
        if turns:
            return f"\u2068{text}\u2069"
        return f"\u2066{text}\u2069" if text and self.direction == "rtl" else text  # a play has no letters

    def number(self, value: float, places: int = 0) -> str:
        """A number as this language writes it, with so many places after its comma."""
        if self.code == ENGLISH:
            return f"{value:,.{places}f}"
        from babel.numbers import format_decimal  # only whoever shows one waits for it

        text: str = format_decimal(value, "#,##0" + ("." + "0" * places if places else ""), locale=self.code)
        return text

    def date(self, at: datetime) -> str:
        """A day as this language writes it: ``3 Nov 2026``."""
        from babel.dates import format_date

        return format_date(at, "medium", locale=self.code)

    def script(self, files: Collection[str]) -> str:
        """What these scripts of a page get of it: their words, and which form a number takes."""
        mine = {name for name, scripts in self._scripts.items() if not scripts.isdisjoint(files)}
        words: dict[str, str | tuple[str, ...]] = {
            **{name: text for name, text in self._words.items() if name in mine},
            **{name: forms for name, forms in self._counted.items() if name in mine},
        }
        given = json.dumps(words, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return f"globalThis.barpointWords={{plural:(n)=>Number({self._plural}),words:{given}}};\n"


@lru_cache(maxsize=len(NAMES))
def catalogue(code: str) -> LanguageCatalogue:
    """The catalogue of a language in :data:`NAMES`. The first time takes some hundredths of a second."""
    if code == ENGLISH:
        return LanguageCatalogue(ENGLISH, {}, {}, "(n != 1)")
    from babel.messages.pofile import read_po

    with path_of(code).open("rb") as file:
        found = read_po(file, locale=code)
    words, counted, scripts = {}, {}, {}
    for message in found:
        if not message.id or message.fuzzy:
            continue
        name = message.id if isinstance(message.id, str) else message.id[0]
        scripts[name] = frozenset(
            Path(str(place)).name for place, _ in message.locations if str(place).endswith(".js")
        )
        if isinstance(message.id, str):
            if message.string:
                words[name] = str(message.string)
        elif message.string and all(message.string):
            counted[name] = tuple(message.string)
    return LanguageCatalogue(code, words, counted, str(found.plural_expr), scripts)


def path_of(code: str) -> Path:
    """Where a language's catalogue lies."""
    return FOLDER / f"{code}.po"
