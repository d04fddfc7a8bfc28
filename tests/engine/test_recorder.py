"""From a journal to a record: what the events made is what the record says, and the record replays to the
same place."""

from collections.abc import Iterable

import pytest

from engine import rules as games
from engine.clock import Control, Penalty, Timing
from engine.effects import DiceDue
from engine.errors import IllegalEvent
from engine.events import (
    Button,
    Commit,
    Condone,
    Correct,
    DiceFrom,
    Event,
    Moves,
    Press,
    Reveal,
    Roll,
    Seed,
)
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import State
from engine.messages import Text
from engine.record import (
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    MatchRecord,
    Moment,
    Played,
    Proof,
    Remark,
    Resigned,
    Result,
    Rolled,
    Scored,
    Stood,
    Taken,
    opening,
    replay,
    result_of,
)
from engine.recorder import Recorder
from engine.session import Session
from tests.engine.sitting import Sitting
from tests.engine.storm import journal


def record_of(events: Iterable[Event], date: str = "", round: str = "") -> MatchRecord:
    """The match that these events make, from its Begin on."""
    recorder = Recorder(date, round)
    for event in events:
        recorder.take(event)
    return recorder.record


def sit(**begin: object) -> Sitting:
    return Sitting("backgammon", players={"white": "Ada", "black": "Ben"}, **begin)


def assert_translatable(record: MatchRecord) -> None:
    remarks = [each.text for game in record.games for each in game.actions if isinstance(each, Remark)]
    assert remarks
    assert all(isinstance(each, Text) for each in remarks)


def without_remarks(record: MatchRecord, game: int = 0) -> list[object]:
    return [action for action in record.games[game].actions if not isinstance(action, Remark)]


def test_a_roll_and_a_play_are_written_down_with_the_engines_notation() -> None:
    table = sit()
    table.roll(3, 1)
    table.done("8/5 6/5")
    table.roll(6, 4)
    record = record_of(table.log, date="2026-03-01")
    assert record.players == ("Ada", "Ben")
    assert record.date == "2026-03-01"
    assert without_remarks(record) == [
        Rolled(None, (3, 1)),
        Played("white", "8/5 6/5"),
        Rolled("black", (6, 4)),
    ]
    assert record.games[0].result is None


def test_an_opening_roll_told_by_its_winner_is_in_the_order_of_the_sides() -> None:
    table = sit()
    table.roll(3, 1, side="black", opening=True)
    assert record_of(table.log).games[0].actions == (Rolled(None, (1, 3)),)


def test_equal_opening_dice_stay_in_the_record() -> None:
    table = sit()
    table.roll(2, 2)
    table.roll(2, 5)
    assert record_of(table.log).games[0].actions == (Rolled(None, (2, 2)), Rolled(None, (2, 5)))


def closed_out(**begin: object) -> Sitting:
    """A table at which Black is closed out, and to roll."""
    table = sit(**begin)
    table.roll(3, 1)
    held = {"turn": "black", "points": {**dict.fromkeys("123456", 2), "8": 3, "19": -14}, "bar": [0, 1]}
    table.send(Correct(t=table.after(), position={**held, "off": [0, 0]}))
    return table


def test_the_opponent_s_roll_passes_the_turn_of_who_is_closed_out() -> None:
    table = closed_out()
    assert table.press("roll", "white") == (DiceDue(side="black", count=2),)
    assert table.roll(6, 2)[-1] == DiceDue(side="white", count=2)
    table.roll(5, 4)
    assert (table.table.position.turn, table.table.position.dice) == ("white", (5, 4))
    rolls = [action for action in record_of(table.log).games[0].actions if isinstance(action, Rolled)]
    assert [(each.side, each.dice) for each in rolls[1:]] == [("black", (6, 2)), ("white", (5, 4))]
    assert Session(table.table).refusal(Press(t=table.after(), button=Button.UNDO, side="black")) is not None


def test_who_has_closed_the_opponent_out_doubles_before_that_side_s_dice_fall() -> None:
    table = closed_out()
    assert table.press("double", "white") == (DiceDue(side="black", count=2),)
    table.roll(6, 2)
    assert (table.table.state, table.table.due) == (State.OFFERED, "black")
    table.press("take")
    assert (table.table.state, table.table.position.turn) == (State.ROLL, "white")
    assert without_remarks(record_of(table.log))[-4:] == [
        Rolled("black", (6, 2)),
        Played("black", "pass"),
        Doubled("white"),
        Taken("black"),
    ]


def test_with_the_players_own_dice_who_is_closed_out_is_doubled_without_them() -> None:
    table = closed_out(dice=DiceFrom.INFERRED)
    table.press("double", "white")
    assert (table.table.state, table.table.due) == (State.OFFERED, "black")
    assert table.table.moves[-1].words == "pass: no move is possible; the roll is not known"


def test_a_double_taken_and_one_dropped() -> None:
    table = sit()
    table.roll(3, 1)
    table.done("8/5 6/5")
    table.press("double")
    table.press("take")
    table.roll(6, 4)
    table.done()
    table.press("double", "white")
    table.press("drop")
    record = record_of(table.log)
    assert without_remarks(record)[2:4] == [Doubled("black"), Taken("white")]
    assert without_remarks(record)[-2:] == [Doubled("white"), Dropped("black")]
    assert record.games[0].result == Result("white", "single", 2, "dropped")


def test_a_beaver_is_not_a_second_double() -> None:
    table = sit(terms=Terms(beavers=1))
    table.roll(3, 1)
    table.done("8/5 6/5")
    table.press("double")
    table.press("double")
    table.press("take")
    assert without_remarks(record_of(table.log))[-3:] == [Doubled("black"), Beavered("white"), Taken("black")]


def test_resignations_refused_accepted_and_withdrawn() -> None:
    table = sit()
    table.roll(3, 1)
    table.press("resign", "white")
    table.press("drop", "black")
    for _ in range(4):  # single, gammon, backgammon, withdrawn
        table.press("resign", "white")
    table.press("resign", "white", grade="gammon")
    table.press("take", "black")
    record = record_of(table.log)
    assert without_remarks(record)[1:] == [
        Resigned("white", "single", accepted=False),
        Resigned("white", "gammon"),
    ]
    assert record.games[0].result == Result("black", "gammon", 2, "resigned")


def test_a_mended_foul_is_a_remark_and_one_that_stood_an_action() -> None:
    table = sit(moves=Moves.RESPONSIBLE)
    table.roll(3, 1)
    table.foul(p6=("white",) * 4, p3=("white",))
    table.done("8/5 6/5")
    table.roll(2, 1)
    table.foul(p1=("black",), p7=("black",))
    table.send(Condone(t=table.after(), side="white"))
    record = record_of(table.log)
    foul, _, _, other, stood = record.games[0].actions[1:]
    assert isinstance(foul, Remark)
    assert isinstance(other, Remark)
    assert foul.text.startswith("foul by white")
    assert isinstance(foul.text, Text)  # to be said in any language
    assert isinstance(stood, Stood)
    assert stood.after == table.table.position.to_json()


def test_a_foul_that_no_roll_explains_stands_in_the_record_without_dice() -> None:
    table = sit(dice=DiceFrom.INFERRED, moves=Moves.RESPONSIBLE)
    for side in ("white", "black"):
        table.press("done", side, evidence=Evidence.certain(table.table.position.looks()))
        table.roll(6, 5, side=table.table.rules.other(side))  # the opponent's dice let it stand
        if side == "white":
            table.press("undo", "black")
            table.send(Condone(t=table.after(), side="black"))
    record = record_of(table.log)
    (first, second, rolled) = without_remarks(record)
    assert isinstance(first, Stood)
    assert isinstance(second, Stood)
    assert (first.side, second.side, rolled) == ("white", "black", Rolled("white", (6, 5)))
    assert list(replay(record, record.games[0]))[-1].after.position == table.table.position


def test_a_play_taken_back_leaves_a_remark_and_the_right_play_stands() -> None:
    table = sit()
    table.roll(3, 1)
    table.done("24/20")
    table.press("undo", "white")
    table.done("8/5 6/5")
    record = record_of(table.log)
    assert without_remarks(record) == [Rolled(None, (3, 1)), Played("white", "8/5 6/5")]
    assert Remark("white took the play back") in record.games[0].actions
    assert_translatable(record)


def test_a_play_is_taken_back_with_the_roll_that_was_found_for_it() -> None:
    table = sit(dice=DiceFrom.INFERRED)
    table.choose("31: 8/5 6/5", "white")
    table.choose("52: 13/11 13/8", "black")
    played = [Rolled(None, (3, 1)), Played("white", "8/5 6/5")]
    assert without_remarks(record_of(table.log)) == [
        *played,
        Rolled("black", (5, 2)),
        Played("black", "13/11 13/8"),
    ]
    table.press("undo", "black")
    assert without_remarks(record_of(table.log)) == played


def test_dice_that_were_read_wrongly_make_room_for_those_that_were_rolled() -> None:
    table = sit(dice=DiceFrom.INFERRED)
    table.roll(3, 1, side="white", opening=True, read=0.9)
    table.choose("62: 24/18 13/11", "white")
    assert without_remarks(record_of(table.log)) == [
        Rolled(None, (6, 2)),
        Played("white", "24/18 13/11"),
    ]


def test_dice_taken_back_leave_a_remark_and_the_right_ones_stand() -> None:
    table = sit(moves=Moves.RESPONSIBLE)
    table.roll(3, 1)
    table.press("undo", "white")
    table.roll(6, 1)
    table.done("13/7 8/7")
    table.roll(3, 1)
    table.foul(p1=("black",), p2=("black",))
    table.roll(5, 5, side="white")
    table.press("undo", "white")
    table.choose("24/20", "black")
    record = record_of(table.log)
    assert without_remarks(record) == [
        Rolled(None, (6, 1)),
        Played("white", "13/7 8/7"),
        Rolled("black", (3, 1)),
        Played("black", "24/20"),
    ]
    assert Remark("the players took the dice back: 3-1") in record.games[0].actions
    assert Remark("black took the dice back: 5-5") in record.games[0].actions
    assert_translatable(record)


@pytest.mark.parametrize(("points", "lost"), [(1, "1 point"), (2, "2 points")])
def test_points_lost_on_time_are_a_remark_and_a_score(points: int, lost: str) -> None:
    table = sit(clock=Control(Timing.FISCHER, 0.0, 10.0, Penalty.POINTS, points), terms=Terms(length=7))
    table.roll(3, 1)
    table.tick(60)
    record = record_of(table.log)
    assert record.games[0].actions[-2:] == (
        Remark(f"white is out of time and loses {lost}"),
        Scored((0, points), "time"),
    )
    assert_translatable(record)


def test_a_score_set_by_hand_is_told_where_it_changed() -> None:
    table = sit(terms=Terms(length=5))
    table.send(Correct(t=table.after(), score=(2, 1)))
    table.send(Correct(t=table.after(), cube=2))
    record = record_of(table.log)
    assert [each for each in record.games[0].actions if isinstance(each, Scored)] == [Scored((2, 1))]
    assert record.score == (2, 1)


def test_a_position_set_by_hand_keeps_the_dice_that_are_being_played() -> None:
    table = sit()
    table.roll(3, 1)
    set_by_hand = {
        "points": {"24": 2, "13": 5, "8": 3, "6": 5, "2": -2, "12": -5, "17": -3, "19": -5},
        "bar": [0, 0],
        "off": [0, 0],
    }
    table.send(Correct(t=table.after(), position={**set_by_hand, "turn": "white"}))
    table.done()
    record = record_of(table.log)
    assert [type(action) for action in record.games[0].actions] == [Rolled, Corrected, Rolled, Played]
    assert list(replay(record, record.games[0]))[-1].after.position == table.table.position


def test_commitment_words_and_secret_go_with_their_game_and_numbers_with_the_rolls() -> None:
    table = sit()
    table.send(Commit(t=table.after(), digest="d1"))
    table.send(Seed(t=table.after(), side="white", words="hello"))
    table.roll(3, 1, number=1)
    table.press("resign", "white", grade="single")
    table.press("take", "black")
    table.send(Reveal(t=table.after(), secret="s1"))
    table.send(Commit(t=table.after(), digest="d2"))
    table.next()
    table.roll(3, 2, number=1)
    record = record_of(table.log)
    assert record.games[0].proof == Proof("d1", ("hello",), "s1")
    assert record.games[1].proof == Proof("d2")
    assert record.games[0].actions[0] == Rolled(None, (3, 1), 1)


def test_the_crawford_game_and_the_score_before_each_game_are_told() -> None:
    table = sit(terms=Terms(length=2))
    for _ in range(2):
        table.roll(3, 1)
        table.press("resign", "white", grade="single")
        table.press("take", "black")
        if table.state == "over":
            table.next()
    record = record_of(table.log)
    assert [(game.score, game.crawford) for game in record.games] == [((0, 0), False), ((0, 1), True)]
    assert record.score == (0, 2)


def test_an_automatic_double_raises_the_stake_that_the_game_starts_at() -> None:
    table = sit(terms=Terms(automatic=1))
    table.roll(2, 2)
    table.roll(2, 5)
    assert record_of(table.log).games[0].cube == 2


def test_events_that_are_no_match_are_refused() -> None:
    with pytest.raises(IllegalEvent):
        record_of([Roll(t=0.0, dice=(3, 1))])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", games.names())
def test_the_record_of_any_session_replays_to_where_the_session_stands(rules: str, seed: int) -> None:
    events = journal(games.get(rules), seed, 150)
    session = Session()
    for event in events:
        session, _ = session.handle(event)
    table = session.table
    assert table is not None
    record = record_of(events)
    assert record.rules == rules
    for number, game in enumerate(record.games, 1):
        moments: list[Moment] = list(replay(record, game))
        expected = result_of(record, moments)
        if game.result is not None and game.result.cause != "time":
            assert expected == game.result, f"game {number}"
        if game is record.games[-1]:
            state = moments[-1].after if moments else opening(record, game)
            assert state.position == table.position
            offer = table.cube.offer  # one that is dropped costs what a beaver has made of the cube
            stake = table.cube.value if offer is None else offer.dropped
            assert (state.cube, state.owner) == (stake, table.cube.owner) or game.result is not None
            assert (state.offered is not None) == (table.cube.offer is not None)
