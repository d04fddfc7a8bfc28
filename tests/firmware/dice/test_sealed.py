from pathlib import Path

import pytest

from engine.events import Begin, Commit, Event
from engine.match import Terms
from engine.session import Session
from firmware.dice.sealed import SealedHouse
from hardware.protocols import DeviceError


def test_a_forged_commitment_names_no_file(tmp_path: Path) -> None:
    """A restored journal may say anything; a digest with a path in it moved that file among the secrets."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "precious").write_bytes(b"mine")
    house, session = SealedHouse(tmp_path / "secrets", pytest.fail), Session()
    events: list[Event] = [
        Begin(t=0, rules="backgammon", terms=Terms(length=1)),
        Commit(t=0, digest="../precious"),
    ]
    for event in events:
        session, _ = session.handle(event)
    house.note(events)
    house.lay_by(session)
    with pytest.raises(DeviceError, match="commitment is no digest; roll your own dice"):
        house._secret("../precious")
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert list((tmp_path / "secrets").rglob("*")) == []
