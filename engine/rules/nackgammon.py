"""Nackgammon, by Nack Ballard: backgammon with two checkers more in the back."""

from engine.rules.backgammon import Backgammon

RULES = Backgammon.variant(
    "nackgammon",
    "Nackgammon",
    {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    {"mat": "NackGammon", "sgf": "Nackgammon", "ogxm": "nackgammon"},
)
