"""What every game keeps, whichever it is: nothing here knows a game's name or its rules."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from engine import rules as games
from engine.errors import BadDice, EngineError, IllegalPlay, ImpossibleSetup
from engine.evidence import Evidence
from engine.judge import CANDIDATES, Kind, judge
from engine.layout import Cell, Layout, Look, Looks, Piece
from engine.position import Awaits, Dice, Play, Position, Rules
from tests.engine.footrace import rank
from tests.engine.playing import fixture, game

pytestmark = pytest.mark.long

SEEDS = (1, 2, 3)
ILLEGAL = 200
"""Illegal pictures shown to the judge, a game."""
NEAR = 6.0
"""Nats behind the best play within which ``Position.nearest`` must miss none."""
SAMPLE = 60
"""Positions that the dearer checks look at, a game."""


@pytest.fixture(params=games.names(), scope="module")
def rules(request: pytest.FixtureRequest) -> Rules:
    return games.get(request.param)


@cache
def moments(name: str) -> tuple[tuple[Position, Dice | Play, Position], ...]:
    """Everything that happens in the games of SEEDS."""
    return tuple(itertools.chain.from_iterable(game(games.get(name), seed) for seed in SEEDS))


def positions(rules: Rules) -> list[Position]:
    """Every position of those games, the last ones too."""
    seen = dict.fromkeys(position for before, _, after in moments(rules.name) for position in (before, after))
    return list(seen)


def to_play(rules: Rules, number: int = SAMPLE) -> list[Position]:
    """Some of the positions that await a play, from all parts of the games."""
    found = [position for position in positions(rules) if position.awaits == Awaits.PLAY]
    return random.Random(rules.name).sample(found, min(number, len(found)))


@cache
def plays_of(position: Position) -> tuple[Play, ...]:
    """The plays, kept: some games have thousands, and many tests ask."""
    return tuple(position.plays())


@cache
def legal_looks(position: Position) -> Counter[frozenset[tuple[Cell, Look]]]:
    """How many plays lead to each look of the board."""
    return Counter(frozen(play.after.looks()) for play in plays_of(position))


def some(plays: Sequence[Play], rng: random.Random, number: int = 20) -> list[Play]:
    return rng.sample(list(plays), min(number, len(plays)))


def moved(looks: Looks, rng: random.Random) -> Looks:
    """The same pieces, one to three of them on other cells."""
    changed: dict[Cell, list[Piece]] = {cell: list(look) for cell, look in looks.items()}
    for _ in range(rng.randint(1, 3)):
        source = rng.choice([cell for cell, pieces in changed.items() if pieces])
        target = rng.choice([cell for cell in changed if cell != source])
        changed[target].append(changed[source].pop(rng.randrange(len(changed[source]))))
    return {cell: tuple(sorted(pieces)) for cell, pieces in changed.items()}


def frozen(looks: Looks) -> frozenset[tuple[Cell, Look]]:
    return frozenset(looks.items())


def illegal(rules: Rules) -> Iterator[tuple[Position, Looks]]:
    """Pictures with all their pieces that no legal play leads to."""
    rng = random.Random(f"illegal {rules.name}")
    candidates = itertools.cycle(to_play(rules))
    made = 0
    while made < ILLEGAL:
        position = next(candidates)
        looks = moved(rng.choice(plays_of(position)).after.looks(), rng)
        if frozen(looks) not in legal_looks(position):
            made += 1
            yield position, looks


def counted(layout: Layout) -> Counter[Piece]:
    return Counter(piece for stack in layout.values() for layer in stack for piece in layer)


def by_cell(layout: Layout) -> dict[Cell, Counter[Piece]]:
    return {cell: Counter(piece for layer in stack for piece in layer) for cell, stack in layout.items()}


def test_the_registry_lists_each_game_under_its_own_name(rules: Rules) -> None:
    assert games.get(rules.name) is rules
    assert len(set(rules.sides)) == 2
    assert [rules.other(side) for side in rules.sides] == list(reversed(rules.sides))


def test_a_game_played_at_random_comes_to_an_end_that_says_who_won(rules: Rules) -> None:
    ends = [after for _, _, after in moments(rules.name) if after.awaits == Awaits.NOTHING]
    assert len(ends) == len(SEEDS)
    for end in ends:
        assert end.outcome is not None
        assert end.outcome.winner in (*rules.sides, None)
        assert (end.outcome.points > 0) == (end.outcome.winner is not None)
        assert end.outcome.winner is None or (end.outcome.kind, end.outcome.points) in rules.grades
        assert end.turn is None
        assert end.dice_due == 0
        assert list(end.plays()) == []
        assert list(end.nearest(Evidence())) == []


def test_what_is_awaited_and_what_is_offered_agree(rules: Rules) -> None:
    for position in positions(rules):
        assert position.rules is rules
        assert (position.outcome is not None) == (position.awaits == Awaits.NOTHING)
        assert (position.dice_due > 0) == (position.awaits in (Awaits.OPENING, Awaits.ROLL))
        assert (len(plays_of(position)) > 0) == (position.awaits == Awaits.PLAY)
        assert (position.turn in rules.sides) == (position.awaits in (Awaits.ROLL, Awaits.PLAY))


def test_pieces_are_conserved(rules: Rules) -> None:
    for position in positions(rules):
        assert counted(position.layout()) == {
            piece: number for piece, number in position.stock().items() if number
        }


def test_no_layer_and_no_look_holds_both_colours(rules: Rules) -> None:
    for position in positions(rules):
        layers = [layer for stack in position.layout().values() for layer in stack]
        for pieces in (*layers, *position.looks().values()):
            assert sum(any(side in piece.split(".") for piece in pieces) for side in rules.sides) <= 1
            assert list(pieces) == sorted(pieces)
        assert all(layers), "an empty layer is no layer"


def test_a_look_never_shows_more_than_stands_there(rules: Rules) -> None:
    for position in positions(rules):
        stands = by_cell(position.layout())
        for cell, look in position.looks().items():
            assert not Counter(look) - stands.get(cell, Counter())


def test_whole_looks_add_up_to_the_stock(rules: Rules) -> None:
    for position in positions(rules):
        shown = Counter(piece for look in position.looks().values() for piece in look)
        stock = Counter(position.stock())
        assert shown == stock if positions(rules)[0].whole_looks else not shown - stock


def test_all_positions_of_a_game_have_the_same_cells_and_the_same_stock(rules: Rules) -> None:
    assert len({tuple(position.looks()) for position in positions(rules)}) == 1
    assert len({tuple(sorted(position.stock().items())) for position in positions(rules)}) == 1


def test_every_result_is_listed_once_and_always_in_the_same_order(rules: Rules) -> None:
    for position in to_play(rules):
        plays = plays_of(position)
        assert len({play.after for play in plays}) == len(plays)
        assert len({play.text for play in plays}) == len(plays)
        assert [play.after for play in plays] == [play.after for play in position.plays()]


def test_steps_lead_from_the_board_before_to_the_board_after(rules: Rules) -> None:
    rng = random.Random(1)
    for position in to_play(rules):
        for play in some(plays_of(position), rng):
            board = by_cell(position.layout())
            for step in play.steps:
                source = board.setdefault(step.source, Counter())
                assert source[step.piece] > 0, f"{step} in {play.text} of {position}"
                source[step.piece] -= 1
                board.setdefault(step.target, Counter())[step.piece] += 1
            reached = {cell: +pieces for cell, pieces in board.items() if +pieces}
            assert reached == by_cell(play.after.layout()), f"{play.text} of {position}"


def test_a_play_is_found_from_its_text(rules: Rules) -> None:
    rng = random.Random(2)
    for position in to_play(rules):
        for play in some(plays_of(position), rng):
            found = position.find(play.text)
            assert found == play, f"{play.text} of {position}"
            assert found.after == play.after


def test_text_that_names_no_legal_play_is_refused(rules: Rules) -> None:
    for position in positions(rules):
        for text in ("resign and go home", "1/1/1", "99/98", "3,3", "*"):
            with pytest.raises(IllegalPlay):
                position.find(text)


def test_no_play_is_found_where_none_is_awaited(rules: Rules) -> None:
    for before, action, after in moments(rules.name):
        if not isinstance(action, tuple) and after.awaits != Awaits.PLAY:
            with pytest.raises(IllegalPlay):
                after.find(action.text)
        if isinstance(action, tuple):
            with pytest.raises(IllegalPlay):
                before.find("13/7")


def test_json_and_back_is_the_same_position(rules: Rules) -> None:
    for before, action, after in moments(rules.name):
        if before.awaits == Awaits.OPENING:
            # The position after the opening roll has dice on the table, which the JSON form leaves out
            continue
        assert json.loads(json.dumps(before.to_json())) == before.to_json()
        copy = rules.read(before.to_json())
        if before.dice and copy.awaits == Awaits.ROLL:
            copy = copy.roll(before.dice)
        assert copy == before, str(before)
        assert hash(copy) == hash(before)
        assert str(copy) == str(before)
        if after.awaits == Awaits.NOTHING:
            assert rules.read(after.to_json()) == after
            assert "turn" not in after.to_json()
        if isinstance(action, tuple):
            assert copy.roll(action) == after
        else:
            assert copy.find(action.text).after == after


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"turn": "nobody"},
        {"rules": 3},
        {"points": 7, "fortresses": 7},
        {"points": {"1": "x"}, "cells": ["x"]},
        {"points": {"99": 1}},
    ],
    ids=str,
)
def test_what_is_no_position_is_refused_with_a_reason(rules: Rules, data: dict[str, object]) -> None:
    with pytest.raises(ImpossibleSetup) as refused:
        rules.read(data)
    assert all(refused.value.reasons)


def test_dice_that_do_not_fit_are_refused_and_change_nothing(rules: Rules) -> None:
    for position in positions(rules):
        before = (hash(position), str(position), position.to_json())
        due = position.dice_due
        wrong: list[Dice] = [(1,) * (due + 1), (0,) * due, (7,) * due, (1,) * (due - 1) if due else (1, 2)]
        for rolled in wrong:
            with pytest.raises(BadDice):
                position.roll(rolled)
        assert (hash(position), str(position), position.to_json()) == before


def test_equal_dice_do_not_open_a_game(rules: Rules) -> None:
    for position in positions(rules):
        if position.awaits == Awaits.OPENING:
            with contextlib.suppress(BadDice):
                assert position.roll((4, 4)).awaits == Awaits.OPENING


def test_positions_are_frozen(rules: Rules) -> None:
    for position in to_play(rules, 5):
        assert dataclasses.is_dataclass(position)
        for field in dataclasses.fields(position):
            with pytest.raises(AttributeError):
                setattr(position, field.name, None)


def test_one_line_of_text_for_logs(rules: Rules) -> None:
    for position in positions(rules):
        assert str(position)
        assert len(str(position).splitlines()) == 1


def test_perfect_evidence_of_a_legal_result_is_legal(rules: Rules) -> None:
    rng = random.Random(3)
    for position in to_play(rules):
        for play in some(plays_of(position), rng, 10):
            verdict = judge(position, Evidence.certain(play.after.looks()))
            alike = legal_looks(position)[frozen(play.after.looks())]
            assert verdict.kind == (Kind.LEGAL if alike == 1 else Kind.UNSURE), f"{play.text} of {position}"
            assert verdict.play.after.looks() == play.after.looks()
            if alike == 1:
                assert verdict.play == play
                assert verdict.cells == ()
            else:
                assert len(verdict.candidates) == min(CANDIDATES, alike)


def test_two_hundred_illegal_pictures_are_illegal(rules: Rules) -> None:
    for position, looks in illegal(rules):
        verdict = judge(position, Evidence.certain(looks))
        assert verdict.kind == Kind.ILLEGAL, f"{looks} of {position}"
        assert verdict.cells
        assert verdict.play in plays_of(position)


def test_a_blind_camera_accuses_nobody(rules: Rules) -> None:
    for position in to_play(rules):
        assert judge(position, Evidence()).kind != Kind.ILLEGAL


def test_the_nearest_plays_are_those_that_the_evidence_likes_most(rules: Rules) -> None:
    rng = random.Random(4)
    for position in to_play(rules):
        plays = plays_of(position)
        evidence = blurred(rng.choice(plays).after.looks(), position, rng)
        for count in (1, 8):
            found = position.nearest(evidence, count)
            expected = rank(plays, evidence, count)
            close = [score for score, _ in expected if score > expected[0][0] - NEAR]
            assert [score for score, _ in found[: len(close)]] == pytest.approx(close)
            assert len(found) <= count
            assert len({play.after for _, play in found}) == len(found)
            for score, play in found:
                assert play in plays
                assert score == pytest.approx(evidence.total(play.after.looks()))


def blurred(looks: Looks, position: Position, rng: random.Random) -> Evidence:
    """Evidence of ``looks`` as a poor camera gives it: some cells hidden, some unsure between a few looks, a
    few plainly wrong."""
    known: list[Look] = sorted({*looks.values(), *position.looks().values()})
    raw: dict[Cell, dict[Look, float]] = {}
    for cell, look in looks.items():
        if rng.random() < 0.1:
            continue
        raw[cell] = {look: 0.0}
        if rng.random() < 0.4:
            raw[cell] |= {other: rng.uniform(-10, 0) for other in rng.sample(known, min(3, len(known)))}
        if rng.random() < 0.03:
            raw[cell] |= {rng.choice(known): 6.0}
    return Evidence.of(raw)


def test_an_illegal_play_that_stands_leaves_the_board_as_it_is_seen(rules: Rules) -> None:
    stood = 0
    reasons: list[str] = []
    legal = ((position, plays_of(position)[-1].after.looks()) for position in to_play(rules))
    for position, looks in itertools.chain(illegal(rules), legal):
        try:
            after = position.stand(looks)
        except ImpossibleSetup as refused:
            reasons += refused.reasons
            continue
        stood += 1
        assert after.looks() == looks
        assert after.outcome is not None or after.turn == rules.other(str(position.turn))
    assert stood
    assert all(reasons)


def test_what_can_be_resigned_at_is_listed_least_first(rules: Rules) -> None:
    points = [points for _, points in rules.grades]
    assert points == sorted(set(points))
    assert points[0] == 1


def test_an_illegal_picture_may_have_a_reason_and_a_legal_one_has_none(rules: Rules) -> None:
    told = [position.why(looks) for position, looks in illegal(rules)]
    if not any(told):
        pytest.skip(f"{rules.name} gives no reasons of its own")
    assert all(reason is None or reason.strip() for reason in told)
    for position in to_play(rules):
        for play in plays_of(position)[:20]:
            assert position.why(play.after.looks()) is None


def test_a_position_of_another_game_is_refused(rules: Rules) -> None:
    data = positions(rules)[-2].to_json()
    assert data["rules"] == rules.name
    with pytest.raises(ImpossibleSetup, match="another game"):
        rules.read({**data, "rules": "another game"})


def test_options_that_the_game_does_not_have_are_refused(rules: Rules) -> None:
    with pytest.raises(ImpossibleSetup, match="no_such_option"):
        rules.start({**fixture(rules).get("options", {}), "no_such_option": 1})


def test_unknown_rules_are_refused_with_the_names_that_there_are(rules: Rules) -> None:
    with pytest.raises(EngineError, match=rules.name):
        games.get("no such game")
