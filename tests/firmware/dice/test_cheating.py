"""A table that cheats: what it cannot choose, and what is found out where it tries."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import IllegalEvent
from engine.events import Begin, Button, Close, Commit, Event, Next, Pledge, Press, Reveal, Roll, Seed
from engine.match import Terms
from engine.match_state import State
from engine.position import Dice
from engine.record import MatchRecord
from engine.session import Session
from firmware.dice.sealed import PLEDGES, WORDS, SealedHouse
from firmware.record.archive import match_record
from firmware.record.chain import Entry
from firmware.record.game_faults import Fault
from firmware.record.own_words import OwnWords, find_faults
from firmware.record.verify import check_log, check_record
from hardware.dice import SealedDice, mixed
from tests.dice_players import answer, pledged
from tests.firmware.desk import backgammon, running
from tests.firmware.record.test_tampering import chained

BEGIN = Begin(t=0, rules="backgammon", terms=Terms(length=3), players={"white": "Ann", "black": "Ben"})
BOTH = {"white": "a1", "black": "b2"}


class Table:
    """An honest house, and the browsers that ``words`` names. Time stands where a test puts it."""

    def __init__(self, folder: Path, words: dict[str, str], expects: bool = False) -> None:
        self.house = SealedHouse(folder, lambda words: None, lambda: "g", lambda: expects)
        self.session, self.events, self.words = Session(), list[Event](), words

    def tell(self, event: Event) -> None:
        self._add(event)
        self.pay(event.t)

    def pay(self, t: float) -> None:
        while True:
            answers = (answer(self.session, side, words, t) for side, words in self.words.items())
            due = next((each for each in answers if each), None) or self.house.owed(self.session, t)
            if due is None:
                return
            self._add(due)

    def _add(self, event: Event) -> None:
        self.session, _ = self.session.handle(event)
        self.events.append(event)
        self.house.note([event])

    def play_out(self, games: int) -> MatchRecord:
        """So many games, each resigned after its first roll."""
        t = self.events[-1].t if self.events else 0.0
        if not self.events:
            self.tell(BEGIN)
        for _ in range(games):
            while self.session.state in (State.OPENING, State.ROLL):
                t += 10
                self.tell(Press(t=t, button=Button.ROLL, side=self.session.due))
            self.tell(Press(t=t, button=Button.RESIGN, side="white", grade="single"))
            self.tell(Press(t=t, button=Button.TAKE))
            if self.session.state is State.OVER:
                self.tell(Next(t=t))
        return self.record()

    def record(self) -> MatchRecord:
        return match_record(self.log())

    def log(self) -> list[Entry]:
        return chained([event.to_json() for event in self.events])

    def checked(self) -> str:
        return "; ".join(check_log("g", self.log()))


@contextmanager
def secrets(first: int = 1) -> Iterator[None]:
    """The device's next secrets are known."""
    numbers = iter(range(first, 250))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SealedDice, "draw", lambda: SealedDice(bytes([next(numbers)] * 32)))
        yield


def first_rolls(events: list[Event]) -> list[Dice]:
    return [event.dice for event in events if isinstance(event, Roll)]


def test_the_time_of_the_press_changes_no_roll(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.4 s of freedom, which the device wrote down itself, gave 6-5, 6-6, 3-3, 5-5, 6-6."""
    monkeypatch.setattr("firmware.table.match_at_table.new_log", lambda: "2026-01-31-abcdef")

    async def evening(place: int) -> list[Dice]:
        with secrets():
            async with running(tmp_path / str(place)) as desk:
                await asyncio.sleep(0.1 * place)
                await desk.rolled()
                return first_rolls(desk.entries())

    for place in range(3):
        (tmp_path / str(place)).mkdir()
    rolled = [asyncio.run(evening(place)) for place in range(3)]
    assert rolled[0] == rolled[1] == rolled[2]


def test_every_game_is_bound_first_then_words_are_pledged_then_told_then_the_dice_fall(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path, BOTH)
    table.play_out(3)
    kinds = (Commit, Pledge, Close, Seed, Roll, Next)
    order = [type(event) for event in table.events if isinstance(event, kinds)]
    games: list[list[type[Event]]] = [[]]
    for kind in order:
        if kind is Next:
            games.append([])
        elif kind is not Roll or Roll not in games[-1]:
            games[-1].append(kind)
    assert games == [[Commit, Pledge, Pledge, Close, Seed, Seed, Roll]] * 3
    assert "the dice of games 1, 2, 3 are proved to Ann and Ben" in table.checked()


def test_rolls_depend_on_the_match_the_game_and_each_players_words(tmp_path: Path) -> None:
    proof = Table(tmp_path, BOTH).play_out(1).games[0].proof
    assert proof is not None
    dice = SealedDice(b"s" * 32)

    def rolls(**changed: Any) -> list[Dice]:
        words = mixed(replace(proof, **changed))
        return [SealedDice(dice.secret, words, 2).roll(number, 2) for number in range(1, 9)]

    exchanged = tuple(replace(each, side=proof.given[1 - at].side) for at, each in enumerate(proof.given))
    unpledged = tuple(replace(each, pledge="") for each in exchanged)
    others = [
        rolls(match="another"),
        rolls(game=2),
        rolls(given=proof.given[:1]),
        rolls(given=proof.given[1:]),
        rolls(given=unpledged),
        rolls(given=()),
    ]
    assert all(each != rolls() for each in others)
    assert rolls(given=proof.given[::-1]) == rolls()  # whose words came first is nobody's choice


def test_a_table_and_a_player_together_cannot_wait_for_the_others_words(tmp_path: Path) -> None:
    """With bare words, whoever gives the last ones and knows the secret chooses every roll."""
    table = Table(tmp_path, {"black": "honest"})
    table.tell(BEGIN)
    commitment = table.session.table and table.session.table.commitment
    assert commitment
    table.tell(Pledge(t=1, side="white", digest=pledged(commitment, "white", "plain")))
    told = [event for event in table.events if isinstance(event, Seed)]
    assert [event.words for event in told] == ["honest"]
    for words in ("better", "best", "plain "):
        with pytest.raises(IllegalEvent, match="not the words that Ann has pledged"):
            table.session.handle(Seed(t=2, side="white", words=words))
    table.words["white"] = "plain"
    assert "proved to Ann and Ben" in (table.play_out(1) and table.checked())


def test_words_pledged_and_not_told_prove_nothing_to_anybody(tmp_path: Path) -> None:
    """Whoever knows the secret could choose between the dice with them and those without."""
    table = Table(tmp_path, {"black": "honest"})
    table.tell(BEGIN)
    assert table.session.table is not None
    assert table.session.table.commitment is not None
    digest = pledged(table.session.table.commitment, "white", "later")
    table.tell(Pledge(t=1, side="white", digest=digest))
    closed = next(event for event in table.events if isinstance(event, Close))
    table.tell(Press(t=2, button=Button.ROLL))
    assert first_rolls(table.events) == []
    table.pay(closed.t + WORDS)
    assert len(first_rolls(table.events)) == 1
    assert "not proved: words of Ann were pledged and never told" in table.checked()


@pytest.mark.parametrize(
    "late", [Pledge(t=90, side="black", digest="ab" * 32), Seed(t=90, side="black", words="x")]
)
def test_words_after_the_first_roll_do_not_count(late: Event, tmp_path: Path) -> None:
    table = Table(tmp_path, {"white": "a1"})
    table.play_out(0)
    table.tell(Press(t=30, button=Button.ROLL))
    assert "fallen already" in str(table.session.refusal(late))
    assert "proved to Ann alone: Ben gave no words" in table.checked()


def test_words_that_are_told_without_a_pledge_are_mixed_in_and_prove_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, {})
    table.tell(BEGIN)
    table.tell(Seed(t=1, side="black", words="seven come eleven"))
    record = table.play_out(1)
    assert "not proved: no player's browser gave words" in table.checked()
    assert record.games[0].proof is not None
    assert "seven come eleven" in mixed(record.games[0].proof)


def test_without_a_browser_the_dice_fall_at_once_and_are_said_to_be_unproved(tmp_path: Path) -> None:
    table = Table(tmp_path, {})
    table.tell(BEGIN)
    table.tell(Press(t=0.01, button=Button.ROLL))
    assert len(first_rolls(table.events)) == 1
    assert "not proved: no player's browser gave words, so whoever owns the table" in table.checked()


def test_an_open_page_that_gives_no_words_holds_the_first_roll_for_seconds_only(tmp_path: Path) -> None:
    table = Table(tmp_path, {}, expects=True)
    table.tell(BEGIN)
    table.tell(Press(t=0.5, button=Button.ROLL))
    assert first_rolls(table.events) == []
    table.pay(PLEDGES)
    assert len(first_rolls(table.events)) == 1


def test_dice_that_words_are_waited_for_do_not_fall_before_a_resignation_is_answered(tmp_path: Path) -> None:
    table = Table(tmp_path, {}, expects=True)
    table.tell(BEGIN)
    table.tell(Press(t=0.5, button=Button.ROLL))
    table.tell(Press(t=1, button=Button.RESIGN, side="black", grade="single"))
    table.pay(PLEDGES)
    assert table.session.state is State.RESIGNED
    assert first_rolls(table.events) == []
    table.tell(Press(t=PLEDGES + 1, button=Button.DROP, side="white"))
    assert len(first_rolls(table.events)) == 1


def test_dice_that_players_rolled_at_the_opening_do_not_hold_up_the_devices(tmp_path: Path) -> None:
    table = Table(tmp_path, {}, expects=True)
    table.tell(BEGIN)
    table.tell(Roll(t=1, dice=(5, 2)))
    assert table.session.position is not None
    table.tell(Press(t=2, button=Button.PAUSE))
    table.tell(Press(t=3, button=Button.PAUSE))
    table.tell(Press(t=4, button=Button.RESIGN, side="white", grade="single"))
    table.tell(Press(t=5, button=Button.TAKE))
    assert any(isinstance(event, Reveal) for event in table.events)


def test_a_restart_between_the_words_and_the_first_roll_gives_the_same_dice(tmp_path: Path) -> None:
    whole = Table(tmp_path, BOTH)
    with secrets():
        whole.tell(BEGIN)
    before = list(whole.events)
    whole.tell(Press(t=9, button=Button.ROLL))
    again = Table(tmp_path, {})
    for event in before:
        again.session, _ = again.session.handle(event)
    again.events = list(before)
    again.house.note(before)
    again.tell(Press(t=9, button=Button.ROLL))
    assert first_rolls(again.events) == first_rolls(whole.events)


def own(match: MatchRecord, *sides: str) -> list[OwnWords]:
    """What the browsers of these sides keep."""
    return [
        OwnWords(game.proof.match, game.proof.game, each.side, game.proof.commitment, each.words)
        for game in match.games
        if game.proof is not None
        for each in game.proof.given
        if each.side in sides
    ]


def test_a_table_that_tries_many_secrets_is_found_out_by_what_a_browser_kept(tmp_path: Path) -> None:
    """It knows the words, begins anew with other secrets until the opening is to its taste, and writes down a
    sound log. Nothing in that is wrong; only the player knows that there was another commitment."""
    words = {"black": "honest"}
    with secrets():
        seen = own(Table(tmp_path, words).play_out(1), "black")
    for first in range(2, 250):
        with secrets(first):
            table = Table(tmp_path, words)
            forged = table.play_out(1)
        if first_rolls(table.events)[0] == (6, 1):
            break
    assert first_rolls(table.events)[0] == (6, 1)
    assert "proved to Ben alone" in table.checked()
    assert find_faults(forged, own(forged, "black")) == []
    assert "game 1: your words were for another commitment" in find_faults(forged, seen)[0]


def test_a_table_that_makes_up_words_or_leaves_them_out_is_found_out(tmp_path: Path) -> None:
    honest = Table(tmp_path, BOTH).play_out(2)
    assert find_faults(honest, own(honest, "black")) == []
    mine = own(honest, "black")
    assert (
        "other words stand in the place" in find_faults(honest, [replace(mine[0], words="mine"), mine[1]])[0]
    )
    assert "not among yours" in find_faults(honest, mine[:1])[0]
    assert "not in this match" in find_faults(honest, [*mine, replace(mine[0], game=9)])[0]
    assert find_faults(honest, [replace(mine[0], match="another")]) == [
        "none of these words are for this match"
    ]
    alone = Table(tmp_path / "other", {"white": "a1"}).play_out(1)
    proof = alone.games[0].proof
    assert proof is not None
    assert (
        "your words are not in these dice"
        in find_faults(alone, [replace(mine[0], commitment=proof.commitment)])[0]
    )


def test_a_table_that_asks_too_early_and_chooses_the_others_words_is_found_out(tmp_path: Path) -> None:
    """It tells one browser that nobody can pledge any more, and then tries pledges for the other side; what
    it writes down afterwards is in order."""
    whole = Table(tmp_path, BOTH).play_out(1)
    forged = replace(whole, games=whole.games[:1])
    proof = forged.games[0].proof
    assert proof is not None
    mine = own(forged, "black")[0]
    pledges = {each.side: each.pledge for each in proof.given}
    assert find_faults(forged, [replace(mine, pledges=pledges, spoken={})]) == []
    early = {"black": pledges["black"]}
    for seen in (
        replace(mine, pledges=early, spoken={}),
        replace(mine, pledges=pledges | {"white": "ab" * 32}),
        replace(mine, pledges=pledges, spoken={"white": "hello"}),
    ):
        assert find_faults(forged, [seen]) == [
            "game 1: somebody's words were chosen after your browser had told yours"
        ]


def test_dice_of_one_match_or_game_are_none_of_another(tmp_path: Path) -> None:
    table = Table(tmp_path, BOTH)
    table.play_out(1)
    for change, fault in (({"match": "h"}, "another match, 'h'"), ({"game": 2}, "for game 2")):
        proof = table.record().games[0].proof
        assert proof is not None
        game = replace(table.record().games[0], proof=replace(proof, **change))
        with pytest.raises(Fault, match=fault):
            check_record(replace(table.record(), games=(game,)), log="g")


def test_the_button_box_alone_plays_a_match_and_verify_says_what_it_proves(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=1)) as desk:
            await desk.rolled()
            desk.buttons.press("white", Button.RESIGN)
            await desk.until(lambda: desk.session.state is State.RESIGNED)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(lambda: isinstance(desk.entries()[-1], Reveal))
            told = "; ".join(check_log(desk.device.log, desk.reader.entries(desk.device.log)))
            assert "the dice of game 1 are not proved: no player's browser gave words" in told

    asyncio.run(evening())
