"""A language by which tests see what can be said in the reader's own."""

from __future__ import annotations


class Marking:
    """A language in which everything that is translated stands in brackets."""

    def gettext(self, message: str) -> str:
        return f"[{message}]"

    def ngettext(self, one: str, many: str, n: int) -> str:
        return f"[{one if n == 1 else many}]"

    def set_in(self, text: str) -> str:
        return text
