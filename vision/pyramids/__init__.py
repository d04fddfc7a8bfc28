"""Pyramids on 24 points: their outlines from any pose, laid over the picture until they explain it."""
