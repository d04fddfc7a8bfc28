"""The players' page of rules tells the truth where a program can tell: its examples are read, its outcomes
are the games' own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine import rules as games

PAGE = (Path(__file__).parent.parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")
EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.S)]


def section(name: str) -> str:
    """The chapter of a game."""
    return next(part for part in PAGE.split("\n## ") if part.startswith(games.get(name).title))


def test_every_game_has_a_chapter_and_an_example() -> None:
    assert {example["rules"] for example in EXAMPLES} == set(games.names())
    assert all(section(name) for name in games.names())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["rules"]))
def test_the_examples_of_positions_are_read_as_they_stand(example: dict[str, object]) -> None:
    written = games.get(str(example["rules"])).read(example).to_json()
    assert {key: written[key] for key in example} == example


@pytest.mark.parametrize("name", games.names())
def test_the_chapters_name_every_outcome_with_its_points(name: str) -> None:
    rows = [line for line in section(name).splitlines() if line.startswith("| *")]
    told = [
        (re.findall(r"\*([a-z ]+)\*", row.split("|")[1]), re.findall(r"\d+", row.rsplit("|", 2)[-2]))
        for row in rows
    ]
    outcomes = {
        (kind, int(points)) for kinds, numbers in told for kind, points in zip(kinds, numbers, strict=True)
    }
    assert set(games.get(name).grades) <= outcomes


@pytest.mark.parametrize("name", games.names())
def test_the_page_names_every_option(name: str) -> None:
    assert all(f"`{option}`" in section(name) for option in games.get(name).options)
