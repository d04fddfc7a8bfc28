"""Checkers on 24 points, on a table that was learned: its calibration, and reading with it."""
