"""Recorded sessions on other boards than checkers' are refereed from their pictures alone."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import pytest

from engine import rules as games
from engine.layout import Layout
from engine.position import Awaits, Position
from firmware.cli import main
from hardware.painter import Painter

MAP: Mapping[str, Any] = {
    "cols": 12,
    "rows": 10,
    "border": [f"{c - r // 2},{r}" for r in range(10) for c in range(12) if c in (0, 11) or r in (0, 9)],
    "fortresses": ["1,2", "6,2", "2,5", "6,6", "0,7"],
}
SAMPLES: Mapping[str, Any] = {
    "turn": "white",
    "points": {
        **{
            str(point): [["white", [size]]]
            for point, size in ((1, 1), (3, 2), (5, 3), (8, 1), (14, 2), (20, 3))
        },
        **{
            str(point): [["black", [size]]]
            for point, size in ((2, 1), (6, 2), (10, 3), (16, 1), (19, 2), (23, 3))
        },
    },
    "hand": {side: [1, 1, 1, 2, 2, 2, 3, 3, 3] for side in ("white", "black")},
    "bar": {"white": [], "black": []},
    "off": {"white": [], "black": []},
}


def recorded(folder: Path, name: str, turns: int, seed: int) -> list[str]:
    """A reel of a random game's beginning; the texts of the plays made."""
    rules = games.get(name)
    painter = Painter(rules.board, seed, MAP["cols"], MAP["rows"])
    rng = random.Random(seed)
    position: Position = rules.start(
        {**rules.options, **{key: value for key, value in MAP.items() if key in rules.options}}
    )
    timeline: list[dict[str, Any]] = []
    made: list[str] = []

    def shoot(layout: Layout, file: str) -> str:
        cv2.imwrite(str(folder / file), painter.paint(layout, len(timeline)))
        return file

    timeline.append({"t": 0.0, "frame": shoot(position.layout(), "000.png")})
    for turn in range(1, turns + 1):
        t = 10.0 * turn
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            opening, side = position.awaits is Awaits.OPENING, position.turn
            dice = tuple(rng.randint(1, 6) for _ in range(position.dice_due))
            position = position.roll(dice)
            timeline.append({"t": t, "side": position.turn if opening else side, "roll": list(dice)})
        # Which of several pinned pieces lies below, no camera can tell, and a recording has no answers:
        # nobody pins here.
        plain = [
            play
            for play in position.plays()
            if all(len(stack) == 1 for stack in play.after.layout().values())
        ]
        play = rng.choice(plain or position.plays())
        mover = position.turn
        made.append(play.text)
        position = play.after
        timeline.append({"t": t + 5, "frame": shoot(position.layout(), f"{turn:03}.png")})
        timeline.append({"t": t + 6, "side": mover, "button": "done"})
    reel: dict[str, Any] = {
        "size": [1280, 960],
        "corners_px": painter.corners,
        "geometry_cm": painter.geometry,
        "rules": name,
        "timeline": timeline,
    }
    if rules.board == "pyramids":
        known = rules.read({"rules": name, **SAMPLES})
        reel["known"] = {"frame": shoot(known.layout(), "known.png"), "position": SAMPLES}
    (folder / "reel.json").write_text(json.dumps(reel))
    return made


@pytest.mark.parametrize(("name", "seed"), [("siege-master", 2), ("icegammon", 5)])
def test_a_recorded_game_on_another_board_is_refereed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, seed: int
) -> None:
    (tmp_path / "reel").mkdir()
    made = recorded(tmp_path / "reel", name, 4, seed)
    with pytest.raises(SystemExit) as exit_:
        main(
            ["replay", str(tmp_path / "reel"), "--rules", name, "--json", "--state", str(tmp_path / "state")]
        )
    assert exit_.value.code == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    verdicts = [line["verdict"] for line in lines if "verdict" in line]
    assert verdicts == ["legal"] * len(made)
    assert len(made) == 4
