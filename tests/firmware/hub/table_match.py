"""A match as a table's journal has it, played to its end in five events and signed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.events import Begin, Button, Correct, Event, Key, Press, Roll, Sign
from engine.match import Terms
from engine.session import Session
from firmware.hub.messages import Line
from firmware.hub.store import NewEntry
from firmware.record.chain import GENESIS, Entry, canonical, link
from firmware.record.signed import sign
from firmware.record.table_key import TableKey
from tests.firmware.hub.club import Club

KEY = TableKey(Ed25519PrivateKey.from_private_bytes(b"\3" * 32))
START = datetime(2026, 11, 22, 19, 0, tzinfo=UTC)


def chained(match: str, events: list[Event]) -> list[Entry]:
    entries: list[Entry] = []
    before = GENESIS
    for number, event in enumerate(events):
        body, at = event.to_json(), (START + timedelta(seconds=number)).isoformat()
        before = link(before, match, number, at, canonical(body))
        entries.append(Entry(match, number, at, json.loads(canonical(body)), before))
    return entries


def journal(
    match: str,
    players: tuple[str, str],
    score: tuple[int, int],
    competition: str,
    place: str,
    length: int,
    signed: bool = True,
) -> list[Entry]:
    """``players`` are White and Black; the higher of the ``score`` wins by a resignation."""
    white_wins = score[0] > score[1]
    loser, winner = ("black", "white") if white_wins else ("white", "black")
    before = (score[0] - white_wins, score[1] - (not white_wins))
    names = dict(zip(("white", "black"), players, strict=True))
    terms = Terms(length=length)
    events: list[Event] = [
        Begin(t=0, rules="backgammon", players=names, terms=terms, competition=competition, place=place),
        *([Key(t=0, key=KEY.public)] if signed else []),
        Correct(t=1, score=before),
        Roll(t=2, dice=(6, 1), side="white"),
        Press(t=3, button=Button.RESIGN, side=loser),
        Press(t=4, button=Button.TAKE, side=winner),
    ]
    session = Session()
    for event in events:
        session, _ = session.handle(event)
    if signed:
        made = sign(match, chained(match, events), KEY, "")
        events.append(Sign(t=90, record=made.record, moves=made.moves, signature=made.signature))
    return chained(match, events)


def tell(club: Club, table: str, entries: list[Entry], length: int, score: tuple[int, int]) -> None:
    """The table says it to the hub: its entries, and what it shows."""
    match = entries[0].game
    board = club.store.board(club.hub.event, table)
    assert board is not None
    lines = [Line(number=e.number, at=e.at, body=canonical(e.body), digest=e.digest.hex()) for e in entries]
    shows = {
        "state": "ended" if max(score) >= length else "play",
        "match": {"length": length, "game": 1},
        "score": dict(zip(("white", "black"), score, strict=True)),
    }

    async def come() -> None:
        await club.hub.in_store(club.store.keep, [NewEntry(board.id, match, line) for line in lines])
        club.hub.live.change(table, match=match, shows=shows)
        for listener in club.hub.kept_listeners:
            listener(table, match, entries[-1].number)

    club.call(come())
