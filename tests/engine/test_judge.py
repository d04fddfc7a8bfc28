"""The judge's three answers, one sentence a test. Every game is judged from weak pictures in test_judge_weak,
from perfect ones in test_contract."""

import math
import random

import pytest

import engine.judge
from engine.accusation import FAR
from engine.conserve import Conserved
from engine.errors import EngineError
from engine.evidence import Evidence
from engine.judge import CANDIDATES, Kind, judge, likeliest
from engine.layout import differing
from engine.rules import get
from tests.engine import footrace
from tests.engine.ice_boards import games
from tests.engine.test_icegammon_judge import spoiled
from tests.fouls import distance

OPENING = get("backgammon").start({}).roll((3, 1))


def shown(text, **changes):
    """The looks after a play, some cells changed: ``bar_white`` stands for ``bar.white``."""
    looks = dict(OPENING.find(text).after.looks())
    return looks | {cell.replace("_", "."): ("white",) * number for cell, number in changes.items()}


def race(togo, turn="white", die=3):
    return footrace.read({"togo": togo, "turn": turn}).roll((die,))


def test_a_picture_of_a_legal_play_is_legal_and_names_it():
    verdict = judge(OPENING, Evidence.certain(shown("8/5 6/5")))
    assert (verdict.kind, verdict.play.text) == (Kind.LEGAL, "8/5 6/5")
    assert (verdict.cells, verdict.candidates, verdict.gap) == ((), (), 0.0)


def test_a_foul_is_illegal_and_names_the_cells_that_are_wrong():
    verdict = judge(OPENING, Evidence.certain(shown("8/5 6/5", p5=1, p4=1)))
    assert (verdict.kind, verdict.play.text) == (Kind.ILLEGAL, "8/5 6/5")
    assert verdict.cells == ("p4", "p5")
    assert verdict.gap >= FAR


def test_the_nearest_play_to_a_foul_leaves_the_checker_that_was_moved_where_it_is():
    """White enters with the 3 and forgets the 6: the 6 is missing elsewhere, 22 is not to be left again."""
    points = {"24": 1, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5}
    entering = get("backgammon").read(
        {"rules": "backgammon", "turn": "white", "points": points, "bar": [1, 0], "off": [0, 0]}
    )
    position = entering.roll((3, 6))
    looks = dict(position.looks()) | {"bar.white": (), "p22": ("white",)}
    verdict = judge(position, Evidence.certain(looks))
    assert verdict.kind is Kind.ILLEGAL
    assert not {"p22", "bar.white"} & set(verdict.cells)


def test_the_judge_finds_for_another_game_as_for_its_own():
    position = race([[8, 8], [8, 8]])
    assert judge(position, Evidence.certain(position.find("8/5").after.looks())).kind is Kind.LEGAL
    assert judge(position, Evidence.certain(position.looks())).kind is Kind.ILLEGAL


def test_two_plays_that_the_picture_cannot_tell_apart_are_both_offered():
    looks = shown("8/5 6/5")
    for cell in ("p24", "p23", "p8", "p7", "p6", "p5"):
        del looks[cell]
    verdict = judge(OPENING, Evidence.certain(looks))
    assert verdict.kind is Kind.UNSURE
    assert verdict.play == verdict.candidates[0]
    assert len(verdict.candidates) > 1
    assert all(
        all(play.after.looks()[cell] == look for cell, look in looks.items()) for play in verdict.candidates
    )


def test_an_even_choice_between_two_looks_is_not_decided():
    looks, other = shown("8/5 6/5"), shown("24/20")
    evidence = {cell: {look: 0.0, other[cell]: 0.0} for cell, look in looks.items()}
    verdict = judge(OPENING, Evidence.of(evidence))
    assert verdict.kind is Kind.UNSURE
    assert {"8/5 6/5", "24/20"} <= {play.text for play in verdict.candidates}


def test_a_picture_of_nothing_accuses_nobody():
    verdict = judge(OPENING, Evidence())
    assert (verdict.kind, verdict.gap, verdict.cells) == (Kind.UNSURE, 0.0, ())


@pytest.mark.parametrize("floor", [-0.1, -1.0, -2.0, -3.0])
def test_a_weak_picture_of_a_foul_accuses_nobody(floor):
    assert judge(OPENING, Evidence.certain(shown("8/5 6/5", p5=1, p4=1), floor=floor)).kind is Kind.UNSURE


def test_a_doubt_between_forgiveness_and_accusation_asks():
    looks = shown("8/5 6/5")
    raw = {cell: {look: 0.0} for cell, look in looks.items()}
    raw["p5"] = {looks["p5"]: -6.0, ("white",): 0.0}
    raw["p6"] = {looks["p6"]: 0.0, ("white",) * 5: 0.0}
    verdict = judge(OPENING, Evidence.of(raw))
    assert (verdict.kind, verdict.play.text, verdict.gap) == (Kind.UNSURE, "8/5 6/5", 6.0)
    assert "p5" in verdict.cells


def test_a_play_made_wholly_under_a_hand_has_no_witness():
    position = race([[8, 0], [8, 8]])
    assert len(position.plays()) == 1
    after = position.plays()[0].after.looks()
    covered = {cell: look for cell, look in after.items() if look == position.looks()[cell]}
    assert judge(position, Evidence.certain(covered)).kind is Kind.UNSURE
    assert judge(position, Evidence.certain(after)).kind is Kind.LEGAL


def test_a_forced_stay_needs_no_witness():
    position = race([[8, 8], [4, 4]])
    assert position.plays()[0].text == "no move"
    assert judge(position, Evidence.certain(position.looks())).kind is Kind.LEGAL


def test_a_piece_that_nobody_has_is_not_believed_while_another_look_adds_up():
    looks = shown("8/5 6/5")
    raw = {cell: {look: 0.0} for cell, look in looks.items()}
    raw["p13"] = {("white",) * 6: 0.0, looks["p13"]: -9.5}
    evidence = Evidence.of(raw)
    seen, total, _ = likeliest(OPENING, evidence)
    assert (seen, total) == (looks, -9.5)
    assert judge(OPENING, evidence).kind is Kind.LEGAL


def test_pieces_that_cannot_add_up_leave_the_picture_as_it_is():
    looks = shown("8/5 6/5", p13=6)
    seen, total, _ = likeliest(OPENING, Evidence.certain(looks))
    assert (seen, total) == (looks, 0.0)
    verdict = judge(OPENING, Evidence.certain(looks))
    assert (verdict.kind, verdict.cells, verdict.misfit) == (Kind.UNSURE, ("p13",), True)


@pytest.mark.parametrize("changes", [{}, {"p5": 1, "p4": 1}])
def test_a_search_that_stopped_early_leaves_the_judge_unsure(monkeypatch, changes):
    evidence = Evidence.certain(shown("8/5 6/5", **changes))
    monkeypatch.setattr(engine.judge, "conserved", lambda *_: Conserved(evidence.best(), -math.inf, 5.0))
    assert judge(OPENING, evidence).kind is Kind.UNSURE


def test_hidden_layers_that_look_alike_are_asked_about():
    position = get("icegammon").start({"first": "white"}).roll((3, 3, 3))
    looks = position.find("handS/22(3) handL/22^").after.looks()
    verdict = judge(position, Evidence.certain(looks))
    assert verdict.kind is Kind.UNSURE
    assert len({play.after.layout()["p22"] for play in verdict.candidates}) > 1
    assert {play.after.looks()["p22"] for play in verdict.candidates} == {looks["p22"]}


def nearest(position, looks):
    """Fewest cells, then fewest pieces, over every play."""
    return min(
        (len(differing(looks, after)), distance(looks, after))
        for after in (play.after.looks() for play in position.plays())
    )


def test_the_nearest_play_is_nearest_by_cells_and_then_by_pieces():
    rng = random.Random(6)
    judged = 0
    for position, plays, play in games(rng, get("icegammon"), 120):
        looks = spoiled(play.after.looks(), rng)
        verdict = judge(position, Evidence.certain(looks))
        if len(plays) < 300 and verdict.kind is Kind.ILLEGAL:
            after = verdict.play.after.looks()
            assert (len(verdict.cells), distance(looks, after)) == nearest(position, looks)
            judged += 1
    assert judged > 20


def test_plays_as_near_by_cells_beyond_those_asked_for_at_first_hide_none_that_is_nearer_by_pieces():
    points = {
        24: -7,
        23: -1,
        21: 3,
        20: 2,
        19: -1,
        18: 1,
        17: -1,
        16: 1,
        11: 1,
        10: -1,
        8: 1,
        7: -2,
        6: 4,
        5: 1,
        3: -1,
        2: 1,
        1: -1,
    }
    data = {
        "turn": "white",
        "points": {str(point): number for point, number in points.items()},
        "bar": [0, 0],
        "off": [0, 0],
    }
    position = get("backgammon").read(data).roll((3, 4))
    moved = {20: 0, 21: 2, 16: 3, 12: -1, 8: 0, 7: -3, 3: 0, 2: 2, 1: 0}  # many pieces were
    looks = dict(position.looks())
    for point, number in moved.items():
        looks[f"p{point}"] = (("white",) * number) or ("black",) * -number
    looks["bar.white"] = ("white",)
    even = [score for score, _ in position.nearest(Evidence.certain(looks), 100)]
    assert even[CANDIDATES] == even[0]
    verdict = judge(position, Evidence.certain(looks))
    assert (len(verdict.cells), distance(looks, verdict.play.after.looks())) == nearest(position, looks)


def test_soft_evidence_of_a_foul_names_the_play_nearest_to_what_is_seen():
    looks = shown("8/5 6/5", p5=1, p4=1)
    verdict = judge(OPENING, Evidence.of({cell: {look: 0.0, (): -9.0} for cell, look in looks.items()}))
    assert (verdict.kind, verdict.cells, verdict.play.text) == (Kind.ILLEGAL, ("p4", "p5"), "8/5 6/5")


def test_where_no_play_is_awaited_nothing_can_be_judged():
    with pytest.raises(EngineError, match="no play is awaited"):
        judge(get("backgammon").start({}), Evidence())


def misread(text="8/5 6/5", **cells):
    """Sure evidence of a play, but for cells that are read otherwise by so many nats: ``p13=(6, 9.0)``."""
    looks = shown(text)
    raw = {cell: {look: 0.0} for cell, look in looks.items()}
    for cell, (number, nats) in cells.items():
        side = looks[cell][:1] or ("white",)
        raw[cell] = {side * number: 0.0, looks[cell]: -nats}
    return Evidence.of(raw)


def exchanged(number):
    """The looks after 8/5 6/5 with so many of white's checkers of the 13-point and the 24-point moved to the
    8-point: a mistake that grows."""
    return shown("8/5 6/5", p13=5 - min(number, 4), p24=2 - max(0, number - 4), p8=2 + number)


def test_a_foul_of_a_checker_or_two_is_found_and_one_of_many_is_a_bad_picture():
    found = [judge(OPENING, Evidence.certain(exchanged(number), floor=-8.0)).kind for number in range(7)]
    assert found[:3] == [Kind.LEGAL, Kind.ILLEGAL, Kind.ILLEGAL]
    assert found[5:] == [Kind.UNSURE, Kind.UNSURE]


def test_nobody_is_accused_of_a_board_that_was_turned_round_however_sure_it_is():
    looks = shown("8/5 6/5")
    turned = looks | {f"p{n}": looks[f"p{n + 12 if n <= 12 else n - 12}"] for n in range(1, 25)}
    verdict = judge(OPENING, Evidence.certain(turned, floor=-200.0))
    assert (verdict.kind, verdict.misfit) == (Kind.UNSURE, True)


def test_what_no_play_and_no_foul_explains_does_not_fit_the_board():
    verdict = judge(OPENING, Evidence.certain(exchanged(6), floor=-8.0))
    assert verdict.misfit
    assert verdict.candidates
    assert not judge(OPENING, Evidence()).misfit
    assert not judge(OPENING, Evidence.certain(shown("8/5 6/5", p5=1, p4=1))).misfit


def test_one_cell_that_is_surely_misread_accuses_nobody():
    """The total makes another cell join it: 13 holds six at most nats, so 8 is given one less."""
    raw = dict(misread(p13=(6, 12.0)).cells) | {"p8": {("white",) * 2: 0.0, ("white",): -1.5}}
    verdict = judge(OPENING, Evidence.of(raw))
    assert (verdict.kind, verdict.misfit) == (Kind.UNSURE, True)


def test_two_cells_that_speak_for_it_accuse():
    raw = dict(misread(p13=(6, 12.0)).cells) | {"p8": {("white",): 0.0, ("white",) * 2: -2.5}}
    verdict = judge(OPENING, Evidence.of(raw))
    assert (verdict.kind, verdict.cells) == (Kind.ILLEGAL, ("p8", "p13"))


def test_a_weak_calibration_makes_every_accusation_dearer():
    looks = shown("8/5 6/5", p5=1, p4=1)
    for floor, caution, kind in (
        (-6.0, 1.0, Kind.ILLEGAL),
        (-6.0, 1.5, Kind.UNSURE),
        (-8.0, 1.5, Kind.ILLEGAL),
    ):
        evidence = Evidence.of({cell: {look: 0.0} for cell, look in looks.items()}, floor, caution)
        assert judge(OPENING, evidence).kind is kind


def test_a_small_foul_is_found_in_a_picture_with_cells_misread_besides():
    """Read so, five checkers stand elsewhere; that 6/5 was played as 6/4 explains it nearly as well."""
    raw = {cell: {look: 0.0} for cell, look in shown("8/5 6/5", p5=1, p4=1).items()}
    for one, other in (("p12", "p19"), ("p1", "p17")):
        least, most = raw[one].popitem()[0], raw[other].popitem()[0]
        raw[one] = {least: -1.5, least[:-1]: 0.0}
        raw[other] = {most: -1.5, (*most, "black"): 0.0}
    verdict = judge(OPENING, Evidence.of(raw, floor=-7.0))
    assert (verdict.kind, verdict.cells) == (Kind.ILLEGAL, ("p4", "p5"))


@pytest.mark.parametrize("number", range(1, 7))
def test_evidence_of_earlier_releases_is_judged_as_it_was_then(number):
    """A log that is opened again must come to the same fouls: what was condoned was one."""
    written = Evidence.certain(exchanged(number), floor=-8.0).to_json()
    del written["caution"]
    assert judge(OPENING, Evidence.from_json(written)).kind is Kind.ILLEGAL


def test_a_checker_in_somebodys_hand_does_not_make_another_stack_one_more():
    looks = shown("8/5 6/5", p13=4)
    raw = {cell: {look: 0.0} for cell, look in looks.items()}
    raw["p12"] = {("black",) * 5: 0.0, ("white",) * 5: -9.0}
    seen, total, _ = likeliest(OPENING, Evidence.of(raw))
    assert seen == looks
    assert -FAR < total < 0
    assert judge(OPENING, Evidence.of(raw)).kind is Kind.UNSURE


def test_checkers_that_are_nowhere_are_no_foul():
    """Six of a full row are seen where eight lie, and six of seven: nobody moved anything."""
    points = {"2": 8, "5": 3, "6": 2, "8": 2, "24": -7, "20": -4, "19": -4}
    data = {"turn": "white", "points": points, "bar": [0, 0], "off": [0, 0]}
    position = get("backgammon").read(data).roll((3, 1))
    looks = dict(position.find("8/5 6/5").after.looks())
    raw = {cell: {look: 0.0} for cell, look in looks.items()}
    raw |= {"p2": {("white",) * 6: 0.0}, "p24": {("black",) * 6: 0.0}}
    for row in ("p2", "p24"):
        raw[row][looks[row][:5]] = -7.0
    assert judge(position, Evidence.of(raw, floor=-9.5)).kind is Kind.UNSURE
