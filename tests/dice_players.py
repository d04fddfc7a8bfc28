"""What players' browsers do for the dice, by the documentation alone: they pledge words, and tell them when
nobody can pledge any more."""

import hashlib

from engine.events import Event, Pledge, Seed
from engine.layout import Side
from engine.session import Session


def pledged(commitment: str, side: Side, words: str) -> str:
    return hashlib.sha256(f"{commitment} {side} {words}".encode()).hexdigest()


def answer(session: Session, side: Side, words: str, t: float) -> Event | None:
    """What the browser of ``side`` sends now; None where nothing is due."""
    table = session.table
    if table is None or table.commitment is None or table.drawn:
        return None
    if side not in dict(table.pledges):
        digest = pledged(table.commitment, side, words)
        return None if table.closed else Pledge(t=t, side=side, digest=digest)
    if table.closed and side not in dict(table.told):
        return Seed(t=t, side=side, words=words)
    return None
