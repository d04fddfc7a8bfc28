"""Doubles, takes and drops by made-up sightings: where the cube lies when, and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import rules as games
from engine.cube import Cube
from engine.layout import Side
from engine.match import Match, Terms
from engine.position import Awaits, Position
from engine.record import Doubled, Dropped, Taken
from firmware import formats
from firmware.transcribe.cube_track import cube_track
from firmware.transcribe.doubles import Answer
from firmware.transcribe.follower import follow
from firmware.transcribe.report import pages
from firmware.transcribe.settling_page import keep, page
from firmware.transcribe.sighting import CubeSpot, Sighting
from firmware.transcribe.transcript import Transcript, transcribed
from firmware.transcribe.turns import Answers, Kind, Turn
from firmware.transcribe.work_folder import WorkFolder
from tests.firmware.transcribe.test_matches import PLAYERS, Filmed
from vision.dice.cube_zone import CubeZone

pytestmark = pytest.mark.long

MIDDLE, NEAR, FAR, FIELD = CubeZone
HOLDS = {"white": NEAR, "black": FAR}
RULES = games.get("backgammon")


@dataclass
class Doubling(Filmed):
    """A match with the cube; ``spoken`` is what was really done with it: the game, how many of its turns were
    over, and what."""

    spot: CubeZone | None = MIDDLE
    spoken: list[tuple[int, int, str, Side]] = field(default_factory=list)
    offers: bool = True
    """Whether an offered cube rests on the field for long enough to be seen there."""
    hidden: float = 0.0
    """How often nobody sees the cube."""

    def look(self, looks: object) -> None:
        super().look(looks)  # type: ignore[arg-type]
        if self.spot is not None and self.rng.random() >= self.hidden:
            self.seen[-1] = replace(self.seen[-1], cube=CubeSpot(self.spot))

    def lay(self, zone: CubeZone | None, position: Position) -> None:
        """The cube is put there, and seen."""
        self.spot = zone
        self.look(position.looks())

    def take(self, position: Position) -> None:
        """A double of whoever is on turn, and its take."""
        by = position.turn or ""
        if self.offers:
            self.lay(FIELD, position)
        self.lay(HOLDS[self.rules.other(by)], position)

    def turns_of(self, position: Position, number: int) -> Position:
        """So many."""
        for _ in range(number):
            position = self.turn(position)
        return position

    def begin(self) -> Position:
        """The start, with the cube in the middle."""
        start = self.rules.start(self.rules.options)
        self.lay(self.spot and MIDDLE, start)
        return start

    def game(self, match: Match, often: float) -> tuple[Side | None, int]:
        """One game, with doubles as often as that where the rules allow them: who won, and how much."""
        cube, position, first = Cube(), self.begin(), len(self.turns)
        number = len(self.results) + 1
        while position.awaits is not Awaits.NOTHING:
            by, over = position.turn, len(self.turns) - first
            rolls = (over // 2, over // 2)
            if by is not None and self.rng.random() < often and cube.refusal(match, by, rolls) is None:
                other = self.rules.other(by)
                if self.rng.random() < 0.3:
                    self.lay(FIELD, position)
                    self.spoken.append((number, over, "dropped", by))
                    self.spot = MIDDLE
                    return by, cube.value
                self.take(position)
                cube = cube.offered(by, other).taken()
                self.spoken.append((number, over, "taken", by))
            position = self.turn(position)
        assert position.outcome is not None
        return position.outcome.winner, cube.points(match, position.outcome.points)

    def whole_match(self, terms: Terms, often: float) -> Match:
        """Game after game, until somebody has won."""
        match = Match.begin(terms, self.rules.sides)
        while match.winner is None:
            winner, points = self.game(match, often)
            self.results.append((winner, points, match.crawford))
            match = match.award(winner, points).next(tie=False)
            self.set_up()
        return match

    def told(self, terms: Terms | None = None, **answers: object) -> Transcript:
        """What is made of it."""
        said = Answers(**answers)  # type: ignore[arg-type]
        turns = follow(self.rules, self.seen, said)
        track = cube_track(self.rules, turns, self.seen)
        return transcribed(self.rules, turns, terms or Terms(), PLAYERS, said, track)


def doubles(found: Transcript) -> list[tuple[int, int, str, Side]]:
    """What is told of the cube."""
    return [
        (game.number, double.before, str(double.answer), double.side)
        for game in found.games
        for double in game.doubles
    ]


@pytest.mark.parametrize(("seed", "offers"), [(12, True), (5, False)])
def test_a_whole_match_with_the_cube_has_its_score(seed: int, offers: bool) -> None:
    terms = Terms(length=9)
    filmed = Doubling(games.get("hypergammon"), random.Random(seed), offers=offers)
    match = filmed.whole_match(terms, often=0.12)
    assert any(crawford for *_, crawford in filmed.results)
    assert {what for _, _, what, _ in filmed.spoken} == {"taken", "dropped"}
    taken = [game for game, _, what, _ in filmed.spoken if what == "taken"]
    assert len(taken) > len(set(taken))  # a redouble
    found = filmed.told(terms)
    assert doubles(found) == filmed.spoken
    assert not found.cubes
    assert not found.unknown
    assert found.match.score == match.score
    assert [
        (game.record.result.winner, game.record.result.points, game.record.crawford)
        for game in found.games
        if game.record.result is not None
    ] == filmed.results
    for form in ("mat", "sgf", "json"):
        again = formats.read(formats.write(found.match, form)).record
        assert again.score == match.score
        assert [
            [type(each) for each in game.actions if isinstance(each, Doubled | Taken | Dropped)]
            for game in again.games
        ] == [
            [type(each) for each in game.record.actions if isinstance(each, Doubled | Taken | Dropped)]
            for game in found.games
        ]


@pytest.mark.parametrize("seed", [7, 11, 3])
def test_a_double_after_a_roll_that_could_not_be_played_is_told(seed: int) -> None:
    """The dice are picked up and the cube is offered; that the roll was passed over shows at the next one."""
    filmed = Doubling(RULES, random.Random(seed))
    before = filmed.begin()
    position = filmed.turn(before)
    while position.looks() != before.looks():
        before, position = position, filmed.turn(position)
    assert position.awaits is Awaits.ROLL
    filmed.faces = ()
    filmed.spoken.append((1, len(filmed.turns), "taken", position.turn or ""))
    filmed.take(position)
    filmed.turns_of(position, 3)
    assert doubles(filmed.told()) == filmed.spoken


def test_a_cube_that_is_often_not_seen_is_told_right_or_asked_about() -> None:
    terms = Terms(length=9)
    filmed = Doubling(games.get("hypergammon"), random.Random(2), hidden=0.3)
    filmed.whole_match(terms, often=0.1)
    found = filmed.told(terms)
    sure = [
        (game.number, each.before, str(each.answer), each.side)
        for game in found.games
        for each in game.doubles
        if each.sure
    ]
    assert set(sure) <= set(filmed.spoken)
    assert len(sure) >= 0.6 * len(filmed.spoken)


def test_without_a_cube_in_view_nothing_is_told_of_it() -> None:
    filmed = Doubling(RULES, random.Random(3), spot=None)
    filmed.turns_of(filmed.begin(), 6)
    turns = follow(RULES, filmed.seen, Answers())
    found = filmed.told()
    assert not doubles(found)
    assert found.lines() == transcribed(RULES, turns, Terms(), PLAYERS, Answers()).lines()
    assert all("cube" not in line for line in found.lines())


def test_a_take_is_told_with_the_turn_that_was_rolled_for_then() -> None:
    filmed = Doubling(RULES, random.Random(5))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.take(position)
    filmed.turns_of(position, 2)
    lines = filmed.told().lines()
    assert [number for number, line in enumerate(lines) if "cube" in line] == [3]
    told = lines[3]["cube"]
    assert (told["double"], told["take"], told["value"], told["sure"]) == (lines[3]["side"], True, 2, True)


def test_a_drop_has_a_line_of_its_own_and_the_doubler_wins_what_the_cube_was() -> None:
    filmed = Doubling(RULES, random.Random(6))
    position = filmed.turns_of(filmed.begin(), 2)
    filmed.take(position)
    taker = RULES.other(position.turn or "")
    position = filmed.turns_of(position, 3)
    assert position.turn == taker
    filmed.lay(FIELD, position)
    filmed.spot = MIDDLE
    filmed.set_up()
    filmed.turns_of(filmed.begin(), 2)
    found = filmed.told(Terms(length=5))
    assert [game.number for game in found.unknown] == [2]
    result = found.games[0].record.result
    assert result is not None
    assert (result.winner, result.points, result.cause) == (taker, 2, "dropped")
    last = [line for line in found.lines() if line["kind"] == "double"]
    assert [(line["game"], line["side"], line["cube"]["take"]) for line in last] == [(1, taker, False)]
    assert found.games[1].record.score == ((2, 0) if taker == "white" else (0, 2))


def test_a_cube_that_goes_back_before_the_checkers_do_was_dropped_too() -> None:
    filmed = Doubling(RULES, random.Random(6))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    filmed.lay(MIDDLE, position)
    filmed.set_up()
    filmed.turns_of(filmed.begin(), 2)
    assert doubles(filmed.told()) == [(1, 3, "dropped", position.turn)]


def disappearing() -> tuple[Doubling, Position]:
    """An offered cube is not seen again, and the game goes on; the position in which it was offered."""
    filmed = Doubling(RULES, random.Random(7))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    filmed.spot = None
    filmed.turns_of(position, 4)
    return filmed, position


def test_an_offer_whose_cube_disappears_is_asked_about() -> None:
    filmed, position = disappearing()
    found = filmed.told()
    [(_, double)] = found.cubes
    assert {way.answer for way in double.ways} == {Answer.TAKEN, Answer.NOTHING}
    assert found.open == len(found.doubts) + 2, "and how the game went on"
    line = next(line for line in found.lines() if "cube" in line)
    assert line["cube"]["candidates"] == [{"take": True, "before": 3}, {"take": None, "before": 3}]
    assert "doubles to 2: taken or nothing" in found.match.comment
    said = filmed.told(cubes={double.picture: ("nothing", "")})
    assert not said.cubes
    assert not any(isinstance(each, Doubled) for each in said.games[0].record.actions)
    said = filmed.told(cubes={double.picture: ("taken", "")})
    assert not said.cubes
    assert doubles(said) == [(1, 3, "taken", position.turn)]


def test_an_offer_whose_cube_disappears_may_be_followed_by_the_takers_own() -> None:
    filmed = Doubling(RULES, random.Random(7))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    filmed.spot = None
    position = filmed.turns_of(position, 3)
    filmed.lay(FIELD, position)
    filmed.seen[-1] = replace(filmed.seen[-1], cube=CubeSpot(FIELD, (12.0, 30.0)))
    filmed.spot = None
    filmed.set_up()
    filmed.turns_of(filmed.begin(), 2)
    found = filmed.told()
    assert [what for _, _, what, _ in doubles(found)] == ["taken", "dropped"]
    assert [double.sure for double in found.games[0].doubles] == [False, True]
    assert found.games[0].record.result is not None
    assert found.games[0].record.result.points == 2


def test_a_cube_that_is_not_seen_for_long_is_told() -> None:
    filmed = Doubling(RULES, random.Random(7))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.spot = None
    filmed.turns_of(position, 7)
    assert filmed.told().notes == ("game 1: the cube was not seen in the last 7 turns",)


def test_a_cube_that_was_only_moved_is_asked_about_and_not_written() -> None:
    filmed = Doubling(RULES, random.Random(7))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    filmed.lay(MIDDLE, position)
    filmed.turns_of(position, 4)
    found = filmed.told()
    [(_, double)] = found.cubes
    assert [way.answer for way in double.ways] == [Answer.NOTHING, Answer.TAKEN]
    assert not any(isinstance(each, Doubled) for each in found.games[0].record.actions)
    assert not doubles(filmed.told(Terms(length=3, score=(2, 0))))  # there nobody could double


def test_a_film_that_ends_with_an_offer_leaves_it_open() -> None:
    filmed = Doubling(RULES, random.Random(7))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    found = filmed.told()
    [(_, double)] = found.cubes
    assert {way.answer for way in double.ways} == set(Answer)
    assert found.games[0].record.result is None
    said = filmed.told(cubes={double.picture: ("dropped", "")}).games[0].record.result
    assert said is not None
    assert (said.winner, said.cause) == (position.turn, "dropped")


def test_a_drop_before_the_board_is_put_away_ends_the_films_last_game() -> None:
    filmed = Doubling(RULES, random.Random(8))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.lay(FIELD, position)
    filmed.spot = MIDDLE
    filmed.set_up()
    assert doubles(filmed.told()) == [(1, 3, "dropped", position.turn)]


def test_what_the_rules_do_not_allow_is_marked_and_not_written() -> None:
    filmed = Doubling(RULES, random.Random(9))
    position = filmed.turns_of(filmed.begin(), 3)
    filmed.take(position)
    filmed.turns_of(position, 2)
    crawford = Terms(length=3, score=(2, 0))
    found = filmed.told(crawford)
    [(_, double)] = found.cubes
    assert double.answer is Answer.NOTHING
    assert "Crawford" in double.why
    assert not any(isinstance(each, Doubled) for each in found.games[0].record.actions)
    dead = filmed.told(Terms(length=1, crawford=False))
    assert "dead" in dead.cubes[0][1].why
    said = filmed.told(crawford, cubes={double.picture: ("taken", "")})
    assert any(isinstance(each, Doubled) for each in said.games[0].record.actions)


def test_a_cube_that_comes_to_whoever_is_on_turn_is_asked_about() -> None:
    filmed = Doubling(RULES, random.Random(10))
    position = filmed.turns_of(filmed.begin(), 4)
    filmed.lay(MIDDLE, position)
    filmed.lay(HOLDS[position.turn or ""], position)
    filmed.turns_of(position, 3)
    found = filmed.told()
    [(_, double)] = found.cubes
    assert double.answer is Answer.NOTHING
    assert "when nobody could have doubled" in double.why


def test_a_cube_that_is_taken_home_after_the_roll_was_taken_before_it() -> None:
    filmed = Doubling(RULES, random.Random(11))
    position = filmed.turns_of(filmed.begin(), 3)
    by = position.turn or ""
    filmed.lay(FIELD, position)
    position = filmed.turn(position)
    filmed.lay(HOLDS[RULES.other(by)], position)
    filmed.turns_of(position, 2)
    found = filmed.told()
    assert doubles(found) == [(1, 3, "taken", by)]
    assert not found.cubes


def test_a_cube_that_nobody_put_back_is_nobodys_in_the_next_game() -> None:
    filmed = Doubling(games.get("hypergammon"), random.Random(12))
    position = filmed.turns_of(filmed.begin(), 2)
    filmed.take(position)
    held = filmed.spot
    while position.awaits is not Awaits.NOTHING:
        position = filmed.turn(position)
    filmed.set_up()
    filmed.spot = held
    start = filmed.rules.start(filmed.rules.options)
    filmed.look(start.looks())
    filmed.lay(MIDDLE, filmed.turns_of(start, 3))
    found = filmed.told()
    assert [game for game, *_ in doubles(found)] == [1]
    assert found.games[0].record.result is not None
    assert found.games[0].record.result.points % 2 == 0


def test_a_cube_that_lies_with_a_player_as_the_film_begins_is_his() -> None:
    filmed = Doubling(RULES, random.Random(13), spot=FAR)
    position = filmed.turns_of(RULES.start({}), 4)
    first = next(
        number for number, each in enumerate(filmed.seen) if each.evidence.best() == filmed_looks(filmed, 2)
    )
    filmed.seen = filmed.seen[first:]
    filmed.turns_of(position, 4)
    found = filmed.told()
    assert found.games[0].record.cube == 2
    assert any("taken for a 2" in note for note in found.notes)


def test_a_cube_that_changed_hands_in_a_missing_part_may_only_have_been_moved() -> None:
    """A question with one answer is none."""
    filmed = Doubling(RULES, random.Random(13))
    position = filmed.turns_of(filmed.begin(), 4)
    shown = len(filmed.seen)
    position = filmed.turns_of(position, 3)
    filmed.take(position)
    position = filmed.turns_of(position, 3)
    del filmed.seen[shown:]
    filmed.turns_of(position, 6)
    found = filmed.told()
    assert Kind.FOUND in [turn.kind for _, turn in found.turns]
    [(_, double)] = found.cubes
    assert {way.answer for way in double.ways} == {Answer.TAKEN, Answer.NOTHING}


def test_a_cube_that_lies_in_the_middle_again_after_a_missing_part_is_another_games() -> None:
    """The film comes back in the midst of the next game: it was the same one, and its end not asked for."""
    filmed = Doubling(RULES, random.Random(4))
    position = filmed.turns_of(filmed.begin(), 6)
    filmed.take(position)
    filmed.turns_of(position, 2)
    other = Doubling(RULES, random.Random(5))
    position = other.turns_of(other.begin(), 6)
    filmed.spot, filmed.faces = MIDDLE, ()
    filmed.look(position.looks())
    filmed.turns_of(position, 4)
    found = filmed.told()
    assert [(game.unknown, game.last, len(game.doubles)) for game in found.games] == [
        (True, False, 1),
        (True, True, 0),
    ]
    assert not any("in the middle again" in note for note in found.notes)
    assert sum("game 2: what was played from" in note for note in found.notes) == 1


def filmed_looks(filmed: Doubling, number: int) -> object:
    """What is seen of the board after so many turns."""
    looks = filmed.turns[number - 1][2].looks()
    return {cell: look for cell, look in looks.items() if not cell.startswith("off.")}


def test_the_pages_tell_and_ask_about_doubles(tmp_path: Path) -> None:
    filmed, position = disappearing()
    found = filmed.told()
    report = "".join(pages(found, lambda name: None))
    assert "1 double is not sure." in report
    assert "not sure: perhaps the cube was only moved; nobody saw where the cube went" in report
    found = replace(found, games=tuple(replace(game, turns=settled(game.turns)) for game in found.games))
    by = dict(zip(RULES.sides, PLAYERS, strict=True))
    asked = page(found)
    assert "Was it taken?" in asked
    assert f"{by[position.turn or '']} doubles to 2, {by[RULES.other(position.turn or '')]} takes" in asked
    [(_, double)] = found.cubes
    job = SimpleNamespace(folder=WorkFolder(tmp_path), rules=RULES)
    before = found.games[0].turns[3].picture
    assert not keep(job, {"cube": double.picture, "answer": f"taken {before}"})  # type: ignore[arg-type]
    assert keep(job, {"cube": double.picture, "answer": "eaten"})  # type: ignore[arg-type]
    answers = WorkFolder(tmp_path).answers()
    assert answers.cubes == {double.picture: ("taken", before)}
    assert not filmed.told(cubes=answers.cubes).cubes


def settled(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns without a question."""
    return tuple(replace(turn, settled=True) for turn in turns)


def test_sightings_keep_the_cube_and_older_ones_are_read() -> None:
    filmed = Doubling(RULES, random.Random(1))
    filmed.begin()
    with_cube = replace(filmed.seen[0], cube=CubeSpot(FAR, (30.5, 50.0), 4))
    assert Sighting.from_json(with_cube.to_json()).cube == with_cube.cube
    older = with_cube.to_json()
    del older["cube"]
    assert Sighting.from_json(older).cube is None
    turned = {f"p{number}": f"p{(number + 11) % 24 + 1}" for number in range(1, 25)}
    assert with_cube.renamed(turned).cube == CubeSpot(NEAR, (30.5, 50.0), 4)
    assert with_cube.renamed({f"p{n}": f"p{n}" for n in range(1, 25)}).cube == with_cube.cube
    with pytest.raises(ValueError, match="not a sighting"):
        Sighting.from_json({**older, "cube": ["aloft", [0, 0], None]})
