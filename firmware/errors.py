"""What the program says no to. Each message is one line for people: what, where, how to mend it."""

from __future__ import annotations


class BadInput(Exception):
    """Something given to a command is not what it needs; the command did nothing. Exit status 2."""


class Trouble(Exception):
    """The doctor's: something is wrong with the table or its machine; the message says what and how to mend
    it."""
