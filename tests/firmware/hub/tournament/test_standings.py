"""Draws, standings and ratings beside calculations that are written otherwise: by matrices of who beat whom,
by the formula as its manual page prints it."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.errors import BadInput
from firmware.hub.tournament.apply import apply
from firmware.hub.tournament.changes import (
    AddRound,
    Change,
    Close,
    CorrectResult,
    Enter,
    Leave,
    MakeDraw,
    OpenRound,
    Penalise,
    Rename,
    Report,
    Seat,
    Set,
)
from firmware.hub.tournament.elimination import sheet
from firmware.hub.tournament.exports import trf
from firmware.hub.tournament.lot import by_lot
from firmware.hub.tournament.model import BYE, Kind, Tournament
from firmware.hub.tournament.pairings import champion, pairings, round_count
from firmware.hub.tournament.ratings import Rated, histories
from firmware.hub.tournament.round_robin import schedule
from firmware.hub.tournament.standings import standings

QUICK = settings(max_examples=20, deadline=None)


def made(*changes: Change) -> Tournament:
    event = Tournament()
    for change in changes:
        event = apply(event, change)
    return event


def entered(kind: Kind, count: int, length: int = 5) -> Tournament:
    event = made(Set("Cup", kind, (length,)))
    for number in range(1, count + 1):
        event = apply(event, Enter(number, f"Player {number}", rating=2000.0 - number))
    return event


def drawn(kind: Kind, count: int, method: str = "seeded", seed: str = "seed", length: int = 5) -> Tournament:
    event = apply(entered(kind, count, length), MakeDraw(method, seed))
    return apply(event, OpenRound(round_count(event)))


def report(event: Tournament, name: str, first_wins: bool, loser: int = 0) -> Report:
    each = next(one for one in pairings(event) if one.id == name)
    assert each.first
    assert each.second
    score = (each.length, loser) if first_wins else (loser, each.length)
    return Report(name, each.first, each.second, each.first if first_wins else each.second, score)


def played(event: Tournament, rng: random.Random) -> Tournament:
    """To its end, in whatever order the matches come."""
    while ready := [each for each in pairings(event) if each.ready]:
        event = apply(event, report(event, rng.choice(ready).id, rng.random() < 0.5, rng.randrange(5)))
    return event


@QUICK
@given(st.integers(2, 130))
def test_a_draw_sheet_keeps_the_strong_apart_and_gives_them_the_byes(count: int) -> None:
    lines = sheet(range(1, count + 1))
    size = len(lines)
    assert sorted(n for n in lines if n) == list(range(1, count + 1))
    assert size < 2 * count
    assert math.log2(size).is_integer()
    byes = {a + b for a, b in zip(lines[::2], lines[1::2], strict=True) if BYE in (a, b)}
    assert byes == set(range(1, size - count + 1))
    # The first two are in different halves, the first four in different quarters, and so on.
    for part in range(1, size.bit_length()):
        groups = itertools.groupby(range(size), key=lambda line: line >> (size.bit_length() - 1 - part))
        for _, group in groups:
            assert sum(0 < lines[line] <= 2**part for line in group) <= 1


@QUICK
@given(st.integers(2, 41))
def test_everybody_meets_everybody_once(count: int) -> None:
    rounds = schedule(range(1, count + 1))
    assert len(rounds) == count - (count % 2 == 0)
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(met) == len(set(met)) == count * (count - 1) // 2
    for pairs in rounds:
        assert len({n for pair in pairs for n in pair}) == 2 * len(pairs) == count - count % 2
    firsts = [sum(first == n for pairs in rounds for first, _ in pairs) for n in range(1, count + 1)]
    assert max(firsts) - min(firsts) <= 1


@QUICK
@given(st.integers(2, 40), st.sampled_from(["seeded", "lot"]), st.randoms(use_true_random=False))
def test_an_elimination_ends_with_one_who_never_lost(count: int, method: str, rng: random.Random) -> None:
    event = played(drawn("elimination", count, method), rng)
    lost_in: dict[int, int] = {}
    for name, result in event.results.items():
        each = next(one for one in pairings(event) if one.id == name)
        loser = ({each.first, each.second} - {result.winner}).pop()
        assert loser not in lost_in
        assert loser is not None
        lost_in[loser] = each.round
    assert len(lost_in) == count - 1
    (winner,) = set(range(1, count + 1)) - set(lost_in)
    assert champion(event) == winner
    order = sorted(range(1, count + 1), key=lambda n: (-lost_in.get(n, 99), n))
    rows = standings(event)
    assert [row.entry for row in rows] == order
    for row in rows:
        same = [n for n in order if lost_in.get(n, 99) == lost_in.get(row.entry, 99)]
        assert (row.place, row.shared) == (order.index(same[0]) + 1, order.index(same[-1]) + 1)
    assert apply(event, Close()).closed


@QUICK
@given(st.integers(2, 9), st.randoms(use_true_random=False), st.integers(0, 3))
def test_a_round_robin_is_ordered_by_wins_encounters_and_beaten_ones(
    count: int, rng: random.Random, fines: int
) -> None:
    event = drawn("round-robin", count, "lot")
    for _ in range(fines):
        event = apply(event, Penalise(rng.randint(1, count), 1))
    event = played(event, rng)
    beat = [[0] * (count + 1) for _ in range(count + 1)]
    for each in pairings(event):
        assert each.result is not None
        loser = each.second if each.result.winner == each.first else each.first
        assert loser
        beat[each.result.winner][loser] = 1
    fine = defaultdict(int)
    for penalty in event.penalties:
        fine[penalty.entry] += penalty.points
    score = [sum(row) - fine[n] for n, row in enumerate(beat)]
    everybody = range(1, count + 1)
    keys = {
        n: (
            score[n],
            sum(beat[n][m] for m in everybody if score[m] == score[n])
            if score[1:].count(score[n]) > 1
            else 0,
            sum(score[m] * beat[n][m] for m in everybody),
        )
        for n in everybody
    }
    for row in standings(event):
        assert row.place == 1 + sum(keys[m] > keys[row.entry] for m in everybody)
        assert row.shared == sum(keys[m] >= keys[row.entry] for m in everybody)
        assert (row.points, row.direct, row.berger) == keys[row.entry]
        assert row.played == count - 1


@QUICK
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([1, 3, 5, 7, 11, 25])).filter(
            lambda each: each[0] != each[1]
        ),
        max_size=60,
    )
)
def test_ratings_follow_the_formula_as_its_manual_prints_it(games: list[tuple[int, int, int]]) -> None:
    rating, experience = defaultdict(lambda: 1500.0), defaultdict(int)
    for winner, loser, n in games:
        upset = 1 / (10 ** (abs(rating[winner] - rating[loser]) * math.sqrt(n) / 2000) + 1)
        p = 1 - upset if rating[winner] < rating[loser] else upset
        gains = max(1, -experience[winner] / 100 + 5) * 4 * math.sqrt(n) * p
        loses = max(1, -experience[loser] / 100 + 5) * 4 * math.sqrt(n) * p
        rating[winner] += gains
        rating[loser] -= loses
        experience[winner] += n
        experience[loser] += n
    told = histories(Rated(str(w), str(lo), n) for w, lo, n in games)
    assert {int(name) for name in told} == set(rating)
    for name, steps in told.items():
        assert steps[-1].rating.value == pytest.approx(rating[int(name)], abs=1e-6)
        assert steps[-1].rating.experience == experience[int(name)]


def test_two_newcomers_and_a_known_example() -> None:
    """At 1500 each, 7 points: half of 4 * 5 * sqrt(7)."""
    steps = histories([Rated("A", "B", 7)])
    assert steps["A"][0].change == pytest.approx(26.4575, abs=1e-4)
    assert steps["B"][0].change == pytest.approx(-26.4575, abs=1e-4)


def test_a_lot_can_be_drawn_again_in_a_shell() -> None:
    """``for n in 1 2 3 4 5; do printf 'club:%s' $n | sha256sum | sed "s/-/$n/"; done | sort``"""
    import hashlib

    lines = sorted(f"{hashlib.sha256(f'club:{n}'.encode()).hexdigest()} {n}" for n in range(1, 6))
    assert by_lot("club", range(1, 6)) == [int(line.split()[1]) for line in lines]


@QUICK
@given(st.integers(2, 12), st.integers(0, 11), st.integers(1, 3), st.randoms(use_true_random=False))
def test_late_entries_of_a_round_robin_meet_everybody_once_too(
    count: int, opened: int, late: int, rng: random.Random
) -> None:
    event = apply(entered("round-robin", count), MakeDraw("lot", "x"))
    event = apply(event, OpenRound(min(opened, round_count(event))))
    event = played(event, rng)
    for number in range(count + 1, count + late + 1):
        event = apply(event, Enter(number, f"Late {number}"))
    met = [frozenset((each.first, each.second)) for each in pairings(event)]
    everybody = range(1, count + late + 1)
    assert sorted(map(sorted, met)) == sorted([a, b] for a in everybody for b in everybody if a < b)
    for number in range(1, round_count(event) + 1):
        seen = [n for each in pairings(event) if each.round == number for n in each.sides]
        assert len(seen) == len(set(seen))
    assert apply(played(apply(event, OpenRound(round_count(event))), rng), Close()).closed


def test_a_penalty_goes_with_its_two_players_when_a_late_entry_draws_their_match_anew() -> None:
    event = apply(apply(entered("round-robin", 4), MakeDraw("lot", "x")), OpenRound(1))
    before = next(each for each in pairings(event) if each.round == 2)
    assert before.first
    event = apply(event, Penalise(before.first, 1, before.id))
    event = apply(apply(event, Penalise(before.first, 2)), Enter(5, "Late"))
    (now,) = (each for each in pairings(event) if set(each.sides) == set(before.sides))
    assert now.id != before.id
    assert now.score == ((0, 1) if now.first == before.first else (1, 0))
    assert [each.score for each in pairings(event) if any(each.score)] == [now.score]
    assert [each.points for each in event.penalties] == [1, 2]


def test_a_penalty_that_an_earlier_release_lost_and_a_director_gave_again_stays_readable() -> None:
    event = apply(apply(entered("round-robin", 4, 3), MakeDraw("lot", "x")), OpenRound(1))
    before = next(each for each in pairings(event) if each.round == 2)
    assert before.first
    event = apply(apply(event, Penalise(before.first, 3, before.id)), Enter(5, "Late"))
    (now,) = (each for each in pairings(event) if set(each.sides) == set(before.sides))
    (again,) = (
        each for each in pairings(apply(event, Penalise(before.first, 3, now.id))) if each.id == now.id
    )
    assert again.result is not None
    assert again.result.winner == before.second


@QUICK
@given(st.integers(2, 24), st.randoms(use_true_random=False))
def test_an_elimination_with_drop_outs_and_late_entries_still_ends(count: int, rng: random.Random) -> None:
    event = drawn("elimination", count, "lot")
    number = count
    while ready := [each for each in pairings(event) if each.ready]:
        chosen = rng.choice(ready)
        what = rng.random()
        first = event.entry(chosen.first or 0)
        if what < 0.15 and first is not None and not first.out:
            event = apply(event, Leave(first.number))
        elif what < 0.3:
            number += 1
            with suppress(BadInput):  # no bye is left
                event = apply(event, Enter(number, f"Late {number}"))
        else:
            event = apply(event, report(event, chosen.id, rng.random() < 0.5))
    final = pairings(event)[-1]
    assert final.result is not None
    rows = standings(event)
    assert {row.entry for row in rows} == {n for each in pairings(event) for n in each.sides if n}
    assert rows[0].place == 1


def test_a_late_entry_without_a_bye_takes_the_entry_of_who_goes_as_the_refusal_says() -> None:
    event = drawn("elimination", 4)
    with pytest.raises(BadInput, match="write the new name into that entry"):
        apply(event, Enter(5, "Late"))
    event = apply(event, Rename(4, "Late"))
    first = next(each for each in pairings(event) if 4 in each.sides)
    assert first.ready
    assert "Late" in (event.name_of(first.first), event.name_of(first.second))


def test_who_leaves_early_counts_for_nobody_and_who_leaves_late_forfeits() -> None:
    event = drawn("round-robin", 6)
    mine = [each for each in pairings(event) if 1 in each.sides]
    for each in mine[:2]:
        event = apply(event, report(event, each.id, True))
    early = apply(event, Leave(1))
    rows = {row.entry: row for row in standings(early)}
    assert rows[1].remark == "left; the matches do not count"
    assert sum(row.points for row in rows.values()) == 0
    event = apply(event, report(event, mine[2].id, True))
    late = {row.entry: row for row in standings(apply(event, Leave(1)))}
    assert late[1].remark == "left"
    assert sum(row.points for row in late.values()) == 5  # three played, two forfeits


def test_a_late_entry_does_not_annul_the_matches_of_who_left_before() -> None:
    event = apply(apply(entered("round-robin", 5), MakeDraw("lot", "x")), OpenRound(3))
    for each in [each for each in pairings(event) if 1 in each.sides][:2]:
        event = apply(event, report(event, each.id, True))
    event = apply(apply(event, Leave(1)), Enter(6, "Late"))
    rows = {row.entry: row.remark for row in standings(event)}
    assert rows[1] == "left"
    assert sum(1 in each.sides for each in pairings(event)) == 5  # of which two are less than half


def test_penalty_points_start_the_match_and_may_end_it() -> None:
    event = drawn("elimination", 2, length=3)
    event = apply(event, Penalise(1, 2, "1.1"))
    (final,) = pairings(event)
    assert final.score == (0, 2)
    assert final.ready
    (final,) = pairings(apply(event, Penalise(1, 1, "1.1")))
    assert final.result is not None
    assert (final.result.winner, final.result.how) == (2, "forfeit")


def test_a_correction_goes_on_and_is_refused_where_it_would_change_a_match_that_was_played() -> None:
    event = drawn("elimination", 4)
    event = apply(event, report(event, "1.1", True))
    event = apply(event, report(event, "1.2", True))
    first = next(each for each in pairings(event) if each.id == "1.1")
    assert first.first
    assert first.second
    wrong = CorrectResult("1.1", first.first, first.second, first.second, (3, 5))
    assert pairings(apply(event, wrong))[-1].first == first.second
    event = apply(event, report(event, "2.1", True))
    with pytest.raises(BadInput, match=r"2\.1 was played by"):
        apply(event, wrong)
    # The score alone can still be corrected.
    assert apply(event, CorrectResult("1.1", first.first, first.second, first.first, (5, 4)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Report("1.1", 1, 4, 1, (4, 2)), "needs 5 or more"),
        (Report("1.1", 1, 4, 1, None), "say the score"),
        (Report("1.1", 1, 2, 1, (5, 2)), "names others"),
        (Report("1.1", 1, 4, 3, (5, 2)), "one of its players"),
        (Report("2.1", 1, 2, 1, (5, 2)), "names others"),
        (Report("9.1", 1, 2, 1, (5, 2)), "no match 9.1"),
        (Seat((("1.1", "A"), ("1.2", "A"))), "A has match 1.1 already"),
        (Enter(9, "PLAYER 1"), "entered already"),
        (Enter(2, "New"), "number 2 is taken"),
        (MakeDraw("lot", "x"), "the draw is made"),
        (AddRound(((1, 2),)), "only a tournament of the kind imported"),
        (Leave(7), "no entry 7"),
        (Close(), "without a result: 1.1, 1.2, 2.1"),
        (Penalise(1, 0, "1.1"), "undo it"),
        (Penalise(1, 1), "need a match"),
        (Set("Cup", "round-robin"), "undo it before you change the kind"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(change: Change, words: str) -> None:
    event = drawn("elimination", 4)
    with pytest.raises(BadInput, match=words):
        apply(event, change)


def test_pairings_from_elsewhere_are_played_round_by_round() -> None:
    event = entered("imported", 4)
    event = apply(event, AddRound(((1, 2), (3, 4))))
    event = apply(event, OpenRound(1))
    event = apply(apply(event, report(event, "1.1", True)), report(event, "1.2", False))
    event = apply(event, AddRound(((1, 4), (2, BYE))))
    event = apply(event, OpenRound(2))
    event = apply(event, report(event, "2.1", False))
    assert [(row.entry, row.points) for row in standings(event)] == [(4, 2), (1, 1), (2, 1), (3, 0)]
    later = apply(event, AddRound(((1, 2), (3, BYE))))
    assert standings(later) == standings(event)  # the bye counts when its round is open
    assert trf(later).count("0000 - U") == 1  # the other is that of round 2
    later = apply(later, OpenRound(3))
    assert {row.entry: row.points for row in standings(later)}[3] == 1
    assert trf(later).count("0000 - U") == 2
    with pytest.raises(BadInput, match="paired twice"):
        apply(event, AddRound(((1, 2), (2, 3))))
