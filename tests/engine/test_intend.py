"""A side says what it plays before its pieces move: then nothing else may be played."""

from __future__ import annotations

from typing import Any

import pytest

from engine.effects import Intended, Judged, Relit
from engine.event_json import from_json
from engine.events import Choose, Condone, Correct, Intend, Moves, See
from engine.evidence import Evidence
from engine.lamp_signals import GOOD, MOVE, Light, Pattern, signals
from engine.match_state import State
from tests.engine.sitting import FOUL, Sitting


def said(play: str = "8/5 6/5", **begin: Any) -> Sitting:
    """White has opened with 3-1, and has said what it plays."""
    sitting = Sitting("backgammon", **begin)
    sitting.roll(3, 1)
    (effect,) = sitting.send(Intend(t=sitting.after(), play=play))
    assert effect == Intended(side="white", play=play)
    return sitting


def test_what_was_said_is_told_lit_and_kept_until_it_is_played() -> None:
    sitting = said()
    assert sitting.session.waiting == "white plays 8/5 6/5: move its pieces and press done"
    assert [each.words for each in sitting.table.news] == ["White plays 8/5 6/5"]
    assert sitting.table.story == ()
    shining = signals(sitting.session)
    assert shining["p8"] == shining["p6"] == Light(MOVE, Pattern.PULSE)
    assert shining["p5"] == Light(GOOD)
    assert from_json(Intend(t=1.0, play="8/5 6/5").to_json()) == Intend(t=1.0, play="8/5 6/5")
    sitting.done("8/5 6/5")
    assert sitting.table.moves[-1].move == "8/5 6/5"
    assert sitting.table.intended == ""


def test_another_legal_play_is_as_wrong_as_a_foul_until_the_board_shows_what_was_said() -> None:
    sitting = said()
    (judged,) = sitting.done("24/23 13/10")
    assert isinstance(judged, Judged)
    assert judged.verdict == "illegal"
    assert set(judged.cells) == {"p24", "p23", "p13", "p10", "p8", "p6", "p5"}
    assert "The play is 8/5 6/5" in judged.words
    assert sitting.session.waiting == "white plays 8/5 6/5: the board shows something else; fix it"
    made = sitting.table.position.find("8/5 6/5").after.looks()
    (relit,) = sitting.send(See(t=sitting.after(), evidence=Evidence.certain(made)))
    assert isinstance(relit, Relit)
    assert sitting.table.intended == "8/5 6/5"
    sitting.done("8/5 6/5")
    assert sitting.state is State.ROLL


def test_a_foul_names_the_play_that_was_said_not_the_nearest() -> None:
    sitting = said("24/23 13/10")
    looks = {**sitting.table.position.looks(), "p8": ("white",) * 2, "p7": ("white",)}
    (judged,) = sitting.press("done", evidence=Evidence.certain(looks))
    assert isinstance(judged, Judged)
    assert judged.verdict == "illegal"
    assert {"p24", "p23", "p13", "p10"} <= set(judged.cells)


def test_a_picture_that_shows_nothing_asks_only_about_what_was_said() -> None:
    sitting = said()
    sitting.press("done")
    assert sitting.state is State.ASKED
    assert sitting.table.pending is not None
    assert sitting.table.pending.candidates == ("8/5 6/5",)
    other = Choose(t=sitting.after(), play="24/23 13/10")
    assert sitting.refuses(other) == "white has said what it plays: 8/5 6/5"
    sitting.choose("8/5 6/5")
    assert sitting.state is State.ROLL


def test_who_may_say_it_and_when() -> None:
    sitting = Sitting("backgammon")
    assert "opening" in sitting.refuses(Intend(t=1.0, play="8/5 6/5"))
    sitting.roll(3, 1)
    assert sitting.refuses(Intend(t=2.0, play="8/5 6/5", side="black")) == "it is white's turn"
    assert "8/2" in sitting.refuses(Intend(t=2.0, play="8/2"))
    sitting.send(Intend(t=2.0, play="8/5 6/5"))
    again = Intend(t=3.0, play="24/23 13/10")
    assert sitting.refuses(again) == "white has said what it plays: 8/5 6/5"


def test_taking_back_and_setting_by_hand() -> None:
    sitting = said()
    sitting.done("8/5 6/5")
    sitting.press("undo", "white")
    assert sitting.table.intended == "8/5 6/5"
    sitting.send(Correct(t=sitting.after(), position={"turn": "black"}))
    assert sitting.table.intended == ""


@pytest.mark.usefixtures("footrace")
def test_a_foul_may_still_stand_where_that_was_agreed() -> None:
    sitting = Sitting(moves=Moves.RESPONSIBLE)
    sitting.roll(5, 3)
    sitting.send(Intend(t=sitting.after(), play=sitting.table.position.plays()[0].text))
    sitting.foul(**FOUL)
    sitting.send(Condone(t=sitting.after(), side="black"))
    assert sitting.table.intended == ""
