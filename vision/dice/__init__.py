"""Dice lying on the board: where each lies, what its top face shows, and how sure that is."""

from vision.dice.die import SURE, Die, Lies
from vision.dice.reader import USUAL, DiceReader, checkers_in

__all__ = ["SURE", "USUAL", "DiceReader", "Die", "Lies", "checkers_in"]
