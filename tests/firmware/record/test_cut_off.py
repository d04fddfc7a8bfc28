"""Commands that are killed in the middle. ``tests/bench/kill_commands.py`` does it at random moments too."""

from pathlib import Path

from tests.bench.kill_commands import Families


def test_a_restore_that_is_cut_off_anywhere_has_happened_or_has_not(tmp_path: Path) -> None:
    families = Families(tmp_path)
    restore, rest = families.commands[0], families.commands[1:]
    done, touches, wrong = False, 0, list[str]()
    while not done:
        touches += 1
        done, found = families.tried(restore, tmp_path / "killed", at=touches)
        wrong += found
    for command in rest:
        wrong += families.tried(command, tmp_path / "killed", at=3)[1]
    assert not wrong
    assert touches > 10
