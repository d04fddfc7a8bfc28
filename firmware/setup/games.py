"""What can be played, for the form; and what two players agreed on, for the table."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from engine import rules as games
from engine.clock import NOW
from engine.errors import EngineError
from engine.event_json import from_json
from engine.events import Begin
from engine.layout import Looks
from engine.messages import phrase
from engine.outside import OVERRIDES, check, writable
from engine.position import Awaits, Json, Position, Rules
from firmware.errors import BadInput
from firmware.formats import FormatError
from firmware.levels import LEVELS, misnamed
from firmware.levels import NAME as OWN
from firmware.record.spots import check_known
from firmware.settings.config import NAME
from firmware.table.change import MatchChange
from vision import boards

WORDS = 200
"""Most letters of a player's words for the dice."""
GIVEN = ("rules", "options", "players", "terms", "clock", "moves", "dice", "competition", "place")
"""What players agree on. They cannot set a position or a time here."""


def list_games() -> Json:
    """Every game and every kind of board."""
    return {
        "games": [_game_json(games.get(name)) for name in games.names()],
        "boards": {name: _board_json(name) for name in boards.BOARDS},
    }


def _game_json(rules: Rules) -> Json:
    start = start_position(rules, {})
    return {
        "name": rules.name,
        "title": rules.title,
        "sides": list(rules.sides),
        "cube": rules.cube,
        "own": own_players(rules),
        "board": rules.board,
        "dice": start is not None and start.awaits is not Awaits.PLAY,
        "map": rules.set_up is not None,
        "options": [] if rules.set_up is not None else [_option_json(rules, name) for name in rules.options],
        "start": None if start is None else layout_json(start),
    }


def own_players(rules: Rules) -> list[str]:
    """What a side is called that the table plays itself, by level; none where no engine knows the game."""
    try:
        check_known(rules.name)
    except (FormatError, EngineError):
        return []
    return [OWN, *(f"{OWN} {level}" for level in LEVELS)]


def _option_json(rules: Rules, name: str) -> Json:
    """An option with the values that a form can offer for it."""
    choices = [
        each for each in (None, False, True, *rules.sides) if start_position(rules, {name: each}) is not None
    ]
    usual = rules.options[name]
    return {
        "name": name,
        "usual": usual,
        "choices": [each for each in choices if each is not None or usual is None],
    }


def start_position(rules: Rules, options: Mapping[str, Any]) -> Position | None:
    """The position in which a game begins with these options; None where it cannot."""
    try:
        return rules.start({**rules.options, **options})
    except EngineError:
        return None


def layout_json(position: Position) -> Json:
    """What stands where, as the page draws it."""
    layout = position.layout()
    return {
        cell: [list(layer) for layer in layout.get(cell, ())]
        for cell in [*position.looks(), *(set(layout) - set(position.looks()))]
    }


def looks_json(looks: Looks) -> Json:
    """Looks, as the page draws them."""
    return {cell: [list(look)] if look else [] for cell, look in looks.items()}


def _board_json(name: str) -> Json:
    board = boards.get(name)
    bare: Looks = {f"p{point}": () for point in range(1, 25)}
    sample = looks_json({**bare, **board.set_out}) if board.set_out else None
    return {
        "asks": [ask.to_json() for ask in board.asked_measures],
        "found": board.finds_corners,
        "sample": sample,
    }


def read_agreement(data: Mapping[str, Any]) -> MatchChange:
    """The match in ``{"begin": {…}, "words": {side: …}, "leave": …}``. Raises BadInput or EngineError."""
    given, words, leave = data.get("begin"), data.get("words") or {}, data.get("leave", False)
    if not isinstance(given, Mapping) or not isinstance(words, Mapping) or not isinstance(leave, bool):
        raise BadInput("begin and words must be objects, leave must be true or false")
    unknown = [key for key in given if key not in GIVEN]
    if unknown:
        raise BadInput(f"begin: players cannot set {unknown[0]!r}, only {', '.join(GIVEN)}")
    if isinstance(given.get("clock"), Mapping):
        given = {**given, "clock": {**NOW, **given["clock"]}}
    begin = from_json({**given, "event": "begin", "t": 0.0})
    assert isinstance(begin, Begin)
    rules = games.get(begin.rules)
    players = {side: one_line(name, "a name", NAME) for side, name in begin.players.items()}
    plain = {key: one_line(getattr(begin, key), key, 2 * NAME) for key in ("competition", "place")}
    seeds = {
        side: one_line(words[side], "the words for the dice", WORDS) for side in words if side in rules.sides
    }
    named = {side: name for side, name in players.items() if name}
    for name in named.values():
        if (reason := misnamed(name)) is not None:
            raise BadInput(reason)
    if len(set(named.values())) < len(named):
        raise BadInput(phrase("both players have the same name; give them different ones"))
    change = MatchChange(
        Begin(**{**{key: getattr(begin, key) for key in GIVEN}, **plain, "t": 0.0, "players": named}),
        {side: text for side, text in seeds.items() if text},
        leave=leave,
    )
    assert change.begin is not None
    check(change.begin.to_json(), "begin")
    reason = change.refusal()
    if reason is not None:
        raise BadInput(reason)
    return change


def one_line(text: object, what: str, most: int) -> str:
    """The text as one line, without control characters, or marks that turn its direction. Raises
    BadInput."""
    if not isinstance(text, str):
        raise BadInput(f"{what} must be a text")
    if not writable(text):
        raise BadInput(f"{what} has half of a character in it; type it again")
    odd = ("Cc", "Zl", "Zp")
    text = text.translate(OVERRIDES)
    plain = " ".join("".join(" " if unicodedata.category(each) in odd else each for each in text).split())
    if len(plain) > most:
        raise BadInput(f"{what} may have {most} letters, not {len(plain)}")
    return plain
