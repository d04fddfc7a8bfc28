"""The doctor of a table that has joined a hub says whether the hub answers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.commands import doctor as doctor_command
from firmware.hub.membership import FILE, Membership
from firmware.hub.reached import hub_reached
from firmware.hub.table_link import TableLink
from firmware.settings.config import Config, parse
from tests.firmware.desk import backgammon

JOINED = Membership(
    event="Club", table="Table 1", hub="h", host="127.0.0.1", port=1, account="a", key="k", trust=""
)


@pytest.fixture
def answering() -> Iterator[int]:
    """The port of something that takes connections, as a broker without encryption does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def words(config: Config, state: Path) -> tuple[bool | None, str]:
    found = hub_reached(config, state)
    assert found is not None
    assert found.part == "hub"
    return found.well, found.words


def test_a_hub_that_answers_is_well(tmp_path: Path, answering: int) -> None:
    JOINED.model_copy(update={"port": answering}).save(tmp_path)
    assert words(Config(), tmp_path) == (True, f"the hub of Club answers at 127.0.0.1:{answering}")


def test_a_hub_that_does_not_answer_is_told_with_the_way_out(tmp_path: Path) -> None:
    JOINED.save(tmp_path)
    well, said = words(Config(), tmp_path)
    assert not well
    assert "the hub of Club does not answer at 127.0.0.1:1 (Connection refused)" in said
    assert "address in [hub]" in said
    path = tmp_path / "b.toml"
    path.write_text("[camera]\nkind = 'none'\n[buttons]\nfactory = 'none'\n[strip]\nkind = 'none'\n")
    result = CliRunner().invoke(doctor_command.command, ["--config", str(path), "--state", str(tmp_path)])
    assert "✗ hub " in result.output
    assert result.exit_code == 1


def test_another_address_of_the_hub_is_the_one_that_is_tried(tmp_path: Path, answering: int) -> None:
    JOINED.save(tmp_path)
    assert words(parse(f"[hub]\naddress = '127.0.0.1:{answering}'"), tmp_path)[0]


def test_where_the_hub_was_is_tried_too_whoever_announces_it_elsewhere(tmp_path: Path) -> None:
    link = TableLink(JOINED, "", tmp_path, tmp_path / "journal.db", lambda: "{}", backgammon)
    try:
        assert {str(link._place()) for _ in range(2)} == {"127.0.0.1:1"}
        link._finder.found = "192.0.2.9", 9
        assert {str(link._place()) for _ in range(2)} == {"127.0.0.1:1", "192.0.2.9:9"}
    finally:
        link.close()


def test_a_table_that_follows_no_hub_has_no_word_of_it(tmp_path: Path) -> None:
    assert hub_reached(Config(), tmp_path) is None
    JOINED.save(tmp_path)
    assert hub_reached(parse("[hub]\nfollow = false"), tmp_path) is None


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    well, said = words(Config(), tmp_path)
    assert not well
    assert "'barpoint hub join CODE' writes it anew" in said
