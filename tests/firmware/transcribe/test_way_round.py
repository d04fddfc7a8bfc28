"""Films that begin in mid-game: which way the players move, by what they play."""

from __future__ import annotations

import pytest

from firmware.transcribe.branches import APART
from firmware.transcribe.way_round import way_round, ways
from tests.firmware.transcribe.test_follower import RULES, Table
from vision.geometry.board_measures import ORIENTATIONS, Orientation, renamed


def mid_game() -> Table:
    """Some turns that begin in the midst of a game, without dice; no tray is in view."""
    table = Table(dice=False)
    position = table.position
    for dice, move in (((3, 1), "8/5 6/5"), ((6, 5), "24/18 13/8"), ((4, 2), "8/4 6/4")):
        position = position.roll(dice).find(move).after
    table.position = position
    table.seen.clear()
    table.look(position.looks())
    for dice, move in (
        ((6, 2), "24/18 13/11"),
        ((5, 4), "13/8 13/9"),
        ((5, 3), "13/8 11/8"),
        ((6, 1), "24/18 9/8"),
    ):
        table.play(*dice, move=move)
    return table


@pytest.mark.parametrize("way", [Orientation(mirrored=True), Orientation(turned=True)])
def test_what_is_played_tells_which_way_the_players_move(way: Orientation) -> None:
    usual = Orientation()
    seen = [each.renamed(renamed(way, usual)) for each in mid_game().seen]
    found, lead = way_round(RULES, usual, seen, None)
    assert found == way
    assert lead > APART
    again = [each.renamed(renamed(usual, found)) for each in seen]
    assert [each.evidence.best() for each in again] == [
        {cell: look for cell, look in each.evidence.best().items() if not cell.startswith("off")}
        for each in mid_game().seen
    ]


def test_one_picture_does_not_tell() -> None:
    _, lead = way_round(RULES, Orientation(), mid_game().seen[:1], None)
    assert lead < 1.0


def test_a_home_that_is_known_leaves_two_ways() -> None:
    assert {way.home for way in ways("left")} == {"left"}
    assert len(ways("left")) == len(ways("right")) == 2
    assert ways(None) == list(ORIENTATIONS)


def bear_off() -> Table:
    """Some turns of a bear-off, White having borne off five and Black three, with no tray in view."""
    table = Table(dice=False)
    looks = dict.fromkeys(table.position.looks(), ()) | {
        "p6": ("white",) * 4,
        "p5": ("white",) * 3,
        "p4": ("white",) * 3,
        "p19": ("black",) * 5,
        "p20": ("black",) * 4,
        "p22": ("black",) * 3,
        "off.white": ("white",) * 5,
        "off.black": ("black",) * 3,
    }
    table.position = table.position.roll((3, 1)).stand(looks)
    table.seen.clear()
    table.look(looks)
    for dice in ((6, 5), (4, 2), (6, 4), (5, 3)):
        table.play(*dice, move=min(table.position.roll(dice).plays(), key=lambda play: play.text).text)
    return table


def test_what_was_borne_off_before_the_film_began_may_lie_out_of_view() -> None:
    usual, way = Orientation(), Orientation(turned=True)
    seen = [each.renamed(renamed(way, usual)) for each in bear_off().seen]
    found, lead = way_round(RULES, usual, seen, "left")
    assert found == way
    assert lead > APART
