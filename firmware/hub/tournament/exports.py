"""A tournament as files for other programs: results and standings as CSV, and a text like the chess
federations' TRF (tournament report file), which pairing and rating programs read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from firmware.hub.tournament.model import BYE, Pairing, Tournament
from firmware.hub.tournament.pairings import counts, pairings, round_count
from firmware.hub.tournament.standings import standings

RESULT_COLUMNS = [
    "round",
    "match",
    "table",
    "first",
    "second",
    "length",
    "score_first",
    "score_second",
    "winner",
    "how",
    "journal",
    "digest",
    "signed",
]
STANDING_COLUMNS = [
    "place",
    "player",
    "club",
    "played",
    "won",
    "lost",
    "points",
    "direct",
    "berger",
    "remark",
]


def results_csv(event: Tournament) -> str:
    """Every match, a line each."""
    return _csv(RESULT_COLUMNS, (_result_row(event, each) for each in pairings(event)))


def _result_row(event: Tournament, each: Pairing) -> list[object]:
    result = each.result
    score: Sequence[object] = (result.score if result and result.score else None) or ("", "")
    return [
        each.round,
        each.id,
        each.table,
        event.name_of(each.first),
        event.name_of(each.second),
        each.length,
        *score,
        event.name_of(result.winner) if result and result.winner != BYE else "",
        result.how if result else "",
        result.match if result else "",
        result.digest if result else "",
        result.signed if result else "",
    ]


def standings_csv(event: Tournament) -> str:
    """The standings, a line for each player."""
    clubs = {each.number: each.club for each in event.entries}
    rows = (
        [
            place_words(row.place, row.shared),
            event.name_of(row.entry),
            clubs.get(row.entry, ""),
            row.played,
            row.won,
            row.lost,
            row.points,
            row.direct,
            row.berger,
            row.remark,
        ]
        for row in standings(event)
    )
    return _csv(STANDING_COLUMNS, rows)


def place_words(place: int, shared: int) -> str:
    """A place, or the places that equal ones share: "3", "5-8"."""
    return str(place) if place == shared else f"{place}-{shared}"


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    out.write("\ufeff")  # without it Excel takes the file for Windows-1252
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_harmless(each) for each in row])
    return out.getvalue()


def _harmless(cell: object) -> object:
    """A text that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


def trf(event: Tournament, day: str = "") -> str:
    """The tournament report: the columns of TRF16, with the match length in a line of our own (``XXL``).
    ``day`` is its date, YYYY/MM/DD. Names are cut at 33 letters, as the format has it."""
    rows = {row.entry: row for row in standings(event)}
    numbers = sorted(rows)
    rank = {number: place for place, number in enumerate(numbers, 1)}
    lines = [
        f"012 {event.name}",
        *([f"042 {day}"] if day else []),
        f"062 {len(numbers)}",
        f"092 {'Single elimination' if event.kind == 'elimination' else 'Round robin'}, backgammon",
        f"XXR {round_count(event)}",
        f"XXL {' '.join(str(each) for each in event.lengths)}",
    ]
    found = [each for each in pairings(event) if each.result is None or counts(event, each)]
    for number in numbers:
        entry, row = event.entry(number), rows[number]
        rating = f"{entry.rating:.0f}" if entry and entry.rating is not None else ""
        head = (
            f"001 {rank[number]:4}      {event.name_of(number)[:33]:33} {rating:>4} {'':3} {'':11} {'':10} "
        )
        cells = [_trf_cell(found, turn, number, rank) for turn in range(1, round_count(event) + 1)]
        lines.append(f"{head}{row.points:4.1f} {row.place:4}{''.join(cells)}".rstrip())
    return "\r\n".join(lines) + "\r\n"


def _trf_cell(found: Sequence[Pairing], turn: int, number: int, rank: dict[int, int]) -> str:
    """Ten columns of a round: the opponent, the colour, the result."""
    each = next((one for one in found if one.round == turn and number in one.sides), None)
    if each is None:
        return "  0000 - -"  # out, or no match in this round
    other = each.second if each.first == number else each.first
    if other is None:
        return "  0000 - -"
    if other == BYE:
        return "  0000 - U"  # a whole point without an opponent
    colour = "w" if each.first == number else "b"
    if each.result is None:
        return f"  {rank[other]:4} {colour}  "
    won = each.result.winner == number
    played = each.result.how in ("played", "decided")
    return f"  {rank[other]:4} {colour} {('1' if won else '0') if played else ('+' if won else '-')}"
