"""What happens is told in words that a stranger understands, and stays in the game's story."""

from __future__ import annotations

import pytest

from engine.clock import Control, Penalty, Timing
from engine.events import Correct, Roll
from engine.lamp_signals import GOOD, signals
from engine.match import Terms
from engine.match_state import State
from engine.view import view
from tests.engine.ice_boards import board
from tests.engine.sitting import Sitting, fouled

ANNA, BJÖRN = "white", "black"
PLAYERS = {ANNA: "Anna", BJÖRN: "Björn"}


def sit(**begin: object) -> Sitting:
    terms = begin.pop("terms", Terms(length=5))
    return Sitting("backgammon", players=PLAYERS, terms=terms, **begin)


def to_roll(**begin: object) -> Sitting:
    sitting = sit(**begin)
    sitting.roll(3, 1)
    sitting.done("8/5 6/5")
    return sitting


def news(sitting: Sitting) -> list[str]:
    return [each.words for each in sitting.table.news if each.words]


def story(sitting: Sitting) -> list[tuple[int, str]]:
    return [(each.after, each.words) for each in sitting.table.story]


def test_a_double_is_told_with_its_answer_and_stays_in_the_story() -> None:
    sitting = to_roll()
    sitting.press("double")
    assert news(sitting) == ["Björn doubles to 2"]
    assert sitting.session.waiting == "Anna must take or drop"
    sitting.press("take")
    assert news(sitting) == ["Anna takes; Anna owns the cube at 2"]
    sitting.roll(6, 5)
    assert news(sitting) == ["Björn rolls 6-5"]
    assert story(sitting) == [(1, "Björn doubles to 2"), (1, "Anna takes; Anna owns the cube at 2")]
    assert view(sitting.session)["story"][0] == {
        "kind": "double", "side": BJÖRN, "words": "Björn doubles to 2", "after": 1
    }  # fmt: skip


def test_a_drop_tells_the_game_and_its_score() -> None:
    sitting = to_roll()
    sitting.press("double")
    sitting.press("drop")
    assert news(sitting) == ["Anna drops", "Björn wins: single, 1 point; Anna 0, Björn 1"]
    sitting.next()
    assert news(sitting) == ["Game 2: Anna 0, Björn 1"]
    assert story(sitting) == [(0, "Game 2: Anna 0, Björn 1")]


def test_a_beaver_is_told_as_one() -> None:
    sitting = to_roll(terms=Terms(beavers=1))
    sitting.press("double")
    sitting.press("double")
    assert news(sitting) == ["Anna beavers to 4"]


def test_the_match_is_told_with_the_winners_score_first() -> None:
    sitting = to_roll(terms=Terms(length=5, score=(0, 4), crawford=False))
    sitting.press("resign", ANNA, grade="gammon")
    assert news(sitting) == ["Anna offers to resign: gammon"]
    sitting.press("drop")
    assert news(sitting) == ["Björn refuses the resignation"]
    sitting.press("resign", ANNA, grade="single")
    sitting.press("take")
    assert news(sitting) == ["Björn wins: single, 1 point", "Björn wins the match 5–0"]


def test_the_crawford_game_is_told() -> None:
    sitting = to_roll(terms=Terms(length=2))
    sitting.press("resign", BJÖRN, grade="single")
    sitting.press("take")
    sitting.next()
    assert news(sitting) == ["Game 2, the Crawford game: Anna 1, Björn 0"]


def test_who_cannot_move_is_told_so() -> None:
    closed = {"points": {**{str(n): -2 for n in range(19, 25)}, "13": -3, "6": 14}, "bar": [1, 0]}
    sitting = sit(position={**closed, "turn": ANNA, "off": [0, 0]})
    sitting.roll(6, 5)
    assert news(sitting) == ["Anna rolls 6-5 and cannot move"]
    assert signals(sitting.session)[f"player.{ANNA}"].pattern == "pulse"
    sitting.done()
    sitting.press("undo", ANNA)
    assert sitting.session.waiting == "Anna cannot move, and must press done"


def test_the_roll_that_loses_a_game_and_the_reason_stay_in_the_story() -> None:
    """In IceGammon who cannot play in full has lost, and no play follows that would tell the roll."""
    blocked = {19 + n: [BJÖRN, sizes] for n, sizes in enumerate(([3, 3], [3, 3], [3, 2], [2, 2], [2, 2]))}
    hand = {ANNA: [1] * 5 + [2] * 5 + [3] * 5}
    position = board({**blocked, 24: [BJÖRN, [1] * 5]}, hand=hand, rest={BJÖRN: "off"})
    sitting = Sitting("icegammon", players=PLAYERS, terms=Terms(length=5), position=position)
    sitting.roll(5, 3, 2)
    assert story(sitting) == [
        (0, "Anna rolls 5-3-2 and cannot move"),
        (
            0,
            "Björn wins: mons olympus, 4 points; Anna 0, Björn 4;"
            " Anna has lost: no choice of the dice can be played in full (2)",
        ),
    ]


def test_a_remark_names_the_player_and_ends_with_the_game() -> None:
    last = {"turn": BJÖRN, "points": {"20": -1}, "off": [15, 14], "bar": [0, 0]}
    last_roll = {"last_roll": {"first": ANNA, "final": True}}
    sitting = Sitting("zombie", players=PLAYERS, terms=Terms(length=5), position=last | last_roll)
    assert sitting.session.waiting == "Björn must roll; this is Björn's last roll"
    sitting.press("resign", BJÖRN, grade="single")
    sitting.press("take")
    assert sitting.session.waiting == "the game is over; begin the next one"


def test_a_tie_is_called_so_once() -> None:
    last = {"turn": BJÖRN, "points": {"24": -2}, "off": [15, 13], "bar": [0, 0]}
    last_roll = {"last_roll": {"first": ANNA, "final": True}}
    sitting = Sitting("zombie", players=PLAYERS, terms=Terms(length=5), position=last | last_roll)
    sitting.roll(2, 1)
    sitting.done()
    assert news(sitting) == ["A tie"]


def test_an_undo_is_told_and_unsays_nothing() -> None:
    sitting = to_roll()
    sitting.press("undo", ANNA)
    assert news(sitting) == ["Anna took 8/5 6/5 back"]
    assert signals(sitting.session)[f"player.{ANNA}"].colour == GOOD
    sitting.done("24/23 13/10")
    assert story(sitting) == [(0, "Anna took 8/5 6/5 back")]
    sitting.send(Roll(t=sitting.after(), dice=(5, 5)))
    sitting.press("undo", BJÖRN)
    assert news(sitting) == ["Björn took the dice back: 5-5"]
    assert story(sitting)[1:] == [(1, "Björn took the dice back: 5-5")]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"score": (2, 1)}, "Set by hand: the score, 2–1"),
        ({"cube": 4, "owner": ANNA}, "Set by hand: the cube, 4, Anna's"),
        ({"cube": 2}, "Set by hand: the cube, 2, in the middle"),
        ({"position": {"turn": ANNA}}, "Set by hand: Anna is on turn"),
        ({"position": {"points": {"6": 15, "1": -15}}}, "Set by hand: the position"),
    ],
)  # fmt: skip
def test_what_was_set_by_hand_is_told(what: dict[str, object], words: str) -> None:
    sitting = to_roll()
    sitting.send(Correct(t=sitting.after(), **what))
    assert news(sitting) == [words]
    sitting.send(Correct(t=sitting.after(), **what))
    assert story(sitting) == [(1, words)], "what was so already is not told"


def test_a_judgement_leaves_when_the_next_player_acts() -> None:
    sitting = to_roll()
    assert sitting.table.judged == sitting.table.moves[-1]
    sitting.roll(6, 5)
    assert sitting.table.judged is None


@pytest.mark.usefixtures("footrace")
def test_a_foul_is_in_mind_until_it_is_fixed() -> None:
    sitting = fouled()
    sitting.press("pause")
    sitting.press("pause")
    assert sitting.table.judged is sitting.table.pending is not None
    sitting.done("8/3")
    assert sitting.state is State.ROLL
    assert sitting.table.judged == sitting.table.moves[-1]


def test_time_that_is_up_is_told() -> None:
    sitting = sit(clock=Control(Timing.DELAY, 12.0, 60.0, Penalty.MATCH))
    sitting.roll(3, 1)
    sitting.tick(100.0)
    assert news(sitting) == [
        "Anna is out of time",
        "Björn wins: single, 1 point",
        "Björn wins the match 1–0: Anna is out of time",
    ]
