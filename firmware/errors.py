"""What the program refuses. Each message is one line for people: what, where, how to fix it."""

from __future__ import annotations


class BadInput(Exception):
    """A command was given something that it cannot use, and did nothing. Exit status 2."""


class Trouble(Exception):
    """The doctor's: something is wrong with the table or its machine; the message says how to fix it."""
