"""The blind reader's parts, each by itself."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.blind import counts
from vision.blind.board import POOR, columns, leaning
from vision.blind.chances import occluded
from vision.blind.light import basis, gains, lit
from vision.blind.sides import sides, split
from vision.blind.tops import BAR, Top, marks, place
from vision.disc_finder.flat_map import FIELD, GRID, HIGH, MARGIN, STEP, WIDE, lay
from vision.disc_finder.network import Sight
from vision.errors import CalibrationError

CORNERS = [(200.0, 700.0), (1100.0, 720.0), (1000.0, 90.0), (260.0, 100.0)]


def drawn_board(
    bar: float, left: float = 0.0, right: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The network's answer for a board with such a bar whose edges lie so far from the clicked ones: axes,
    bar, and the axes' true x."""
    pitch = (FIELD[0] + right - left) / (12 + bar)
    k = np.arange(12)
    true = MARGIN + left + pitch * (k + 0.5 + (k >= 6) * bar)
    x = np.arange(GRID[1]) * STEP + STEP / 2
    axis = np.zeros(GRID, np.float32)
    profile = np.exp(-((x - true[:, None]) ** 2) / 18).max(axis=0)
    axis[5:36] = axis[44:75] = profile
    barred = np.zeros(GRID, np.float32)
    barred[5:75] = (x > true[5] + pitch / 2) & (x < true[6] - pitch / 2)
    return axis, barred, true


def top(column: int, upper: bool, y: float = 0.0, odds: float = 3.0, x: float = 0.0) -> Top:
    return Top(x, y, odds, -5.0, column, upper, (column + 1) % 12, 0.8)


class TestHands:
    def test_an_arm_of_which_only_the_ends_are_marked_covers_what_is_between(self) -> None:
        axis, barred, true = drawn_board(0.8)
        board = columns(axis, barred)
        hand = np.zeros(GRID, np.float32)
        column = round(true[3] / STEP)
        for row in (2, 50):  # where it crosses the upper rim, and beyond the middle
            hand[row : row + 4, column - 1 : column + 2] = 0.9
        assert occluded(hand, board) == {"p16", "p9"}

    def test_without_any_mark_nothing_is_covered(self) -> None:
        axis, barred, _ = drawn_board(0.8)
        assert not occluded(np.full(GRID, 0.01, np.float32), columns(axis, barred))


class TestMap:
    def test_the_corners_of_the_surface_land_on_the_corners_of_the_field(self) -> None:
        flat = lay(np.zeros((800, 1280, 3), np.uint8), CORNERS)
        bottom, right = MARGIN + FIELD[1], MARGIN + FIELD[0]
        back = flat.picture(
            np.array([[MARGIN, bottom], [right, bottom], [right, MARGIN], [MARGIN, MARGIN]], float)
        )
        assert np.abs(back - CORNERS).max() < 0.6

    @pytest.mark.parametrize("size", [1, 2, 3])
    def test_a_dot_in_a_picture_of_any_size_lands_where_it_should(self, size: int) -> None:
        image = np.zeros((800 * size, 1280 * size, 3), np.uint8)
        where = np.array([640.0, 400.0])
        cv2.circle(image, tuple((where * size).astype(int).tolist()), 12 * size, (255, 255, 255), -1)
        flat = lay(image, [(x * size, y * size) for x, y in CORNERS])
        rows, cols = np.nonzero(flat.image[..., 0] > 127)
        seen = flat.picture(np.array([[cols.mean(), rows.mean()]]))[0] / size
        assert np.abs(seen - where).max() < 2

    def test_a_board_turned_in_the_picture_is_laid_flat_in_its_own_order(self) -> None:
        rng = np.random.default_rng(3)
        image = cv2.resize(
            rng.integers(0, 255, (8, 12, 3), dtype=np.uint8), (1280, 800), interpolation=cv2.INTER_CUBIC
        )
        plain, turned = lay(image, CORNERS).image, lay(image, [*CORNERS[2:], *CORNERS[:2]]).image
        inside = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN]
        assert np.abs(plain[inside].astype(int) - turned[::-1, ::-1][inside]).mean() < 4

    def test_corners_that_cross_are_refused(self) -> None:
        with pytest.raises(CalibrationError):
            lay(np.zeros((800, 1280, 3), np.uint8), [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]])


class TestBoard:
    @given(bar=st.floats(0.0, 1.5), left=st.floats(-6, 6), right=st.floats(-6, 6))
    def test_columns_are_found_whatever_the_bar_and_however_the_corners_were_clicked(
        self, bar: float, left: float, right: float
    ) -> None:
        axis, barred, true = drawn_board(bar, left, right)
        found = columns(axis, barred)
        assert np.abs(found.axes - true).max() < 0.06 * found.pitch
        assert abs(found.bar - bar) < 0.1
        assert found.sure > 2 * POOR

    def test_a_known_bar_is_kept(self) -> None:
        axis, barred, _ = drawn_board(0.9)
        assert columns(axis, barred, 0.5).bar == pytest.approx(0.5, abs=0.06)

    def test_nothing_is_no_board(self) -> None:
        rng = np.random.default_rng(1)
        assert columns(rng.random(GRID, np.float32) * 0.1, np.zeros(GRID, np.float32)).sure < POOR

    def test_the_lean_of_the_tops_is_taken_out(self) -> None:
        axis, barred, true = drawn_board(0.5)
        board = columns(axis, barred)
        seen = true + 6.0 + 0.03 * (true - WIDE / 2)
        shift, stretch = leaning(board, seen, np.ones(12))
        assert np.abs(board.axes + shift + stretch * (board.axes - WIDE / 2) - seen).max() < 4


class TestTops:
    def sight(self, places: list[tuple[int, int]]) -> Sight:
        axis, barred, _ = drawn_board(0.8)
        heat = np.full(GRID, -8.0, np.float32)
        for row, col in places:
            heat[row - 1 : row + 2, col - 1 : col + 2] = 0.0
            heat[row, col] = 4.0
        nothing = np.zeros(GRID, np.float32)
        return Sight(heat, nothing - 5, axis, barred, nothing)

    def test_each_mark_is_found_once(self) -> None:
        found = marks(self.sight([(8, 12), (8, 18), (40, 44)]).top, 24.0)
        assert {(int(row), int(col)) for row, col in found[:, 3:]} == {(8, 12), (8, 18), (40, 44)}

    def test_a_mark_goes_to_its_column_and_half_and_the_bar_has_its_own(self) -> None:
        axis, barred, true = drawn_board(0.8)
        board = columns(axis, barred)
        places = [(9, int(true[2] // STEP)), (70, int(true[11] // STEP)), (40, int(board.middle // STEP))]
        found = {(t.column, t.upper) for t in place(self.sight(places), board)}
        assert (2, True) in found
        assert (11, False) in found
        assert BAR in {column for column, _ in found}


class TestSides:
    def test_two_colours_are_told_apart_where_varnish_mirrors_the_lamp(self) -> None:
        rng = np.random.default_rng(5)
        cream, brown = np.array([75.0, 2, 20]), np.array([32.0, 7, 13])
        mirrored = np.concatenate([np.zeros(12), rng.uniform(0, 0.65, 6)])[:, None]
        shades = np.concatenate(
            [
                cream + rng.normal(0, 1.5, (15, 3)),
                brown + (np.array([100, 0, 0]) - brown) * mirrored + rng.normal(0, 1.5, (18, 3)),
            ]
        )
        places = np.repeat(np.arange(11), 3)
        odds = split(shades, places, np.ones(33))
        assert len({bool(o > 0) for o in odds[:5]}) == 1
        assert all((o > 0) != (odds[0] > 0) for o in odds[5:])

    def paint(self, light: tuple[int, int, int], dark: tuple[int, int, int]) -> tuple[np.ndarray, list[Top]]:
        flat = np.full((HIGH, WIDE, 3), 90, np.uint8)
        tops = []
        for column in range(8):
            x, y = 40.0 + 30 * column, 60.0
            cv2.circle(flat, (int(x), int(y)), 11, light if column % 2 else dark, -1)
            tops.append(top(column, True, y=y, x=x))
        return flat, tops

    def test_white_is_the_lighter_side(self) -> None:
        flat, tops = self.paint((200, 210, 220), (30, 40, 60))
        found = sides(flat, tops, 24.0, np.zeros(5))
        assert [odds > 0 for odds in found.white] == [False, True] * 4
        assert found.doubt < 0.01

    def test_the_names_are_in_doubt_where_neither_side_is_lighter(self) -> None:
        flat, tops = self.paint((150, 120, 95), (80, 120, 128))
        assert sides(flat, tops, 24.0, np.zeros(5)).doubt > 0.3

    def test_one_checker_cannot_be_named(self) -> None:
        flat, tops = self.paint((200, 210, 220), (30, 40, 60))
        assert sides(flat, tops[:1], 24.0, np.zeros(5)).doubt == 0.5


class TestLight:
    def test_a_light_that_falls_off_is_measured_on_the_board(self) -> None:
        axis, barred, true = drawn_board(0.8)
        lightness = np.full((HIGH, WIDE), 55.0)
        for column, x in enumerate(true):
            lightness[:, int(x) - 5 : int(x) + 6] = 25.0 if column % 2 else 80.0
        tilt = np.array([0.3, -0.15, 0.0, 0.0, 0.0])
        yy, xx = np.mgrid[0:HIGH, 0:WIDE].astype(float)
        lab = np.zeros((HIGH, WIDE, 3), np.float32)
        lab[..., 0] = np.clip((lightness + 16) * gains(tilt, xx, yy) - 16, 0, 100)
        flat = (cv2.cvtColor(lab, cv2.COLOR_LAB2BGR) * 255).round().astype(np.uint8)
        nothing = np.zeros(GRID, np.float32)
        found = lit(flat, nothing, columns(axis, barred), []).light
        corners = basis(np.array([40.0, 310, 310, 40]), np.array([40.0, 40, 280, 280]))
        assert np.abs(corners @ (found - tilt)).max() < 0.12


CHANCES = st.lists(st.tuples(st.floats(0.01, 0.99), st.floats(0.0, 0.9), st.floats(0.01, 0.99)), max_size=4)


class TestCounts:
    def test_sure_tops_are_counted(self) -> None:
        row = counts.point([counts.Chance(0.999, 0.0, 0.99)] * 3)
        assert max(row, key=lambda count: row[count]) == 3

    def test_a_second_layer_counts_twice(self) -> None:
        row = counts.point([counts.Chance(0.999, 0.0, 0.01)] * 4 + [counts.Chance(0.999, 0.95, 0.01)])
        assert max(row, key=lambda count: row[count]) == -6

    @given(CHANCES)
    def test_the_chances_of_a_point_add_up_to_one(self, chances: list[tuple[float, float, float]]) -> None:
        assert sum(counts.point([counts.Chance(*chance) for chance in chances]).values()) == pytest.approx(
            1, abs=1e-4
        )

    @given(CHANCES)
    def test_the_chances_of_the_bar_add_up_to_one(self, chances: list[tuple[float, float, float]]) -> None:
        assert sum(counts.bar([counts.Chance(*chance) for chance in chances]).values()) == pytest.approx(
            1, abs=1e-4
        )

    @given(
        st.lists(
            st.dictionaries(st.integers(-9, 9), st.floats(0.05, 1), min_size=1, max_size=3),
            min_size=2,
            max_size=4,
        )
    )
    def test_what_the_totals_say_is_what_counting_every_position_says(
        self, rows: list[dict[int, float]]
    ) -> None:
        points = {f"p{i + 1}": row for i, row in enumerate(rows)}
        bar = {(0, 0): 0.7, (1, 0): 0.2, (0, 1): 0.1}
        found, onbar = counts.together(points, bar, (False, True))
        prior = counts.totals((False, True))
        every = [((0, 0), 1.0, [])]
        for row in rows:
            every = [
                ((w + max(n, 0), b + max(-n, 0)), p * q, [*path, n])
                for (w, b), p, path in every
                for n, q in row.items()
            ]
        full = [
            ((w + x, b + y), p * q, [*path, (x, y)]) for (w, b), p, path in every for (x, y), q in bar.items()
        ]
        weighed = [(p * prior[w, b] if max(w, b) < counts.SIZE else 0.0, path) for (w, b), p, path in full]
        whole = sum(p for p, _ in weighed)
        if whole < 1e-12:
            return
        for i, cell in enumerate(points):
            for count in points[cell]:
                assert found[cell][count] == pytest.approx(
                    sum(p for p, path in weighed if path[i] == count) / whole, abs=1e-6
                )
        for pair in bar:
            assert onbar[pair] == pytest.approx(
                sum(p for p, path in weighed if path[-1] == pair) / whole, abs=1e-6
            )

    def test_fifteen_a_side_settles_a_doubtful_layer(self) -> None:
        points = {"p6": {5: 1.0}, "p13": {5: 1.0}, "p8": {3: 1.0}, "p24": {1: 0.6, 2: 0.4}, "p1": {-15: 1.0}}
        found, _ = counts.together(points, {(0, 0): 1.0}, (False, False))
        assert found["p24"][2] > 0.9

    def test_a_side_that_is_all_at_home_may_have_borne_off(self) -> None:
        points = {"p1": {4: 0.6, 5: 0.4}, "p24": {-15: 1.0}}
        assert counts.together(points, {(0, 0): 1.0}, (True, True))[0]["p1"][4] > 0.5


def test_nothing_seen_is_nowhere() -> None:
    """A picture in which the network sees no disc at all is refused for what it lacks, not by a crash."""
    flat = lay(np.full((480, 640, 3), 90, np.uint8), [(100, 400), (540, 400), (540, 80), (100, 80)])
    assert flat.picture(np.zeros((0, 2))).shape == (0, 2)
