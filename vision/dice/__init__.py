"""Dice lying on the board: where each lies, what its top face shows, and how sure that is."""

from vision.dice.die import SURE, Die, Lies
from vision.dice.reader import DiceReader

__all__ = ["SURE", "DiceReader", "Die", "Lies"]
