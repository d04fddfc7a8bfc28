"""Dice that the camera read: two opinions of one roll, what the dice look like and what was played."""

import pytest

from engine.errors import IllegalEvent
from engine.event_json import from_json
from engine.events import Begin, Button, Choose, DiceFrom, Event, Press, Roll
from engine.evidence import Evidence
from engine.match_state import State
from engine.record import Played, Rolled
from engine.recorder import Recorder
from engine.session import Session


def begun(*events: Event) -> tuple[Session, Recorder]:
    recorder = Recorder()
    for event in (Begin(t=0, rules="backgammon", dice=DiceFrom.INFERRED), *events):
        recorder.take(event)
    return recorder.session, recorder


def board(session: Session, dice: tuple[int, int], play: str) -> Evidence:
    """What the camera sees after ``play`` by ``dice`` instead of those that were read."""
    assert session.table is not None
    before = session.table if session.table.unrolled is None else session.table.unrolled
    position = before.position.roll(dice)
    return Evidence.certain(position.find(play).after.looks())


def opened(read: float | None) -> tuple[Session, Recorder]:
    return begun(Roll(t=1, dice=(5, 2), read=read))


def test_a_play_that_fits_the_dice_is_legal() -> None:
    session, recorder = opened(0.992)
    seen = board(session, (5, 2), "13/8 24/22")
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=seen))
    assert recorder.session.state is State.ROLL


def test_a_play_that_fits_other_dice_is_asked_about() -> None:
    session, recorder = opened(0.992)
    seen = board(session, (6, 2), "24/18 13/11")
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=seen))
    session = recorder.session
    assert session.state is State.ASKED
    assert session.table is not None
    assert session.table.pending is not None
    assert session.table.pending.candidates == ("62: 24/18 13/11",)
    assert "read as 5-2" in session.table.pending.words


def test_the_players_say_that_the_dice_were_others() -> None:
    session, recorder = opened(0.992)
    seen = board(session, (6, 2), "24/18 13/11")
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=seen))
    recorder.take(Choose(t=3, play="62: 24/18 13/11", side="white"))
    table = recorder.session.table
    assert table is not None
    assert recorder.session.state is State.ROLL
    assert table.moves[-1].dice == (6, 2)
    told = [each for each in recorder.record.games[0].actions if isinstance(each, Rolled | Played)]
    assert told == [Rolled(None, (6, 2)), Played("white", "24/18 13/11")]
    assert [(each.after, each.words) for each in table.story] == [(0, "White took the dice back: 5-2")]


def test_the_play_may_also_be_fixed() -> None:
    session, recorder = opened(0.992)
    wrong, right = board(session, (6, 2), "24/18 13/11"), board(session, (5, 2), "13/8 24/22")
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=wrong))
    recorder.take(Press(t=3, button=Button.DONE, side="white", evidence=right))
    assert recorder.session.state is State.ROLL


@pytest.mark.parametrize("read", [None, 0.99999])
def test_dice_beyond_doubt_make_it_a_foul(read: float | None) -> None:
    session, recorder = opened(read)
    seen = board(session, (6, 2), "24/18 13/11")
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=seen))
    assert recorder.session.state is State.FOUL


def test_no_dice_allow_it_so_it_is_a_foul() -> None:
    session, recorder = opened(0.992)
    assert session.position is not None
    looks = dict(session.position.looks()) | {"p24": ("white",), "p10": ("white",)}
    recorder.take(Press(t=2, button=Button.DONE, side="white", evidence=Evidence.certain(looks)))
    assert recorder.session.state is State.FOUL


def test_dice_that_were_typed_are_not_disputed() -> None:
    session, _ = opened(None)
    with pytest.raises(IllegalEvent):
        session.handle(Choose(t=3, play="62: 24/18 13/11", side="white"))


def test_the_journal_keeps_how_sure_it_was() -> None:
    event = Roll(t=1, dice=(5, 2), read=0.9921)
    assert from_json(event.to_json()) == event
    assert "read" not in Roll(t=1, dice=(5, 2)).to_json()
