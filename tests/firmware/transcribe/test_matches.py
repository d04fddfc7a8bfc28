"""Whole matches by made-up sightings: several games, the board set up between them, the Crawford game, the
score. No tray is in view, so what is borne off is only gone."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

from engine import rules as games
from engine.evidence import Evidence
from engine.layout import Looks, Side
from engine.match import Match, Terms
from engine.position import Awaits, Dice, Position, Rules
from firmware import formats
from firmware.languages.choice import reading
from firmware.transcribe import settling_page
from firmware.transcribe.follower import follow
from firmware.transcribe.job import Job
from firmware.transcribe.report import pages
from firmware.transcribe.settling_page import keep
from firmware.transcribe.sighting import Face, Sighting
from firmware.transcribe.transcript import Transcript, transcribed
from firmware.transcribe.turns import Answers, Choice
from firmware.transcribe.work_folder import WorkFolder

PLAYERS = ("Ada", "Bob")


@dataclass
class Filmed:
    """A match that is played before a camera; ``turns`` and ``results`` are what really happened."""

    rules: Rules
    rng: random.Random
    seen: list[Sighting] = field(default_factory=list)
    faces: tuple[Face, ...] = ()
    turns: list[tuple[Side | None, Dice, Position]] = field(default_factory=list)
    results: list[tuple[Side | None, int, bool]] = field(default_factory=list)

    def look(self, looks: Looks) -> None:
        number = len(self.seen)
        shown = {cell: look for cell, look in looks.items() if not cell.startswith("off.")}
        self.seen.append(Sighting(2.0 * number, Evidence.certain(shown), self.faces, f"{number:03d}.jpg"))

    def throw(self, dice: Dice) -> None:
        """Two dice fall, somewhere else than the last."""
        shift = 1.5 * (len(self.seen) % 13)
        self.faces = tuple(
            Face(value, (20.0 + 5 * place + shift, 20.0 - shift), "white") for place, value in enumerate(dice)
        )

    def play(self, until: int = 10_000) -> Position:
        """One game, or so many turns of it."""
        position, first = self.rules.start(self.rules.options), len(self.turns)
        self.look(position.looks())
        while position.awaits is not Awaits.NOTHING and len(self.turns) - first < until:
            position = self.turn(position)
        return position

    def turn(self, position: Position) -> Position:
        """A roll and its play."""
        while True:
            dice = (self.rng.randint(1, 6), self.rng.randint(1, 6))
            rolled = position.roll(dice)
            if rolled.awaits is Awaits.PLAY:
                break
        self.throw(dice)
        self.look(position.looks())
        after = self.rng.choice(rolled.plays()).after
        if after.looks() != position.looks():
            self.look(after.looks())
        self.turns.append((rolled.turn, dice, after))
        return after

    def set_up(self) -> None:
        """The dice are taken away, and the checkers put back, some at a time."""
        self.faces = ()
        start = self.rules.start(self.rules.options).looks()
        cells = [cell for cell in start if start[cell]]
        for part in range(1, 3):
            kept = {*self.rng.sample(cells, part * len(cells) // 3)}
            self.look({cell: look if cell in kept else () for cell, look in start.items()})

    def match(self, terms: Terms) -> Match:
        """Game after game, until somebody has won."""
        match = Match.begin(terms, self.rules.sides)
        while match.winner is None:
            outcome = self.play().outcome
            assert outcome is not None
            self.results.append((outcome.winner, outcome.points, match.crawford))
            match = match.award(outcome.winner, outcome.points).next(tie=False)
            self.set_up()
        return match


def told(filmed: Filmed, terms: Terms, answers: Answers | None = None) -> Transcript:
    """What is made of it."""
    said = answers or Answers()
    return transcribed(filmed.rules, follow(filmed.rules, filmed.seen, said), terms, PLAYERS, said)


def wrong(filmed: Filmed, found: Transcript) -> list[object]:
    """The turns that are told surely, and were not played so."""
    played = [(side, sorted(dice), after.looks()) for side, dice, after in filmed.turns]
    turns = [turn for game in found.games for turn in game.turns]
    assert [turn.after.looks() for turn in turns] == [looks for _, _, looks in played]
    return [
        turn.move
        for turn, true in zip(turns, played, strict=True)
        if turn.sure and (turn.side, sorted(turn.dice), turn.after.looks()) != true
    ]


def test_a_match_of_several_games_with_a_crawford_game() -> None:
    terms = Terms(length=4)
    filmed = Filmed(games.get("hypergammon"), random.Random(3))
    match = filmed.match(terms)
    assert len(filmed.results) >= 3
    assert any(crawford for *_, crawford in filmed.results)
    found = told(filmed, terms)
    assert found.match.score == match.score
    assert [
        (game.record.result.winner, game.record.result.points, game.record.crawford)
        for game in found.games
        if game.record.result is not None
    ] == filmed.results
    assert not wrong(filmed, found)
    assert not found.unknown
    assert len(found.doubts) <= 0.02 * len(filmed.turns)
    again = formats.read(formats.write(found.match, "json")).record
    assert again.score == match.score


def after_three_plays(rules: Rules) -> Position:
    """A game that goes on, as a film may come back to it."""
    position = rules.start({})
    for dice in ((6, 5), (4, 3), (2, 1)):
        position = position.roll(dice).plays()[0].after
    return position


def test_a_board_that_is_found_after_a_games_end_is_of_another_game() -> None:
    filmed = Filmed(games.get("hypergammon"), random.Random(3))
    filmed.play()
    position = after_three_plays(filmed.rules)
    filmed.faces = ()
    for _ in range(4):
        filmed.look(position.looks())
        if position.awaits is not Awaits.NOTHING:
            position = filmed.turn(position)
    first, second = told(filmed, Terms()).games
    assert not first.unknown
    assert second.unknown
    assert second.record.start is not None


def test_a_board_that_has_fewer_borne_off_is_of_another_game() -> None:
    """The film comes back in the midst of the next game: it was the same one, with a part missing."""
    filmed = Filmed(games.get("hypergammon"), random.Random(3))
    position = filmed.play(until=1)
    while max(len(position.looks()[cell]) for cell in ("off.white", "off.black")) < 2:
        position = filmed.turn(position)
    position = after_three_plays(filmed.rules)
    filmed.faces = ()
    for _ in range(4):
        filmed.look(position.looks())
        position = filmed.turn(position)
    found = told(filmed, Terms())
    first, second = found.games
    assert first.unknown
    assert not first.last
    assert second.record.start is not None
    assert sum("game 2: what was played from" in note for note in found.notes) == 1


def test_a_game_that_nobody_finished_is_asked_about_and_the_score_goes_on() -> None:
    terms = Terms(length=3)
    filmed = Filmed(games.get("backgammon"), random.Random(5))
    filmed.play(until=4)
    filmed.set_up()
    filmed.play(until=3)
    found = told(filmed, terms)
    assert [(game.number, game.last) for game in found.unknown] == [(1, False), (2, True)]
    assert found.games[1].record.score == (0, 0)
    nameless = replace(found.match, players=("white", "black"))
    games_ = [
        replace(game, turns=tuple(replace(turn, settled=True) for turn in game.turns)) for game in found.games
    ]
    with reading("de"):
        asked = settling_page.page(replace(found, match=nameless, games=tuple(games_)))
    assert "Weiß gewinnt, 1 Punkt<" in asked
    assert asked.count(" required>") == 8, "pressed without a choice, the browser says so"
    said = told(filmed, terms, Answers(results={1: ("black", 2), 2: None}))
    assert not said.unknown
    assert said.games[1].record.score == (0, 2)
    assert said.games[1].record.crawford
    assert not wrong(filmed, said)
    written = formats.read(formats.write(said.match, "mat")).record
    assert [game.score for game in written.games] == [(0, 0), (0, 2)]


def test_how_a_game_ended_that_the_film_does_not_end_is_asked(tmp_path: Path) -> None:
    filmed = Filmed(games.get("backgammon"), random.Random(5))
    filmed.play(until=5)
    folder = WorkFolder(tmp_path)
    job = Job(SimpleNamespace(name="evening.mp4"), filmed.rules, folder)

    def found() -> Transcript:
        return told(filmed, Terms(length=3), folder.answers())

    assert "Not seen: how game 1 went on" in (found().match.comment or "")
    assert "the film ends before the game does" in "".join(pages(found(), lambda name: None))
    settled = Answers(plays={turn.key: Choice(turn.dice, turn.move) for _, turn in found().doubts})
    folder.save_answers(settled)
    asked = settling_page.page(found())
    assert "The film ends before game 1 does" in asked
    assert asked.count(" required>") == 9
    assert "went on" in asked
    assert keep(job, {"game": "1", "result": "white x"}), "no answer"
    assert found().open == 1
    assert not keep(job, {"game": "1", "result": "on"})
    assert (found().open, found().games[0].record.result) == (0, None)
    assert not keep(job, {"game": "1", "result": "black 2"})
    assert (found().open, found().match.score) == (0, (0, 2))


def test_a_board_that_is_set_up_as_the_film_ends_ends_a_game() -> None:
    filmed = Filmed(games.get("backgammon"), random.Random(5))
    filmed.play(until=4)
    filmed.set_up()
    filmed.look(filmed.rules.start(filmed.rules.options).looks())
    assert [(game.number, game.last) for game in told(filmed, Terms()).unknown] == [(1, False)]
