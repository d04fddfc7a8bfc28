"""Two plays between which the board was not seen at rest: players are quick, and hands lie over it.

After both of them the first player's pieces stand as the first play left them, but for blots that the second
play hit. So the first plays are those that fit what is seen of that side alone, and the judge says of each
what the other side can have played from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.evidence import Evidence
from engine.infer import rolls
from engine.layout import Look, Side, name_parts
from engine.position import Awaits, Play, Position, Rules
from firmware.transcribe import plays
from firmware.transcribe.plays import PLAY, POOR, Step
from firmware.transcribe.turns import Kind

FIRSTS = 12
"""First plays that are thought of, at most."""


def pairs(position: Position, evidence: Evidence, rules: Rules) -> Iterator[tuple[Step, Step]]:
    """Two plays, one of each side, that may have led to what is seen, with all that the rolls allow."""
    for side in plays.movers(position, rules):
        own = _before(evidence, side, position.stock())
        likely: dict[Position, tuple[float, Play]] = {}
        for rolled in rolls(position, side).values():
            for score, play in rolled.nearest(own, FIRSTS, enough=-POOR):
                if score > -POOR and play.steps and play.after.awaits is not Awaits.NOTHING:
                    likely[play.after] = score, play
        for _, play in sorted(likely.values(), key=lambda each: -each[0])[:FIRSTS]:
            by = plays.explaining(position, side, play.after)
            first = Step(Kind.PLAYED, side, by, play.text, play.after, PLAY)
            for second in plays.plays(play.after, evidence, rules):
                if second.kind is Kind.PLAYED:
                    yield first, second


def _before(evidence: Evidence, side: Side, stock: Mapping[str, int]) -> Evidence:
    """What is seen of one side's pieces, as they stood before the other side moved: where none of them is
    seen nothing is known of the other's, and where some of the other's are, a blot may have been hit."""
    cells: dict[str, Mapping[Look, float]] = {}
    for cell, looks in evidence.cells.items():
        kind, owner = name_parts(cell)
        if kind == "bar" or (kind == "off" and owner != side):
            continue
        scores: dict[Look, float] = {}
        for look, score in looks.items():
            number = look.count(side)
            each: list[Look] = [(side,) * number]
            if not number:
                others = (other for other in stock if other != side)
                each += [(other,) * count for other in others for count in range(1, stock[other] + 1)]
            if look and not number:
                each.append((side,))
            for one in each:
                scores[one] = max(score, scores.get(one, evidence.floor))
        cells[cell] = scores
    return Evidence(cells, evidence.floor, evidence.caution)
