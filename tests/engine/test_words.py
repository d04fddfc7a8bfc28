"""Judgements in plain words."""

from __future__ import annotations

import pytest

from engine import rules, words
from engine.events import Begin, Button, Press, Roll
from engine.evidence import Evidence
from engine.judge import judge
from engine.layout import Looks, cell_text
from engine.names import named_piece
from engine.session import Session
from tests.engine.siege_boards import start


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("p13", "13"),
        ("bar.white", "white's bar"),
        ("off.black", "black's off"),
        ("hex.3,-1", "hex 3,-1"),
        ("hex.-3,1", "hex -3,1"),
        ("x", "x"),
    ],
)
def test_a_cell_has_a_name_for_people(name: str, told: str) -> None:
    assert cell_text(name) == told


def test_cells_are_listed_with_how_often() -> None:
    assert words.cells(["p8", "p8", "p7"]) == "8 twice and 7"
    assert words.cells(["p8", "p8", "p8"]) == "8 (3 times)"
    assert words.cells([]) == "nothing"


def test_what_moved_is_told_by_piece() -> None:
    before = {"p8": ("white", "white"), "p7": ("black",), "bar.black": (), "p6": ()}
    seen = {"p8": (), "p7": ("white",), "bar.black": ("black",), "p6": ("white",)}
    assert (
        words.moved(before, seen) == "black left 7, came to black's bar; white left 8 twice, came to 7 and 6"
    )


def test_a_piece_that_came_from_nowhere_or_went_nowhere_is_told_so() -> None:
    assert words.moved({"p8": ()}, {"p8": ("white",)}) == "white came to 8"
    borne = words.moved({"p3": ("white",), "off.white": ()}, {"p3": (), "off.white": ("white",)})
    assert borne == "white left 3, came off"
    assert words.moved({"off.black": ()}, {"off.black": ("black",)}) == "black came off"
    astray = words.moved({"p3": ("white",), "off.black": ()}, {"p3": (), "off.black": ("white",)})
    assert astray == "white left 3, came to black's off"
    both = words.moved(
        {"p6": ("white", "white"), "p2": (), "off.white": ()},
        {"p6": (), "p2": ("white",), "off.white": ("white",)},
    )
    assert both == "white left 6 twice, came to 2 and white's off"
    assert words.moved({"p8": ("white",)}, {"p8": ()}) == "white left 8"
    assert words.moved({"p8": ()}, {"p8": ()}) == "nothing moved"


def test_an_unsure_picture_is_put_as_a_question() -> None:
    assert words.unsure(("8/3", "8/4")) == "the picture does not show which play it was: 8/3, or 8/4?"
    assert words.unsure(("8/3",)) == "the picture does not show whether it was 8/3"
    assert words.unsure(()) == "the picture does not show what was played"
    assert words.misfit(("8/3",)).endswith("Was it 8/3?")
    assert "light the board evenly" in words.misfit(())


def test_a_foul_is_told_in_the_numbers_of_the_side_on_turn() -> None:
    start = rules.get("backgammon").start({})
    for dice, one, other in (((6, 1), "p13", "p8"), ((1, 6), "p12", "p17")):
        position = start.roll(dice)
        piece = str(position.turn)
        seen: Looks = {**position.looks(), one: (piece,) * 4, other: (piece,) * 4}
        told = words.foul(position, judge(position, Evidence.certain(seen)), dice)
        assert told.startswith(
            f"{piece} left 13, came to 8. {piece.capitalize()} moved 5 pips; the dice are 6-1."
            " Nearest legal play: "
        )


def test_who_moved_nothing_is_told_to_play_in_a_game_that_knows_no_other_reason() -> None:
    position = rules.get("icegammon").start({"first": "white"}).roll((5, 3, 2))
    told = words.foul(position, judge(position, Evidence.certain(position.looks())), (5, 3, 2))
    assert told.startswith("nothing moved. White must play; the dice are 5-3-2. Nearest legal play: ")


def test_who_owes_moves_of_one_number_and_moves_nothing_is_told_to_play() -> None:
    position = rules.get("icegammon").start({"first": "white"}).roll((5, 5, 2))
    owed = next(play.after for play in position.plays() if not play.after.dice_due)
    told = words.foul(owed, judge(owed, Evidence.certain(owed.looks())), ())
    assert told.startswith("nothing moved. White must play and press done. Nearest legal play: ")


def test_points_to_look_at_come_in_the_order_of_the_board() -> None:
    position = rules.get("backgammon").start({}).roll((1, 6))
    looks = {**position.looks(), "p1": ("black",), "p9": ("black",)}
    told = words.foul(position, judge(position, Evidence.certain(looks)), (1, 6))
    assert told.startswith("black left 24, came to 16. ")
    assert told.endswith("(look at 23, 16, 8 and 2)")


def test_places_off_the_points_are_the_sides_own_or_the_others() -> None:
    called = rules.get("siegegammon").start({}).called
    assert [called(cell, "white") for cell in ("p24", "reserve.white", "locked.black")] == [
        "1",
        "reserve",
        "black's locked",
    ]


class German:
    """A language that knows one word."""

    def gettext(self, message: str) -> str:
        return message.replace("hex {place}", "Sechseck {place}")

    def ngettext(self, one: str, many: str, n: int) -> str:
        return one if n == 1 else many

    def set_in(self, text: str) -> str:
        return text


def test_a_fouls_hexes_are_named_in_the_readers_language() -> None:
    position = start("########", "#.n....#", "#......#", "########")
    seen = position.looks() | dict.fromkeys(("hex.3,1", "hex.4,1"), ("army.red",))
    told = words.foul(position, judge(position, Evidence.certain(seen)), ()).told(German())
    assert "Sechseck 3,1" in told
    assert "hex" not in told.partition(". ")[0]


def test_pieces_are_called_what_people_call_them() -> None:
    players = {"white": "Ann", "red": "Ann"}
    told = [
        named_piece(piece, lambda side: players.get(side, side))
        for piece in ("white", "white.3", "army.red", "fortress.red", "fortress.neutral")
    ]
    assert told == ["Ann", "Ann's large pyramid", "Ann's army", "Ann's fortress", "neutral fortress"]


def test_a_foul_calls_players_by_their_names_wherever_it_names_a_side():
    session, _ = Session().handle(Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bo"}))
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side="white"))
    looks = session.position.looks()
    looks = {**looks, "p8": ("white",) * 2, "p1": ("black",), "bar.black": ("black",)}
    session, _ = session.handle(Press(t=2, button=Button.DONE, evidence=Evidence.certain(looks)))
    told = session.table.pending.words
    assert "Ann left 8" in told
    assert "Bo left 1, came to Bo's bar" in told
    assert "Bo's bar" in told.partition("look at")[2]
    assert "white" not in told
    assert "black" not in told
