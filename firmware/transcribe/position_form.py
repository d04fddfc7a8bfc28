"""The form by which players give a position where another was read: who is on turn, and what stands on the
points, or an ID of another program. It needs no script."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

from engine.layout import Cell, Side, name_parts, point_cell, point_of
from engine.messages import joined, phrase, sentence
from engine.names import named
from engine.position import Json, Position, Rules
from firmware.errors import BadInput
from firmware.formats.ids import Situation, of_text, xgid
from firmware.formats.source import FormatError, shortened
from firmware.record.report_html import said

STYLE = """
.points{display:grid;grid-template-columns:repeat(13,minmax(3.6rem,1fr));gap:.3rem;overflow-x:auto}
.points label{padding:0;text-align:center;font-size:.9rem}select{font:inherit;width:100%;min-height:2.75rem}
select:has(.white:checked){background:#f4efe4;color:#222}select:has(.black:checked){background:#2b2b2b;color:#fff}
svg.checker{width:1.3rem;vertical-align:middle}code{user-select:all}
"""
"""Beside the page's own."""
_COUNT = re.compile(r"-?[0-9]{1,2}")


def position_form(key: str, read: Position, entered: Mapping[str, str], player: Callable[[Side], str]) -> str:
    """The form for the turn of this ``key``, after which the board was ``read`` so; ``entered`` is what
    players said before it was refused."""
    sides = "".join(
        f'<label><input type="radio" name="side" value="{side}" required'
        f"{' checked' if entered.get('side', read.turn) == side else ''}>"
        f' <svg class="checker" viewBox="-10 -10 20 20" aria-hidden="true"><use href="#d-{side}"/></svg>'
        f" {said(sentence(phrase('{player} is on turn', player=player(side))))}</label>"
        for side in read.rules.sides
    )
    first, second = _entries(read)
    upper = [*map(point_cell, range(13, 19)), second, *map(point_cell, range(19, 25))]
    lower = [*map(point_cell, range(12, 6, -1)), first, *map(point_cell, range(6, 0, -1))]
    counts = _counts(read)
    points = "".join(_select(cell, entered.get(cell, str(counts[cell])), read) for cell in (*upper, *lower))
    return (
        f'<form method="post"><input type="hidden" name="turn" value="{escape(key, quote=True)}">{sides}'
        f'<div class="points" dir="ltr">{points}</div>'
        f"<p>{said(phrase('What stands nowhere is borne off.'))}</p>{_by_id(read, entered)}"
        f"<button>{said(phrase('Answer'))}</button></form>"
    )


def _by_id(read: Position, entered: Mapping[str, str]) -> str:
    """The field for an ID, where the game has one, with the one of what was read."""
    if "xgid" not in read.rules.file_names:
        return ""
    label = said(phrase("Or an XGID or GNU position ID, in place of the points:"))
    as_read, told = said(phrase("after, as it was read")), escape(xgid(Situation(read)))
    return (
        f'<label>{label} <input type="text" name="id" size="60" maxlength="200" dir="ltr"'
        f' value="{escape(entered.get("id", ""), quote=True)}"></label>'
        f'<p>{as_read}: <code dir="ltr">{told}</code></p>'
    )


def _entries(position: Position) -> tuple[Cell, Cell]:
    """Where the sides' checkers are that have still to come onto the board: the bar."""
    first, second, *_ = (cell for cell in position.looks() if point_of(cell) is None)
    return first, second


def _counts(position: Position) -> dict[Cell, int]:
    """The checkers in each cell but those where they end, Black's less than 0."""
    white, black = position.rules.sides
    known = _entries(position)
    return {
        cell: look.count(white) - look.count(black)
        for cell, look in position.looks().items()
        if cell in known or point_of(cell)
    }


def _select(cell: Cell, now: str, position: Position) -> str:
    """The choice of what stands in a cell."""
    zone, owner = name_parts(cell)
    options = [f'<option value="0"{" selected" if now == "0" else ""}>–</option>']
    for side, sign in zip(position.rules.sides, (1, -1), strict=True):
        for count in range(1, position.stock()[side] + 1) if owner in ("", side) else ():
            value = str(sign * count)
            chosen = " selected" if now == value else ""
            words = said(joined(" ", (str(count), named(side))))
            options.append(f'<option class="{side}" value="{value}"{chosen}>{words}</option>')
    label = str(point_of(cell) or "") or said(named(zone))
    return f'<label>{label}<select name="{cell}">{"".join(options)}</select></label>'


def given_position(form: Mapping[str, str], rules: Rules) -> Position:
    """The position that players gave, its roll still to come. Raises BadInput with what is wrong."""
    side, text = form.get("side", ""), form.get("id", "").strip()
    data: Json = {"rules": rules.name, "turn": side}
    try:
        if text:
            found = of_text(text, side if side in rules.sides else rules.sides[0])
            if found is None:
                words = phrase("{text} is neither an XGID nor a GNU position ID", text=shortened(text))
                raise BadInput(words)
            data = {**found.position.to_json(), **data, "turn": found.position.turn or side}
        else:
            start = rules.start(rules.options)
            counts = {cell: _count(form.get(cell, "0")) for cell in _counts(start)}
            entries = _entries(start)
            points = {str(point_of(cell)): count for cell, count in counts.items() if cell not in entries}
            data |= {"points": {point: count for point, count in points.items() if count}}
            data |= {name_parts(entries[0])[0]: [abs(counts[cell]) for cell in entries]}
        return rules.read(data)
    except FormatError as error:
        raise BadInput(str(error)) from error
    except ValueError as error:
        raise BadInput(phrase("no possible position: {error}", error=str(error))) from error


def _count(text: str) -> int:
    """Raises ValueError."""
    if not _COUNT.fullmatch(text):
        raise ValueError(text)
    return int(text)
