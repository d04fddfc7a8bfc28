from pathlib import Path
from typing import NoReturn

import pytest

from engine.events import Begin, Button, Close, Commit, Event, Press, Roll
from engine.match import Terms
from engine.session import Session
from firmware.dice.sealed import LEFT, SealedHouse
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


@pytest.mark.parametrize("folder", ["", LEFT])
def test_a_secret_that_the_disk_does_not_give_is_not_gone_and_is_read_when_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    told: list[str] = []
    house, session = SealedHouse(tmp_path, told.append), Session()
    session, _ = session.handle(Begin(t=0, rules="backgammon", terms=Terms(length=1)))
    commit = house.owed(session, 0)
    assert isinstance(commit, Commit)
    session, _ = session.handle(commit)
    session, _ = session.handle(Press(t=1, button=Button.ROLL))
    house.note([commit, Close(t=1)])
    session, _ = session.handle(Close(t=1))
    if folder:
        house.lay_by(session)
    read_bytes, exists = Path.read_bytes, Path.exists

    def hangs(path: Path) -> NoReturn:
        raise OSError(5, "Input/output error", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", lambda path: hangs(path) if exists(path) else read_bytes(path))
        patch.setattr(Path, "exists", hangs)
        assert house.owed(session, 2) is None
        assert "cannot be read now" in told[-1]
        assert "Input/output error" in told[-1]
    assert isinstance(house.owed(session, 3), Roll)
    assert told[-1] == ""
    (tmp_path / folder / commit.digest).unlink()
    assert house.owed(session, 4) is None
    assert "secret is gone" in told[-1]
