"""Brings every catalogue up to date with the source: ``python -m firmware.languages``.

New messages are added without a translation, those that the source no longer has are taken out, and what is
missing is listed. ``--missing de`` lists one language's missing messages alone, and changes nothing. Needs a
checkout: an installed Barpoint has no source to look through.
"""

from __future__ import annotations

import argparse
import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from firmware.languages.catalogue import ENGLISH, FOLDER, NAMES, path_of
from firmware.languages.extract import Words, messages
from firmware.languages.help_texts import OF_CLICK

ROOT = Path(__file__).parents[2]
WIDTH = 110
NO_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""What stands in a catalogue that must have a day, and be the same tomorrow."""


def updated(code: str, source: dict[Words, list[str]]) -> Catalog:
    """A language's catalogue with exactly the messages of the source; what was translated stays."""
    path = path_of(code)
    old = Catalog(locale=code)
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, locale=code)
    new = Catalog(locale=code, fuzzy=False)
    for words, places in sorted(source.items(), key=lambda each: (each[1][0], str(each[0]))):
        known = old.get(words)
        text = known.string if known is not None and known.id == words else ""
        new.add(words, text or None, locations=[(place, 0) for place in places])
    return new


def missing(catalog: Catalog) -> list[Words]:
    """The messages without a translation."""
    return [
        each.id if isinstance(each.id, str) else tuple(each.id)
        for each in catalog
        if each.id and not (all(each.string) if isinstance(each.string, (tuple, list)) else each.string)
    ]


def write(code: str, catalog: Catalog) -> None:
    """Writes a catalogue: sorted, with the files that each message is in. Its header says how the language
    counts, and nothing that changes from one day to the next."""
    raw = io.BytesIO()
    write_po(raw, catalog, width=WIDTH, omit_header=True, include_lineno=False)
    head = [
        f"# {NAMES[code]}",
        'msgid ""',
        'msgstr ""',
        f'"Language: {code}\\n"',
        f'"Plural-Forms: {catalog.plural_forms}\\n"',
        '"Content-Type: text/plain; charset=utf-8\\n"',
        '"Content-Transfer-Encoding: 8bit\\n"',
        "",
        "",
    ]
    path_of(code).write_text("\n".join(head) + raw.getvalue().decode(), encoding="utf-8")


def write_click(code: str, catalog: Catalog) -> None:
    """Writes what click shows of a catalogue where gettext looks for it."""
    path = FOLDER / code / "LC_MESSAGES" / "messages.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_mo(file, of_click(code, catalog))


def of_click(code: str, catalog: Catalog) -> Catalog:
    """Click's own words of a catalogue."""
    own = Catalog(locale=code, fuzzy=False, creation_date=NO_DAY, revision_date=NO_DAY)
    for each in OF_CLICK:
        found = catalog.get(each)
        if found is not None:
            own.add(found.id, found.string)
    return own


def main() -> int:
    """Runs the command; 1 where something is missing."""
    parser = argparse.ArgumentParser(prog="python -m firmware.languages", description=__doc__)
    parser.add_argument("--missing", metavar="CODE", help="list what this language has no words for")
    wanted = parser.parse_args().missing
    source = messages(ROOT)
    lacking = 0
    for code in [wanted] if wanted else [code for code in NAMES if code != ENGLISH]:
        catalog = updated(code, source)
        if not wanted:
            write(code, catalog)
            write_click(code, catalog)
        for words in missing(catalog):
            lacking += 1
            print(f"{code}: {words!r}")
    print(f"{len(source)} messages, {lacking} translations missing", file=sys.stderr)
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
