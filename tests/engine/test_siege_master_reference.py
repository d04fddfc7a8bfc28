"""Siege Master against its slow, independent twin, and against the games in the pictures' labels."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from engine import rules as games
from engine.errors import ImpossibleSetup
from engine.position import Position
from tests.engine import naive_siege_master as naive

DATA = (
    Path(os.environ.get("BARPOINT_DATA", Path(__file__).parent.parent.parent.parent / "shared" / "data"))
    / "siege-master"
)
GAMES = 60
RULES = games.get("siege-master")


def random_start(rng: random.Random) -> Position:
    """A random board on which an army fits: blotches of border, fortresses anywhere, some areas open to the
    board's edge."""
    while True:
        cols, rows = rng.randint(5, 11), rng.randint(5, 10)
        board = [(col - row // 2, row) for row in range(rows) for col in range(cols)]
        ring = [
            place for place in board if place[1] in (0, rows - 1) or place[0] + place[1] // 2 in (0, cols - 1)
        ]
        border = {place for place in ring if rng.random() < 0.85} | set(
            rng.sample(board, rng.randint(0, len(board) // 6))
        )
        fortresses = set(rng.sample(sorted(set(board) - border), rng.randint(1, 8)))
        options = {"cols": cols, "rows": rows, "border": [naive.text(one) for one in border]}
        options["fortresses"] = [naive.text(one) for one in fortresses]
        try:
            start = RULES.start(options)
        except ImpossibleSetup:
            assert not naive.rows_of_four(naive.land(cols, rows, border, fortresses) - fortresses)
            continue
        assert naive.hexes(start.to_json()["cells"]) == naive.land(cols, rows, border, fortresses)
        return start


def agree(position: Position) -> None:
    """Both say the same of a position: its end, or all that can follow."""
    state: dict[str, Any] = {"turn": None, **position.to_json()}
    assert (position.outcome and position.outcome.to_json()) == (
        naive.result(state) if state["turn"] is None else None
    )
    ours = [naive.canonical({"turn": None, **play.after.to_json()}) for play in position.plays()]
    theirs = {
        naive.canonical(after): naive.result(after)
        for after in (naive.results(state) if state["turn"] else [])
    }
    assert len(ours) == len(theirs)
    assert set(ours) == set(theirs)
    for play, key in zip(position.plays(), ours, strict=True):
        assert (play.after.outcome and play.after.outcome.to_json()) == theirs[key]


@pytest.mark.parametrize("seed", range(GAMES))
def test_random_games_on_random_boards_agree_with_the_slow_twin(seed: int) -> None:
    rng = random.Random(seed)
    position = random_start(rng)
    while position.outcome is None:
        agree(position)
        plays = position.plays()
        position = (
            plays[-1].after if plays[-1].text == "swap" and rng.random() < 0.4 else rng.choice(plays).after
        )
    agree(position)


@pytest.mark.parametrize("seed", range(GAMES))
def test_positions_that_no_play_led_to_agree_with_the_slow_twin(seed: int) -> None:
    """As an illegal play that stood may leave them: any colour on turn, fortresses changed hands, the last
    turn's capture forgotten."""
    rng = random.Random(seed)
    position = random_start(rng)
    for _ in range(rng.randint(1, 6)):
        position = rng.choice(position.plays()).after if position.outcome is None else position
    data = {**position.to_json(), "turn": rng.choice(RULES.sides)}
    data["fortresses"] = {
        place: rng.choice((owner, owner, "neutral", "red", "blue"))
        for place, owner in data["fortresses"].items()
    }
    data["armies"] = [[rng.choice(RULES.sides), places] for _, places in data["armies"]]
    data["last_capture"] = rng.random() < 0.5 and {"red", "blue"} & set(data["fortresses"].values()) != set()
    changed = RULES.read(data)
    assert (changed.outcome and changed.outcome.to_json()) == naive.result(data)
    if changed.outcome is None:
        agree(changed)


def labelled() -> list[Path]:
    return sorted(DATA.glob("*/labels.json"))


@pytest.mark.skipif(not labelled(), reason="needs the labelled boards: set BARPOINT_DATA to their folder")
@pytest.mark.parametrize("labels", labelled(), ids=lambda path: path.parent.name)
def test_the_games_in_the_labels_are_legal_up_to_their_end(labels: Path) -> None:
    truth = json.loads(labels.read_text())
    board = {key: truth["map"][key] for key in ("cols", "rows")}
    position = RULES.start(
        {**board, "border": truth["start"]["border"], "fortresses": truth["start"]["fortresses"]}
    )
    assert set(position.to_json()["cells"]) == set(truth["map"]["land"])
    pictures = {len(picture["armies"]): picture for key, picture in truth.items() if key.isdigit()}
    checked = 0
    for number, (side, places) in enumerate(truth["08"]["armies"], 1):
        if position.outcome is not None:
            break  # the picture maker played on
        assert position.turn == side
        position = position.find(f"{places[0]}-{places[-1]}").after
        if number in pictures:
            assert position.to_json()["fortresses"] == pictures[number]["fortresses"]
            checked += 1
    assert checked >= 7
