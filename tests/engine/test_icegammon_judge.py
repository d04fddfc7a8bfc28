"""IceGammon's search along the evidence: it finds what ranking every play would find, and the judge can rely
on it."""

import random
from itertools import combinations_with_replacement, product

import pytest

from engine import words
from engine.evidence import Evidence
from engine.judge import Kind, judge
from engine.rules import get
from engine.rules.icegammon.board import SIDES, lift, top
from engine.rules.icegammon.search import WINDOW
from engine.rules.icegammon.steps import landings
from engine.rules.icegammon.visible_bounds import leaving, partings, sight, within
from tests.engine.footrace import rank
from tests.engine.ice_boards import board, games, scattered

RULES = get("icegammon")
PIECES = [f"{side}.{size}" for side in ("white", "black") for size in "123"]


def blurred(looks, rng, hidden, unsure, wrong):
    """Evidence of these looks by a camera that misses cells, is unsure between looks, and is wrong about
    some."""
    raw, known = {}, [*looks.values(), (), ("white.1",), ("black.3",)]
    for cell, look in looks.items():
        if rng.random() < hidden:
            continue
        raw[cell] = {look: 0.0}
        for other in rng.sample(known, 3) if rng.random() < unsure else ():
            raw[cell][other] = max(raw[cell].get(other, -99.0), -rng.uniform(0, 11))
        if rng.random() < wrong:
            raw[cell][rng.choice(known)] = 5.0
    return Evidence.of(raw)


def spoiled(looks, rng):
    """Looks after somebody has put pieces where no play does."""
    new = dict(looks)
    for cell in rng.sample([cell for cell in new if cell[0] == "p"], rng.randint(1, 3)):
        new[cell] = rng.choice([(), *((piece,) for piece in PIECES), looks[rng.choice(list(looks))]])
    return new


CAMERAS = {
    "clear": (0.0, 0.0, 0.0),
    "unsure": (0.0, 0.7, 0.0),
    "half hidden": (0.5, 0.2, 0.0),
    "poor": (0.2, 0.7, 0.1),
    "nearly blind": (0.95, 0.5, 0.0),
    "blind": (1.0, 0.0, 0.0),
}


def exact(position, plays, evidence):
    """Compares with the ranking of all plays: the scores, as far as the search answers for them, and the
    plays that they belong to."""
    expected = [score for score, _ in rank(plays, evidence, 8)]
    near = [score for score in expected if score > expected[0] - WINDOW + 1e-6]
    found = position.nearest(evidence, 8)
    assert [score for score, _ in found[: len(near)]] == pytest.approx(near)
    assert [score for score, _ in found] == sorted((score for score, _ in found), reverse=True)
    assert len({play.after for _, play in found}) == len(found)
    legal = set(plays)
    for score, play in found:
        assert play in legal
        assert score == pytest.approx(evidence.total(play.after.looks()))
        assert position.find(play.text) == play


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("legal", [True, False], ids=["legal", "illegal"])
def test_the_nearest_plays_of_games_are_those_of_a_full_ranking(camera, legal):
    rng = random.Random(f"{camera} {legal}")
    for position, plays, play in games(rng, RULES, 30):
        if len(plays) < 500:
            looks = play.after.looks()
            exact(position, plays, blurred(looks if legal else spoiled(looks, rng), rng, *CAMERAS[camera]))


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_nearest_plays_of_odd_boards_are_those_of_a_full_ranking(camera):
    rng = random.Random(camera)
    asked = 0
    while asked < 30:
        data = scattered(rng, home=0.2)
        number = rng.randint(1, 6)
        if rng.random() < 0.6:
            data["stage"] = {
                "number": number,
                "left": rng.randint(1, 4),
                "then": rng.choice((None, 7 - number)),
            }
        position = RULES.read(data)
        if position.turn and position.dice_due:
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(3)))
        plays = position.plays()
        if 0 < len(plays) < 500:
            looks = rng.choice(plays).after.looks()
            exact(
                position,
                plays,
                blurred(looks if rng.random() < 0.5 else spoiled(looks, rng), rng, *CAMERAS[camera]),
            )
            asked += 1


def test_every_result_of_a_roll_is_found_by_its_own_picture():
    for dice in ((1, 3, 6), (2, 2, 5)):
        position = RULES.read(
            board(
                {
                    24: ["white", [1, 2]],
                    20: ["black", [1], "white", [3]],
                    22: ["black", [2]],
                    3: ["white", [1]],
                }
            )
        ).roll(dice)
        for play in position.plays():
            best, found = position.nearest(Evidence.certain(play.after.looks()))[0]
            assert best == 0
            assert found.after.looks() == play.after.looks()


def test_perfect_pictures_of_illegal_boards_are_illegal():
    rng = random.Random(3)
    accused = 0
    for position, plays, play in games(rng, RULES, 250):
        looks = spoiled(play.after.looks(), rng)
        if len(plays) < 300 and all(other.after.looks() != looks for other in plays):
            verdict = judge(position, Evidence.certain(looks))
            assert verdict.kind is Kind.ILLEGAL
            assert verdict.cells
            accused += 1
    assert accused > 60


def test_a_legal_result_is_never_called_a_foul():
    rng = random.Random(4)
    for position, _, play in games(rng, RULES, 200):
        verdict = judge(position, Evidence.certain(play.after.looks()))
        assert verdict.kind is not Kind.ILLEGAL
        if verdict.kind is Kind.LEGAL:
            assert verdict.play.after.looks() == play.after.looks()


def test_a_step_that_leaves_no_trace_is_one_result():
    position = RULES.read(board({20: ["white", [3]], 18: ["white", [2]]}, rest={"white": "off"})).roll(
        (2, 4, 1)
    )
    joined, pinned = (position.find(f"20L/18{mark} 18L/17") for mark in ("", "^"))
    assert joined == pinned


def test_a_pin_and_a_capture_differ_by_the_bar():
    position = RULES.read(
        board(
            {20: ["white", [3]], 18: ["black", [2], "black", [1]]},
            stage={"number": 2, "left": 1, "then": None},
        )
    )
    for mark, kind in (("^", Kind.LEGAL), ("*", Kind.LEGAL)):
        play = position.find(f"20L/18{mark}")
        verdict = judge(position, Evidence.certain(play.after.looks()))
        assert (verdict.kind, verdict.play) == (kind, play)
    looks = {
        cell: look for cell, look in position.find("20L/18^").after.looks().items() if cell != "bar.black"
    }
    assert judge(position, Evidence.certain(looks)).kind is Kind.UNSURE


def test_a_picture_that_fits_several_hidden_layers_is_unsure_and_asks():
    empty = RULES.start({"first": "white"}).roll((3, 3, 3))
    verdict = judge(empty, Evidence.certain(empty.find("handS/22(3) handL/22^").after.looks()))
    assert verdict.kind is Kind.UNSURE
    assert len(verdict.candidates) > 1
    assert {play.after.looks()["p22"] for play in verdict.candidates} == {("white.3",)}


def piles_after(pile, side, come, sizes, out):
    """Every pile that so many arrivals of these sizes and so many departures make, in any order."""
    if not come and not out:
        return {pile}
    found = set()
    for before in piles_after(pile, side, come - 1, sizes, out) if come else ():
        found |= {landing.pile for size in sizes for landing in landings(before, side, size)}
    for before in piles_after(pile, side, come, sizes, out - 1) if out else ():
        colour, bag = top(before)
        found |= {lift(before, size) for size in bag if colour == side}
    return found


def test_what_a_space_may_show_is_never_underrated_and_seldom_overrated():
    rng = random.Random(5)
    known = [("", "")] + [
        (side, "".join(bag))
        for side in SIDES
        for n in range(1, 5)
        for bag in combinations_with_replacement("123", n)
    ]
    asked = said = shown = 0
    for _ in range(150):
        layers = [
            (rng.choice("wb"), sorted(rng.choices("123", k=rng.choice((1, 1, 2, 3)))))
            for _ in range(rng.randint(0, 4))
        ]
        pile = "".join(letter + "".join(sizes) for letter, sizes in layers)
        side, sizes = rng.choice(SIDES), rng.choice(("1", "2", "3", "12", "13", "23", "123"))
        for come, out in product(range(4), range(4)):
            if not 0 < come + out <= 4:
                continue
            arriving = sizes if come else ""
            real = set(map(top, piles_after(pile, side, come, arriving, out)))
            assert not real or out <= leaving(pile, side, come, arriving)
            if real:
                may = {seen for seen in known if partings(pile, side, come, arriving, seen) >> out & 1}
                assert real & set(known) <= may
                assert all(within(pile, side, come + out, arriving, seen) for seen in real)
                assert (come and out) or may <= real  # only one or the other: exact
                asked, said, shown = asked + len(known), said + len(may), shown + len(real & set(known))
    assert said - shown < asked / 500


def test_a_look_that_no_layer_can_have_is_of_no_colour():
    for odd in (("white.1", "black.1"), ("white.4",), ("white",), ("",)):
        assert sight(odd)[0] not in ("", *SIDES)
    assert sight(("white.1", "white.2")) == ("white", "12")


def test_four_sixes_lead_a_piece_round_to_where_it_was():
    position = RULES.read(
        board({20: ["black", [3]], 13: ["black", [1]]}, "black", stage={"number": 6, "left": 4, "then": None})
    )
    rng = random.Random(6)
    for looks in (
        position.looks(),
        {**position.looks(), "p20": ()},
        {**position.looks(), "p20": (), "p24": ("black.3",)},
    ):
        exact(position, position.plays(), Evidence.certain(looks))
        exact(position, position.plays(), blurred(looks, rng, *CAMERAS["unsure"]))


def test_two_captures_cost_no_more_than_the_bar_that_they_make():
    points = {11: ["white", [3]], 5: ["black", [2]], 19: ["black", [3]]}
    position = RULES.read(board(points, stage={"number": 6, "left": 2, "then": None}))
    play = position.find("handL/19* 11L/5*")
    cells = Evidence.certain(play.after.looks()).cells
    exact(
        position,
        position.plays(),
        Evidence({**cells, "bar.black": {(): 0.0, play.after.looks()["bar.black"]: -5.0}}),
    )


# why


def test_no_reason_is_given_against_a_legal_play():
    """Whatever a camera leaves out; else the players would hear of a rule that nobody broke."""
    rng = random.Random(16)
    for position, plays, _ in games(rng, RULES, 60):
        for play in rng.sample(list(plays), min(40, len(plays))):
            looks = play.after.looks()
            kept = rng.sample(list(looks), rng.choice((len(looks), 20)))
            assert position.why({cell: looks[cell] for cell in kept}) is None, (str(position), play.text)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"p9": ("white.1",)}, "Pieces on the bar must re-enter first (11)"),
        ({"p24": (), "p3": ("white.3",)}, "Pieces on the bar must re-enter first (11)"),
        (
            {"bar.white": (), "p20": ("white.2",)},
            "Bo's pieces on 20 are worth 5: a smaller piece cannot land there (10)",
        ),
        ({"bar.white": (), "p20": ("black.3",)}, "Bo's pieces left 20, but were not captured"),
        ({"bar.white": (), "p19": ("white.2",)}, "No legal play with 6-5-4 does that"),
    ],
)
def test_a_foul_names_the_rule_that_it_surely_breaks(changed, reason):
    data = board({20: ["black", [2, 3]], 24: ["white", [3]]}, bar={"white": [2]})
    position = RULES.read(data).roll((6, 5, 4))
    seen = {**position.looks(), **changed}
    told = words.foul(
        position, judge(position, Evidence.certain(seen)), (6, 5, 4), {"white": "Anna", "black": "Bo"}.get
    )
    assert f". {reason}. " in told
