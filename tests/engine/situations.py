"""Every state that a table can be in, and every event that can happen to it. White is on turn in all of
them."""

from __future__ import annotations

from engine.errors import IllegalEvent
from engine.events import (
    Beacon,
    Begin,
    Button,
    Choose,
    Close,
    Commit,
    Condone,
    Correct,
    Event,
    Moves,
    Next,
    Pledge,
    Press,
    Reveal,
    Roll,
    See,
    Seed,
    Tick,
)
from engine.evidence import Evidence
from engine.match import Terms
from engine.session import Session
from tests.engine.sitting import FOUL, Sitting


def opening() -> Sitting:
    return Sitting(terms=Terms(beavers=1), moves=Moves.RESPONSIBLE, options={"swap": True})


def play() -> Sitting:
    sitting = opening()
    sitting.roll(5, 3)
    return sitting


def undoable() -> Sitting:
    """White to roll, black may take its play back."""
    sitting = opening()
    sitting.roll(3, 4)
    sitting.done("8/4")
    return sitting


def roll() -> Sitting:
    sitting = undoable()
    sitting.roll(2)
    sitting.done("8/6")
    sitting.roll(1)
    sitting.done("8/7")
    return sitting


def rolling() -> Sitting:
    sitting = roll()
    sitting.press("roll")
    return sitting


def swapping() -> Sitting:
    sitting = undoable()
    sitting.roll(2)
    return sitting


def foul() -> Sitting:
    sitting = play()
    sitting.foul(**FOUL)
    return sitting


def asked() -> Sitting:
    sitting = play()
    sitting.press("done")
    return sitting


def offered() -> Sitting:
    """Black has doubled: white is to answer."""
    sitting = play()
    sitting.done("8/3")
    sitting.press("double", "black")
    return sitting


def resigned() -> Sitting:
    """Black offers to lose: white is to answer."""
    sitting = play()
    sitting.press("resign", "black")
    return sitting


def proposed() -> Sitting:
    """Black asks for another score: white must agree."""
    sitting = play()
    sitting.send(Correct(t=sitting.after(), actor="black", score=(0, 1)))
    return sitting


def paused() -> Sitting:
    sitting = play()
    sitting.press("pause")
    return sitting


def over() -> Sitting:
    sitting = play()
    sitting.win("white")
    return sitting


def ended() -> Sitting:
    sitting = Sitting(terms=Terms(length=1))
    sitting.roll(5, 3)
    sitting.win("white")
    return sitting


SITUATIONS = {
    make.__name__: make
    for make in (
        opening,
        roll,
        undoable,
        rolling,
        play,
        swapping,
        foul,
        asked,
        offered,
        resigned,
        proposed,
        paused,
        over,
        ended,
    )
}


def events(session: Session, t: float) -> dict[str, Event]:
    """One of every event, by white, black and nobody where that may matter."""
    assert session.table is not None
    position = session.table.position
    found: dict[str, Event] = {}
    for side in ("white", "black"):
        for button in Button:
            evidence = (
                Evidence.certain(position.plays()[0].after.looks())
                if button is Button.DONE and position.plays()
                else None
            )
            found[f"{button} {side}"] = Press(t=t, button=button, side=side, evidence=evidence)
        found[f"roll by hand {side}"] = Roll(t=t, dice=(6, 4)[: position.dice_due or 1], side=side)
        found[f"condone {side}"] = Condone(t=t, side=side)
    play = position.plays()[0].text if position.plays() else "8/3"
    return found | {
        "begin": Begin(t=t, rules="footrace"),
        "next": Next(t=t),
        "choose": Choose(t=t, play=play),
        "see": See(t=t, evidence=Evidence.certain(position.looks())),
        "correct": Correct(t=t, position={"togo": [[8, 7], [8, 6]], "turn": "white"}),
        "tick": Tick(t=t),
        "commit": Commit(t=t, digest="ab"),
        "beacon": Beacon(t=t, signature="ab" * 48),
        "pledge": Pledge(t=t, side="white", digest="ab" * 32),
        "close": Close(t=t),
        "seed": Seed(t=t, side="white", words="luck"),
        "reveal": Reveal(t=t, secret="cd"),
    }


def answer(session: Session, event: Event) -> str:
    """The state that an event leads to; ``.`` where it changes nothing, ``-`` where it is refused."""
    try:
        after, effects = session.handle(event)
    except IllegalEvent:
        return "-"
    if after is session:
        assert not effects
        return "."
    return after.state.value


def matrix() -> str:
    """The whole table as text."""
    sessions = {name: make() for name, make in SITUATIONS.items()}
    rows = [f"{'':<20}" + "".join(f"{name:<10}" for name in sessions)]
    for name in events(sessions["play"].session, 0.0):
        cells = [
            answer(sitting.session, events(sitting.session, sitting.after())[name])
            for sitting in sessions.values()
        ]
        rows.append(f"{name:<20}" + "".join(f"{cell:<10}" for cell in cells))
    return "\n".join(row.rstrip() for row in rows)
