"""What may stand on a Siege Master board, plays as text, and illegal plays that stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IllegalPlay, ImpossibleSetup
from engine.layout import DIRECTIONS, Looks
from engine.rules import get
from engine.rules.siege_master import notation
from engine.rules.siege_master.hexmap import Hex, HexMap, apart, name, neighbours, parse_hex
from engine.rules.siege_master.position import SiegePosition
from tests.engine import naive_siege_master as naive
from tests.engine.siege_boards import at, drawn, position, start

RULES = get("siege-master")
ROWS = ("########", "#......#", "#.n....#", "#....n.#", "#......#", "########")
HEXES = st.sets(st.tuples(st.integers(-3, 4), st.integers(-3, 4)), min_size=1, max_size=50)


def data(**changes: Any) -> dict[str, Any]:
    board = position(*ROWS, armies=["red 1,1 2,1 3,1 4,1"], turn="blue").to_json()
    return {key: value for key, value in {**board, **changes}.items() if value is not None}


def reasons(of: dict[str, Any]) -> str:
    with pytest.raises(ImpossibleSetup) as refused:
        RULES.read(of)
    return "; ".join(refused.value.reasons)


# bit sets


@given(HEXES)
def test_a_set_of_hexes_is_the_same_as_bits_and_back(places: set[Hex]) -> None:
    hexmap = HexMap(None, frozenset(), frozenset(places))
    assert set(hexmap.hexes(hexmap.all)) == places
    assert sum(map(hexmap.bit, places)) == hexmap.all


@given(HEXES, st.data())
def test_the_surroundings_of_a_set_are_all_hexes_that_share_an_edge(
    places: set[Hex], draw: st.DataObject
) -> None:
    hexmap = HexMap(None, frozenset(), frozenset(places))
    some = draw.draw(st.sets(st.sampled_from(sorted(places))))
    expected = {place for place in places if place in some or some & set(neighbours(place))}
    assert set(hexmap.hexes(hexmap.around(hexmap.mask(some)))) == expected


@given(HEXES, st.data())
def test_rooms_and_rows_of_four_are_found_as_by_hand(places: set[Hex], draw: st.DataObject) -> None:
    hexmap = HexMap(None, frozenset(), frozenset(places))
    assert {frozenset(hexmap.hexes(line)) for line in hexmap.lines} == naive.rows_of_four(places)
    empty = draw.draw(st.sets(st.sampled_from(sorted(places))))
    assert set(hexmap.hexes(hexmap.room(hexmap.mask(empty)))) == set().union(*naive.rows_of_four(empty))


@given(HEXES, st.data())
def test_fortresses_are_besieged_where_no_army_fits_into_their_region(
    places: set[Hex], draw: st.DataObject
) -> None:
    hexmap = HexMap(None, frozenset(), frozenset(places))
    free = draw.draw(st.sets(st.sampled_from(sorted(places)), min_size=1))
    fortresses = draw.draw(st.sets(st.sampled_from(sorted(free)), max_size=6))
    expected = set().union(
        *(area & fortresses for area in naive.regions(free) if not naive.rows_of_four(area - fortresses))
    )
    mask = hexmap.mask
    assert (
        set(hexmap.hexes(hexmap.besieged(mask(fortresses), mask(free), mask(free - fortresses)))) == expected
    )


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("0,0", "0,0", 0), ("0,0", "1,-1", 1), ("0,0", "1,1", 2), ("-2,3", "1,1", 3), ("0,0", "-3,1", 3)],
)
def test_distance_counts_steps_from_hex_to_hex(one: str, other: str, steps: int) -> None:
    assert apart(parse_hex(one), parse_hex(other)) == steps


# reading


def test_a_position_without_a_board_is_read_from_its_cells() -> None:
    given_cells = data(board=None)
    found = RULES.read(given_cells)
    assert "board" not in found.to_json()
    assert set(found.looks()) == {f"hex.{place}" for place in (*given_cells["cells"], *given_cells["border"])}
    assert found.to_json() == given_cells


def test_cells_may_be_left_out_where_the_board_is_known() -> None:
    assert RULES.read(data(cells=None)) == RULES.read(data())


def test_the_order_in_which_hexes_are_listed_does_not_matter() -> None:
    board = data()
    turned = {
        **board,
        "cells": board["cells"][::-1],
        "border": board["border"][::-1],
        "armies": [["red", ["4,1", "2,1", "1,1", "3,1"]]],
    }
    assert RULES.read(turned) == RULES.read(board)
    assert RULES.read(turned).to_json() == board


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cells": ["1,1", "x"]}, "'x' is not a hex"),
        ({"cells": ["1,1", 7]}, "7 is not a hex"),
        ({"cells": ["100,1"]}, "'100,1' is not a hex"),
        ({"cells": "1,1"}, "cells must be a list"),
        ({"cells": None, "board": None}, "cells are missing"),
        ({"cells": [], "armies": [], "fortresses": {}}, "the map is empty"),
        ({"cells": ["0,0", "1,1"]}, "0,0 holds a border token"),
        ({"board": {"cols": 5, "rows": 4}}, "is not on the board of 5 x 4"),
        ({"board": {"cols": 5}}, "cols and rows from 1 to 99"),
        ({"board": {"cols": 5, "rows": 1000}}, "cols and rows from 1 to 99"),
        ({"fortresses": {}}, "no fortress to win"),
        ({"fortresses": ["1,1"]}, "fortresses must be an object"),
        ({"fortresses": {"9,9": "neutral"}}, "the fortress at 9,9 does not stand on the map"),
        ({"fortresses": {"1,2": "green"}}, "must be neutral, red or blue, not 'green'"),
        ({"fortresses": {"1,1": "neutral"}}, "the army 1,1 2,1 3,1 4,1 lies on the fortress at 1,1"),
        ({"armies": "red"}, "armies must be a list"),
        ({"armies": [["red"]]}, "['red'] is not an army"),
        ({"armies": [["green", ["1,1", "2,1", "3,1", "4,1"]]]}, "must be red or blue, not 'green'"),
        ({"armies": [["red", ["1,1", "2,1", "3,1"]]]}, "does not cover four hexes in a row"),
        ({"armies": [["red", ["1,1", "2,1", "3,1", "3,2"]]]}, "does not cover four hexes in a row"),
        ({"armies": [["red", ["6,1", "7,1", "8,1", "9,1"]]]}, "does not lie on the map"),
        (
            {"armies": [["red", ["1,1", "2,1", "3,1", "4,1"]], ["blue", ["2,1", "3,1", "4,1", "5,1"]]]},
            "two armies lie on 2,1",
        ),
        (
            {"armies": [["red", ["1,1", "2,1", "3,1", "4,1"]]] * 21},
            "red has 21 armies on the map, but only 20 exist",
        ),
        ({"turn": "white"}, "turn must be red or blue, not 'white'"),
        ({"turn": ["red"]}, "turn must be red or blue"),
        ({"turn": None}, "turn is missing, but the game is not over"),
        ({"last_capture": 1}, "last_capture must be true or false"),
        ({"last_capture": True}, "last_capture is true, but no fortress has been captured"),
    ],
    ids=str,
)
def test_what_cannot_stand_is_refused_with_the_reason(changes: dict[str, Any], reason: str) -> None:
    assert reason in reasons(data(**changes))


def test_every_reason_is_given_not_only_the_first() -> None:
    wrong = data(turn="white", fortresses={"1,2": "green", "9,9": "neutral"})
    with pytest.raises(ImpossibleSetup) as refused:
        RULES.read(wrong)
    assert len(refused.value.reasons) == 3


def test_a_position_after_the_end_is_read_without_a_turn() -> None:
    over = position("########", "#....n.#", "########").plays()[0].after
    assert RULES.read(over.to_json()) == over


# starting


def test_a_game_cannot_start_without_a_board() -> None:
    with pytest.raises(
        ImpossibleSetup, match=r"a board that the players set up: .* give cols, rows, border, fortresses"
    ):
        RULES.start(RULES.options)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"border": ["9,9"]}, "9,9 is not on the board of 8 x 6"),
        ({"fortresses": ["x"]}, "'x' is not a hex"),
        ({"fortresses": {"1,2": "red"}}, "the fortress at 1,2 must be neutral at the start"),
        ({"fortresses": []}, "no fortress to win"),
        ({"cols": 0}, "cols and rows"),
        ({"border": ["0,1"], "fortresses": ["0,1"]}, "0,1 holds a border token|does not stand on the map"),
    ],
    ids=str,
)
def test_a_board_that_cannot_be_played_on_is_refused(changes: dict[str, Any], reason: str) -> None:
    board = drawn(ROWS)
    options = {**board["board"], "border": board["border"], "fortresses": board["fortresses"], **changes}
    with pytest.raises(ImpossibleSetup, match=reason):
        RULES.start(options)


def test_a_board_without_room_for_an_army_cannot_be_played_on() -> None:
    with pytest.raises(ImpossibleSetup, match="no army fits"):
        start("######", "#.n..#", "######")


def test_fortresses_may_be_listed_or_mapped() -> None:
    board = drawn(ROWS)
    options = {**board["board"], "border": board["border"], "fortresses": list(board["fortresses"])}
    assert RULES.start(options) == start(*ROWS)


def test_close_fortresses_and_an_even_number_of_them_are_reported_but_not_forbidden() -> None:
    near = "the fortresses at 1,1 and 3,1 are closer than 3 spaces"
    assert start("##########", "#n.n.....#", "#........#", "##########").notes() == (
        near,
        "2 fortresses are an even number: the game can end in a draw",
    )
    assert start("##########", "#n..n..n.#", "#........#", "##########").notes() == ()
    many = start(
        "####################", "#nnnnnnnnnnnnnnnnn.#", "#..................#", "####################"
    )
    assert many.notes()[-1] == "17 fortresses are more than the 15 in the box"


# notation


@given(
    st.tuples(st.integers(-90, 90), st.integers(-90, 90)),
    st.sampled_from(DIRECTIONS),
    st.sets(st.tuples(st.integers(-99, 99), st.integers(-99, 99))),
)
def test_text_names_the_placement_that_it_was_written_for(first: Hex, step: Hex, captures: set[Hex]) -> None:
    army = tuple((first[0] + count * step[0], first[1] + count * step[1]) for count in range(4))
    assert notation.parse(notation.write(army, captures)) == notation.Named(army, frozenset(captures))


def test_captures_may_be_left_out_and_ends_turned_round() -> None:
    board = start("##########", "#....n...#", "##########")
    play = board.plays()[0]
    assert play.text == "1,1-4,1*5,1"
    for text in ("1,1-4,1*5,1", "1,1-4,1", "4,1-1,1*5,1", " 1,1 - 4,1 "):
        assert board.find(text) == play


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,1", "is not a play: write the two ends"),
        ("1,1-5,1", "not the ends of four hexes in a row"),
        ("1,1-2,3", "not the ends of four hexes in a row"),
        ("1,1-4,1*6,1", "1,1-4,1 captures 5,1, not 6,1"),
        ("0,3-3,3*5,1", "0,3-3,3 captures nothing, not 5,1"),
        ("swap", "only Blue may swap"),
        ("3,1-6,1", "5,1 holds a fortress"),
        ("0,1-3,1", "0,1 is not on the map"),
    ],
)
def test_text_that_names_no_legal_play_gets_the_reason(text: str, reason: str) -> None:
    board = start("##########", "#....n...#", "##########", "#........#", "#n......n#", "##########")
    with pytest.raises(IllegalPlay, match=reason):
        board.find(text)


# illegal plays that stand


def with_army(board: SiegePosition, colour: str, row: int, first: int) -> Looks:
    return {
        **board.looks(),
        **{f"hex.{name(at(first + count, row))}": (f"army.{colour}",) for count in range(4)},
    }


def test_an_army_that_stands_though_it_does_not_touch_is_the_last_one_placed() -> None:
    board = position(*ROWS, armies=["red 1,1 2,1 3,1 4,1"], turn="blue")
    looks = with_army(board, "blue", 4, 1)
    after = board.stand(looks)
    assert after.looks() == looks
    assert after.turn == "red"
    assert after.to_json()["armies"][-1] == ["blue", [name(at(col, 4)) for col in (1, 2, 3, 4)]]
    assert "swap" not in [play.text for play in after.plays()]


def test_a_capture_that_was_not_replaced_may_stand_and_falls_to_the_next_who_places() -> None:
    board = start("##########", "#....n...#", "##########", "#........#", "#n......n#", "##########")
    looks = {**board.find("1,1-4,1").after.looks(), "hex.5,1": ("fortress.neutral",)}
    after = board.stand(looks)
    assert not after.last_capture
    assert after.find("0,3-3,3").text == "0,3-3,3*5,1"


def test_a_fortress_that_was_replaced_wrongly_may_stand_as_a_capture() -> None:
    board = position(*ROWS, armies=["red 1,1 2,1 3,1 4,1"], turn="blue")
    fortress = f"hex.{name(at(5, 3))}"
    after = board.stand({**with_army(board, "blue", 2, 3), fortress: ("fortress.blue",)})
    assert after.last_capture
    assert after.to_json()["fortresses"][name(at(5, 3))] == "blue"


def test_what_is_out_of_view_stands_as_before() -> None:
    board = position(*ROWS, armies=["red 1,1 2,1 3,1 4,1"], turn="blue")
    army = {cell: look for cell, look in with_army(board, "blue", 4, 1).items() if look == ("army.blue",)}
    assert board.stand(army).looks() == with_army(board, "blue", 4, 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hex.0,0": ()}, "the border at 0,0 has changed"),
        ({"hex.1,1": ("border",)}, "the border at 1,1 has changed"),
        ({"hex.1,2": ()}, "the fortress at 1,2 has moved"),
        ({"hex.2,2": ("fortress.red",)}, "the fortress at 2,2 has moved"),
        ({"hex.2,2": ("army.red",)}, "the armies at 2,2 are not rows of four"),
        ({"hex.2,2": ("white",)}, "white at 2,2 is not a piece of this game"),
        ({f"hex.{q},{r}": ("army.red",) for q in range(2, 5) for r in (1, 2)}, "are not rows of four"),
    ],
    ids=str,
)
def test_a_board_that_has_moved_cannot_stand(changes: Looks, reason: str) -> None:
    board = start(*ROWS)
    with pytest.raises(ImpossibleSetup, match=reason):
        board.stand({**board.looks(), **changes})


def test_too_many_new_armies_cannot_stand() -> None:
    rows = ("############", *["#....#....##"] * 8, "#n.........#", "############")
    board = start(*rows)
    looks = dict(board.looks())
    for row in range(1, 9):
        for first in (1, 6):
            looks |= {f"hex.{name(at(first + count, row))}": ("army.red",) for count in range(4)}
    with pytest.raises(ImpossibleSetup, match="are not rows of four"):
        board.stand(looks)
