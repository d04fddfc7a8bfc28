"""Dice that prove themselves, and whether dice are fair."""
