"""What the pages of reports are written with: their head, tables, messages in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from firmware.languages.catalogue import catalogue
from firmware.languages.choice import local, reader, written


def said(text: str) -> str:
    """A message in the reader's language, as HTML."""
    return escape(local(text))


def page_head(title: str, style: str) -> str:
    """How a page in the reader's language begins."""
    words = catalogue(reader.get())
    return (
        f'<!doctype html><html lang="{words.code}" dir="{words.direction}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{said(title)}</title><style>{style}</style>"
    )


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows under a head, numbers to the right."""
    top = "".join(f"<th>{escape(local(name))}</th>" if name else "<td></td>" for name in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{top}</tr>{lines}</table></div>'


def _cell(value: object) -> str:
    mark = " class=n" if isinstance(value, (int, float)) else ""
    return f"<td{mark}>{escape(local(str(value)))}</td>"


def signed(value: float) -> str:
    """One decimal, with its sign; 0.0 has none."""
    size = round(abs(value), 1)
    return f"{'' if size == 0 else '+' if value > 0 else '−'}{written(size, 1)}"
