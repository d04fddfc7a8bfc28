"""What the table's own player does, by what an engine says that each choice is worth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engine.events import Begin, Button, Choose, Correct, DiceFrom, Event, Intend, Press, Roll
from engine.match import Terms
from engine.match_state import State
from engine.messages import Message
from engine.names import NAMES
from engine.session import Session
from firmware.engines import BeforeRoll, Board, Chances, NoEngine, Ranked, Spot
from firmware.levels import LEVELS, level_of, misnamed
from firmware.record.spots import board_of
from firmware.table.mind import Mind, must_act

EVEN = Chances(0.5, 0.1, 0.0, 0.1, 0.0)
OWN = {"white": "Ann", "black": "engine"}


@dataclass
class Says:
    """An engine that says what it was told to."""

    hold: float = 0.0
    take: float = 0.0
    chances: Chances = EVEN
    ranked: Sequence[Ranked] = ()
    spots: list[Spot] = field(default_factory=list)

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        self.spots.append(spot)
        return self.ranked

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        self.spots.append(spot)
        return BeforeRoll(self.hold, self.take, 1.0, self.chances, {})


def table(*events: Event, **begin: Any) -> Session:
    begun = Begin(t=0.0, rules="backgammon", players=begin.pop("players", OWN), **begin)
    session = Session().handle(begun)[0]
    for event in events:
        session = session.handle(event)[0]
    return session


def black_to_roll(*more: Event, **begin: Any) -> Session:
    return table(Correct(t=0.0, position={"turn": "black"}), *more, **begin)


def acts(session: Session, engine: Says, side: str = "black") -> Event | None:
    assert session.table is not None
    event = Mind(engine).act(session.table, side)
    if event is not None:
        session.handle(replace(event, t=session.table.clock.since))  # it is legal
    return event


def press(session: Session, engine: Says) -> tuple[Button, str | None]:
    event = acts(session, engine)
    assert isinstance(event, Press)
    return event.button, event.grade


def test_it_rolls_or_doubles_by_what_either_is_worth() -> None:
    session = black_to_roll()
    assert press(session, Says(hold=0.3, take=0.2)) == (Button.ROLL, None)
    assert press(session, Says(hold=0.3, take=0.4)) == (Button.DOUBLE, None)
    assert press(session, Says(hold=1.2, take=1.5)) == (Button.ROLL, None)  # too good
    assert press(session, Says(hold=0.9, take=1.5)) == (Button.DOUBLE, None)


def test_it_never_doubles_where_the_cube_is_not_its() -> None:
    engine = Says(hold=0.0, take=0.9)
    owned = black_to_roll(Correct(t=0.0, cube=2, owner="white"))
    assert press(owned, engine) == (Button.ROLL, None)
    assert engine.spots[-1].owner == -1
    for terms in (Terms(cube=False), Terms(length=5, score=(4, 0))):
        assert press(black_to_roll(terms=terms), engine) == (Button.ROLL, None)


def test_it_names_its_roll_where_dice_are_the_players_own() -> None:
    event = acts(black_to_roll(dice=DiceFrom.INFERRED), Says(hold=0.3, take=0.2))
    assert isinstance(event, Roll)
    assert len(event.dice) == 2
    assert set(event.dice) <= {1, 2, 3, 4, 5, 6}


def test_it_takes_drops_and_beavers() -> None:
    def doubled(**terms: Any) -> Session:
        to_roll = Correct(t=0.0, position={"turn": "white"})
        return table(to_roll, Press(t=0.0, button=Button.DOUBLE, side="white"), terms=Terms(**terms))

    assert press(doubled(), Says(take=0.9)) == (Button.TAKE, None)
    assert press(doubled(), Says(take=1.1)) == (Button.DROP, None)
    assert press(doubled(), Says(take=-0.1)) == (Button.TAKE, None)  # beavers were not agreed
    assert press(doubled(beavers=1), Says(take=-0.1)) == (Button.DOUBLE, None)


def test_it_answers_a_beaver() -> None:
    def beavered() -> Session:
        double = Press(t=0.0, button=Button.DOUBLE, side="black")
        return black_to_roll(double, replace(double, side="white"), terms=Terms(beavers=2))

    assert press(beavered(), Says(take=-0.4)) == (Button.TAKE, None)  # four points at -0.2 beat losing two
    assert press(beavered(), Says(take=-1.2)) == (Button.DROP, None)
    assert press(beavered(), Says(take=0.3)) == (Button.DOUBLE, None)


@pytest.mark.parametrize(
    ("chances", "grade"),
    [
        (Chances(0.0, 0.0, 0.0, 0.0, 0.0), "single"),
        (Chances(0.0, 0.0, 0.0, 1.0, 0.0), "gammon"),
        (Chances(0.0, 0.0, 0.0, 1.0, 1.0), "backgammon"),
        (Chances(0.0, 0.0, 0.0, 0.6, 0.0), None),
        (Chances(0.0, 0.0, 0.0, 1.0, 0.5), None),
        (Chances(0.01, 0.0, 0.0, 0.0, 0.0), None),
    ],
)
def test_a_game_that_is_surely_lost_is_resigned_at_its_grade_and_no_other(
    chances: Chances, grade: str | None
) -> None:
    found = press(black_to_roll(), Says(hold=-1.0, take=-2.0, chances=chances))
    assert found == ((Button.ROLL, None) if grade is None else (Button.RESIGN, grade))


def test_where_a_single_game_ends_the_match_no_more_is_resigned() -> None:
    lost = Says(hold=-1.0, take=-2.0, chances=Chances(0.0, 0.0, 0.0, 1.0, 0.0))
    assert press(black_to_roll(terms=Terms(length=5, score=(4, 2))), lost) == (Button.RESIGN, "single")
    assert press(black_to_roll(terms=Terms(length=5, score=(2, 4))), lost) == (Button.RESIGN, "gammon")


def test_a_resignation_that_is_refused_is_not_offered_again_in_that_turn() -> None:
    session, mind = black_to_roll(), Mind(Says(hold=-1.0, take=-2.0, chances=Chances(0, 0, 0, 0, 0)))
    assert session.table is not None
    first, second = mind.act(session.table, "black"), mind.act(session.table, "black")
    assert isinstance(first, Press)
    assert isinstance(second, Press)
    assert (first.button, second.button) == (Button.RESIGN, Button.ROLL)


@pytest.mark.parametrize(
    ("grade", "terms", "chances", "answer"),
    [
        ("single", Terms(), Chances(0.0, 0.0, 0.0, 0.0, 0.0), Button.TAKE),
        ("single", Terms(), Chances(0.0, 0.0, 0.0, 0.5, 0.0), Button.DROP),
        ("gammon", Terms(), Chances(0.0, 0.0, 0.0, 0.5, 0.0), Button.TAKE),
        ("single", Terms(jacoby=True), Chances(0.0, 0.0, 0.0, 0.5, 0.0), Button.TAKE),
        ("single", Terms(length=5, score=(0, 4)), Chances(0.0, 0.0, 0.0, 0.5, 0.0), Button.TAKE),
    ],
)
def test_it_accepts_a_resignation_that_is_worth_playing_on(
    grade: str, terms: Terms, chances: Chances, answer: Button
) -> None:
    resigned = Press(t=0.0, button=Button.RESIGN, side="white", grade=grade)
    session = table(Correct(t=0.0, position={"turn": "white"}), resigned, terms=terms)
    assert press(session, Says(chances=chances)) == (answer, None)


def test_it_says_the_best_play_and_noise_makes_others_of_it() -> None:
    session = table(Roll(t=0.0, dice=(1, 3)))
    assert session.table is not None
    plays = session.table.position.plays()
    best = session.table.position.find("8/5 6/5")
    ranked = [
        Ranked(*board_of(play.after, "black"), 0.2 if play.after == best.after else 0.1, EVEN)
        for play in plays
    ]
    engine = Says(ranked=ranked)
    said = {Mind(engine).act(session.table, "black") for _ in range(5)}
    assert said == {Intend(t=0, play=best.text, side="black")}
    assert engine.spots[-1].dice == (3, 1)
    weak = Mind(engine, 1.0, random.Random(1))
    assert len({str(weak.act(session.table, "black")) for _ in range(20)}) > 5
    with pytest.raises(NoEngine, match="no legal play"):
        Mind(Says()).act(session.table, "black")


def test_a_dance_passes_by_itself() -> None:
    points = {**{str(n): 2 for n in range(1, 7)}, "7": 3, "13": -14}
    shut = {"points": points, "bar": [0, 1], "off": [0, 0], "turn": "black"}
    session = table(Correct(t=0.0, position=shut), Roll(t=0.0, dice=(5, 2)))
    event = acts(session, Says())
    assert isinstance(event, Choose)
    assert session.handle(replace(event, t=1.0))[0].state is State.ROLL


@pytest.mark.parametrize("actor", ["white", "page"])
def test_it_agrees_to_what_people_set_by_hand(actor: str) -> None:
    session = table(Correct(t=0.0, cube=2, owner="white", actor=actor))
    assert session.table is not None
    assert must_act(session.table) == "black"
    agreed = Mind(Says()).act(session.table, "black")
    assert agreed is not None
    session = session.handle(replace(agreed, t=1.0))[0]
    assert session.table is not None
    assert session.table.state is (State.OPENING if actor == "white" else State.PROPOSED)
    assert must_act(session.table) is None


def test_who_is_the_tables_own_player() -> None:
    assert [level_of(name) for name in ("engine", "engine club", "Engine", "engineer", "")] == [
        *("best", "club"),
        *(None, None, None),
    ]
    assert misnamed("engine strongest") is not None
    assert all(misnamed(name) is None for name in ("engine", "Ann", *(f"engine {each}" for each in LEVELS)))
    assert {"engine", *(f"engine {each}" for each in LEVELS)} <= set(NAMES)  # so they can be translated
    session = black_to_roll()
    assert session.table is not None
    assert isinstance(session.table.player("black"), Message)
    assert must_act(session.table) == "black"
    people = black_to_roll(players={"black": "Björn"})
    assert people.table is not None
    assert must_act(people.table) is None
