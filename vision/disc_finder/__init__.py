"""A small network that finds checkers, points, the bar and hands on any board; the blind reader and the
calibration of checkers ask it."""
