"""What a table says of a match that has ended, beside what the director has written down."""

from __future__ import annotations

import io
import zipfile

import pytest

pytest.importorskip("sqlalchemy", reason="the extra hub is not installed")

from engine.clock import Control, Penalty, Timing
from engine.events import Begin, Roll, Tick
from engine.match import Terms
from engine.session import Session
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.given import goes_on, reached
from firmware.hub.office.results import EndedMatch, change_for, ended
from firmware.hub.office.under_way import beginning
from firmware.hub.office.zipped import archive
from firmware.hub.tournament.changes import CorrectResult, Enter, MakeDraw, OpenRound, Report, Seat, Set
from firmware.hub.tournament.trail import Act, Done, Undo, fold
from firmware.page.state import page_state
from tests.firmware.hub.table_match import chained, journal

SAID = EndedMatch("m-1", "match 1.1", ("Ann", "Bob"), (5, 2), "00", "")


def made(*acts: Act) -> KeptTournament:
    """A match of Ann and Bob at Table 1, and what is done then."""
    begun = Set("Cup", lengths=(5,)), Enter(1, "Ann"), Enter(2, "Bob"), MakeDraw("seeded", "x"), OpenRound(1)
    every = *begun, Seat((("1.1", "Table 1"),)), *acts
    trail = tuple(Done(number, number, "Ada", "why", act) for number, act in enumerate(every, 1))
    return KeptTournament(1, "Club evening", trail, fold(trail))


def taken() -> Report:
    """What comes of what the table has said."""
    change = change_for(made(), "Table 1", SAID)
    assert isinstance(change, Report)
    return change


def corrected(told: Report) -> CorrectResult:
    return CorrectResult("1.1", told.first, told.second, told.first, (5, 3))


def test_a_tables_result_that_was_undone_or_corrected_stays_so() -> None:
    told = taken()
    assert change_for(made(told), "Table 1", SAID) is None
    assert change_for(made(told, Undo(7)), "Table 1", SAID) is None
    assert change_for(made(told, corrected(told)), "Table 1", SAID) is None
    another = EndedMatch("m-2", "match 1.1", ("Ann", "Bob"), (5, 2), "00", "")
    assert isinstance(change_for(made(told, Undo(7)), "Table 1", another), Report)  # played once more


def test_what_was_typed_as_a_table_says_it_raises_no_question() -> None:
    told = taken()
    typed = Report("1.1", told.first, told.second, told.winner, told.score, "decided")
    assert change_for(made(typed), "Table 1", SAID) is None
    assert "has another one, " in str(change_for(made(typed, corrected(told)), "Table 1", SAID))


@pytest.mark.parametrize("players", [("Ann", "Bob"), ("Bob", "Ann")])
def test_who_is_out_of_time_forfeits_whatever_the_score(players: tuple[str, str]) -> None:
    clock = Control(kind=Timing.DELAY, reserve=60.0)
    begin = Begin(
        t=0,
        rules="backgammon",
        players=dict(zip(("white", "black"), players, strict=True)),
        terms=Terms(length=5, score=(3, 1)),
        clock=clock,
        competition="Cup",
        place="match 1.1",
    )
    entries = chained("m-1", [begin, Roll(t=1, dice=(6, 1), side="white"), Tick(t=999)])
    begun = beginning("m-1", entries)
    assert begun is not None
    found = ended(begun, entries)
    assert found is not None
    change = change_for(made(), "Table 1", found)
    assert isinstance(change, Report)
    event = made(change).event
    assert (change.how, event.name_of(change.winner)) == ("forfeit", players[1])
    typed = Report("1.1", change.first, change.second, change.winner, None, "forfeit")
    assert change_for(made(typed), "Table 1", found) is None


def test_what_a_table_wrote_down_is_in_the_archive_though_its_result_was_corrected() -> None:
    told = taken()
    whole = journal("m-1", ("Ann", "Bob"), (5, 2), "Cup", "match 1.1", 5)
    typed = Report("1.1", told.first, told.second, told.first, (5, 3))
    for acts in ((told, corrected(told)), (told, Undo(7), typed)):
        data = archive(made(*acts), lambda _, match: whole if match == "m-1" else [])
        with zipfile.ZipFile(io.BytesIO(data)) as found:
            assert any(name.startswith("1.1 ") for name in found.namelist())
            assert "missing.txt" not in found.namelist()
    with zipfile.ZipFile(io.BytesIO(archive(made(typed), lambda *_: whole))) as found:
        assert "its result was typed" in found.read("missing.txt").decode()


@pytest.mark.parametrize(("penalty", "over"), [(Penalty.MATCH, True), (Penalty.GAME, False)])
def test_a_match_that_was_lost_on_time_is_over_though_its_score_is_not_reached(
    penalty: Penalty, over: bool
) -> None:
    clock = Control(kind=Timing.DELAY, reserve=60.0, penalty=penalty)
    session = Session()
    for event in (
        Begin(t=0, rules="backgammon", terms=Terms(length=5), clock=clock),
        Roll(t=1, dice=(6, 1), side="white"),
        Tick(t=999),
    ):
        session, _ = session.handle(event)
    shows = page_state(session, 999, [])
    assert (reached(shows), goes_on(shows)) == (over, not over)
