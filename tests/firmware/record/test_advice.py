"""What is best in one position, and the position that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import rules
from firmware.commands.best import command
from firmware.engines import BeforeRoll, Board, Chances, Ranked, Spot
from firmware.engines.thinker import Thinker
from firmware.formats import FormatError
from firmware.formats.ids import Situation, of_xgid
from firmware.languages.choice import local, reading
from firmware.record.advice import NoAdvice, advise, position_seen, roll_out, told
from firmware.record.spots import board_of

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
EVEN = Chances(0.5, 0.1, 0.0, 0.1, 0.0)
GAME = rules.get("backgammon")
START = {"24": 2, "13": 5, "8": 3, "6": 5, "1": -2, "12": -5, "17": -3, "19": -5}


@dataclass
class Says(Thinker):
    """An engine whose equities fall play by play, and whose rollouts say the opposite."""

    take: float = 0.0
    asked: list[int] = field(default_factory=list)

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        situation = of_xgid(OPENING)
        boards = [board_of(play.after, "white") for play in situation.position.plays()]
        return [Ranked(*board, -0.1 * place, EVEN) for place, board in enumerate(boards)]

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        return BeforeRoll(0.3, self.take, 1.0, EVEN, {})

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        self.asked.append(seed)
        return len(self.asked) % 3 + 0.01 * seed

    def close(self) -> None:
        pass


def test_plays_come_the_best_first_with_what_each_costs() -> None:
    found = advise(of_xgid(OPENING), Says())
    texts = [play.text for play in of_xgid(OPENING).position.plays()]
    assert [each.text for each in found.options] == texts[:10]
    assert [round(each.behind, 1) for each in found.options[:3]] == [0.0, 0.1, 0.2]


def test_a_rollout_asks_the_same_dice_of_each_play_and_stops_where_it_is_told_to() -> None:
    situation, engine = of_xgid(OPENING), Says()
    found = roll_out(advise(situation, engine), situation, engine, 10, lambda done, of, so_far: done < 4)
    assert engine.asked == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert len(found.options) == 3
    assert found.options[0].error is not None
    cube = replace(situation, position=GAME.read({**situation.position.to_json(), "turn": "white"}))
    with pytest.raises(NoAdvice, match="give the dice"):
        roll_out(advise(cube, engine), cube, engine)


def test_the_cube() -> None:
    situation = Situation(GAME.read({"points": START, "bar": [0, 0], "off": [0, 0], "turn": "black"}))
    found = advise(situation, Says(take=1.2))
    assert (found.side, found.options[0].text, found.answer) == ("black", "double", "drop")
    assert advise(situation, Says(take=0.1)).options[0].text == "no double"
    for dead in (
        replace(situation, owner="white", cube=2),
        replace(situation, length=5, score=(0, 4), crawford=True),
        replace(situation, length=5, score=(0, 4)),
    ):
        assert [each.text for each in advise(dead, Says(take=1.2)).options] == ["no double"]


def test_the_cube_is_told_in_the_readers_language() -> None:
    situation = Situation(GAME.read({"points": START, "bar": [0, 0], "off": [0, 0], "turn": "black"}))
    with reading("de"):
        lines = [local(line) for line in told(advise(situation, Says(take=0.1)))]
    assert lines[1].startswith("  nicht verdoppeln: ")
    assert lines[-1] == "Nach einer Verdopplung sollte die andere Seite annehmen."


def seen(**changed: Any) -> dict[str, Any]:
    return {"points": START, "bar": [0, 0], "off": None, **changed}


def test_what_is_nowhere_on_the_board_is_borne_off() -> None:
    fewer = {**START, "6": 2, "19": -4}
    position = position_seen(GAME, seen(points=fewer), "white")
    assert position.to_json()["off"] == [3, 1]
    assert position.turn == "white"


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (seen(bar=[None, 0]), "the bar cannot be seen"),
        (seen(points={**START, "5": 1}), "more than 15 checkers of white"),
        (seen(points={**START, "6": 4}, off=[0, 0]), "white are missing"),
    ],
)
def test_a_picture_that_does_not_add_up_gets_no_advice(picture: dict[str, Any], reason: str) -> None:
    with pytest.raises(NoAdvice, match=reason):
        position_seen(GAME, picture, "white")


def test_games_that_no_engine_knows() -> None:
    for name in ("zombie", "hypergammon"):
        with pytest.raises(FormatError, match="no engine"):
            position_seen(rules.get(name), seen(), "white")


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("firmware.commands.best.first_thinker", lambda name: Says())
    (tmp_path / "board.jpg").touch()
    run = CliRunner().invoke
    found = run(command, [OPENING])
    assert found.exit_code == 0, found.output
    assert found.output.startswith("white to play\n")
    assert '"kind": "play"' in run(command, [OPENING, "--json"]).output
    for words, reason in (
        ([OPENING, "--dice", "3", "1"], "has dice already"),
        (["nonsense"], "neither a file nor a position"),
        ([OPENING, "--turn", "black"], "are for a picture"),
        (["board.jpg"], "there is no such file"),
        ([str(tmp_path / "board.jpg")], "needs --rig"),
    ):
        done = run(command, words)
        assert reason in f"{done.exception}{done.output}"
