"""IceGammon from outside: what a camera sees, positions read from JSON with every fault named, and boards
that stand as they are seen."""

import random
from collections import Counter

import pytest

from engine.errors import ImpossibleSetup
from engine.position import Awaits, Outcome
from engine.rules import get
from tests.engine.ice_boards import STASH, board, scattered

RULES = get("icegammon")
OFF = {"white": "off", "black": "off"}


def at(points, turn="white", rest=None, **beside):
    return RULES.read(board(points, turn, rest, **beside))


def piles(position):
    return {int(point): pile for point, pile in position.to_json()["points"].items()}


def test_the_camera_sees_the_top_layer_and_the_bar():
    looks = at({20: ["black", [3], "white", [2, 1]]}, bar={"black": [2, 1]}).looks()
    assert looks["p20"] == ("white.1", "white.2")
    assert looks["bar.black"] == ("black.1", "black.2")
    assert set(looks) == {*(f"p{point}" for point in range(1, 25)), "bar.white", "bar.black"}


def test_the_layout_names_hidden_pieces_too():
    layout = at({20: ["black", [3], "white", [2, 1]]}, rest={"black": "off"}).layout()
    assert layout["p20"] == (("black.3",), ("white.1", "white.2"))
    assert len(layout["off.black"][0]) == 14
    assert len(layout["hand.white"][0]) == 13


FAULTS = [
    ({"hand": {"white": [1], "black": []}}, "white has 1 small pieces in all"),
    ({"points": {"24": [["white", [4]]]}}, "sizes are 1, 2 and 3, not 4"),
    ({"points": {"24": [["white", [True]]]}}, "sizes are 1, 2 and 3, not True"),
    ({"points": {"24": [["green", [1]]]}}, "'green' is not a colour"),
    ({"points": {"24": [["white", []]]}}, "a layer has no pieces"),
    ({"points": {"24": ["white"]}}, "a layer is"),
    ({"points": {"24": 3}}, "a list of layers"),
    ({"points": {"25": []}}, "no point '25'"),
    ({"points": []}, "'points' must be an object"),
    ({"bar": {"green": [1]}}, "bar: 'green' is not a colour"),
    ({"bar": {"white": 1}}, "a list of sizes"),
    ({"turn": "green"}, "'turn' is white or black"),
    ({"stage": {"number": 7, "left": 4, "then": None}}, "the number is 1-6"),
    ({"stage": {"number": 3, "left": 5, "then": None}}, "1-4 moves can be left"),
    ({"stage": {"number": 3, "left": 4, "then": 3}}, "its opposite, 4"),
    ({"stage": "3"}, "'stage' must be an object"),
    ({"turn": None, "stage": {"number": 3, "left": 4, "then": None}}, "does not say by whom"),
    ({"stuck": "white"}, "nobody is on turn"),
    ({"off": {"white": STASH, "black": STASH}, "hand": {}}, "both players have borne off everything"),
    ({"rules": "backgammon"}, "not of icegammon"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), FAULTS)
def test_every_fault_of_a_setup_is_named(change, reason):
    with pytest.raises(ImpossibleSetup) as error:
        RULES.read({**board({}), **change})
    assert any(reason in fault for fault in error.value.reasons)


def test_all_faults_are_named_together():
    with pytest.raises(ImpossibleSetup) as error:
        RULES.read(
            {
                "points": {"0": [], "3": [["red", [9]], ["white", [9]]]},
                "turn": 1,
                "stage": {"number": 0, "left": 0, "then": 9},
            }
        )
    assert len(error.value.reasons) == 6


def test_any_stack_that_the_pieces_allow_is_taken():
    odd = at(
        {20: ["white", [3], "white", [1], "black", [1, 2, 3], "white", [1]], 3: ["black", [1], "black", [3]]}
    )
    assert RULES.read(odd.to_json()) == odd


def test_a_position_without_a_turn_awaits_the_opening_unless_it_is_over():
    assert at({}, None).awaits == Awaits.OPENING
    assert at({4: ["black", [1]]}, None, OFF).outcome == Outcome("white", "mon", 1)
    assert at({4: ["black", [1]]}, "black", OFF).awaits == Awaits.NOTHING


def test_an_illegal_play_that_stands_takes_the_board_as_it_is_seen():
    position = at({20: ["black", [1], "white", [3]], 10: ["black", [2]], 5: ["white", [1]]}).roll((1, 2, 3))

    def stood(**changes):
        new = position.stand({**position.looks(), **changes})
        assert new.turn == "black"
        return piles(new), new.to_json()

    moved, _ = stood(p20=("black.1",), p12=("white.3",))  # gone from its pin: what it pinned shows
    assert moved[20] == [["black", [1]]]
    captured, beside = stood(p5=(), p10=("white.1",), **{"bar.black": ("black.2",)})
    assert captured[10] == [["white", [1]]]
    assert beside["bar"]["black"] == [2]
    pinned, beside = stood(p5=(), p10=("white.1",))
    assert pinned[10] == [["black", [2]], ["white", [1]]]
    joined, _ = stood(p5=(), p20=("white.1", "white.3"))
    assert joined[20] == [["black", [1]], ["white", [1, 3]]]
    _, beside = stood(p24=("white.2",))
    assert beside["hand"]["white"].count(2) == 4
    _, beside = stood(p5=())
    assert beside["off"]["white"] == [1]
    _, beside = stood(p10=())
    assert beside["hand"]["black"].count(2) == 5


def test_a_board_with_too_many_pieces_cannot_stand():
    position = RULES.start({"first": "white"}).roll((1, 2, 3))
    with pytest.raises(ImpossibleSetup, match="6 small pieces of white"):
        position.stand({**position.looks(), "p3": ("white.1",) * 6})
    with pytest.raises(ImpossibleSetup, match="both colours"):
        position.stand({**position.looks(), "p3": ("black.1", "white.1")})
    with pytest.raises(ImpossibleSetup, match="not pieces of this game"):
        position.stand({**position.looks(), "p3": ("white",)})
    with pytest.raises(ImpossibleSetup, match="cannot lie there"):
        position.stand({**position.looks(), "bar.black": ("white.1",)})


def test_a_hidden_piece_that_now_shows_elsewhere_was_taken_from_under_its_pin():
    pinned = {20: ["black", [1, 3], "white", [3]], 12: ["black", [3], "white", [2]]}
    position = at({**pinned, 5: ["black", [3, 3]], 6: ["black", [3]]}).roll((1, 2, 3))
    looks = {**position.looks(), "p6": ("black.3", "black.3"), "p12": ("white.1", "white.2")}
    new = position.stand(looks)
    assert new.looks() == looks
    assert piles(new)[12] == [["white", [1, 2]]]  # the space that was touched gives its piece first
    assert piles(new)[20] == [["black", [1, 3]], ["white", [3]]]
    untouched = position.stand({**position.looks(), "p6": ("black.3", "black.3")})
    assert piles(untouched)[12] == [["white", [2]]]


def test_a_board_stands_exactly_when_no_more_pieces_are_in_view_than_there_are():
    """Any looks at all after any board: taken from another board, with a piece more here and there, and some
    cells out of view."""
    rng = random.Random(19)
    stood = refused = 0
    for _ in range(300):
        before = RULES.read(scattered(rng))
        if before.turn is None:
            continue
        looks = dict((before if rng.random() < 0.5 else RULES.read(scattered(rng))).looks())
        for _ in range(rng.randrange(4)):
            point, side = f"p{rng.randint(1, 24)}", rng.choice(("white", "black"))
            more = (f"{side}.{rng.randint(1, 3)}",) * rng.randint(1, 2)
            looks[point] = tuple(
                sorted((*(piece for piece in looks[point] if piece.startswith(side)), *more))
            )
        looks = {cell: look for cell, look in looks.items() if rng.random() < 0.9}
        shown = Counter(piece for look in looks.values() for piece in look)
        if max(shown.values(), default=0) > 5:
            refused += 1
            with pytest.raises(ImpossibleSetup, match="a stash holds 5"):
                before.stand(looks)
            continue
        stood += 1
        after = before.stand(looks)
        assert {cell: after.looks()[cell] for cell in looks} == looks
        assert RULES.read(after.to_json()) == after
    assert min(stood, refused) > 20
