"""Messages that are kept as data say the same again, in any language."""

from __future__ import annotations

import json

import pytest

from engine.messages import all_of, from_data, one_of, phrase, phrase_number, sentence, to_data, told
from engine.words import wins


class Shouting:
    """A language in which everything is loud, and names stand in brackets."""

    def gettext(self, message: str) -> str:
        return message.upper().replace("{PLAYER}", "{player}").replace("{POINTS}", "{points}")

    def ngettext(self, one: str, many: str, n: int) -> str:
        return (one if n == 1 else many).replace("point", "POINT")

    def set_in(self, text: str) -> str:
        return f"[{text}]"


@pytest.mark.parametrize(
    "text",
    [
        "Anna",
        phrase("unfinished"),
        wins("Anna", "win", 2),
        sentence(wins("Anna", "win", 1)),
        phrase_number("{n} point", "{n} points", 3),
        one_of(["13/7", phrase("bar")]),
        sentence(all_of(["7", "8", "11"])),
    ],
)
def test_what_is_kept_says_the_same_again(text: str) -> None:
    again = from_data(json.loads(json.dumps(to_data(text))))
    assert again == text
    assert told(again, Shouting()) == told(text, Shouting())
