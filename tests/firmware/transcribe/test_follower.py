"""Following games by made-up sightings: what is at rest when, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from engine import rules as games
from engine.evidence import Evidence
from engine.layout import Looks
from engine.match import Terms
from engine.position import Awaits, Position
from firmware.transcribe import plays
from firmware.transcribe.branches import Branch
from firmware.transcribe.follower import Follower, follow
from firmware.transcribe.job import lost_at
from firmware.transcribe.next_turn import UNSEEN
from firmware.transcribe.plays import both_moved
from firmware.transcribe.sighting import Face, FreshThrows, Sighting
from firmware.transcribe.transcript import transcribed
from firmware.transcribe.turns import Answers, Choice, Kind, Turn

RULES = games.get("backgammon")
START = RULES.start({})
PLACES = ((20.0, 20.0), (25.0, 22.0))
LOWER = [f"p{number}" for number in range(1, 12)]


class Table:
    """A table with a camera: what stands on it is seen when somebody looks."""

    def __init__(self, dice: bool = True) -> None:
        self.seen: list[Sighting] = []
        self.begun: Position | None = None
        self.dice, self.halves = dice, False
        self.faces: tuple[Face, ...] = ()
        self.position: Position = START
        self.look(START.looks())

    def look(self, looks: Looks) -> None:
        t = float(len(self.seen))
        faces = self.faces if self.dice else None
        self.seen.append(Sighting(t, Evidence.certain(looks), faces, f"{len(self.seen):03d}.jpg"))

    def throw(self, *values: int | None) -> None:
        shift = 3.0 * (len(self.seen) % 5)
        places = [(x + shift, y - shift) for x, y in PLACES]
        ahead = self.position.turn == RULES.sides[0] if self.halves else None
        self.faces = tuple(
            Face(value, place, "white", (), ahead) for value, place in zip(values, places, strict=True)
        )
        self.look(self.position.looks())

    def play(self, *dice: int, move: str, throw: bool = True) -> Position:
        """A throw, and then the play."""
        if throw and self.dice:
            self.throw(*dice)
        self.position = self.position.roll(dice).find(move).after
        self.look(self.position.looks())
        return self.position

    def turns(self, **answers: object) -> list[Turn]:
        said = Answers(**answers)  # type: ignore[arg-type]
        if self.begun is None:
            return follow(RULES, self.seen, said)
        follower = Follower(RULES, said, [Branch(self.begun)])
        for each in self.seen:
            follower.see(each)
        return follower.story()


def told(turns: list[Turn]) -> list[tuple[object, ...]]:
    return [(turn.side, tuple(sorted(turn.dice, reverse=True)), turn.move, turn.sure) for turn in turns]


def test_a_game_is_followed_by_positions_and_dice() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(6, 2, move="24/18 13/11")
    table.play(5, 4, move="13/9 13/8")
    assert told(table.turns()) == [
        ("white", (3, 1), "8/5 6/5", True),
        ("black", (6, 2), "24/18 13/11", True),
        ("white", (5, 4), "13/9 13/8", True),
    ]


def test_dice_tell_which_of_two_rolls_it_was() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(4, 2, move="24/18")
    assert told(table.turns())[1] == ("black", (4, 2), "24/18", True)


def test_without_dice_a_play_that_two_rolls_explain_is_asked_about() -> None:
    table = Table(dice=False)
    table.play(3, 1, move="8/5 6/5")
    table.play(4, 2, move="24/18")
    first, second = table.turns()
    assert first.sure
    assert not second.sure
    assert {each.dice for each in second.candidates} == {(4, 2), (5, 1)}
    assert all(each.move == "24/18" for each in second.candidates)


def test_the_opening_says_who_began() -> None:
    table = Table(dice=False)
    table.play(1, 3, move="8/5 6/5")
    assert told(table.turns()) == [("black", (3, 1), "8/5 6/5", True)]


def test_a_play_seen_halfway_is_one_play() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.throw(6, 2)
    table.look(
        table.position.roll((6, 2)).find("24/18 13/11").after.looks() | {"p1": ("black",) * 2, "p7": ()}
    )
    table.play(6, 2, move="24/18 13/11", throw=False)
    table.play(5, 4, move="13/9 13/8")
    assert [turn[2] for turn in told(table.turns())] == ["8/5 6/5", "24/18 13/11", "13/9 13/8"]
    assert all(turn.sure for turn in table.turns())


def test_a_play_that_was_taken_back_is_forgotten() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    before = table.position
    table.play(6, 5, move="24/13")
    table.look(before.looks())
    table.position = before.roll((6, 5)).find("24/18 13/8").after
    table.look(table.position.looks())
    table.play(5, 4, move="13/9 13/8")
    assert [turn.move for turn in table.turns()] == ["8/5 6/5", "24/18 13/8", "13/9 13/8"]


def dancing(waiting: int = 1) -> Table:
    """Black on the bar against five points, with so many checkers."""
    table = Table()
    data = {"points": {"1": 2, "2": 2, "3": 2, "4": 2, "5": 2, "13": 5, "12": -5, "19": -5}}
    data["points"]["17"] = waiting - 5
    start = RULES.read({"rules": "backgammon", "turn": "black", **data, "bar": [0, waiting], "off": [0, 0]})
    table.position = table.begun = start
    table.seen.clear()
    table.look(start.looks())
    return table


def test_a_dance_is_seen_by_its_dice() -> None:
    table = dancing()
    table.throw(5, 3)
    table.position = table.position.roll((5, 3)).plays()[0].after
    table.play(6, 1, move="13/6")
    turns = table.turns()
    assert [(turn.side, turn.move) for turn in turns] == [("black", "pass"), ("white", "13/6")]
    assert turns[0].dice in ((5, 3), (3, 5))
    assert turns[0].sure


@pytest.mark.parametrize("alone", [False, True])
def test_of_dice_one_of_which_lay_there_before_the_play_it_is_known_whose_they_are(alone: bool) -> None:
    table = dancing(waiting=2)
    both = (Face(6, (30.0, 20.0), "white"), Face(2, (36.0, 22.0), "white"))
    table.faces = both[:1] if alone else ()  # the other one, or both, lie under a hand
    table.look(table.position.looks())
    table.faces = both
    table.play(6, 2, move="bar/19", throw=False)  # as with any six
    [turn] = table.turns()
    assert (turn.side, sorted(turn.dice), turn.sure) == ("black", [2, 6], alone)


@pytest.mark.parametrize("halves", [False, True])
def test_whose_roll_it_was_is_told_by_the_half_that_it_fell_into(halves: bool) -> None:
    table = dancing()
    table.halves = halves
    table.throw(5, 3)
    table.position = table.position.roll((5, 3)).plays()[0].after
    table.play(5, 5, move="13/8(2) 8/3(2)")  # black could not have played that either
    dance = table.turns()[0]
    assert (dance.side, dance.dice, dance.move) == ("black", (5, 3), "pass")
    assert dance.sure is halves


def test_the_half_of_dice_turns_with_the_board() -> None:
    faces = (Face(1, (20.0, 20.0), "", (), True), Face(2, (22.0, 20.0)))
    seen = Sighting(0.0, Evidence.certain(START.looks()), faces)
    assert Sighting.from_json(seen.to_json()) == seen
    turned = {f"p{number}": f"p{(number + 11) % 24 + 1}" for number in range(1, 25)}
    assert [face.ahead for face in seen.renamed(turned).faces or ()] == [False, None]
    assert seen.renamed({f"p{n}": f"p{n}" for n in range(1, 25)}).faces == faces


def test_a_dance_that_nobody_saw_is_told_by_the_next_play() -> None:
    table = dancing()
    table.dice = False
    table.seen.clear()
    table.look(table.position.looks())
    table.position = table.position.roll((5, 3)).plays()[0].after
    table.play(6, 1, move="13/6")
    turns = table.turns()
    assert [(turn.side, turn.move) for turn in turns] == [("black", "pass"), ("white", "13/6")]
    assert not turns[0].sure


def test_dice_that_cannot_be_played_are_a_turn_though_the_film_ends() -> None:
    table = dancing()
    table.seen.clear()
    table.look(table.position.looks())
    table.throw(5, 3)
    assert told(table.turns()) == [("black", (5, 3), "pass", True)]


def test_a_play_that_is_seen_poorly_as_the_film_ends_is_asked_about() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(6, 2, move="24/18 13/11")
    last = table.seen[-1]
    [came] = [cell for cell in ("p14", "p11") if last.evidence.best()[cell] != START.looks()[cell]]
    hidden = {last.evidence.best()[came]: -6.0, (): 0.0}
    poor = Evidence.of({**_each(last.evidence.best()), came: hidden})
    table.seen[-1] = Sighting(last.t, poor, last.faces, last.picture)
    assert [(turn.dice, turn.sure) for turn in table.turns()] == [((3, 1), True), ((6, 2), False)]


def test_a_start_that_is_read_poorly_is_the_start_where_nothing_is_likelier() -> None:
    table = Table()
    heights = {("white",) * count: -1.5 * abs(count - 9) for count in range(3, 13)}
    poor = Evidence.of({**_each(START.looks()), "p6": heights, "p8": heights}, floor=-30.0)
    table.seen = [Sighting(0.0, poor, (), "000.jpg")]
    table.play(3, 1, move="24/23 13/10")
    assert [(turn.kind, turn.move) for turn in table.turns()] == [(Kind.PLAYED, "24/23 13/10")]


def test_what_is_read_poorly_all_along_makes_no_play_doubtful() -> None:
    table = Table()
    wrong = {("white",) * 9: 0.0, (): -9.0}
    for dice, move in (((3, 1), "8/5 6/5"), ((6, 2), "24/18 13/11"), ((5, 4), "13/9 13/8")):
        table.play(*dice, move=move)
    table.seen = [
        Sighting(
            each.t, Evidence.of({**_each(each.evidence.best()), "off.white": wrong}), each.faces, each.picture
        )
        for each in table.seen
    ]
    assert all(turn.sure for turn in table.turns())


def test_what_is_misread_in_every_look_counts_once() -> None:
    """A tray that seems to hold one checker more than it does is no more of a witness after a minute."""
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    misread = {("white",): 0.0, (): -3.0}
    follower, spent = Follower(RULES), []
    for number in range(20):
        looks = {**_each(table.position.looks() if number > 2 else START.looks()), "off.white": misread}
        faces = table.seen[min(number, 2)].faces
        follower.see(Sighting(float(number), Evidence.of(looks), faces, f"{number:03d}.jpg"))
        spent.append(follower.spent)
    assert spent[0] < 4
    assert spent[-1] == spent[5]


def test_dice_that_are_seen_tell_of_a_first_checker_borne_off_that_hardly_shows() -> None:
    """The eyes alone would have it that two rows of seven are fifteen checkers, and the tray still empty."""
    table = Table()
    looks = dict.fromkeys(START.looks(), ()) | {
        "p7": ("white",),
        "p2": ("white",) * 7,
        "p1": ("white",) * 7,
        "p24": ("black",) * 10,
        "p23": ("black",) * 5,
    }
    table.begun = replace(START.roll((3, 1)).stand(looks), turn="white")
    table.seen, table.position = [], table.begun
    table.play(6, 5, move="7/2/off")
    rows = [
        {7: 0.0, 6: -1.0, 5: -1.0, 8: -2.1},
        {7: 0.0, 8: -0.8, 6: -2.2, 9: -3.0},
        {0: 0.0, 1: -4.4, 2: -4.8},
    ]
    misread = {
        cell: {("white",) * count: odds for count, odds in row.items()}
        for cell, row in zip(("p1", "p2", "off.white"), rows, strict=True)
    }
    read = Evidence.of({**_each(table.position.looks()), **misread})
    table.seen[-1] = replace(table.seen[-1], evidence=read)
    assert [each[:3] for each in told(table.turns())] == [("white", (6, 5), "7/off")]


def test_a_film_that_begins_in_mid_game_with_twelve_checkers_a_side_puts_the_others_nowhere() -> None:
    """There are too many ways to put six more onto the board for the search to end."""
    places = ((24, 2), (22, 1), (13, 4), (8, 1), (6, 4)), ((1, 1), (5, 2), (11, 2), (12, 4), (19, 3))
    looks = dict.fromkeys(START.looks(), ())
    for side, stacks in zip(RULES.sides, places, strict=True):
        looks |= {f"p{number}": (side,) * count for number, count in stacks}
    cells = {}
    for cell, look in looks.items():
        if not cell.startswith("off"):
            cells[cell] = {(side,) * count: -9.0 for side in RULES.sides for count in range(7)} | {look: 0.0}
    seen = [Sighting(float(t), Evidence.of(cells), None, f"{t:03d}.jpg") for t in range(2)]
    [found] = follow(RULES, seen, Answers())
    assert found.kind is Kind.FOUND
    shown = {cell: look for cell, look in found.after.looks().items() if not cell.startswith("off")}
    assert shown == {cell: look for cell, look in looks.items() if not cell.startswith("off")}


def _each(looks: Looks) -> dict[str, dict[tuple[str, ...], float]]:
    return {cell: {look: 0.0} for cell, look in looks.items()}


def test_an_illegal_play_is_kept_and_the_game_goes_on_from_the_board() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.throw(6, 2)
    looks = dict(table.position.looks())
    looks["p12"], looks["p21"] = looks["p12"][1:], (*looks["p21"], "black")
    table.look(looks)
    table.position = table.position.roll((6, 2)).stand(looks)
    table.play(5, 4, move="13/9 13/8")
    table.play(6, 1, move="13/7 8/7")
    turns = table.turns()
    assert [turn.kind for turn in turns] == [Kind.PLAYED, Kind.ILLEGAL, Kind.PLAYED, Kind.PLAYED]
    assert turns[1].after.looks() == looks
    assert turns[2].move == "13/9 13/8"


def test_a_rest_between_two_plays_was_missed_where_pieces_of_both_sides_moved() -> None:
    def board(points: dict[str, int], bar: int = 0) -> Position:
        rest = {"8": 3, "6": 5, "24": 2, "12": -5, "17": -3, "19": -5}
        return RULES.read(
            {"rules": "backgammon", "turn": "white", "points": rest | points, "bar": [bar, 0], "off": [0, 0]}
        )

    before = board({"13": 4, "7": 1, "1": -2})
    hit_seven = board({"13": 4, "7": -1, "1": -1}, bar=1)
    hit_five = board({"13": 4, "5": -1, "3": -1}, bar=1)  # White had gone from 7 to 5
    foul = board({"13": 4, "7": 1, "16": -2})
    assert [both_moved(before, "black", after) for after in (hit_seven, hit_five, foul)] == [
        False,
        True,
        False,
    ]


def _seen(**cells: dict[int, float]) -> Evidence:
    """A board as in mid-game, with trays out of view and doubt in some points."""
    rest = {"24": 2, "17": -3, "13": 4, "12": -4, "8": 3, "6": 5, "5": -1, "2": -1, "1": 1, "19": -6}
    data = {"rules": "backgammon", "turn": "white", "points": rest, "bar": [0, 0], "off": [0, 0]}
    looks = {cell: look for cell, look in RULES.read(data).looks().items() if not cell.startswith("off")}
    known = dict(Evidence.certain(looks).cells)
    doubtful = {
        cell: {("black",) * number: value for number, value in values.items()}
        for cell, values in cells.items()
    }
    return Evidence.of({**known, **doubtful})


def test_nobody_has_borne_off_who_is_not_home() -> None:
    misread = _seen(p19={5: 0.0, 6: -3.0, 7: -5.0})
    looks = plays.likeliest_looks(START, misread, RULES.homes)
    assert (len(looks["p19"]), looks["off.black"]) == (6, ())
    plain = _seen(p19={5: 0.0, 6: -12.0})  # then one is in a hand, or gone
    looks = plays.likeliest_looks(START, plain, RULES.homes)
    assert (len(looks["p19"]), len(looks["off.black"])) == (5, 1)
    home = {"points": {"6": 5, "4": 3, "19": -5, "24": -2}, "bar": [0, 0], "off": [7, 8]}
    position = RULES.read({"rules": "backgammon", "turn": "white", **home})
    shown = {cell: look for cell, look in position.looks().items() if not cell.startswith("off")}
    looks = plays.likeliest_looks(START, Evidence.certain(shown), RULES.homes)
    assert looks == position.looks()


def test_a_tall_row_that_is_counted_poorly_is_not_hidden() -> None:
    tall = _seen(p19={6: -0.2, 7: 0.0, 8: -0.2, 9: -2.0})
    assert tall.confidence("p19") < plays.OPEN
    assert not plays.hides(tall)
    assert plays.hides(_seen(p19=dict.fromkeys(range(12), 0.0)))
    assert plays.hides(Evidence({}, -12.0))


def test_a_film_begins_where_nothing_lies_over_the_board() -> None:
    hidden = _seen(p12=dict.fromkeys(range(6), 0.0))
    follower = Follower(RULES)
    for number in range(3):
        follower.see(Sighting(float(number), hidden, (), f"{number}.jpg"))
    follower.see(Sighting(3.0, _seen(), (), "3.jpg"))
    assert [(each.link.turn.picture, each.link.turn.doubtful) for each in follower.branches if each.link] == [
        ("3.jpg", False),  # whoever is on turn
        ("3.jpg", False),
    ]
    follower = Follower(RULES)
    for number in range(9):  # a strip that stays
        follower.see(Sighting(float(number), hidden, (), f"{number}.jpg"))
    [begun] = follower.story()
    assert (begun.kind, begun.doubtful) == (Kind.FOUND, True)


def test_a_film_begins_with_a_board_that_adds_up() -> None:
    too_many = _seen(p19={9: 0.0, 8: -11.0})
    follower = Follower(RULES)
    follower.see(Sighting(0.0, too_many, (), "0.jpg"))
    assert not follower.branches
    follower.see(Sighting(1.0, _seen(), (), "1.jpg"))
    assert follower.branches[0].position.layout()


def test_a_film_that_begins_with_more_checkers_than_there_are_is_in_doubt() -> None:
    for seen, doubtful in ((_seen(p19={9: 0.0, 5: -3.0}), True), (_seen(), False)):
        follower = Follower(RULES)
        follower.see(Sighting(0.0, seen, (), "0.jpg"))
        turns = [branch.link.turn for branch in follower.branches if branch.link]
        assert [turn.doubtful for turn in turns] == [doubtful] * 2


@pytest.mark.parametrize("many", [3, 6])
def test_a_film_that_could_not_be_followed_to_its_end_says_from_when_on(many: int) -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(6, 2, move="24/18 13/11")
    looks = dict(table.position.looks())
    for number in range(many):  # what is seen then, no play explains
        looks[f"p{number + 2}"] = ("white", "black")
        table.look(looks)
    found = transcribed(RULES, table.turns(), Terms(), ("Ann", "Bob"), Answers())
    assert [len(game.turns) for game in found.games] == [2]
    assert lost_at(found, table.seen) == (5.0 if many == 6 else None)


def test_a_foul_is_less_likely_where_no_dice_were_thrown_though_dice_are_read() -> None:
    position = START.roll((3, 1)).find("8/5 6/5").after
    foul = position.looks() | {"p12": ("black",) * 4, "p10": ("black",)}

    def cost(faces: tuple[Face, ...] | None) -> float:
        follower = Follower(RULES, branches=[Branch(position)])
        follower.see(Sighting(1.0, Evidence.certain(foul), faces, "1.jpg"))
        fouls = [each for each in follower.branches if each.link and each.link.turn.kind is Kind.ILLEGAL]
        return follower.spent + min(each.cost for each in fouls)

    assert cost(()) == pytest.approx(cost(None) + UNSEEN)


def test_a_film_that_begins_in_mid_game_takes_the_position_as_it_is() -> None:
    table = dancing()
    table.begun = None
    first, *_ = table.turns()
    assert first.kind is Kind.FOUND
    assert first.after.looks() == table.position.looks()


@pytest.mark.parametrize("since", [1, 3])
def test_dice_that_lie_as_a_film_begins_are_those_of_its_first_play(since: int) -> None:
    table = Table()
    table.play(4, 2, move="24/18")
    table.halves = True
    table.play(5, 1, move="24/18")
    table.play(3, 1, move="8/5 6/5")
    table.seen = table.seen[since:]
    first = next(turn for turn in table.turns() if turn.kind is Kind.PLAYED)
    assert (sorted(first.dice), first.sure) == ([2, 4] if since == 1 else [1, 5], True)


def quick(dice: bool = True) -> Table:
    """White plays and Black is as quick, so that the board is at rest after both only: 6-2, and 5-4."""
    table = Table(dice)
    table.play(3, 1, move="8/5 6/5")
    if dice:
        table.throw(6, 2)
    table.position = (
        table.position.roll((6, 2)).find("24/18 13/11").after.roll((5, 4)).find("13/9 13/8").after
    )
    table.look(table.position.looks())
    table.play(2, 1, move="13/11 6/5")
    return table


def test_two_plays_between_which_the_board_was_not_at_rest_are_told_by_their_dice() -> None:
    table = quick()
    at = table.seen[-3]
    faces = tuple(Face(value, (30.0 + value, 4.0), "black") for value in (5, 4))
    table.seen[-3] = replace(at, faces=faces)
    assert told(table.turns()) == [
        ("white", (3, 1), "8/5 6/5", True),
        ("black", (6, 2), "24/18 13/11", True),
        ("white", (5, 4), "13/9 13/8", True),
        ("black", (2, 1), "13/11 6/5", True),
    ]


def test_two_plays_whose_dice_nobody_saw_are_asked_about_and_settled() -> None:
    table = quick(dice=False)
    _, one, two, _ = table.turns()
    assert (one.side, one.picture, two.side, two.picture) == ("black", "002.jpg", "white", "002.jpg")
    assert not one.sure
    assert "6-2: 24/18 13/11" in map(str, one.candidates)
    assert "5-4: 13/9 13/8" in map(str, (*two.candidates, *two.own))
    for said in (
        {one.key: Choice((6, 2), "24/18 13/11")},
        {one.key: Choice((6, 2), "24/18 13/11"), two.key: Choice((5, 4), "13/9 13/8")},
        {two.key: Choice((5, 4), "13/9 13/8")},
    ):
        turns = table.turns(plays=said)
        settled = [turn for turn in turns if turn.settled]
        assert [Choice(turn.dice, turn.move) for turn in settled] == list(said.values()), said
        assert [turn.key for turn in settled] == list(said)
    assert len(table.turns(plays={one.key: Choice((6, 2), "24/18 13/11")})) == 4


def test_a_pass_after_two_plays_of_one_picture_has_a_question_of_its_own() -> None:
    """Black plays, White is quick and hits, Black cannot enter and White plays on: answered one by one, in
    whatever order, all of it is settled."""
    table = Table(dice=False)
    black, points = {24: 2, 19: 4, 13: 5, 12: 3, 1: 1}, {10: 1, 8: 2, 7: 1, 6: 3, 5: 2, 4: 2, 3: 2, 2: 2}
    data = {str(point): -number for point, number in black.items()} | {str(k): n for k, n in points.items()}
    begun = RULES.read({"rules": "backgammon", "turn": "black", "points": data, "bar": [0, 0], "off": [0, 0]})
    table.seen.clear()
    table.begun = begun
    table.look(begun.looks())
    hit = begun.roll((6, 5)).find("13/8 13/7").after.roll((6, 3)).find("10/1*").after
    table.look(hit.looks())
    table.position = hit.roll((5, 3)).plays()[0].after
    table.play(5, 1, move="8/3 7/6")
    true = [Choice((6, 5), "13/8 13/7"), Choice((6, 3), "10/1*"), Choice((5, 3), "pass")]
    keys = ["001.jpg", "001.jpg+", "001.jpg++"]
    assert [turn.key for turn in table.turns()][:3] == keys
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        said: dict[str, Choice] = {}
        for number in order:
            said[keys[number]] = true[number]
            turns = table.turns(plays=said)
            settled = {turn.key: Choice(turn.dice, turn.move) for turn in turns if turn.settled}
            assert settled == said
            assert [turn.key for turn in turns[:3]] == keys
            assert turns[3].move in ("8/3 7/6", "8/6 7/3")


def test_a_picture_that_is_seen_twice_shows_nothing_new() -> None:
    shown = START.roll((3, 1)).find("8/5 6/5").after.looks()
    seen = [Sighting(t, Evidence.certain(shown), (), "001.jpg") for t in (0.0, 1.0)]
    [found] = follow(RULES, seen, Answers())
    assert found.kind is Kind.FOUND


def test_a_part_that_is_missing_is_marked() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    lost = table.position
    for dice in ((6, 2), (5, 4), (6, 1), (4, 3)):
        lost = lost.roll(dice).plays()[0].after
    table.position = lost
    table.look(lost.looks())
    random.seed(1)
    for dice in ((5, 3), (6, 4), (2, 1), (6, 5)):
        table.throw(*dice)
        table.position = table.position.roll(dice).plays()[-1].after
        table.look(table.position.looks())
    turns = table.turns()
    assert Kind.FOUND in [turn.kind for turn in turns]
    assert turns[-1].after == table.position
    assert not next(turn for turn in turns if turn.kind is Kind.FOUND).sure


def test_a_thread_that_is_lost_again_and_again_is_taken_up_each_time() -> None:
    table = Table(dice=False)
    rng = random.Random(3)

    def play() -> Position:
        rolled = table.position
        while rolled.awaits is not Awaits.PLAY:
            rolled = table.position.roll((rng.randint(1, 6), rng.randint(1, 6)))
        table.position = rng.choice(rolled.plays()).after
        return table.position

    play()
    table.look(table.position.looks())
    seen = []
    for _ in range(3):
        for _ in range(3):
            play()  # and nobody sees it
        for _ in range(3):
            seen.append(play())
            table.look(table.position.looks())
    told = [turn.after.looks() for turn in table.turns()]
    assert [each.looks() in told for each in seen] == [True] * len(seen)


def replayed(table: Table, since: int, until: int) -> None:
    """What was seen is shown once more, and then the board as it stands."""
    for number in (*range(since, until), len(table.seen) - 1):
        t = float(len(table.seen))
        table.seen.append(replace(table.seen[number], t=t, picture=f"{len(table.seen):03d}.jpg"))


def test_plays_that_are_shown_once_more_are_not_played_again() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(6, 2, move="24/18 13/11")
    table.play(5, 4, move="24/20 13/8")
    table.play(6, 5, move="18/7")
    once = told(table.turns())
    replayed(table, 1, 5)
    assert told(table.turns()) == once
    table.play(4, 2, move="8/4 6/4")
    replayed(table, 2, 6)
    turns = table.turns()
    assert told(turns)[:4] == once
    assert [turn.move for turn in turns[4:]] == ["8/4 6/4"]
    assert all(turn.sure for turn in turns)


def test_dice_that_are_shown_once_more_are_no_new_throw() -> None:
    fresh = FreshThrows()
    shown = [
        tuple(Face(value, (place + number, 20.0)) for value, place in ((3, 10.0), (1, 16.0)))
        for number in range(0, 20, 4)
    ]
    assert all(fresh.see(faces) for faces in shown)
    assert not any(fresh.see(faces) for faces in shown)


def test_a_play_whose_dice_nobody_saw_is_asked_about_where_the_one_before_is_not_known() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    lost = table.position
    for dice in ((6, 2), (5, 4), (6, 1), (4, 3)):
        lost = lost.roll(dice).plays()[0].after
    table.position, table.faces = lost, ()
    table.look(lost.looks())
    for number, dice in enumerate(((5, 3), (6, 4), (2, 1), (6, 5))):
        if number:
            table.throw(*dice)
        table.position = table.position.roll(dice).plays()[-1].after
        table.look(table.position.looks())
    turns = table.turns()
    found = [turn.kind for turn in turns].index(Kind.FOUND)
    assert [turn.sure for turn in turns[found:]] == [False, False, True, True, True]


def test_a_reset_begins_a_game() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.play(6, 2, move="24/18 13/11")
    table.position = START
    table.faces = ()
    table.look(START.looks())
    table.play(2, 6, move="24/18 13/11")
    turns = table.turns()
    assert [turn.kind for turn in turns] == [Kind.PLAYED, Kind.PLAYED, Kind.BEGUN, Kind.PLAYED]
    assert turns[-1].side == "black"


def test_games_that_are_broken_off_one_after_the_other_are_all_told_surely() -> None:
    """Each begins after the one before it: nobody came back to the first, as after highlights."""
    table = Table()
    games_played = (
        (((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4")),
        (((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3"), ((6, 2), "24/18 13/11")),
        (((4, 3), "13/10 13/9"), ((6, 5), "24/13"), ((5, 1), "13/8 6/5"), ((6, 4), "24/14")),
    )
    for number, played in enumerate(games_played):
        if number:
            table.position, table.faces = START, ()
            table.look(START.looks())
        for dice, move in played:
            table.play(*dice, move=move)
    turns = table.turns()
    assert [turn.kind for turn in turns].count(Kind.BEGUN) == 2
    assert len(turns) == 2 + 3 + 4 + 2
    assert all(turn.sure for turn in turns)


def test_an_answer_settles_a_doubt() -> None:
    table = Table(dice=False)
    table.play(3, 1, move="8/5 6/5")
    table.play(4, 2, move="24/18")
    doubtful = table.turns()[1]
    settled = table.turns(plays={doubtful.picture: Choice((4, 2), "24/18")})[1]
    assert (settled.dice, settled.move, settled.sure) == ((4, 2), "24/18", True)
    assert settled.candidates == (Choice((4, 2), "24/18"),)


def test_an_answer_that_nothing_was_played_is_heard() -> None:
    table = Table(dice=False)
    table.play(3, 1, move="8/5 6/5")
    table.play(4, 2, move="24/18")
    doubtful = table.turns()[1]
    assert [turn.move for turn in table.turns(plays={doubtful.picture: None})] == ["8/5 6/5"]


def test_a_play_and_the_pass_after_it_that_one_picture_shows_are_two_questions() -> None:
    table = dancing()
    table.dice, table.begun = False, None
    table.seen.clear()
    position = table.position.roll((5, 3)).plays()[0].after  # white plays, and black cannot again
    table.look(position.looks())
    after = position.roll((6, 1)).find("13/6").after
    table.look(after.looks())
    table.look(after.roll((5, 3)).plays()[0].after.roll((4, 2)).find("13/7").after.looks())

    def followed(plays: dict[str, Choice | None]) -> list[Turn]:
        follower = Follower(RULES, Answers(plays), [Branch(position, picture=table.seen[0].picture)])
        for seen in table.seen[1:]:
            follower.see(seen)
        return follower.story()

    shown = table.seen[1].picture
    play, dance, last = followed({})
    assert (play.picture, dance.picture) == (shown, shown)
    assert play.key != dance.key
    said: dict[str, Choice | None] = {play.key: Choice((6, 1), "13/6"), dance.key: Choice((5, 3), "pass")}
    for keys in ([play.key], [dance.key], [play.key, dance.key]):
        found = followed({key: said[key] for key in keys})
        assert [turn.move for turn in found] == ["13/6", "pass", last.move], keys
        assert [turn.key for turn in found if turn.settled] == keys


@pytest.mark.parametrize("seed", range(1))
def test_whole_games_at_random(seed: int) -> None:
    rng = random.Random(seed)
    table = Table()
    expected = []
    while table.position.awaits is not Awaits.NOTHING:
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        rolled = table.position.roll(dice)
        if rolled.awaits is not Awaits.PLAY:
            continue
        table.throw(*dice)
        play = rng.choice(rolled.plays())
        expected.append((rolled.turn, tuple(sorted(dice, reverse=True)), play.after))
        table.position = play.after
        if play.steps:
            table.look(play.after.looks())
        if len(expected) == 24:
            break
    turns = table.turns()
    found = [(turn.side, tuple(sorted(turn.dice, reverse=True)), turn.after) for turn in turns if turn.sure]
    wrong = [each for each in found if each not in expected]
    assert not wrong
    assert len(found) >= 0.9 * len(expected)


def hidden(seen: Sighting) -> Sighting:
    """The same where something lies over the lower points."""
    cells = {cell: looks for cell, looks in seen.evidence.cells.items() if cell not in LOWER}
    return replace(seen, evidence=Evidence(cells))


def test_a_play_under_a_streams_graphics_is_told_by_its_dice_and_by_what_follows() -> None:
    table = Table()
    table.play(3, 1, move="8/5 6/5")  # all of it is hidden
    table.play(6, 5, move="13/7 13/8")
    table.seen[1:] = map(hidden, table.seen[1:])
    first, *_ = table.turns()
    assert not first.sure
    table.play(4, 2, move="13/11 13/9")
    assert [(turn.move, turn.sure) for turn in table.turns()] == [
        ("8/5 6/5", True),
        ("13/8 13/7", True),
        ("13/11 13/9", True),
    ]


def test_a_play_that_hardly_shows_is_told_by_its_dice() -> None:
    """It need not show so plainly that the board cannot be as it was: what follows goes on from it."""
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    before = table.position.looks()
    table.play(6, 5, move="24/13")
    after, poorly = table.position.looks(), len(table.seen) - 1
    for dice, move in (((4, 2), "13/11 13/9"), ((6, 1), "13/7 8/7"), ((5, 2), "13/8 6/4")):
        table.play(*dice, move=move)
    for number, seen in enumerate(table.seen[poorly:], poorly):
        cells = dict(seen.evidence.cells)
        for cell, look in after.items():
            if before[cell] != look and seen.evidence.best()[cell] == look:
                cells[cell] = {look: 0.0, before[cell]: -1.8}
        table.seen[number] = replace(seen, evidence=Evidence(cells))
    assert told(table.turns()) == [
        ("white", (3, 1), "8/5 6/5", True),
        ("black", (6, 5), "24/13", True),
        ("white", (4, 2), "13/11 13/9", True),
        ("black", (6, 1), "13/7 8/7", True),
        ("white", (5, 2), "13/8 6/4", True),
    ]


@pytest.mark.parametrize("sure", [True, False])
def test_a_play_that_is_partly_hidden_is_asked_about_unless_its_dice_are_read(sure: bool) -> None:
    table = Table()
    table.play(3, 1, move="13/10 6/5")
    table.throw(6, 5 if sure else None)
    table.play(6, 5, move="24/13", throw=False)
    table.seen[-1:] = map(hidden, table.seen[-1:])
    assert [(turn.move, turn.sure) for turn in table.turns()] == [("13/10 6/5", True), ("24/13", sure)]


def drawn(seed: int, looks: int) -> Table:
    """A game of random plays, as far as so many looks."""
    chance, table = random.Random(seed), Table()
    while len(table.seen) < looks:
        one, two = chance.sample(range(1, 7), 2)
        dice = (one, two) if table.position.turn is None else (max(one, two), min(one, two))
        possible = list(table.position.roll(dice).plays())
        table.play(*dice, move=chance.choice(possible).text)
    return table


def filmed(*parts: Sequence[Sighting]) -> Table:
    """One film of them all."""
    table = Table()
    film = enumerate(each for part in parts for each in part)
    table.seen = [replace(each, t=float(number), picture=f"{number:03d}.jpg") for number, each in film]
    return table


def test_three_plays_that_nobody_saw_are_no_foul() -> None:
    """Of a cube that was turned meanwhile it was told surely who had doubled: once, and just then."""
    seen = drawn(3, 19).seen
    turns = filmed(seen[:11], seen[16:]).turns()
    assert [turn.kind for turn in turns if turn.kind is not Kind.PLAYED] == [Kind.FOUND]


@pytest.mark.parametrize("again", [True, False])
def test_what_was_played_before_a_part_that_is_missing_is_as_sure_as_ever(again: bool) -> None:
    """After another missing part, or a game that was broken off, it was all in doubt: it might have been
    another game's, and the film have come back to the first one, which had gone on unseen."""
    seen = drawn(3, 43).seen
    before = [seen[:11], seen[19:31]] if again else [drawn(4, 11).seen, seen[:11]]
    turns = filmed(*before, seen[39:]).turns()
    assert [turn.kind for turn in turns].count(Kind.FOUND) == 1 + again
    unsure = [last.kind for last, turn in pairwise(turns) if turn.kind is Kind.PLAYED and not turn.sure]
    assert unsure == [Kind.FOUND] * len(unsure), "what follows a part that is missing, at most"
    notes = transcribed(RULES, turns, Terms(), ("White", "Black"), Answers()).notes
    assert len([note for note in notes if "from 0:10.0 to 0:11.0 was not seen" in note]) == again
    assert len([note for note in notes if "was not seen" in note]) == 1 + again


@pytest.mark.parametrize("since", [0, 9])
@pytest.mark.parametrize("meanwhile", [0, 2, 4])
def test_what_is_shown_of_another_game_is_not_told(since: int, meanwhile: int) -> None:
    """Highlights, from the ``since``-th look at that game; the film comes back as it was, or later."""
    table, other = drawn(3, 27), drawn(4, 27)
    real = {turn.after for turn in table.turns()}
    film = filmed(table.seen[:11], other.seen[since : since + 9], table.seen[10 + meanwhile :])
    turns = film.turns()
    assert [turn.after for turn in turns if turn.sure and turn.after not in real] == []
    assert len(real - {turn.after for turn in turns}) <= max(0, meanwhile // 2 - 1)


def test_dice_that_are_taken_up_before_any_look_are_not_the_next_players() -> None:
    """The board is seen again when those of the next player lie there: nobody played against the rules."""
    table = Table()
    table.play(3, 1, move="8/5 6/5")
    table.position = table.position.roll((6, 5)).find("24/13").after  # nobody looks
    table.play(4, 2, move="8/4 6/4")
    table.position = table.position.roll((5, 3)).find("13/8 6/3").after
    table.play(6, 2, move="24/18 13/11")
    turns = table.turns()
    assert [(turn.kind, turn.move) for turn in turns] == [
        (Kind.PLAYED, move) for move in ("8/5 6/5", "24/13", "8/4 6/4", "13/8 6/3", "24/18 13/11")
    ]
    assert all(turn.sure for turn in turns[::2])
