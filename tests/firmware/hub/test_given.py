"""A match that the director gave begins at the table though its disk refuses for a moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("aiomqtt", reason="the extra hub is not installed")

from engine.session import Session
from firmware.hub import table_link
from firmware.hub.membership import Membership
from firmware.hub.messages import Assignment
from firmware.hub.table_link import TableLink
from firmware.table.change import MatchChange
from tests.firmware.desk import backgammon

GIVEN = Assignment(id="t1-1.1 Ann Bob", players=("Ann", "Bob"), length=5)


class Table:
    """A table without a match, that refuses one as often as ``refuses`` says why; then it begins."""

    def __init__(self, *refuses: str) -> None:
        self.refuses = list(refuses)
        self.begun: list[str] = []
        self.told: list[str] = []
        self.session = Session()
        self.trial = None

    def now(self) -> float:
        return 0.0

    def report_trouble(self, what: str, words: str) -> None:
        self.told.append(words)

    async def change(self, change: MatchChange) -> str | None:
        assert change.begin is not None
        if self.refuses:
            return self.refuses.pop(0)
        self.begun.append(" - ".join(change.begin.players.values()))
        return None


async def follow(table: Table, place: Path, *given: Assignment) -> TableLink:
    """A link that was given these, one after the other, and has nothing left to do."""
    membership = Membership(
        event="Club", table="Table 1", hub="h", host="", port=1, account="a", key="k", trust="t"
    )
    link = TableLink(membership, "", place, place / "journal.db", lambda: "{}", backgammon)
    link._table, link.change = table, table.change  # type: ignore[assignment]
    work = asyncio.create_task(link._begin_given())
    try:
        async with asyncio.timeout(10):
            for each in given:
                link._take_assignment(each)
                while link._given is not None:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
    finally:
        work.cancel()
        link.close()
    return link


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK", "AGAIN"):
        monkeypatch.setattr(table_link, name, 0.01)


def test_what_the_table_refuses_for_a_moment_begins_as_soon_as_it_can(tmp_path: Path) -> None:
    table = Table("disk I/O error", "disk I/O error")
    asyncio.run(follow(table, tmp_path, GIVEN))
    assert table.begun == ["Ann - Bob"]
    assert table.told == [*["the match that the director gave cannot begin: disk I/O error"] * 2, ""]


def test_what_makes_no_sense_is_not_tried_again(tmp_path: Path) -> None:
    table = Table()
    asyncio.run(follow(table, tmp_path, GIVEN.model_copy(update={"rules": "chess"})))
    assert (table.begun, len(table.told)) == ([], 1)
    assert "chess" in table.told[0]
