"""The recorded game's truth, judged from perfect pictures: every verdict that is due, and no other."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine.effects import Ended, Judged
from engine.events import Begin, Button, Press, Roll
from engine.evidence import Evidence
from engine.layout import Looks
from engine.session import Session

DATA = Path(os.environ.get("BARPOINT_DATA") or Path(__file__).parents[2].parent / "shared" / "data") / "reel"
SIDES = ("white", "black")


def looks(frame: dict[str, Any]) -> Looks:
    shown: dict[str, tuple[str, ...]] = {f"p{point}": () for point in range(1, 25)}
    for point, number in frame["points"].items():
        shown[f"p{point}"] = (SIDES[number < 0],) * abs(number)
    for place in ("bar", "off"):
        shown |= {
            f"{place}.{side}": (side,) * number for side, number in zip(SIDES, frame[place], strict=True)
        }
    return shown


@pytest.mark.skipif(
    not (DATA / "truth.json").exists(),
    reason="needs the recorded game's truth: set BARPOINT_DATA to the data folder",
)
def test_the_recorded_game_is_refereed_without_a_fault() -> None:
    reel = json.loads((DATA / "reel.json").read_text(encoding="utf-8"))
    truth = json.loads((DATA / "truth.json").read_text(encoding="utf-8"))
    session, _ = Session().handle(Begin(t=0.0, rules="backgammon"))
    frame, told, end = "", [], None
    for moment in reel["timeline"]:
        if "frame" in moment:
            frame = moment["frame"]
            continue
        t, side = moment["t"], moment["side"]
        if "roll" in moment:
            session, effects = session.handle(
                Roll(t=t, side=side, dice=tuple(moment["roll"]), opening=moment["opening"])
            )
        else:
            evidence = Evidence.certain(looks(truth["frames"][frame]))
            session, effects = session.handle(
                Press(t=t, side=side, button=Button(moment["button"]), evidence=evidence)
            )
        told += [effect for effect in effects if isinstance(effect, Judged)]
        end = next((effect for effect in effects if isinstance(effect, Ended)), end)
    assert [(j.turn, j.side, list(j.dice), j.verdict) for j in told] == [
        (due["turn"], due["side"], due["dice"], due["verdict"]) for due in truth["verdicts"]
    ]
    for judged, due in zip(told, truth["verdicts"], strict=True):
        if due["verdict"] == "legal":
            assert {key: judged.position[key] for key in ("points", "bar", "off")} == due["after"]
        else:
            assert judged.cells
    assert end is not None
    assert end.outcome.winner == "white"
