"""Sealed exports: every line that is altered, taken out or put in is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Text
from firmware.cli import main
from firmware.record import seal
from firmware.record.game_faults import Fault
from firmware.record.verify import check_sealed
from tests.matches import simulate

MATCH = simulate(3)


def forged(change: Any) -> str:
    data = json.loads(seal.write(MATCH))
    change(data["games"][0]["actions"], data)
    with pytest.raises(Fault) as caught:
        check_sealed(*seal.read(json.dumps(data)))
    return str(caught.value)


def test_a_sealed_match_reads_back_as_it_was_and_verifies() -> None:
    assert seal.read(seal.write(MATCH))[0] == MATCH
    assert "sealed line" in check_sealed(*seal.read(seal.write(MATCH)))[0]


@pytest.mark.parametrize("place", range(len(MATCH.games[0].actions)))
def test_any_action_that_is_altered_or_missing_is_named(place: int) -> None:
    def alter(actions: list[dict[str, Any]], _: Any) -> None:
        action = actions[place]
        if "dice" in action:
            action["dice"] = (
                action["dice"][::-1]
                if len(set(action["dice"])) > 1
                else [die % 6 + 1 for die in action["dice"]]
            )
        elif "text" in action:
            action["text"] += " "
        else:
            action["side"] = "white" if action["side"] == "black" else "black"

    def drop(actions: list[dict[str, Any]], _: Any) -> None:
        del actions[place]

    assert f"game 1, action {place + 1} " in forged(alter)
    if place + 1 < len(MATCH.games[0].actions):
        told = forged(drop)
        # Two equal lines may stand side by side (nobody can say which of them is gone).
        assert f"game 1, action {place + 1} " in told
        assert "are gone" in told


def test_altered_scores_names_and_added_lines_are_named() -> None:
    assert "score" in forged(lambda _, data: data["games"][0].update(score=[1, 0]))
    told = forged(lambda _, data: data.update(players=["Eve", "Ben"]))
    assert "head" in told
    assert isinstance(told, Text)  # it can be said in any language
    assert "more lines" in forged(lambda actions, _: actions.insert(2, {"do": "remark", "text": "not said"}))
    assert "missing" in forged(lambda _, data: data["games"].pop())


def test_the_command_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.json"
    data = json.loads(seal.write(MATCH))
    roll = data["games"][0]["actions"][0]
    roll["dice"] = [7 - die for die in roll["dice"]]
    file.write_text(json.dumps(data))
    with pytest.raises(SystemExit) as stopped:
        main(["verify", str(file)])
    assert stopped.value.code == 1
    assert "game 1, action 1 (roll" in capsys.readouterr().out
