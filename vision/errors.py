"""What can go wrong with pictures. Every message is for people: what is wrong, where, and how to fix it."""

from __future__ import annotations


class VisionError(ValueError):
    """The base of every error that this package raises on purpose."""


class ImageError(VisionError):
    """A file or array that is no usable picture."""


class CalibrationError(VisionError):
    """A table that cannot be learned from what was given; the message says what to change."""


class GeometryError(CalibrationError):
    """A geometry file that lacks a measure, or holds one that no board has."""


class DarkError(CalibrationError):
    """A picture that is dark: nothing that a person says of it helps."""


class HomeError(CalibrationError):
    """The home boards are on another side of the picture than somebody said."""


class RigError(VisionError):
    """A rig file that cannot be read."""
