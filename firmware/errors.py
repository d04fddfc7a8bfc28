"""What the program refuses. Each message is one line for people: what, where, how to fix it."""

from __future__ import annotations

from pathlib import Path

LONGEST = 500
"""Letters of a message: what it quotes may be a file's only line."""


def bounded(message: str) -> str:
    """A message for people: of one that is far too long its beginning and its end."""
    if len(message) <= LONGEST:
        return message
    return f"{message[: LONGEST * 3 // 5]} … {message[-LONGEST // 4 :]}"


class BadInput(Exception):
    """A command was given something that it cannot use, and did nothing. Exit status 2."""

    def __init__(self, message: str) -> None:
        super().__init__(bounded(message))


class NotNow(Exception):
    """What somebody asks for cannot be done now; the message says why."""


class Trouble(Exception):
    """The doctor's: something is wrong with the table or its machine; the message says how to fix it."""


def describe_fault(error: BaseException) -> str:
    """A fault of the program itself in one line, for whoever reports it: what, and in which line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})"
    try:
        said = " ".join(str(error).split())[:200]
    except Exception:  # an error may fail to describe itself, too
        said = ""
    return f"{type(error).__name__}{': ' if said else ''}{said}{place}"
