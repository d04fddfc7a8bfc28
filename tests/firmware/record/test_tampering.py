"""What a forger may try: every kind of tampering that ``barpoint verify`` finds, with the place that it
names."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.event_json import from_json
from engine.events import Begin, Button, Choose, Correct, Event, Next, Press, Reveal
from engine.match import Terms
from engine.match_state import State
from engine.record import MatchRecord, Stood
from engine.session import Session
from firmware.dice.sealed import GRACE, SealedHouse
from firmware.formats import jsonform
from firmware.record import seal
from firmware.record.archive import imported, match_record
from firmware.record.chain import GENESIS, Entry, canonical, link
from firmware.record.game_faults import Fault
from firmware.record.verify import check_log, check_record, check_sealed
from hardware.dice import SealedDice
from tests.dice_players import answer
from tests.matches import Simulator

AT = "2026-01-31T20:15:{:02d}.000Z"


def played(folder: Path) -> list[Event]:
    """A match to 3 with the device's own dice and both players' words: dropped and resigned games of some
    turns each, the Crawford game, and the end."""
    house, session, source = SealedHouse(folder, lambda words: None, lambda: "g"), Session(), random.Random(5)
    events: list[Event] = []
    loser = None
    t = 0.0

    def tell(event: Event) -> None:
        nonlocal session
        session, _ = session.handle(event)
        events.append(event)
        house.note([event])
        while (due := house.owed(session, t)) is not None:
            session, _ = session.handle(due)
            events.append(due)
            house.note([due])
        for side in ("white", "black"):
            words = answer(session, side, f"luck for {side}", t)
            if words is not None:
                tell(words)

    tell(Begin(t=0, rules="backgammon", terms=Terms(length=3)))
    for game in range(3):
        for _ in range(5):
            t += 3
            while session.state in (State.OPENING, State.ROLL):
                tell(Press(t=t, button=Button.ROLL, side=session.due))
            assert session.position is not None
            tell(Choose(t=t, play=source.choice(session.position.plays()).text))
        t += 3
        if game:
            tell(Press(t=t, button=Button.RESIGN, side=loser, grade="single"))
            tell(Press(t=t, button=Button.TAKE))
        else:
            tell(Press(t=t, button=Button.DOUBLE, side=session.due))
            loser = session.due
            tell(Press(t=t, button=Button.DROP))
        if session.state is State.OVER:
            tell(Next(t=t))
    assert session.state is State.ENDED
    return events


def chained(
    bodies: list[Any], at: Callable[[int], str] = lambda number: AT.format(number % 60)
) -> list[Entry]:
    """A log of these bodies, its chain made anew: what somebody can do who knows the form and not the
    secret."""
    entries, before = [], GENESIS
    for number, body in enumerate(bodies):
        digest = link(before, "g", number, at(number), canonical(body))
        entries.append(Entry("g", number, at(number), body, digest))
        before = digest
    return entries


@pytest.fixture(scope="module")
def bodies(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    secrets = iter(range(1, 100))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SealedDice, "draw", lambda: SealedDice(bytes([next(secrets)] * 32)))
        return [event.to_json() for event in played(tmp_path_factory.mktemp("house"))]


def clock(number: int) -> str:
    return f"2026-01-31T20:{15 + number // 60}:{number % 60:02d}.000Z"


@pytest.fixture(scope="module")
def entries(bodies: list[Any]) -> list[Entry]:
    return chained(bodies, clock)


@pytest.fixture(scope="module")
def match(entries: list[Entry]) -> MatchRecord:
    return match_record(entries)


def places(bodies: list[Any], name: str) -> list[int]:
    return [place for place, body in enumerate(bodies) if body["event"] == name]


def test_rolls_that_are_said_to_be_none_of_the_committed_ones_are_told(bodies: list[Any]) -> None:
    altered = [
        {key: value for key, value in body.items() if key != "number"} for body in copy.deepcopy(bodies)
    ]
    told = " ".join(check_log("g", chained(altered)))
    assert "dice were committed to, but no roll says that it is one of them" in told
    assert "not drawn by the device" in told
    assert "no dice were committed to" not in told


def test_the_match_as_it_was_is_in_order(entries: list[Entry], match: MatchRecord) -> None:
    told = " ".join(check_log("g", entries))
    assert "as committed" in told
    assert "the match is finished" in told
    assert "set back" not in told
    assert [game.crawford for game in match.games].count(True) == 1
    check_sealed(*seal.read(seal.write(match)))


# -- without a new chain


def _altered(entries: list[Entry], place: int, **changes: Any) -> list[Entry]:
    return [*entries[:place], replace(entries[place], **changes), *entries[place + 1 :]]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda e: _altered(e, 4, body={**e[4].body, "t": 99.0}), "entry 4"),
        (lambda e: _altered(e, 7, body={**e[7].body, "dice": [6, 6]}), "entry 7"),
        (lambda e: _altered(e, 5, at="2026-02-01T00:00:00Z"), "entry 5"),
        (lambda e: _altered(e, 5, digest=bytes(32)), "entry 5"),
        (lambda e: [*e[:5], *e[6:]], "entry 5: missing"),
        (lambda e: [*e[:6], *e[5:]], "entry 6: missing"),
        (lambda e: [*e[:5], e[6], e[5], *e[7:]], "entry 5: missing"),
        (lambda e: [*e[:5], replace(e[6], number=5), replace(e[5], number=6), *e[7:]], "entry 5: altered"),
        (lambda e: e[1:], "entry 0: missing"),
        (
            lambda e: [replace(e[0], body={**e[0].body, "players": {"white": "Eve"}}), *e[1:]],
            "entry 0: altered",
        ),
    ],
    ids=[
        "time",
        "roll",
        "clock",
        "digest",
        "line gone",
        "line twice",
        "lines swapped",
        "renumbered",
        "beginning gone",
        "name",
    ],
)
def test_tampering_with_a_log_breaks_its_chain_there(
    change: Callable[[list[Entry]], list[Entry]], named: str, entries: list[Entry]
) -> None:
    with pytest.raises(Fault, match=named):
        check_log("g", change(entries))


# -- with a new chain, but without the secret


def _roll(bodies: list[Any]) -> None:
    body = bodies[places(bodies, "roll")[2]]
    body["dice"] = [die % 6 + 1 for die in body["dice"]]


def _last_roll(bodies: list[Any]) -> None:
    """The roll of the last turn, and a play that is legal with it."""
    place, play = places(bodies, "roll")[-1], places(bodies, "choose")[-1]
    session = Session()
    for body in bodies[:place]:
        session, _ = session.handle(from_json(body))
    bodies[place]["dice"] = [6, 5] if sorted(bodies[place]["dice"]) != [5, 6] else [2, 1]
    for body in bodies[place:play]:
        session, _ = session.handle(from_json(body))
    assert session.position is not None
    bodies[play]["play"] = session.position.plays()[0].text


def _invented(bodies: list[Any]) -> None:
    """The last game's secret is left out, and its last roll is another."""
    bodies.pop(places(bodies, "reveal")[-1])
    _last_roll(bodies)


PROOFS = ("commit", "pledge", "close", "seed", "reveal")


def _uncommitted(bodies: list[Any]) -> None:
    """The last game without its commitment and its secret, as if the players had rolled themselves."""
    last = places(bodies, "next")[-1]
    for place in reversed(range(last, len(bodies))):
        if bodies[place]["event"] in PROOFS and place > places(bodies, "reveal")[1]:
            bodies.pop(place)
        else:
            bodies[place].pop("number", None)


def _move(bodies: list[Any]) -> None:
    bodies[places(bodies, "choose")[3]]["play"] = "24/1"


def _drop(name: str, number: int) -> Callable[[list[Any]], None]:
    return lambda bodies: bodies.pop(places(bodies, name)[number]) and None


def _double(name: str, number: int) -> Callable[[list[Any]], None]:
    return lambda bodies: bodies.insert(
        places(bodies, name)[number], dict(bodies[places(bodies, name)[number]])
    )


def _set(name: str, number: int, key: str, value: Any) -> Callable[[list[Any]], None]:
    return lambda bodies: bodies[places(bodies, name)[number]].update({key: value})


def _games(bodies: list[Any]) -> None:
    first, second = places(bodies, "next")
    bodies[1:second] = [*bodies[first + 1 : second], bodies[first], *bodies[1:first]]


def _answer(bodies: list[Any]) -> None:
    next(body for body in bodies if body.get("button") == "drop")["button"] = "take"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_roll, "game 1|entry"),
        (_last_roll, r"game 3, action \d+: roll \d is logged as"),
        (_move, "entry"),
        (_drop("roll", 2), "entry"),
        (_drop("choose", 2), "entry"),
        (_drop("next", 0), "entry"),
        (_double("roll", 2), "entry"),
        (_double("choose", 2), "entry"),
        (_double("next", 0), "entry"),
        (_set("roll", 1, "number", 7), "game 1, action .: roll . is missing; roll 7"),
        (_set("roll", -1, "number", 1), "game 3, action"),
        (_set("commit", 0, "digest", "ab" * 32), "entry 5: these are not the words that .+ has pledged"),
        (_set("reveal", 0, "secret", "cd" * 32), "game 1, action 1: the published secret does not hash"),
        (_set("seed", 0, "words", "other words"), "entry 5: these are not the words that .+ has pledged"),
        (_set("commit", 0, "match", "another"), "game 1: its dice were committed to for another match"),
        (_set("commit", 0, "form", 1), "entry"),
        (_set("commit", 0, "form", 3), "entry 1: dice of form 3: this release knows 1 and 2"),
        (_drop("close", 0), "entry"),
        (_drop("seed", 0), "game 1, action 1: roll 1 is logged as"),
        (_drop("commit", 0), "entry|game 1"),
        (_drop("reveal", 0), "entry|game 1"),
        (_drop("reveal", -1), "game 3: the match is finished, but the secret of these dice is missing"),
        (_invented, "game 3: the match is finished, but the secret of these dice is missing"),
        (_uncommitted, "game 3: its dice are not committed to"),
        (_games, "entry .*: table time goes back"),
        (_answer, "entry"),
        (_set("choose", 2, "side", "green"), "entry"),
        (_set("choose", 5, "t", -500.0), "entry .*: table time goes back"),
        (_set("begin", 0, "terms", {"length": 2}), "entry"),
    ],
)
def test_a_new_chain_does_not_help_who_does_not_know_the_secret(
    change: Callable[[list[Any]], None], named: str, bodies: list[Any]
) -> None:
    forged = copy.deepcopy(bodies)
    change(forged)
    assert forged != bodies
    with pytest.raises(Fault, match=named):
        check_log("g", chained(forged))


def test_a_time_that_is_none_is_named_and_a_clock_that_was_set_back_is_told(bodies: list[Any]) -> None:
    with pytest.raises(Fault, match="entry 3: 'yesterday' is no time"):
        check_log("g", chained(bodies, lambda number: "yesterday" if number == 3 else AT.format(1)))
    told = check_log(
        "g", chained(bodies, lambda number: "2026-01-31T20:15:00Z" if number < 9 else "2026-01-31T19:15:00Z")
    )
    assert told[-1] == "the machine's clock was set back by 3600 s before entry 9"


# -- an exported match, sealed again


def _result(game: int, **changes: Any) -> Callable[[Any], None]:
    return lambda data: data["games"][game]["result"].update(changes)


def _put(game: int, **changes: Any) -> Callable[[Any], None]:
    return lambda data: data["games"][game].update(changes)


def _cut_short(data: Any) -> None:
    data["games"][1]["actions"].pop()
    del data["games"][1]["result"]


def _plays(data: Any) -> list[Any]:
    return [action for action in data["games"][0]["actions"] if action["do"] == "play"]


def _crawford_double(data: Any) -> None:
    game = next(game for game in data["games"] if game.get("crawford"))
    place = next(at for at, action in enumerate(game["actions"]) if action["do"] == "roll" and at > 1)
    side = game["actions"][place]["side"]
    other = "black" if side == "white" else "white"
    game["actions"][place:place] = [{"do": "double", "side": side}, {"do": "take", "side": other}]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_result(0, points=4), "game 1: the result is logged as"),
        (_result(1, kind="gammon"), "game 2: the result is logged as"),
        (_result(2, winner="green"), "game 3: the result is logged as"),
        (lambda data: data["games"][0].pop("result"), "game 1: its result is missing"),
        (lambda data: data["games"][1]["actions"].pop(), "game 2: a result is logged, but after action"),
        (
            lambda data: data["games"][1].update(actions=data["games"][1]["actions"][:-1], result=None),
            "game 3: the game before it has no end",
        ),
        (_put(1, score=[2, 2]), "game 2: begins at 2-2, but game 1 leads to"),
        (_put(0, score=[1, 0]), "game 1: begins at 1-0, but the match begins at 0-0"),
        (_put(0, crawford=True), "game 1: is marked as the Crawford game"),
        (
            lambda data: [game.pop("crawford", None) for game in data["games"]],
            "is not marked as the Crawford game",
        ),
        (lambda data: data["games"].pop(1), "game 2: begins at"),
        (lambda data: data["games"].insert(1, data["games"].pop(0)), "game 1: begins at"),
        (lambda data: data["games"].append({**data["games"][-1]}), "game 4: white had won the match"),
        (_crawford_double, "a double in the Crawford game"),
        (lambda data: data["games"][0]["actions"].pop(1), "game 1: action 2"),
        (lambda data: _plays(data)[0].update(text="24/1"), "game 1: action 3"),
        (
            lambda data: data["games"][0]["actions"].insert(1, data["games"][0]["actions"][1]),
            "game 1: action 3",
        ),
        (
            lambda data: data["games"][0].pop("proof"),
            "game 1, action 1: the device drew roll 1, but its commitment is missing",
        ),
        (
            lambda data: data["games"][0]["proof"].pop("secret"),
            "game 1, action 1: the secret has not been published",
        ),
        (
            lambda data: data["games"][2]["proof"].pop("secret"),
            "game 3: the match is finished, but the secret of these dice is missing",
        ),
        (
            lambda data: data["games"][1].update(proof=data["games"][0]["proof"]),
            "game 2: its dice were committed to for game 1",
        ),
        (
            lambda data: data["games"][1]["proof"].update(match="another"),
            "game 2, action 1: roll 1 is logged as|different matches",
        ),
        (
            lambda data: data["games"][0]["proof"]["given"][1].update(words="better ones"),
            "game 1, action 1: the words of white are not those that were pledged",
        ),
        (
            lambda data: data["games"][0]["proof"]["given"][1].pop("words"),
            "game 1, action 1: roll 1 is logged as",
        ),
        (
            lambda data: data["games"][0]["proof"].update(form=3),
            "game 1, action 1: these dice have form 3",
        ),
        (lambda data: data["terms"].update(length=2), "game 2: is not marked as the Crawford game"),
    ],
)
def test_a_new_seal_does_not_help_against_the_rules_and_the_dice(
    change: Callable[[Any], None], named: str, match: MatchRecord
) -> None:
    data = copy.deepcopy(jsonform.to_json(match))
    change(data)
    forged = jsonform.from_json(data)
    assert forged != match
    with pytest.raises(Fault, match=named):
        check_sealed(*seal.read(seal.write(forged)))


# -- the end of a game, and the secret


def last_play(folder: Path) -> tuple[SealedHouse, Session, list[Event]]:
    """A game of one play to its end, with the device's dice: White has one checker left."""
    position = {"points": {"1": 1, "19": -1}, "off": [14, 14], "bar": [0, 0], "turn": "white"}
    house, session = SealedHouse(folder, lambda words: None, lambda: "g"), Session()
    events: list[Event] = []

    def tell(event: Event) -> None:
        nonlocal session
        session, _ = session.handle(event)
        events.append(event)
        house.note([event])

    tell(Begin(t=0, rules="backgammon", position=position, terms=Terms(length=3)))
    due = house.owed(session, 0)
    assert due is not None
    tell(due)
    tell(Press(t=1, button=Button.ROLL, side="white"))
    while (due := house.owed(session, 1)) is not None:
        tell(due)
    tell(Choose(t=2, play="1/off"))
    assert session.state is State.OVER
    return house, session, events


def test_the_secret_comes_out_only_when_the_end_can_no_more_be_taken_back(tmp_path: Path) -> None:
    house, session, _ = last_play(tmp_path)
    assert house.owed(session, 2) is None
    back, _ = session.handle(Press(t=5, button=Button.UNDO, side="white"))
    assert house.owed(back, 5) is None
    again, _ = back.handle(Choose(t=6, play="1/off"))
    assert house.owed(again, 6) is None
    assert house.owed(again, 6 + GRACE - 1) is None
    due = house.owed(again, 6 + GRACE)
    assert isinstance(due, Reveal)
    final, _ = again.handle(due)
    assert "no play to take back" in (final.refusal(Press(t=90, button=Button.UNDO, side="white")) or "")


def test_who_leaves_or_plays_on_has_the_secret_at_once(tmp_path: Path) -> None:
    house, session, events = last_play(tmp_path)
    assert house.owed(session, 3) is None
    onward, _ = session.handle(Next(t=4))
    due = house.owed(onward, 4)
    assert isinstance(due, Reveal)
    house.hurry()
    assert isinstance(house.owed(session, 3), Reveal)
    told = " ".join(check_log("g", chained([event.to_json() for event in events])))
    assert "their secret is not published yet" in told
    told = " ".join(check_log("g", chained([event.to_json() for event in (*events, Next(t=4), due)])))
    assert "1 roll as committed" in told


def test_words_for_dice_that_are_bound_to_an_older_game_are_refused(tmp_path: Path) -> None:
    _, session, _ = last_play(tmp_path)
    onward, _ = session.handle(Next(t=4))
    assert house_words(onward) is not None


def house_words(session: Session) -> str | None:
    return session.refusal(from_json({"event": "seed", "t": 5.0, "side": "white", "words": "luck"}))


# -- what the players set by hand


def test_plays_that_stood_against_the_rules_are_counted() -> None:
    match = Simulator(5, fouls=0.02).match()
    stood = sum(isinstance(each, Stood) for game in match.games for each in game.actions)
    assert stood > 1
    assert f"{stood} illegal plays that stood" in check_record(match, own=False)


def test_corrections_and_rolls_that_they_discard_are_counted(tmp_path: Path) -> None:
    house, session, events = SealedHouse(tmp_path, lambda words: None, lambda: "g"), Session(), list[Event]()

    def tell(event: Event) -> None:
        nonlocal session
        todo: Event | None = event
        while todo is not None:
            session, _ = session.handle(todo)
            events.append(todo)
            house.note([todo])
            todo = house.owed(session, todo.t)

    tell(Begin(t=0, rules="backgammon", terms=Terms(length=3)))
    while session.state in (State.OPENING, State.ROLL):
        tell(Press(t=1, button=Button.ROLL, side=session.due))
    tell(Correct(t=2, cube=2))  # the roll still counts
    told = check_log("g", chained([event.to_json() for event in events]))
    assert told[-1] == "1 correction by hand"
    assert session.position is not None
    turn = session.position.turn
    other = "black" if turn == "white" else "white"
    tell(Correct(t=3, position={"turn": other}))  # and now it does not
    tell(Correct(t=4, score=(1, 0)))
    told = check_log("g", chained([event.to_json() for event in events]))
    assert told[-3:] == [
        "3 corrections by hand",
        "1 score set by hand",
        "1 roll discarded by a correction",
    ]


def test_an_imported_match_is_told_as_before(match: MatchRecord, tmp_path: Path) -> None:
    """What another file leaves out is not this table's fault."""
    proof = match.games[-1].proof
    assert proof is not None
    unproved = replace(match.games[-1], proof=replace(proof, secret=""))
    copy = replace(match, games=(*match.games[:-1], unproved))
    told = check_log("g", chained([imported(copy)]))
    assert "the dice of the last game are committed to; their secret is not published yet" in told
    check_sealed(copy, None, own=False)
    with pytest.raises(Fault, match="the match is finished"):
        check_sealed(*seal.read(seal.write(copy)))
