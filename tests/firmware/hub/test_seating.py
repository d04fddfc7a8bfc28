"""Which matches may have which tables."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy", reason="the extra hub is not installed")

from firmware.errors import BadInput
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.seating import check_seat, one_each
from firmware.hub.tournament.changes import AddRound, Enter, MakeDraw, OpenRound, Report, Seat, Set
from firmware.hub.tournament.pairings import find, pairings
from firmware.hub.tournament.trail import Act, Done, fold

TABLES = ("Table 1", "Table 2", "Table 3")


def league(*acts: Act, number: int = 1, name: str = "League") -> KeptTournament:
    """Everybody against everybody, all three rounds open, and what is done then."""
    begun = Set(name, "round-robin"), *(Enter(n, player) for n, player in enumerate(("Ann", "Bob", "Cy"), 1))
    every = *begun, MakeDraw("seeded", "x"), OpenRound(3), *acts
    trail = tuple(Done(n, n, "Ada", "why", act) for n, act in enumerate(every, 1))
    return KeptTournament(number, "Club evening", trail, fold(trail))


def matches(kept: KeptTournament) -> list[str]:
    """The one of each round that is played."""
    return [each.id for each in pairings(kept.event) if each.ready]


def test_a_player_has_one_table_at_a_time_in_all_tournaments() -> None:
    first, second, _ = matches(league())
    kept = league(Seat(((first, "Table 1"),)))
    with pytest.raises(BadInput, match=f"plays match {first} of League at Table 1; end it"):
        check_seat([kept], kept, Seat(((second, "Table 2"),)), TABLES)
    with pytest.raises(BadInput, match=f"plays match {first} of League at Table 2"):
        check_seat([league()], league(), Seat(((first, "Table 2"), (second, "Table 3"))), TABLES)
    check_seat([kept], kept, Seat(((first, "Table 2"),)), TABLES)  # it moves
    check_seat([kept], kept, Seat(((first, ""), (second, "Table 1"))), TABLES)
    other = league(number=2, name="Side event")
    with pytest.raises(BadInput, match=f"plays match {first} of League at Table 1"):
        check_seat([other, kept], other, Seat(((first, "Table 2"),)), TABLES)
    pairing = find(kept.event, first)
    assert pairing is not None
    assert pairing.first
    assert pairing.second
    over = league(
        Seat(((first, "Table 1"),)), Report(first, pairing.first, pairing.second, pairing.first, (7, 0))
    )
    check_seat([over], over, Seat(((second, "Table 2"),)), TABLES)


@pytest.mark.parametrize("written", ["table 1", "TABLE  1", "Table1", "table 1\u200e"])
def test_a_table_of_the_hub_is_written_as_the_hub_has_it(written: str) -> None:
    first, *_ = matches(league())
    with pytest.raises(BadInput, match="is called 'Table 1' here"):
        check_seat([], league(), Seat(((first, written),)), TABLES)
    for table in ("Table  1", "the bar", ""):
        check_seat([], league(), Seat(((first, table),)), TABLES)


def test_a_player_of_two_rounds_that_are_open_gets_one_table() -> None:
    """Imported rounds have their tables before they are open."""
    acts = (
        Set("Imp", "imported"),
        *(Enter(number, name) for number, name in enumerate(("Ann", "Bob", "Cy", "Di"), 1)),
        AddRound(((1, 2), (3, 4))),
        OpenRound(1),
        Seat((("1.1", "Table 1"), ("1.2", "Table 2"))),
        AddRound(((1, 3), (2, 4))),
        Seat((("2.1", "Table 3"), ("2.2", "Table 4"))),
        OpenRound(2),
    )
    trail = tuple(Done(number, number, "Ada", "", act) for number, act in enumerate(acts, 1))
    event = KeptTournament(1, "E", trail, fold(trail))
    assert sorted(one_each([event], lambda match: False)) == ["Table 1", "Table 2"]
    assert sorted(one_each([event], lambda match: match[1].id == "2.1")) == ["Table 3", "Table 4"]
