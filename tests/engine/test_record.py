"""Replaying a record: positions come back, and what cannot have been played is named."""

import pytest

from engine.match import Terms
from engine.record import (
    Action,
    BadRecord,
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Stood,
    Taken,
    opening,
    replay,
    result_of,
)

OPENING = (Rolled(None, (3, 1)), Played("white", "8/5 6/5"))


def match(*actions: Action, terms: Terms | None = None, cube: int = 1) -> MatchRecord:
    return MatchRecord("backgammon", ("A", "B"), terms or Terms(), (GameRecord((0, 0), actions, cube=cube),))


def result(record: MatchRecord) -> Result | None:
    return result_of(record, list(replay(record, record.games[0])))


def test_a_game_replays_to_the_position_that_it_left() -> None:
    record = match(*OPENING, Rolled("black", (6, 4)))
    last = list(replay(record, record.games[0]))[-1].after
    assert last.position.turn == "black"
    assert last.position.dice == (6, 4)
    assert last.position.layout()["p5"] == (("white", "white"),)


def test_a_take_doubles_the_stake_and_gives_the_cube() -> None:
    record = match(*OPENING, Doubled("black"), Taken("white"))
    *_, offered, taken = replay(record, record.games[0])
    assert (offered.after.cube, offered.after.offered) == (1, "black")
    assert (taken.after.cube, taken.after.owner, taken.after.offered) == (2, "white", None)


def test_a_beaver_keeps_the_cube_with_the_player_who_was_doubled_and_a_raccoon_too() -> None:
    beaver = match(*OPENING, Doubled("black"), Beavered("white"), Taken("black"))
    last = list(replay(beaver, beaver.games[0]))[-1].after
    assert (last.cube, last.owner) == (4, "white")
    raccoon = match(*OPENING, Doubled("black"), Beavered("white"), Beavered("black"), Taken("white"))
    last = list(replay(raccoon, raccoon.games[0]))[-1].after
    assert (last.cube, last.owner) == (8, "white")


@pytest.mark.parametrize(
    ("actions", "points", "cause"),
    [
        ((Doubled("black"), Dropped("white")), 1, "dropped"),
        ((Doubled("black"), Beavered("white"), Dropped("black")), 2, "dropped"),
        ((Resigned("white", "gammon"),), 2, "resigned"),
        ((Doubled("black"), Taken("white"), Resigned("white", "backgammon")), 6, "resigned"),
    ],
)
def test_a_game_is_worth_what_was_at_stake(actions: tuple[Action, ...], points: int, cause: str) -> None:
    ended = result(match(*OPENING, *actions))
    assert ended is not None
    assert (ended.points, ended.cause) == (points, cause)


def test_under_the_jacoby_rule_an_unturned_gammon_counts_one() -> None:
    terms = Terms(jacoby=True)
    single = result(match(*OPENING, Resigned("white", "gammon"), terms=terms))
    double = result(
        match(*OPENING, Doubled("black"), Taken("white"), Resigned("white", "gammon"), terms=terms)
    )
    assert single is not None
    assert double is not None
    assert (single.points, double.points) == (1, 4)


def test_automatic_doubles_are_the_stake_that_a_game_begins_at() -> None:
    ended = result(match(*OPENING, Resigned("white", "single"), cube=4))
    assert ended == Result("black", "single", 4, "resigned")


def test_a_game_that_was_broken_off_has_no_result() -> None:
    assert result(match(*OPENING)) is None


def test_a_foul_that_stood_sets_the_board_and_passes_the_turn() -> None:
    start = opening(match(), GameRecord((0, 0))).position.to_json()
    after = {**start, "points": {**start["points"], "13": 4, "8": 4}, "turn": "black"}
    record = match(Rolled(None, (3, 1)), Stood("white", after), Rolled("black", (6, 4)))
    assert list(replay(record, record.games[0]))[-1].after.position.turn == "black"


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ((Played("white", "8/5 6/5"),), "action 1: no play is due"),
        ((Rolled("white", (3, 1)),), "action 1: no such roll is due"),
        ((*OPENING, Rolled("white", (3, 1))), "action 3: it is black's turn"),
        ((Rolled(None, (3, 1)), Played("white", "13/7")), "action 2"),
        ((Rolled(None, (3, 1)), Doubled("white")), "doubling is before the roll"),
        ((*OPENING, Doubled("black"), Rolled("black", (6, 4))), "black has doubled and waits"),
        ((*OPENING, Doubled("black"), Taken("black")), "no double to answer"),
        ((*OPENING, Taken("black")), "no double to answer"),
        ((*OPENING, Doubled("black"), Dropped("white"), Rolled("black", (6, 4))), "the game was over"),
        (
            (
                *OPENING,
                Doubled("black"),
                Taken("white"),
                Rolled("black", (6, 4)),
                Played("black", "24/14"),
                Rolled("white", (2, 1)),
            ),
            None,
        ),
        ((*OPENING, Doubled("black"), Taken("white"), Doubled("black")), "the cube is the opponent's"),
        ((Rolled(None, (7, 1)),), "action 1"),
    ],
)
def test_what_cannot_have_been_played_is_refused_at_its_action(
    actions: tuple[Action, ...], reason: str | None
) -> None:
    record = match(*actions)
    if reason is None:
        assert len(list(replay(record, record.games[0]))) == len(actions)
        return
    with pytest.raises(BadRecord, match=reason):
        list(replay(record, record.games[0]))


def test_remarks_may_stand_anywhere_and_change_nothing() -> None:
    record = match(Remark("a"), *OPENING, Remark("b"), Resigned("black", "single"), Remark("c"))
    moments = list(replay(record, record.games[0]))
    assert moments[0].before == moments[0].after
    assert result(record) == Result("white", "single", 1, "resigned")
    over = match(*OPENING, Resigned("black", "single"), Remark("c"), Rolled("black", (1, 2)))
    with pytest.raises(BadRecord, match="the game was over"):
        list(replay(over, over.games[0]))
