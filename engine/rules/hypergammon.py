"""Hypergammon: backgammon with three checkers a side, all in the back."""

from engine.rules.backgammon import Backgammon

RULES = Backgammon.variant(
    "hypergammon",
    "Hypergammon",
    {24: 1, 23: 1, 22: 1},
    {"mat": "HyperGammon (3)", "sgf": "Hypergammon3", "ogxm": "hypergammon"},
)
