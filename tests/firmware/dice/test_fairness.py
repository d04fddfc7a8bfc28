"""The fairness tests: right p-values, fair dice pass, crooked ones are caught by the test that should."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.dice.fairness import ChiSquare, fairness, survival
from hardware.dice import SealedDice


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        # Tables of the chi-square distribution (NIST/SEMATECH e-Handbook 1.3.6.7.4): critical values at 0.10,
        # 0.05, 0.01, 0.001.
        (9.236, 5, 0.10),
        (11.070, 5, 0.05),
        (15.086, 5, 0.01),
        (20.515, 5, 0.001),
        (46.059, 35, 0.10),
        (49.802, 35, 0.05),
        (57.342, 35, 0.01),
        (66.619, 35, 0.001),
        (3.841, 1, 0.05),
        (5.991, 2, 0.05),
        (18.307, 10, 0.05),
    ],
)
def test_p_values_agree_with_the_printed_tables(statistic: float, degrees: int, p: float) -> None:
    assert survival(statistic, degrees) == pytest.approx(p, rel=2e-3)


@settings(deadline=None)  # the first example imports scipy
@given(st.floats(0, 2000), st.integers(1, 200))
def test_p_values_agree_with_scipy_everywhere(statistic: float, degrees: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is only the yardstick here")
    assert survival(statistic, degrees) == pytest.approx(
        float(stats.chi2.sf(statistic, degrees)), rel=1e-9, abs=1e-300
    )


@pytest.mark.parametrize(("statistic", "degrees"), [(-0.1, 5), (1, 0)])
def test_nonsense_has_no_p_value(statistic: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        survival(statistic, degrees)


def test_counts_go_where_they_belong() -> None:
    result = fairness([(1, 2), (3, 3), (6, 1)])
    assert result.dice == 6
    assert result.faces.counts == (2, 1, 2, 0, 0, 1)
    assert {at: count for at, count in enumerate(result.pairs.counts) if count} == {
        0 * 6 + 1: 1,
        2 * 6 + 2: 1,
        5 * 6 + 0: 1,
    }
    assert {at: count for at, count in enumerate(result.serial.counts) if count} == {
        1 * 6 + 2: 1,
        2 * 6 + 5: 1,
    }


def test_single_dice_are_paired_without_using_one_twice() -> None:
    assert sum(fairness([(1,), (2,), (3,), (4,), (5,)]).serial.counts) == 2


def test_a_face_that_no_die_has_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot show 7"):
        fairness([(1, 7)])


def test_no_dice_at_all_prove_nothing() -> None:
    assert [test.p for test in fairness([]).tests] == [1.0, 1.0, 1.0]
    assert "0 dice" in fairness([]).chart()


def test_the_provable_dice_pass_on_a_fixed_secret() -> None:
    dice = SealedDice(bytes(32))
    result = fairness(dice.roll(number, 2) for number in range(1, 30_001))
    assert all(0.001 < test.p < 0.999 for test in result.tests), result.to_json()


def test_p_values_of_fair_dice_are_themselves_spread_evenly() -> None:
    """Over many secrets a tenth of the p-values is under 0.1, and so on: a test that always passes would fail
    here."""
    values = []
    for seed in range(200):
        dice = SealedDice(seed.to_bytes(32, "big"))
        values += [test.p for test in fairness(dice.roll(number, 2) for number in range(1, 361)).tests]
    tenths = [sum(1 for value in values if at / 10 <= value < (at + 1) / 10) for at in range(10)]
    assert ChiSquare("p", tuple(tenths)).p > 0.001


def crooked(kind: str) -> list[tuple[int, int]]:
    source = random.Random(1)
    rolls: list[tuple[int, int]] = []
    last = 1
    for _ in range(20_000):
        first, second = source.randint(1, 6), source.randint(1, 6)
        chance = source.random()
        if kind == "faces" and chance < 0.05:
            first = 6
        if kind == "pairs" and chance < 0.05:
            second = first
        if kind == "serial" and chance < 0.05:
            first = last
        last = second
        rolls.append((first, second))
    return rolls


@pytest.mark.parametrize("kind", ["faces", "pairs", "serial"])
def test_a_source_crooked_in_one_way_fails_that_test(kind: str) -> None:
    result = fairness(crooked(kind))
    assert {test.name: test.p for test in result.tests}[kind] < 1e-6


def test_the_chart_shows_each_face_with_its_count_and_every_p_value() -> None:
    chart = fairness([(1, 2), (3, 4), (5, 6), (1, 1)]).chart()
    assert len(chart.splitlines()) == 1 + 6 + 3
    assert all(math.isfinite(float(line.split("p = ")[1])) for line in chart.splitlines()[-3:])
