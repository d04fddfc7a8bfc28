"""The boards of mistakes, and the review as the page has it."""

import json
from pathlib import Path

import pytest

from firmware.formats.board import SIDES
from firmware.page.review_view import review_json
from firmware.record.mistakes import find_mistakes
from firmware.record.ratings import GameReview, ratings, worst_first
from firmware.record.review import review_game
from firmware.record.spots import board_of
from firmware.recordings.stills import Stills, is_still
from tests.firmware.record.test_review import MATCH, FakePool

REVIEWS: list[GameReview | None] = [
    review_game(MATCH, number, FakePool(MATCH)) for number in range(1, len(MATCH.games) + 1)
]


def test_each_mistake_has_the_boards_that_show_it() -> None:
    decisions = worst_first([each for each in REVIEWS if each is not None])
    found = list(find_mistakes(MATCH, decisions))
    assert sorted(each.number for each in found) == list(range(len(decisions)))
    assert {each.decision.kind for each in found} == {"play", "cube"}
    for each in found:
        side, position = each.decision.side, each.state.position
        if each.decision.kind == "cube":
            assert each.left is None
            assert position.dice == ()
            continue
        assert position.turn == side
        assert each.left is not None
        assert each.better is not None
        assert board_of(each.left, side) == board_of(position.find(each.decision.played).after, side)
        assert board_of(each.better, side) == board_of(position.find(each.decision.best).after, side)


def test_the_page_has_figures_graphs_and_mistakes() -> None:
    asked: list[tuple[int, int]] = []

    def picture(game: int, turn: int) -> str | None:
        asked.append((game, turn))
        return "000001.jpg" if turn else None

    told = json.loads(json.dumps(review_json(MATCH, [*REVIEWS[:-1], None], picture)))
    known = [each for each in REVIEWS[:-1] if each is not None]
    assert (told["games"], told["reviewed"]) == (len(REVIEWS), len(known))
    for side, player in zip(SIDES, told["players"], strict=True):
        assert (player["side"], player["pr"]) == (side, round(ratings(known)[side].pr, 2))
    assert [each["game"] for each in told["graphs"]] == [
        each.rolls[0].game for each in known if len(each.rolls) > 1
    ]
    assert len(told["mistakes"]) == len(worst_first(known)) == len(asked)
    for each in told["mistakes"]:
        assert set(each["boards"]) == ({"before", "left", "better"} if each["kind"] == "play" else {"before"})
        assert all(len(cells) == 28 for cells in each["boards"].values())
    empty = review_json(MATCH, [None] * len(MATCH.games))
    assert empty["players"] == empty["graphs"] == empty["mistakes"] == []


def test_the_picture_is_the_last_one_at_rest(tmp_path: Path) -> None:
    assert Stills(tmp_path).at(9) is None
    timeline = [
        {"t": 1.0, "frame": "000000.jpg"},
        {"t": 2.0, "frame": "000001.jpg", "moving": True},
        {"t": 3.0, "frame": "000002.jpg"},
        {"t": 4.0, "frame": "../../etc/passwd"},
    ]
    (tmp_path / "reel.json").write_text(json.dumps({"timeline": timeline}))
    for name in ("000000.jpg", "000001.jpg"):
        (tmp_path / name).write_bytes(b"picture")
    found = Stills(tmp_path)
    assert [found.at(t) for t in (0.5, 1.0, 2.5)] == [None, "000000.jpg", "000000.jpg"]
    assert found.at(5) is None  # its picture was deleted to make room
    (tmp_path / "reel.json").write_text("[1")
    assert Stills(tmp_path).at(9) is None


@pytest.mark.parametrize("name", ["..", "../000001.jpg", "a.jpg", "000001.png", "", None, "000001.jpg\n"])
def test_a_name_that_is_no_pictures_is_none(name: object) -> None:
    assert not is_still(name)
