"""What is wrong with the parts of a running program, in words, each as long as it lasts."""

from __future__ import annotations

from collections.abc import Callable


class Troubles:
    """``say`` takes a line for the log, when something goes wrong or works again."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._now: dict[str, str] = {}

    @property
    def words(self) -> tuple[str, ...]:
        """What is wrong now, the oldest first."""
        return tuple(self._now.values())

    def __contains__(self, what: object) -> bool:
        return what in self._now

    def set(self, what: str, words: str, quietly: bool = False) -> bool:
        """This is wrong with a part, "" when it works again, of which ``quietly`` says nothing. Whether
        that is news."""
        if self._now.get(what, "") == words:
            return False
        if words:
            self._now[what] = words
        else:
            del self._now[what]
        if words or not quietly:
            self._say(words or f"{what}: works again")
        return True
