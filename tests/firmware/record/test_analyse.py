"""Matches through GNU Backgammon: what it says of them, kept game by game."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.record import Played, replay
from firmware.cli import main
from firmware.formats import FormatError
from firmware.record import analyse
from firmware.record.archive import imported
from firmware.record.journal import Journal
from tests.matches import simulate

MATCH = simulate(0)
installed = pytest.mark.skipif(
    shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games") is None,
    reason="the Debian package gnubg is not installed",
)


@installed
def test_every_game_is_judged_and_what_is_kept_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [each for each in analyse.analyse(MATCH, 0, tmp_path) if isinstance(each, analyse.Analysis)]
    assert len(found) == len(MATCH.games)
    skills = analyse.total(found)
    assert all(
        skill.unforced > 0 and skill.rate > 50 for skill in skills.values()
    )  # plays at random are poor ones
    lost = {
        side: sum(choice.loss for each in found for choice in each.choices if choice.side == side)
        for side in skills
    }
    for side, skill in skills.items():
        assert lost[side] == pytest.approx(skill.errors, rel=0.05)
    monkeypatch.setattr(analyse, "find_gnubg", lambda: pytest.fail("asked gnubg again"))
    assert list(analyse.analyse(MATCH, 0, tmp_path)) == found
    sorted(tmp_path.glob("*.json"))[0].write_text("torn")
    assert analyse.kept(MATCH, 0, tmp_path).count(None) == 1
    assert analyse.kept(MATCH, 1, tmp_path) == [None] * len(MATCH.games)


def test_a_better_play_is_written_as_players_write_it() -> None:
    """gnubg gives steps in the order of the dice, one by one, without hits: 7/4 15/10, 13/10 10/5."""
    game = next(
        number
        for number, each in enumerate(MATCH.games, 1)
        if any(isinstance(action, Played) for action in each.actions)
    )
    first = next(
        moment for moment in replay(MATCH, MATCH.games[game - 1]) if isinstance(moment.action, Played)
    )
    texts = [play.text for play in first.before.position.plays()]
    assert any("*" in text for text in texts) or any(" " in text for text in texts)
    for text in texts:
        steps = " ".join(reversed(text.replace("*", "").split()))
        choice = analyse.Choice(
            game, 1, first.before.position.turn or "", (1, 2), "as gnubg has it", steps, 0.1
        )
        (told,) = analyse.reworded(analyse.Analysis({}, (choice,)), MATCH, game).choices
        assert (told.played, told.best) == (first.action.text, text)
    odd = replace(choice, move=10_000)
    assert analyse.reworded(analyse.Analysis({}, (odd,)), MATCH, game).choices == (odd,)


@installed
def test_the_command_tells_rates_and_better_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(MATCH))
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--plies", "0", "--worst", "3", "--json", "--state", str(tmp_path)])
    assert stopped.value.code == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said["players"]) == {"white", "black"}
    losses = [each["loss"] for each in said["errors"]]
    assert (len(losses), losses) == (3, sorted(losses, reverse=True))


def test_without_gnubg_the_command_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(MATCH))
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--state", str(tmp_path)])
    assert stopped.value.code == 2
    assert "apt install gnubg" in capsys.readouterr().err


FAKE = """#!{python}
import json, os, re, signal, sys, time
work = os.path.dirname(sys.argv[-1])
with open({count!r}, "a") as file:
    file.write("x")
turn = os.path.getsize({count!r})
{does}
"""


def fake(folder: Path, does: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gnubg that does this; ``turn`` counts its calls. Returns the file whose size is the number of
    calls."""
    script, count = folder / "gnubg", folder / "calls"
    script.write_text(FAKE.format(python=sys.executable, count=str(count), does=does))
    script.chmod(0o755)
    monkeypatch.setattr(analyse, "find_gnubg", lambda: str(script))
    return count


ACCOUNT = json.dumps(
    {
        "games": [
            {
                "stats": {
                    side: {
                        "moves": {"unforced-moves": 4, "error-skill": 0.5},
                        "cube": {"error-skill": 0.25},
                        "dice": {"luck": 0.125},
                    }
                    for side in "XO"
                },
                "game": [
                    {
                        "action": "move",
                        "player": "X",
                        "dice": [3, 1],
                        "move": [[24, 20]],
                        "analysis": {
                            "moves": [
                                {"move": [[8, 5], [6, 5]], "score": 0.2},
                                {"move": [[24, 20]], "score": -0.1},
                            ]
                        },
                    }
                ],
            }
        ]
    }
)
GOOD = f"open(os.path.join(work, 'out.json'), 'w').write({ACCOUNT!r})"


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "game 1: gnubg gave no analysis (it ended with signal 11)"),
        (
            "sys.exit('no such weights')",
            "game 1: gnubg gave no analysis (it ended with status 1: no such weights)",
        ),
        (
            "open(os.path.join(work, 'out.json'), 'w').write('garbage')",
            "game 1: gnubg gave no analysis (it ended with status 0)",
        ),
        ("open(os.path.join(work, 'out.json'), 'w').write('[1, 2]')", "game 1: gnubg gave no analysis"),
        (
            "open(os.path.join(work, 'out.json'), 'w').write('{\"games\": [[]]}')",
            "game 1: gnubg gave no analysis",
        ),
        (
            "open(os.path.join(work, 'out.json'), 'wb').write(bytes(range(256)))",
            "game 1: gnubg gave no analysis",
        ),
    ],
    ids=["crash", "error", "garbage", "list", "empty", "bytes"],
)
def test_a_gnubg_that_fails_is_named_with_its_game_and_the_next_game_is_tried(
    does: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = fake(tmp_path, f"if turn == 1:\n    {does}\nelse:\n    {GOOD}", monkeypatch)
    found = list(analyse.analyse(MATCH, 0, tmp_path, patience=200.0))
    assert len(found) == len(MATCH.games) == count.stat().st_size
    assert str(found[0]).startswith(said)
    assert all(isinstance(each, analyse.Analysis) for each in found[1:])
    assert [each is None for each in analyse.kept(MATCH, 0, tmp_path)] == [True] + [False] * (
        len(MATCH.games) - 1
    )


def test_a_gnubg_that_hangs_is_not_waited_for_and_the_next_game_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, "time.sleep(200)", monkeypatch)
    found = analyse.analyse(MATCH, 0, tmp_path, patience=0.5)
    for number in (1, 2):
        assert str(next(found)).startswith(
            f"game {number}: gnubg has not answered for 0.5 s; try fewer --plies"
        )


def kept_match(state: Path) -> None:
    with Journal.open(state / "journal.db") as journal:
        journal.append("g", "2026-01-31T20:15:00Z", imported(MATCH))


def test_where_gnubg_fails_at_every_game_no_figures_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(tmp_path, "sys.exit(3)", monkeypatch)
    kept_match(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--plies", "0", "--state", str(tmp_path)])
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (1, "")
    assert err.count("gnubg gave no analysis") == len(MATCH.games)


@pytest.fixture
def hearing() -> Iterator[None]:
    """Ctrl-C is heard, as at a terminal: a shell that starts this in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hearing")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept_match(tmp_path)
    count = fake(
        tmp_path,
        f"if turn == 2:\n    os.kill(os.getppid(), signal.SIGINT)\n    time.sleep(60)\nelse:\n    {GOOD}",
        monkeypatch,
    )
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--state", str(tmp_path)])
    assert stopped.value.code == 130
    assert f"1 of {len(MATCH.games)} games are done" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--json", "--state", str(tmp_path)])
    assert stopped.value.code == 0
    assert count.stat().st_size == len(MATCH.games) + 1
    assert json.loads(capsys.readouterr().out)["players"]["white"]["unforced"] == 4 * len(MATCH.games)


def test_a_game_that_failed_ends_the_command_with_1_and_the_report_has_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept_match(tmp_path)
    fake(tmp_path, f"if turn == 1:\n    sys.exit(3)\nelse:\n    {GOOD}", monkeypatch)
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", "last", "--state", str(tmp_path)])
    assert stopped.value.code == 1
    assert "barpoint: game 1: gnubg gave no analysis (it ended with status 3)" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", "last", "-o", str(tmp_path / "report.html"), "--state", str(tmp_path)])
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{len(MATCH.games) - 1} of {len(MATCH.games)} games" in html
    assert "−0.300</span> better 8/5 6/5" in html
    assert "125.0" in html  # 0.5 in 4 plays
    assert "http" not in html


def test_a_game_that_gnubg_does_not_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="icegammon"):
        list(analyse.analyse(replace(MATCH, rules="icegammon"), 0, tmp_path))
