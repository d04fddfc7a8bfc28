"""Dice and the doubling cube on the board: where each lies, what its top face shows, and how sure that is."""

from vision.dice.die import SURE, Die, DoublingCube, Lies, Lying
from vision.dice.reader import USUAL, DiceReader

__all__ = ["SURE", "USUAL", "DiceReader", "Die", "DoublingCube", "Lies", "Lying"]
