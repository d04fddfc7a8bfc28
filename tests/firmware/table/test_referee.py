"""The referee: what devices report becomes events, written down before they are shown."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.clock import Control, Penalty, Timing
from engine.effects import Judged
from engine.events import Begin, Button, Correct, Moves, Next, Press, Tick
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import State
from engine.position import Play
from engine.rules import get
from firmware.record.chain import BrokenChain
from firmware.record.journal import Journal
from firmware.record.verify import check_log
from firmware.table.news import News
from firmware.table.referee import STALE, Blind, Fell, Referee, restore
from hardware.protocols import Agreed, DeviceLost, Frame, Pressed
from hardware.simulated import ScriptedDice

START = get("backgammon").start({})
OPENED = START.roll((1, 3))
PLAYED = OPENED.find("24/20")
"""A legal play of black's 3-1."""


class Script:
    """Eyes that see what they are told to, picture by picture; None is a hand."""

    def __init__(self) -> None:
        self.seen: Evidence | None = Evidence.certain(START.looks())

    def look(self, frame: Frame) -> Evidence | None:
        return self.seen


class Bench:
    """A referee with everything around it in reach."""

    def __init__(
        self,
        path: Path,
        moves: Moves = Moves.LEGAL,
        clock: Control | None = None,
        terms: Terms | None = None,
    ) -> None:
        self.eyes: Script = Script()
        self.dice = ScriptedDice()
        self.news: list[News] = []
        self.journal = Journal.open(path)
        self.written: list[int] = []
        self.referee = Referee(self.journal, "g", self.eyes, self.dice, watchers=[self.watch])
        self.referee.begin(
            Begin(t=0, rules="backgammon", moves=moves, clock=clock or Control(), terms=terms or Terms())
        )

    def watch(self, news: News) -> None:
        self.news.append(news)
        self.written.append(len(self.journal.entries("g")))

    def picture(self, t: float, seen: Evidence | None) -> None:
        self.eyes.seen = seen
        self.referee.take(Frame(t, f"{t}", np.zeros((1, 1, 3), np.uint8)))

    def verdicts(self) -> list[str]:
        return [effect.verdict for news in self.news for effect in news.effects if isinstance(effect, Judged)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "journal.db")
    made.referee.take(Fell(1, (1, 3), "black"))
    return made


def done(t: float) -> Pressed:
    return Pressed(t, "black", Button.DONE)


def sees(play: Play) -> Evidence:
    return Evidence.certain(play.after.looks())


def test_done_judges_the_last_picture_at_rest(bench: Bench) -> None:
    bench.picture(2, sees(PLAYED))
    bench.referee.take(done(3))
    assert bench.verdicts() == ["legal"]
    assert bench.referee.session.state is State.ROLL


def test_done_with_a_hand_over_the_board_waits_until_it_is_gone(bench: Bench) -> None:
    bench.picture(2, None)
    bench.referee.take(done(3))
    assert bench.verdicts() == []
    bench.picture(4, None)
    assert bench.verdicts() == []
    bench.picture(5, sees(PLAYED))
    assert bench.verdicts() == ["legal"]


def test_the_picture_from_before_the_hand_is_never_judged(bench: Bench) -> None:
    bench.picture(2, Evidence.certain(START.looks()))
    bench.picture(3, None)
    bench.referee.take(done(4))
    bench.referee.settle()
    assert bench.verdicts() == ["unsure"]


def test_a_done_that_waits_is_settled_before_anything_else_happens(bench: Bench) -> None:
    bench.picture(2, None)
    bench.referee.take(done(3))
    bench.referee.take(Pressed(4, "black", Button.PAUSE))
    assert bench.verdicts() == ["unsure"]
    assert bench.referee.session.state is State.PAUSED


@pytest.mark.parametrize("penalty", [Penalty.GAME, Penalty.MATCH])
def test_a_done_that_waits_while_time_runs_out_is_refused_when_hands_leave(
    tmp_path: Path, penalty: Penalty
) -> None:
    """It was judged for the game that had ended by then, where *done* means the next game."""
    clock = Control(Timing.BRONSTEIN, 0.0, 10.0, penalty)
    bench = Bench(tmp_path / "journal.db", clock=clock)
    bench.referee.take(Fell(1, (1, 3), "black"))
    bench.picture(2, None)
    bench.referee.take(done(3))
    bench.referee.take(Tick(t=30))
    ended = bench.referee.session
    assert ended.state in (State.OVER, State.ENDED)
    bench.picture(31, sees(PLAYED))
    assert bench.referee.session is ended
    assert bench.news[-2].refused == STALE
    assert bench.verdicts() == []


def test_a_foul_that_is_mended_under_the_camera_goes_dark_before_done_is_pressed(bench: Bench) -> None:
    foul = dict(START.looks()) | {"p1": ("black",), "p7": ("black",)}
    bench.picture(2, Evidence.certain(foul))
    bench.referee.take(done(3))
    assert bench.referee.session.state is State.FOUL
    bench.picture(4, sees(PLAYED))
    assert bench.referee.session.state is State.PLAY
    bench.referee.take(done(5))
    assert bench.verdicts() == ["illegal", "legal"]


def test_the_roll_button_draws_the_dice_that_are_due(bench: Bench) -> None:
    bench.picture(2, sees(PLAYED))
    bench.referee.take(done(3))
    bench.dice.load((6, 5))
    bench.referee.take(Pressed(4, "white", Button.ROLL))
    assert bench.referee.session.table is not None
    assert bench.referee.session.table.dice == (6, 5)


def test_dice_that_cannot_be_had_stop_the_roll_and_can_be_asked_for_again(bench: Bench) -> None:
    bench.picture(2, sees(PLAYED))
    bench.referee.take(done(3))
    with pytest.raises(DeviceLost):
        bench.referee.take(Pressed(4, "white", Button.ROLL))
    assert bench.referee.session.state is State.ROLLING
    bench.referee.take(Fell(5, (6, 5), "white"))
    assert bench.referee.session.state is State.PLAY


def test_a_refused_button_is_told_and_neither_written_nor_obeyed(bench: Bench) -> None:
    before, length = bench.referee.session, len(bench.journal.entries("g"))
    bench.referee.take(Pressed(2, "white", Button.TAKE))
    assert bench.news[-1].refused is not None
    assert bench.referee.session is before
    assert len(bench.journal.entries("g")) == length


def test_an_event_is_in_the_journal_before_anybody_is_told(bench: Bench) -> None:
    bench.picture(2, sees(PLAYED))
    bench.referee.take(done(3))
    told = [
        (news, written)
        for news, written in zip(bench.news, bench.written, strict=True)
        if news.event is not None
    ]
    for number, (news, written) in enumerate(told):
        assert news.event is not None
        assert bench.journal.entries("g")[number].body == news.event.to_json()
        assert written == number + 1


def test_pictures_that_change_nothing_are_not_written(bench: Bench) -> None:
    length = len(bench.journal.entries("g"))
    for t in range(2, 12):
        bench.picture(t, Evidence.certain(START.looks()))
    assert len(bench.journal.entries("g")) == length


def test_replaying_the_journal_gives_the_very_session(bench: Bench) -> None:
    bench.picture(2, sees(PLAYED))
    bench.referee.take(done(3))
    bench.referee.take(Pressed(4, "white", Button.DOUBLE))
    assert restore("g", bench.journal.entries("g")) == bench.referee.session


def test_an_entry_that_cannot_have_happened_stops_the_replay_where_it_stands(bench: Bench) -> None:
    bench.journal.append("g", "2026-01-31T20:15:00Z", Press(t=2, button=Button.TAKE, side="white").to_json())
    with pytest.raises(BrokenChain) as caught:
        restore("g", bench.journal.entries("g"))
    assert caught.value.number == 2


def test_a_full_disk_leaves_the_session_where_it_was(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bench.referee.session

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(bench.journal, "append", full)
    told = len(bench.news)
    with pytest.raises(OSError, match="no space"):
        bench.referee.take(Pressed(2, "black", Button.RESIGN))
    assert bench.referee.session is before
    assert len(bench.news) == told


def test_a_score_that_is_set_between_games_leaves_the_crawford_game_to_the_next(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "journal.db", terms=Terms(length=3))
    for stimulus in (
        Fell(1, (1, 3), "black"),
        Press(t=2, button=Button.RESIGN, side="black", grade="single"),
        Pressed(3, "white", Button.TAKE),
        Correct(t=4, score=(2, 0), actor="page"),
        Pressed(5, "white", Button.TAKE),
        Pressed(6, "black", Button.TAKE),
        Next(t=9),
    ):
        bench.referee.take(stimulus)
    table = bench.referee.session.table
    assert table is not None
    assert (table.match.score, table.match.crawford) == ((2, 0), True)
    assert "1 score set by hand" in check_log("g", bench.journal.entries("g"))


def test_watchers_are_called_in_their_order(tmp_path: Path) -> None:
    called: list[str] = []

    def named(name: str) -> Callable[[News], None]:
        return lambda news: called.append(name)

    with Journal.open(tmp_path / "j.db") as journal:
        Referee(journal, "g", Script(), ScriptedDice(), watchers=[named("one"), named("two")]).begin(
            Begin(t=0, rules="backgammon")
        )
    assert called == ["one", "two"]


def test_both_holding_done_settle_a_doubtful_play_on_the_likeliest(bench: Bench) -> None:
    hidden = {
        cell: look
        for cell, look in PLAYED.after.looks().items()
        if PLAYED.after.looks()[cell] == START.looks()[cell]
    }
    bench.picture(2, Evidence.certain(hidden))
    bench.referee.take(done(3))
    table = bench.referee.session.table
    assert table is not None
    assert table.pending is not None
    assert table.state is State.ASKED
    bench.referee.take(Agreed(4))
    assert bench.referee.session.state is State.ROLL
    assert bench.news[-1].session.table is not None
    assert bench.news[-1].session.table.moves[-1].move == table.pending.candidates[0]


@pytest.mark.parametrize(("moves", "state"), [(Moves.LEGAL, State.FOUL), (Moves.RESPONSIBLE, State.ROLL)])
def test_both_holding_done_let_a_foul_stand_where_that_was_agreed(
    tmp_path: Path, moves: Moves, state: State
) -> None:
    bench = Bench(tmp_path / "journal.db", moves)
    bench.referee.take(Fell(1, (1, 3), "black"))
    bench.picture(2, Evidence.certain(dict(START.looks()) | {"p1": ("black",), "p7": ("black",)}))
    bench.referee.take(done(3))
    bench.referee.take(Agreed(4))
    assert bench.referee.session.state is state
    assert (bench.news[-1].refused is None) is (state is State.ROLL)


def test_both_holding_done_with_nothing_to_agree_on_is_refused(bench: Bench) -> None:
    before = bench.referee.session
    bench.referee.take(Agreed(4))
    assert bench.referee.session is before
    assert bench.news[-1].refused is not None


class Watched(Script):
    """Eyes on a live camera, which saw the board last at ``seen``."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0.0
        self.wanted: list[float] = []

    def last_seen(self, name: str) -> float:
        return self.last

    def want(self, t: float) -> None:
        self.wanted.append(t)


@pytest.fixture
def watched(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "journal.db")
    made.eyes = Watched()
    made.referee = Referee(made.journal, "w", made.eyes, made.dice, watchers=[made.watch])
    made.referee.begin(Begin(t=0, rules="backgammon"))
    made.referee.take(Fell(1, (1, 3), "black"))
    return made


def last_seen(bench: Bench, t: float) -> list[float]:
    assert isinstance(bench.eyes, Watched)
    bench.eyes.last = t
    return bench.eyes.wanted


def test_done_is_judged_at_once_by_a_board_that_was_seen_just_now(watched: Bench) -> None:
    watched.picture(2, sees(PLAYED))
    last_seen(watched, 29.7)
    watched.referee.take(done(30))
    assert watched.verdicts() == ["legal"]


def test_what_was_played_since_the_last_picture_is_not_missed(watched: Bench) -> None:
    """A busy machine gives few pictures: half a second before *done* nothing had moved."""
    watched.picture(29.4, Evidence.certain(START.looks()))
    watched.referee.take(done(30))
    assert watched.verdicts() == []
    watched.picture(30.2, sees(PLAYED))
    assert watched.verdicts() == ["legal"]


def test_a_loose_camera_accuses_nobody(watched: Bench) -> None:
    """Before the ribbon came loose, nothing had moved; then black played legally."""
    watched.picture(2, Evidence.certain(START.looks()))
    wanted = last_seen(watched, 20)
    watched.referee.take(done(30))
    assert (watched.verdicts(), wanted) == ([], [29.6])
    watched.referee.take(Tick(t=31))
    assert "waits for a new picture" in watched.news[-1].waits
    watched.referee.take(Blind(33))
    watched.referee.take(Tick(t=34))
    assert watched.verdicts() == []
    watched.referee.take(Tick(t=35))
    assert watched.verdicts() == ["unsure"]
    assert watched.referee.session.state is State.ASKED


def test_a_done_that_waited_is_judged_by_the_new_picture(watched: Bench) -> None:
    watched.picture(2, Evidence.certain(START.looks()))
    last_seen(watched, 20)
    watched.referee.take(done(30))
    watched.picture(28.5, Evidence.certain(START.looks()))
    assert watched.verdicts() == []
    watched.picture(30.2, sees(PLAYED))
    assert watched.verdicts() == ["legal"]


def test_a_picture_from_before_the_dice_is_never_judged(watched: Bench) -> None:
    watched.picture(0.8, sees(PLAYED))
    wanted = last_seen(watched, 0.9)
    watched.referee.take(done(1.3))
    assert (watched.verdicts(), wanted) == ([], [1])
    watched.picture(1.4, sees(PLAYED))
    assert watched.verdicts() == ["legal"]


def test_a_hand_may_stay_longer_than_a_camera_may_be_away(watched: Bench) -> None:
    watched.picture(2, None)
    watched.referee.take(done(3))
    watched.referee.take(Tick(t=60))
    assert watched.verdicts() == []
    watched.picture(61, sees(PLAYED))
    assert watched.verdicts() == ["legal"]


def test_a_done_that_waits_for_a_hand_says_so_once_the_hand_stays(watched: Bench) -> None:
    watched.picture(2, None)
    watched.referee.take(done(3))
    watched.referee.take(Tick(t=3.5))
    assert not any(news.waits for news in watched.news)
    watched.referee.take(Tick(t=4.5))
    assert "no hand is over it" in watched.news[-1].waits
    watched.referee.take(done(5))
    assert watched.verdicts() == ["unsure"]


def test_a_replay_asks_where_the_table_asked(watched: Bench, bench: Bench) -> None:
    """What the recording keeps of it: the camera was blind, twice, around *done*."""
    watched.picture(2, Evidence.certain(START.looks()))
    last_seen(watched, 20)
    watched.referee.take(done(30))
    watched.referee.take(Tick(t=36))
    blind = [news.t for news in watched.news if news.moving]
    assert blind == [30, 36]
    bench.picture(2, Evidence.certain(START.looks()))
    for stimulus in (Blind(30), done(30), Blind(36)):
        bench.referee.take(stimulus)
    bench.picture(50, sees(PLAYED))
    assert bench.verdicts() == watched.verdicts() == ["unsure"]
