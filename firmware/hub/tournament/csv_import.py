"""Players and pairings out of other programs, as CSV: whatever a spreadsheet, or a program that makes draws,
writes. The first line names the columns; their order, upper case, and columns that are not known do not
matter. Comma, semicolon or tab, with or without a byte order mark."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.tournament.apply import apply
from firmware.hub.tournament.changes import MOST_ENTRIES, Enter
from firmware.hub.tournament.model import BYE, Tournament
from firmware.wording import spelt

LARGEST = 256 * 1024
"""Characters of a file."""

NAMES: dict[str, tuple[str, ...]] = {
    "player": ("player", "name", "full name", "player name", "spieler", "joueur", "nom"),
    "family": ("last name", "surname", "family name", "nachname", "lastname"),
    "given": ("first name", "given name", "vorname", "firstname"),
    "club": ("club", "team", "verein"),
    "city": ("city", "ort", "ville"),
    "country": ("country", "federation", "land", "pays"),
    "rating": ("rating", "elo", "rtg"),
    "seed": ("seed", "seeding", "rank", "setzplatz"),
    "first": ("first", "player 1", "player1", "white", "home", "p1", "name 1"),
    "second": ("second", "player 2", "player2", "black", "away", "p2", "name 2"),
    "table": ("table", "board", "tisch"),
}
"""What other programs call the columns."""
_NUMBER = re.compile(r"(?:([0-9])[.,](?=[0-9]{3}$))?([0-9]{1,6})(?:[.,]([0-9]+))?")
"""``1500``, ``1500.5``, ``1500,5``; and ``1,500``, which no program means as one and a half."""


def players(text: str, event: Tournament) -> list[Enter]:
    """The entries of a file into ``event``, all of number 0: the desk gives them theirs. Raises BadInput with
    the line."""
    made: list[Enter] = []
    last = max((each.number for each in event.entries), default=0)
    rows = _rows(text)
    if len(rows) > MOST_ENTRIES:
        raise BadInput(
            phrase(
                "{count} players: a tournament has at most {most} entries", count=len(rows), most=MOST_ENTRIES
            )
        )
    for line, row in rows:
        name = row.get("player") or " ".join(
            part for part in (row.get("given", ""), row.get("family", "")) if part
        )
        if not name:
            raise BadInput(
                phrase(
                    "line {line}: no player; name a column player (or first name and last name)", line=line
                )
            )
        rating, seed = (
            _number(row.get("rating", ""), line, "rating"),
            _number(row.get("seed", ""), line, "seed"),
        )
        if seed is not None and seed != int(seed):
            raise BadInput(
                phrase("line {line}: seed {seed!r} is no whole number", line=line, seed=row["seed"])
            )
        made.append(
            Enter(
                0,
                name,
                row.get("club") or row.get("city") or row.get("country", ""),
                rating,
                None if seed is None else int(seed),
            )
        )
        event = _entered(event, replace(made[-1], number=last + len(made)), line)
    return made


def _entered(event: Tournament, entry: Enter, line: int) -> Tournament:
    """The tournament with a line's player. Raises BadInput with the line."""
    try:
        return apply(event, entry)
    except BadInput as error:
        if event.closed:  # that is no fault of this line
            raise
        raise BadInput(phrase("line {line}: {error}", line=line, error=str(error))) from error


def pairs(text: str, event: Tournament) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """The pairs of a file's lines, as entries of ``event`` by their names, and their tables, "" for none.
    "bye", or nothing, is a bye. Raises BadInput with the line."""
    numbers = {each.name.casefold(): each.number for each in event.entries}
    made: list[tuple[int, int]] = []
    tables: list[str] = []
    for line, row in _rows(text):
        if "first" not in row or "second" not in row:
            raise BadInput(
                phrase("line {line}: name two columns first and second (or player 1 and player 2)", line=line)
            )
        sides = []
        for side in (row["first"], row["second"]):
            if side.casefold() in ("", "bye", "-"):
                sides.append(BYE)
                continue
            number = numbers.get(spelt(side).casefold())
            if number is None:
                raise BadInput(
                    phrase(
                        "line {line}: {side} has not entered; enter the player, or correct the name",
                        line=line,
                        side=side,
                    )
                )
            sides.append(number)
        made.append((sides[0], sides[1]))
        tables.append(row.get("table", ""))
    return tuple(made), tuple(tables)


def _rows(text: str) -> list[tuple[int, Mapping[str, str]]]:
    """The lines that say something, by our names for the columns, each with its number in the file."""
    if len(text) > LARGEST:
        raise BadInput(phrase("the file is larger than {most} characters", most=LARGEST))
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    head = text.partition("\n")[0]
    between = max(",;\t", key=head.count)
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)]
    except csv.Error as error:
        raise BadInput(phrase("this is no CSV file: {error}", error=str(error))) from error
    if not lines or not any(lines[0]):
        raise BadInput(phrase("the file is empty; its first line must name the columns"))
    columns = [_column(each) for each in lines[0]]
    known = [each for each in columns if each]
    if not known:
        raise BadInput(
            phrase(
                "line 1: no known column among {columns}; name one player", columns=", ".join(lines[0])[:80]
            )
        )
    if len(set(known)) < len(known):
        twice = next(each for each in known if known.count(each) > 1)
        raise BadInput(phrase("line 1: two columns say {twice}", twice=twice))
    found: list[tuple[int, Mapping[str, str]]] = []
    for line, cells in enumerate(lines[1:], 2):
        row = {column: cell.strip() for column, cell in zip(columns, cells, strict=False) if column}
        if any(row.values()):
            found.append((line, row))
    if not found:
        raise BadInput(phrase("the file has no lines after its first"))
    return found


def _column(title: str) -> str:
    plain = " ".join(title.replace("_", " ").split()).casefold()
    return next((name for name, titles in NAMES.items() if plain in titles), "")


def _number(text: str, line: int, what: str) -> float | None:
    if not text:
        return None
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise BadInput(phrase("line {line}: {what} {text!r} is no number", line=line, what=what, text=text))
    thousands, rest, part = found.groups()
    return float(f"{thousands or ''}{rest}.{part or 0}")
