"""Siege Master, rule by rule and ruling by ruling."""

from __future__ import annotations

import re

import pytest

from engine.errors import BadDice, IllegalPlay
from engine.evidence import Evidence
from engine.judge import Kind, judge
from engine.layout import Looks
from engine.position import Awaits, Outcome, Step
from engine.rules.siege_master.hexmap import name
from engine.rules.siege_master.position import SiegePosition
from tests.engine.siege_boards import at, position, start

FIELD = (
    "############",
    "#..........#",
    "#.n........#",
    "#........n.#",
    "#..........#",
    "#....n.....#",
    "############",
)
"""One open area: nothing is captured early."""

ALLEY = ("##########", "#....n...#", "##########")
"""An army at the left end captures; nothing more fits then."""


def texts(of: SiegePosition) -> list[str]:
    return [play.text for play in of.plays()]


def after(of: SiegePosition, *plays: str) -> SiegePosition:
    for text in plays:
        found = of.find(text).after
        assert isinstance(found, SiegePosition)
        of = found
    return of


def held(of: SiegePosition) -> dict[str, str]:
    return {place: owner for place, owner in of.to_json()["fortresses"].items() if owner != "neutral"}


def along(row: int, first: int) -> str:
    """An army along a row of the drawing, from column ``first``."""
    return f"{name(at(first, row))}-{name(at(first + 3, row))}"


# the map


def test_an_area_away_from_the_edge_belongs_to_the_map() -> None:
    board = start("..........", ".########.", ".#......#.", ".#.n....#.", ".########.", "..........")
    assert {at(2, 2), at(7, 3)} <= board.map.cells


def test_an_area_at_the_edge_belongs_to_the_map_only_if_it_holds_a_fortress() -> None:
    board = start("....#....#....", "....#.n..#..n.", "....#....#....")
    assert not board.map.cells & {at(0, 0), at(3, 2)}
    assert {at(5, 0), at(8, 2), at(10, 0), at(13, 2)} <= board.map.cells


def test_no_army_may_lie_on_border_fortress_army_or_off_the_map() -> None:
    board = after(start("######....", "#....#....", "#....#....", "#..n.#....", "######...."), along(1, 1))
    for illegal, reason in (
        (along(0, 0), "not on the map"),
        (along(1, 6), "not on the map"),
        (along(3, 1), "a fortress"),
        (along(1, 1), "an army"),
    ):
        with pytest.raises(IllegalPlay, match=reason):
            board.find(illegal)
        assert illegal not in texts(board)


def test_a_captured_fortress_blocks_a_placement_like_a_neutral_one() -> None:
    board = position("########", "#..r...#", "#n.....#", "########")
    assert [text.partition("*")[0] for text in texts(board)] == [along(2, 2), along(2, 3)]


# sieges


def test_a_fortress_in_an_area_where_no_army_fits_is_captured_by_the_one_who_placed_last() -> None:
    assert texts(start(*ALLEY)) == [along(1, 1) + "*5,1"]
    assert held(after(start(*ALLEY), along(1, 1))) == {"5,1": "red"}


def test_a_fortress_is_not_captured_while_an_army_fits_beside_it() -> None:
    board = after(start("###########", "#....n....#", "###########"), along(1, 1))
    assert held(board) == {}
    assert not board.last_capture


def test_an_area_of_no_hexes_but_the_fortress_is_a_siege_area() -> None:
    board = start("########", "#....n##", "##....##", "##....##", "########")
    assert held(after(board, along(2, 2))) == {}
    assert held(after(board, along(2, 2), along(1, 1))) == {"5,1": "blue"}


@pytest.mark.parametrize("owner", ["red", "blue", "neutral"])
def test_regions_connect_through_fortresses_of_any_owner(owner: str) -> None:
    mark = owner[0]
    board = position("############", f"#....n{mark}....#", "############", "#r#b########", "############")
    assert board.find(along(1, 1)).after.to_json()["fortresses"]["5,1"] == "neutral"


def test_regions_do_not_connect_through_border_or_armies() -> None:
    board = start("############", "#....n#....#", "############", "#n#n########")
    assert "5,1" in held(after(board, along(1, 1)))
    board = position("###############", "#....n........#", "###############", "#r#b###########")
    assert held(after(board, along(1, 1))) == held(board), "an army still fits to the right of it"
    assert held(after(board, along(1, 1), along(1, 6)))["5,1"] == "blue"


def test_every_region_of_the_map_is_looked_at_after_a_placement() -> None:
    """A siege area that the map had from the start falls to the first who places, wherever."""
    board = start("###############", "#.........#.n.#", "#n.......n#...#", "###############")
    assert held(after(board, along(1, 1))) == {name(at(12, 1)): "red"}


def test_several_fortresses_may_fall_at_once() -> None:
    board = start("#########", "#n....n.#", "#########", "#n....nn#", "#########")
    assert board.find(along(3, 2)).text == "1,3-4,3*0,3*5,3*6,3"


def test_a_captured_fortress_stays_with_its_captor() -> None:
    board = position("##########", "#....b...#", "##########", "#....n...#", "##########")
    assert held(after(board, along(1, 1))) == {"5,1": "blue"}


def test_a_play_replaces_the_fortresses_that_it_captures() -> None:
    play = start(*ALLEY).find(along(1, 1))
    army = [Step("army.red", "supply.red", f"hex.{column},1") for column in (1, 2, 3, 4)]
    fortress = [
        Step("fortress.neutral", "hex.5,1", "supply.neutral"),
        Step("fortress.red", "supply.red", "hex.5,1"),
    ]
    assert list(play.steps) == army + fortress
    assert play.after.looks()["hex.5,1"] == ("fortress.red",)


# adjacency


def test_the_first_army_may_lie_anywhere() -> None:
    board = start(*FIELD)
    free = [line for line in board.map.lines if not line & board.fortresses]
    assert len(texts(board)) == len(free) > 50


def test_an_army_must_touch_the_last_one_placed() -> None:
    board = after(start(*FIELD), along(1, 1))
    assert along(2, 3) in texts(board)
    assert along(1, 5) in texts(board)
    assert along(4, 4) not in texts(board)
    with pytest.raises(IllegalPlay, match=r"must touch the last one placed, 1,1-4,1"):
        board.find(along(4, 4))


def test_it_is_the_last_army_that_counts_whoever_placed_it() -> None:
    board = after(start(*FIELD), along(1, 1), along(1, 5))
    assert along(2, 6) in texts(board)
    assert along(2, 2) not in texts(board), "beside the army before the last"


def test_after_a_capture_the_next_army_may_lie_anywhere() -> None:
    board = start(
        "############", "#....n.#...#", "########...#", "#..........#", "#n........n#", "############"
    )
    taken = after(board, along(1, 1))
    assert taken.last_capture
    assert along(3, 7) in texts(taken)
    assert not after(taken, along(3, 7)).last_capture


def test_where_no_army_can_touch_the_last_one_the_next_may_lie_anywhere() -> None:
    board = after(
        start("############", "#....#.....#", "######.....#", "#n........n#", "############"), along(1, 1)
    )
    assert not board.last_capture
    assert along(2, 6) in texts(board)


# the swap


def test_blue_may_swap_on_his_first_turn_only() -> None:
    first = start(*FIELD)
    assert "swap" not in texts(first)
    second = after(first, along(1, 1))
    assert texts(second)[-1] == "swap"
    for played_on in (
        after(second, "swap"),
        after(second, along(2, 3)),
        after(second, along(2, 3), along(1, 5)),
    ):
        assert "swap" not in texts(played_on)
        with pytest.raises(IllegalPlay, match="only Blue may swap"):
            played_on.find("swap")


def test_the_swap_exchanges_armies_and_captured_fortresses_and_is_followed_by_red() -> None:
    board = start("##########", "#....n...#", "##########", "#n......n#", "##########")
    swapped = after(board, along(1, 1), "swap")
    assert swapped.turn == "red"
    assert held(swapped) == {"5,1": "blue"}
    assert swapped.to_json()["armies"] == [["blue", ["1,1", "2,1", "3,1", "4,1"]]]
    assert swapped.left("blue") == 19
    assert swapped.left("red") == 20


def test_after_the_swap_the_army_swapped_is_the_last_one_placed() -> None:
    swapped = after(start(*FIELD), along(1, 1), "swap")
    assert along(4, 4) not in texts(swapped)
    assert along(2, 3) in texts(swapped)


def test_after_the_swap_the_capture_is_the_last_turns_capture() -> None:
    board = start(
        "############", "#....n.#...#", "########...#", "#..........#", "#n........n#", "############"
    )
    swapped = after(board, along(1, 1), "swap")
    assert swapped.last_capture
    assert along(3, 7) in texts(swapped)


def test_the_swap_replaces_every_red_token() -> None:
    board = after(start("##########", "#....n...#", "##########", "#n......n#", "##########"), along(1, 1))
    steps = board.find("swap").steps
    assert steps[:2] == (
        Step("army.red", "hex.1,1", "supply.red"),
        Step("army.blue", "supply.blue", "hex.1,1"),
    )
    assert steps[-1] == Step("fortress.blue", "supply.blue", "hex.5,1")
    assert len(steps) == 10


# the end


def test_more_than_half_of_the_fortresses_wins_at_once_one_point() -> None:
    board = start("############", "#....n.....#", "#########..#", "#nn....#...#", "############")
    taken = after(board, along(3, 3))
    assert taken.outcome == Outcome("red", "win", 1)
    assert taken.awaits == Awaits.NOTHING
    assert taken.turn is None
    assert "turn" not in taken.to_json()


def test_exactly_half_of_the_fortresses_does_not_win() -> None:
    board = start("############", "#n....#....#", "########...#", "#n.........#", "############")
    assert after(board, along(1, 2)).outcome is None


def test_a_majority_on_reds_first_turn_ends_the_game_without_a_swap() -> None:
    taken = after(start(*ALLEY), along(1, 1))
    assert taken.outcome == Outcome("red", "win", 1)
    assert list(taken.plays()) == []


def test_with_no_placement_left_more_fortresses_win_even_without_a_majority() -> None:
    board = position("##########", "#rrbnn...#", "##########")
    assert board.outcome == Outcome("red", "win", 1)
    assert board.turn is None


def test_with_no_placement_left_and_as_many_fortresses_each_it_is_a_draw() -> None:
    board = position("###########", "#....#rb###", "###########")
    assert after(board, along(1, 1)).outcome == Outcome(None, "draw", 0)


def test_the_swap_does_not_count_as_a_placement_left() -> None:
    """One army fills the map; Blue could still swap, but the game is over."""
    board = after(position("########", "#....#r#", "#####b##"), along(1, 1))
    assert board.outcome == Outcome(None, "draw", 0)


def tower(red: int, blue: int, turn: str, fortress: str = "n") -> SiegePosition:
    """A board of 44 rows of one army each, with three fortresses below, and this many armies placed
    alternately from the top."""
    rows = ["######", *(["#....#"] * 44), f"#{fortress}.#n#", "#n...#", "######"]
    armies, left = [], {"red": red, "blue": blue}
    for row in range(1, red + blue + 1):
        side = "red" if (row % 2 == 1 and left["red"]) or not left["blue"] else "blue"
        left[side] -= 1
        armies.append(f"{side} " + " ".join(name(at(col, row)) for col in range(1, 5)))
    return position(*rows, armies=armies, turn=turn)


@pytest.mark.parametrize(
    ("fortress", "outcome"),
    [("n", Outcome(None, "draw", 0)), ("r", Outcome("red", "win", 1)), ("b", Outcome("blue", "win", 1))],
)
def test_the_game_ends_when_the_player_on_turn_has_no_army_left(fortress: str, outcome: Outcome) -> None:
    board = tower(20, 19, "blue", fortress)
    assert board.left("red") == 0
    assert board.outcome is None, "it is Blue's turn, who has one"
    assert after(board, along(40, 1)).outcome == outcome


def test_armies_are_counted_by_their_colour_now() -> None:
    """After a swap Blue has one army more on the map and runs out first."""
    assert tower(19, 20, "red").outcome is None
    assert tower(19, 20, "blue").outcome == Outcome(None, "draw", 0)


# the judge


def test_an_army_without_the_fortress_that_it_captures_is_illegal_and_the_fortress_is_lit() -> None:
    board = start(*ALLEY)
    looks = {**board.find(along(1, 1)).after.looks(), "hex.5,1": ("fortress.neutral",)}
    verdict = judge(board, Evidence.certain(looks))
    assert verdict.kind == Kind.ILLEGAL
    assert verdict.cells == ("hex.5,1",)
    assert verdict.play.text == "1,1-4,1*5,1"


def test_a_fortress_replaced_without_being_captured_is_illegal() -> None:
    board = start(*FIELD)
    looks = {**board.find(along(1, 1)).after.looks(), f"hex.{name(at(5, 5))}": ("fortress.red",)}
    verdict = judge(board, Evidence.certain(looks))
    assert verdict.kind == Kind.ILLEGAL
    assert verdict.cells == (f"hex.{name(at(5, 5))}",)


def test_an_army_off_the_map_is_illegal() -> None:
    board = start("######......", "#....#......", "#n...#......", "######......")
    looks = {**board.looks(), **{f"hex.{name(at(col, 1))}": ("army.red",) for col in (6, 7, 8, 9)}}
    assert judge(board, Evidence.certain(looks)).kind == Kind.ILLEGAL


def shown(board: SiegePosition, **looks: str) -> Looks:
    """The board's looks with cells of the drawing changed: ``c3r1="army.red"``, ``c3r1=""``."""
    changed = dict(board.looks())
    for key, piece in looks.items():
        col, row = map(int, key.removeprefix("c").split("r"))
        changed[f"hex.{name(at(col, row))}"] = (piece,) if piece else ()
    return changed


def row_of(row: int, first: int, side: str) -> dict[str, str]:
    return {f"c{first + count}r{row}": f"army.{side}" for count in range(4)}


@pytest.mark.parametrize(
    ("looks", "reason"),
    [
        ({"c0r0": ""}, r"the border at 0,0 has changed.*SET-UP"),
        ({"c2r2": ""}, r"the fortress at 1,2 has changed.*SET-UP"),
        ({}, r"no army has been placed, and players may not pass"),
        (row_of(3, 1, "red"), r"it is blue's turn: only a blue army may be placed"),
        ({"c1r3": "army.blue"}, r"an army covers 4 hexes in a row, not 0,3"),
        (row_of(4, 5, "blue"), r"must touch the last one placed.*PLAYER ACTIONS"),
        (
            row_of(2, 3, "blue") | {"c2r2": "fortress.blue"},
            r"the fortress at 1,2 is not captured.*Siege area",
        ),
        ({"c1r1": "army.blue"}, r"a swap replaces all of Red's tokens"),
        (row_of(1, 1, "blue") | {"c2r2": "fortress.blue"}, r"a swap replaces all of Red's tokens"),
        (
            row_of(2, 3, "blue") | {"c8r2": "fortress.blue"},
            r"there was no fortress at 7,2: nothing is captur",
        ),
    ],
    ids=str,
)
def test_players_are_told_why_a_board_is_illegal(looks: dict[str, str], reason: str) -> None:
    board = after(start(*FIELD), along(1, 1))
    told = board.why(shown(board, **looks))
    assert told is not None
    assert re.search(reason, told), told


def test_players_are_told_which_fortress_to_replace() -> None:
    board = start(*ALLEY)
    army = row_of(1, 1, "red")
    assert (
        board.why(shown(board, **army))
        == "the army captures the fortress at 5,1: put a red one there (Fortress Siege)"
    )
    told = board.why(shown(board, **army, c5r1="fortress.blue"))
    assert told == "the fortress at 5,1 is captured by red: put a red one there (Fortress Siege)"
    assert board.why(shown(board, **army, c5r1="fortress.red")) is None


def test_an_army_that_is_moved_later_is_named() -> None:
    board = after(start(*FIELD), along(1, 1), along(2, 3))
    assert str(board.why(shown(board, c1r1=""))).startswith("the army at 1,1 has changed")


def test_tokens_that_a_swap_has_left_red_are_named_to_whoever_plays_next() -> None:
    """Red is not accused of a change: what is missing is Blue's exchange."""
    board = after(start(*FIELD), along(1, 1), "swap")
    tokens = row_of(1, 1, "red") | {"c1r1": "army.blue"}
    assert board.why(shown(board, **tokens, **row_of(2, 3, "red"))) == (
        "blue has swapped, but the tokens at 2,1, 3,1 and 4,1 are still red: put blue ones there (GAME PLAY)"
    )


def test_nothing_is_said_against_a_whole_swap() -> None:
    board = after(start(*FIELD), along(1, 1))
    assert board.why(after(board, "swap").looks()) is None


def test_there_are_no_dice() -> None:
    with pytest.raises(BadDice, match="without dice"):
        start(*FIELD).roll((1, 2))
    assert not start(*FIELD).rules.cube
