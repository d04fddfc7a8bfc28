"""What may be done now, as data: buttons and page ask instead of knowing.

Every action of every side is listed, the refused ones with the reason, so that a page can say why a button is
grey.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.events import Button, Choose, Condone, Next, Roll
from engine.layout import Side
from engine.match_state import MatchState, State
from engine.position import Json
from engine.rolls import dice_due
from engine.session import EVENTS, PRESSES, Rule, Session


class PossibleAction(NamedTuple):
    """One thing that a side might do. ``reason`` is None where it may; ``arguments`` are the values that it
    may then be given."""

    name: str
    reason: str | None
    arguments: Json

    @property
    def allowed(self) -> bool:
        """Whether it may be done now."""
        return self.reason is None

    def to_json(self) -> Json:
        """Plain data for the page."""
        return {
            "action": self.name,
            "allowed": self.allowed,
            "reason": self.reason,
            "arguments": self.arguments,
        }


_NAMED: tuple[tuple[str, Rule], ...] = (
    *((button.value, rule) for button, rule in PRESSES.items()),
    (f"{Roll.name} by hand", EVENTS[Roll]),
    *((kind.name, EVENTS[kind]) for kind in (Choose, Condone, Next)),
)
"""What a player may cause, by name: every button, then other events."""


def legal_actions(session: Session, side: Side) -> tuple[PossibleAction, ...]:
    """Every button, then every other event that a player may cause, for ``side``."""
    table, state, words = session.table and session.table.settled, session.state, session.waiting
    if table is None:
        return tuple(PossibleAction(name, words, {}) for name, _ in _NAMED)
    return tuple(_action(table, state, side, name, rule, words) for name, rule in _NAMED)


def _action(table: MatchState, state: State, side: Side, name: str, rule: Rule, words: str) -> PossibleAction:
    if name == Button.DONE and state is State.OVER:
        return PossibleAction(name, None, {})
    reason = words if state not in rule.states else rule.guard(table, side)
    arguments = {} if reason is not None else _arguments(table, side, name)
    if arguments == {"dice": 0}:  # what stands ends the game, or none are rolled in it
        return PossibleAction(name, words, {})
    return PossibleAction(name, reason, arguments)


def _arguments(table: MatchState, side: Side, name: str) -> Json:
    if name == Button.RESIGN:
        return {"grades": [kind for kind, _ in table.rules.grades]}
    if name == f"{Roll.name} by hand":
        return {"dice": dice_due(table)}
    if name == Button.UNDO:
        return {"dice": True} if table.pending is None and table.back is None else {}
    if name == Button.DOUBLE:
        offer = table.cube.offer
        return {"stake": (table.cube.value if offer is None else offer.taken) * 2}
    if name == Choose.name and table.pending is not None:
        return {"plays": list(table.pending.candidates)}
    return {}
