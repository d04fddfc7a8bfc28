"""IceGammon by hand: a board and a roll for every rule and every ruling."""

import pytest

from engine.errors import BadDice, IllegalPlay, ImpossibleSetup
from engine.position import Awaits, Outcome
from engine.rules import get
from tests.engine.ice_boards import STASH, board

RULES = get("icegammon")
OFF = {"white": "off", "black": "off"}


def at(points, turn="white", rest=None, **beside):
    return RULES.read(board(points, turn, rest, **beside))


def piles(position):
    return {int(point): pile for point, pile in position.to_json()["points"].items()}


def after(position, text):
    return position.find(text).after


def texts(position):
    return [play.text for play in position.plays()]


def refused(position, text):
    with pytest.raises(IllegalPlay) as error:
        position.find(text)
    return str(error.value)


# The start (3-7)


def test_each_player_begins_with_five_of_each_size_in_hand():
    start = RULES.start({})
    assert start.to_json()["hand"] == {"white": STASH, "black": STASH}
    assert set(start.layout()) == {"hand.white", "hand.black"}


def test_the_higher_of_one_die_each_begins_and_then_rolls_three_dice():
    start = RULES.start({})
    assert (start.awaits, start.dice_due) == (Awaits.OPENING, 2)
    first = start.roll((2, 5))
    assert (first.turn, first.awaits, first.dice_due) == ("black", Awaits.ROLL, 3)
    assert start.roll((5, 2)).turn == "white"
    assert start.roll((4, 4)) == start


def test_players_may_name_who_begins():
    assert RULES.start({"first": "black"}).turn == "black"
    with pytest.raises(ImpossibleSetup, match="first"):
        RULES.start({"first": "green"})


@pytest.mark.parametrize("dice", [(1, 2), (1, 2, 7), (0, 2, 3), (1, 2, 3, 4), (1, 2, True), ()])
def test_dice_other_than_three_faces_are_refused(dice):
    with pytest.raises(BadDice):
        RULES.start({"first": "white"}).roll(dice)


def test_no_roll_is_taken_where_a_play_is_awaited_or_the_game_is_over():
    rolled = RULES.start({"first": "white"}).roll((1, 2, 3))
    with pytest.raises(BadDice, match="play"):
        rolled.roll((1, 2, 3))
    with pytest.raises(BadDice, match="the game is over"):
        at({}, None, OFF, hand={"black": STASH}).roll((1, 2, 3))


@pytest.mark.parametrize(
    ("side", "points"), [("white", (24, 23, 22, 21, 20, 19)), ("black", (13, 14, 15, 16, 17, 18))]
)
def test_pieces_enter_on_the_first_six_points_of_their_way(side, points):
    for die, point in enumerate(points, 1):
        rolled = at({}, side, stage={"number": die, "left": 1, "then": None})
        assert {play.steps[0].target for play in rolled.plays()} == {f"p{point}"}


def test_black_goes_up_to_24_then_from_1_to_12_and_off():
    assert piles(after(at({24: ["black", [1]]}, "black").roll((1, 2, 4)), "24S/1 1S/3"))[3] == [
        ["black", [1]]
    ]
    assert after(at({12: ["black", [1]]}, "black").roll((1, 2, 4)), "12S/off handS/14").to_json()["off"][
        "black"
    ] == [1]


def test_two_of_three_dice_are_played_by_choice():
    rolled = at({24: ["white", [1, 1]]}).roll((1, 2, 4))
    for text in ("24S/23 24S/22", "24S/23 24S/20", "24S/22 24S/20"):
        assert after(rolled, text).turn == "black"
    refused(rolled, "24S/23")
    refused(rolled, "24S/23 24S/22 22S/18")


def test_one_piece_may_play_both_dice_by_way_of_a_free_space_only():
    free = at({20: ["white", [1]]}, hand={"black": STASH}).roll((1, 3, 6))
    assert 16 in piles(after(free, "20S/17 17S/16"))
    walled = at({20: ["white", [1]], 19: ["black", [2]], 17: ["black", [2]]}).roll((1, 3, 6))
    assert "blocked" in refused(walled, "20S/19 19S/16")
    assert "blocked" in refused(walled, "20S/17 17S/16")


# Doubles (9) and what is owed


def test_doubles_are_four_moves_then_four_of_the_opposite_number_then_another_roll():
    rolled = RULES.start({"first": "white"}).roll((3, 5, 3))
    second = after(rolled, "handS/22(4)")
    assert (second.turn, second.awaits, second.dice) == ("white", Awaits.PLAY, ())
    assert second.to_json()["stage"] == {"number": 4, "left": 4, "then": None}
    third = after(second, "handL/21(4)")
    assert (third.turn, third.awaits) == ("white", Awaits.ROLL)
    assert "stage" not in third.to_json()


def test_with_a_pair_the_other_choice_is_its_number_with_the_third_die():
    rolled = RULES.start({"first": "white"}).roll((3, 5, 3))
    assert {len(play.steps) for play in rolled.plays()} == {2, 4}
    assert after(rolled, "handS/22 handS/20").turn == "black"
    refused(rolled, "handS/22(2)")


def test_three_equal_dice_are_one_choice_of_doubles():
    rolled = RULES.start({"first": "white"}).roll((6, 6, 6))
    assert {len(play.steps) for play in rolled.plays()} == {4}
    assert {play.after.to_json()["stage"]["number"] for play in rolled.plays()} == {1}


def test_a_stage_may_be_met_in_the_middle_with_its_choice_already_made():
    owed = at({24: ["white", [1]]}, stage={"number": 3, "left": 2, "then": 4})
    assert {len(play.steps) for play in owed.plays()} == {2}
    assert after(owed, "24S/21 21S/18").to_json()["stage"] == {"number": 4, "left": 4, "then": None}


def test_who_can_play_no_two_dice_has_lost_at_the_roll_on_the_position_before_it():
    walls = {point: ["black", [2, 3]] for point in (24, 23, 22)}
    before = at(walls, "white", {"black": "off"})
    lost = before.roll((1, 2, 3))
    assert lost.outcome == Outcome("black", "mons olympus", 4)
    assert (lost.awaits, lost.turn, lost.plays()) == (Awaits.NOTHING, None, ())
    assert lost.layout() == before.layout()
    assert before.roll((1, 2, 4)).outcome is None  # 4 and then 1 or 2 from there


def test_one_die_alone_is_no_full_play():
    walls = {point: ["black", [2, 3]] for point in (24, 23, 19)}
    before = at(
        {**walls, 12: ["black", [3], "white", [1]], 11: ["black", [2, 2]], 10: ["black", [1, 3]]}, rest=OFF
    )
    assert len(before.roll((3, 5, 6)).plays()) > 0
    assert before.roll((1, 2, 1)).outcome == Outcome("black", "mon", 1)


def test_doubles_that_cannot_be_played_four_times_are_no_choice():
    walled = at(
        {23: ["white", [1]], 21: ["black", [2, 3]], 24: ["black", [2, 2]]},
        hand={"white": []},
        rest={"white": "off", "black": "off"},
    )
    assert walled.roll((2, 2, 2)).outcome is not None
    open_once = at({23: ["white", [1]], 21: ["black", [2, 3]]}, rest=OFF).roll((2, 2, 1))
    assert texts(open_once) == ["23S/22 22S/20"]


def test_whoever_chooses_doubles_and_then_cannot_play_the_opposite_number_loses_at_that_moment():
    rolled = at(
        {19: ["black", [2, 3]], 18: ["black", [2, 2]], 17: ["black", [1, 3]], 16: ["black", [3, 3]]},
        rest={"black": "off"},
    ).roll((1, 1, 2))
    stuck = [play.after for play in rolled.plays() if play.after.outcome and len(play.steps) == 4]
    assert stuck
    for position in stuck:
        assert position.outcome == Outcome("black", "mons olympus", 4)
        assert (
            sum(len(layer) for cell, stack in position.layout().items() if cell[0] == "p" for layer in stack)
            > 8
        )  # the first four stay played
    assert any(play.after.outcome is None for play in rolled.plays())


def test_a_stage_read_that_cannot_be_played_is_lost():
    lost = at({19: ["black", [2, 3]]}, stage={"number": 6, "left": 4, "then": 1})
    assert lost.outcome == Outcome("black", "mons olympus", 4)
    assert lost.plays() == ()
    assert RULES.read(lost.to_json()) == lost


def test_a_shorter_play_is_illegal_where_a_full_one_exists():
    rolled = RULES.start({"first": "white"}).roll((2, 2, 2))
    assert "must still be played" in refused(rolled, "handS/23(3)")


def test_an_ending_that_only_a_wrong_order_reaches_is_illegal():
    rolled = at({24: ["white", [3], "white", [1]], 22: ["black", [3]]}, hand={"white": []}, rest=OFF).roll(
        (2, 2, 1)
    )
    assert texts(rolled)  # the large piece is pinned until the small one has gone
    assert "free to move" in refused(rolled, "24L/22* 22L/21")


# The bar (11) and the hand (5)


def test_the_bar_comes_first_at_every_step():
    rolled = at({20: ["white", [2]]}, bar={"white": [1, 3]}).roll((1, 2, 4))
    for play in rolled.plays():
        assert [step.source for step in play.steps] == ["bar.white", "bar.white"]
    one = at({20: ["white", [2]]}, bar={"white": [1]}).roll((1, 2, 4))
    assert all(play.steps[0].source == "bar.white" for play in one.plays())
    assert "20M/18" in {play.text.split()[1] for play in one.plays()}
    assert "bar" in refused(one, "20M/18 20M/19")


def test_any_piece_of_the_bar_may_come_in_first():
    rolled = at({}, bar={"white": [1, 3]}, stage={"number": 2, "left": 1, "then": None})
    assert sorted(texts(rolled)) == ["barL/23", "barS/23"]


def test_pieces_not_yet_entered_need_not_be_entered():
    rolled = at({10: ["white", [1]]}).roll((1, 2, 4))
    assert after(rolled, "10S/9 9S/7").to_json()["hand"]["white"] == STASH[1:]
    assert after(rolled, "handL/24 10S/8").turn == "black"


# Landing (10-14)


@pytest.mark.parametrize(("mover", "letter", "held", "allowed"), [
    (1, "S", [1], True), (1, "S", [2], False), (1, "S", [1, 1], False),
    (2, "M", [1, 1], True), (2, "M", [2], True), (2, "M", [3], False),
    (3, "L", [1, 2], True), (3, "L", [1, 1, 1], True), (3, "L", [3], True),
    (3, "L", [2, 2], False), (3, "L", [1, 3], False)])  # fmt: skip
def test_landing_on_the_enemy_takes_a_piece_worth_at_least_the_whole_layer(mover, letter, held, allowed):
    position = at({20: ["white", [mover]], 18: ["black", held]}, stage={"number": 2, "left": 1, "then": None})
    for mark in "*^":
        if allowed:
            after(position, f"20{letter}/18{mark}")
        else:
            assert "blocked" in refused(position, f"20{letter}/18{mark}")


def test_a_capture_sends_the_whole_layer_to_the_bar():
    position = at({20: ["white", [3]], 18: ["black", [1, 2]]}, stage={"number": 2, "left": 1, "then": None})
    play = position.find("20L/18*")
    assert piles(play.after)[18] == [["white", [3]]]
    assert play.after.to_json()["bar"]["black"] == [1, 2]
    assert [(step.piece, step.source, step.target) for step in play.steps] == [
        # Fmt: skip
        ("white.3", "p20", "p18"),
        ("black.1", "p18", "bar.black"),
        ("black.2", "p18", "bar.black"),
    ]


def test_a_pin_makes_a_new_layer_and_what_it_pins_cannot_move():
    position = at({20: ["white", [3]], 18: ["black", [1, 2]]}, stage={"number": 2, "left": 1, "then": None})
    pinned = after(position, "20L/18^")
    assert piles(pinned)[18] == [["black", [1, 2]], ["white", [3]]]
    after_white = RULES.read({**pinned.to_json(), "turn": "black"})
    assert all(
        step.source != "p18" for play in after_white.roll((1, 2, 4)).plays() for step in play.steps[:1]
    )


def test_on_capture_with_the_own_colour_below_the_piece_joins_that_layer():
    position = at(
        {20: ["white", [3]], 18: ["white", [1], "black", [2]]}, stage={"number": 2, "left": 1, "then": None}
    )
    assert piles(after(position, "20L/18*"))[18] == [["white", [1, 3]]]


def test_on_capture_with_an_enemy_layer_below_it_is_pinned_whatever_its_size():
    position = at(
        {20: ["white", [1]], 18: ["black", [3, 3], "black", [1]]},
        stage={"number": 2, "left": 1, "then": None},
    )
    assert piles(after(position, "20S/18*"))[18] == [["black", [3, 3]], ["white", [1]]]


def test_landing_on_an_own_layer_joins_it_or_pins_it_when_no_piece_of_it_is_larger():
    def choices(mover, held):
        return sorted(
            texts(
                at(
                    {20: ["white", [mover]], 18: ["white", held]},
                    rest={"white": "off"},
                    stage={"number": 2, "left": 1, "then": None},
                )
            )
        )

    assert choices(2, [2, 2]) == ["18M/16", "20M/18", "20M/18^"]  # each piece counts, not their sum
    assert choices(1, [2]) == ["18M/16", "20S/18"]
    assert choices(3, [1, 2]) == ["18M/16", "18S/16", "20L/18", "20L/18^"]


def test_an_own_pin_hides_an_own_layer_from_the_enemy():
    position = at(
        {20: ["white", [1], "white", [3]], 19: ["black", [2]]},
        "black",
        stage={"number": 1, "left": 1, "then": None},
    )
    assert "blocked" in refused(position, "19M/20*")


def test_only_the_top_layer_moves_and_an_emptied_layer_frees_the_one_below():
    position = at(
        {20: ["white", [1], "white", [2, 3]]},
        rest={"white": "off"},
        stage={"number": 1, "left": 2, "then": None},
    )
    assert {step.piece for play in position.plays() for step in play.steps} == {"white.2", "white.3"}
    assert "no small piece of white is free to move" in refused(position, "20S/19 20M/19")
    three = RULES.read({**position.to_json(), "stage": {"number": 1, "left": 3, "then": None}})
    assert piles(after(three, "20M/19 20L/19 20S/19"))[19] == [["white", [1, 2, 3]]]


def test_a_pinning_layer_pins_as_long_as_any_piece_of_it_stays():
    position = at(
        {20: ["black", [2], "white", [1, 3]], 2: ["black", [1]]},
        hand={"black": []},
        rest=OFF,
        stage={"number": 1, "left": 1, "then": None},
    )
    left = after(position, "20L/19")
    assert piles(left)[20] == [["black", [2]], ["white", [1]]]
    assert all(
        "20M" not in text for text in texts(RULES.read({**left.to_json(), "turn": "black"}).roll((1, 2, 3)))
    )


def test_the_texts_example_of_pins_upon_pins():
    stack = {18: ["black", [2], "white", [2], "black", [2]], 20: ["white", [1, 2]]}
    position = at(stack, stage={"number": 2, "left": 1, "then": None})
    assert piles(after(position, "20M/18*"))[18] == [["black", [2]], ["white", [2, 2]]]
    assert piles(after(position, "20M/18^"))[18] == [
        ["black", [2]],
        ["white", [2]],
        ["black", [2]],
        ["white", [2]],
    ]
    assert "blocked" in refused(position, "20S/18*")


# Bearing off and re-entering (15-17)


def test_a_throw_past_the_last_point_bears_off_exact_or_not():
    for die in (3, 4, 5, 6):
        position = at(
            {3: ["white", [1]], 20: ["white", [1]]},
            rest={"white": "off"},
            off={"white": [1, 1, 1]},
            stage={"number": die, "left": 1, "then": None},
        )
        assert "3S/off" in texts(position)
    short = at({3: ["white", [1]]}, stage={"number": 2, "left": 1, "then": None})
    assert "does not reach" in refused(short, "3S/off")


@pytest.mark.parametrize("where", [
    {"points": {3: ["white", [2]], 20: ["white", [1]]}},
    {"points": {3: ["white", [2]], 20: ["white", [1], "black", [3]]}},
    {"points": {3: ["white", [2]]}, "hand": {"white": [1]}},
])  # fmt: skip
def test_no_piece_is_borne_off_before_the_smaller_ones_on_board_pinned_or_in_hand(where):
    beside = {name: pieces for name, pieces in where.items() if name != "points"}
    position = at(
        where["points"], rest={"white": "off"}, stage={"number": 4, "left": 1, "then": None}, **beside
    )
    assert "smaller" in refused(position, "3M/off")
    assert "3M/23" in texts(position)


def test_a_smaller_piece_on_the_bar_also_forbids_it():
    position = at(
        {3: ["white", [2]], 21: ["white", [3]]},
        rest={"white": "off"},
        bar={"white": [1]},
        stage={"number": 4, "left": 2, "then": None},
    )
    assert all("off" not in text for text in texts(position))


def test_the_smaller_ones_may_leave_in_the_same_turn():
    position = at(
        {3: ["white", [1, 2]], 21: ["white", [3]]},
        rest={"white": "off"},
        stage={"number": 4, "left": 2, "then": None},
    )
    assert after(position, "3S/off 3M/off").outcome is None


def test_a_piece_may_re_enter_by_choice_and_lands_by_the_usual_rules():
    free = at({3: ["white", [1]], 23: ["black", [1]]}, stage={"number": 4, "left": 1, "then": None})
    assert {"3S/off", "3S/23*", "3S/23^"} <= set(texts(free))  # 2, 1, and on to 24, 23
    black = at({11: ["black", [2]]}, "black", stage={"number": 5, "left": 1, "then": None})
    assert "11M/16" in texts(black)
    walled = at(
        {3: ["white", [2]], 23: ["black", [3]], 20: ["white", [1]]},
        stage={"number": 4, "left": 1, "then": None},
    )
    assert "blocked" in refused(walled, "3M/23")


def test_what_is_borne_off_never_comes_back():
    position = at({20: ["white", [3]]}, rest={"white": "off"}).roll((1, 2, 3))
    assert all(
        step.source == "p20" or step.source.startswith("p")
        for play in position.plays()
        for step in play.steps
    )
    assert all(play.after.to_json()["off"]["white"] == STASH[:-1] for play in position.plays())


def test_bearing_off_the_last_piece_ends_the_game_with_numbers_left_to_play():
    for text, position in (
        ("3L/off", at({3: ["white", [3]]}, rest={"white": "off"}).roll((6, 5, 4))),
        ("3L/off", at({3: ["white", [3]]}, rest={"white": "off"}).roll((4, 4, 1))),
        (
            "5L/1 1L/off",
            at({5: ["white", [3]]}, rest={"white": "off"}, stage={"number": 4, "left": 4, "then": 3}),
        ),
    ):
        won = after(position, text)
        assert won.outcome == Outcome("white", "mons olympus", 4)
        assert (won.awaits, won.turn, won.plays()) == (Awaits.NOTHING, None, ())
        assert "turn" not in won.to_json()
        assert "stage" not in won.to_json()


def test_a_win_that_several_choices_reach_is_one_result():
    rolled = at({3: ["white", [3]]}, rest={"white": "off"}).roll((6, 6, 5))
    assert len([play for play in rolled.plays() if play.after.outcome]) == 1


# Wins (19)


@pytest.mark.parametrize(("black", "rest", "outcome"), [
    ({5: ["black", [1]]}, "off", ("mon", 1)),
    ({5: ["black", STASH]}, "off", ("gammon", 2)),
    ({5: ["black", STASH[1:]], 13: ["black", [1]]}, "off", ("icegammon", 3)),
    ({5: ["black", STASH[1:]]}, "hand", ("icegammon", 3)),
    ({5: ["black", STASH[1:]]}, "bar", ("icegammon", 3)),
    ({5: ["black", STASH[1:]], 18: ["black", [1], "white", [3]]}, "off", ("icegammon", 3)),
    ({5: ["black", STASH[1:]], 19: ["black", [1]]}, "off", ("gammon", 2)),
    ({18: ["black", STASH[3:]], 13: ["black", [1]]}, "bar", ("mons olympus", 4)),
    ({}, "hand", ("mons olympus", 4)),
])  # fmt: skip
def test_a_win_is_graded_by_where_the_losers_pieces_are(black, rest, outcome):
    white = {2: ["white", [3]]} if 18 not in black or len(black[18]) == 2 else {}
    last = "2L/off"
    if not white:  # the winner's last piece is the one that pins
        black = {6: black[18], **{point: pile for point, pile in black.items() if point != 18}}
        outcome, last = ("gammon", 2), "6L/off"
    won = after(at({**black, **white}, rest={"white": "off", "black": rest}).roll((6, 5, 4)), last)
    assert won.outcome == Outcome("white", *outcome)


def test_a_pinned_piece_counts_where_it_stands():
    walls = {
        24: ["black", [2, 3]],
        23: ["black", [2, 3]],
        22: ["black", [2, 3]],
        21: ["white", [1], "black", [1]],
    }
    lost = at(walls, rest={"white": "hand", "black": "off"}).roll((1, 2, 3))
    assert lost.outcome == Outcome("black", "mons olympus", 4)
    walls[10] = walls.pop(21)
    assert at(walls, rest={"white": "hand", "black": "off"}).roll((1, 2, 3)).outcome == Outcome(
        "black", "icegammon", 3
    )


def test_the_outer_board_is_ones_own_entry_quadrant():
    home = at(
        {2: ["white", [3]], 24: ["black", STASH[:5]], 1: ["black", STASH[5:]]}, rest={"white": "off"}
    ).roll((6, 5, 4))
    assert after(home, "2L/off").outcome == Outcome("white", "gammon", 2)


def test_a_stuck_players_loss_is_graded_like_any_win():
    walls = {24: ["black", [2, 3]], 23: ["black", [2, 3]], 22: ["black", [2, 3]]}
    assert at(walls, rest={"white": "hand", "black": "off"}, off={"white": [1]}).roll(
        (1, 2, 3)
    ).outcome == Outcome("black", "mon", 1)
