"""Plays: from dice that fell (:mod:`engine.rolls`) to a judged *done*.

Each transition takes the table and an event and gives the next table and the effects; the functions named
``may_…`` say why a side may not, or None. They are called only in the states that ``engine.session`` lists
for them.
"""

from __future__ import annotations

from dataclasses import replace

from engine import fair_dice, words
from engine.effects import DiceTookBack, FoulStood, Intended, Judged, Relit, TookBack
from engine.errors import EngineError, IllegalEvent, IllegalPlay
from engine.events import Button, Choose, Condone, DiceFrom, Intend, Moves, Press, See
from engine.evidence import Evidence
from engine.infer import Inference, infer, rolls
from engine.judge import CANDIDATES, Kind, Verdict, held_to, judge
from engine.layout import Side, differing
from engine.match_state import Judgement, MatchState, State, Transition
from engine.messages import phrase
from engine.named_roll import asked_about, other_dice
from engine.position import Awaits, Dice, Play, Position
from engine.stakes import finish

BEYOND_DOUBT = 0.9999
"""How sure the camera must have been of dice for a play that does not fit them to be a foul, though it is
legal by others: people misplay about one roll in a hundred, and say so when they are asked."""


def may_play(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not press *done*."""
    turn = table.position.turn
    if table.position.awaits is not Awaits.PLAY and table.begin.dice is not DiceFrom.INFERRED:
        return phrase("no dice have been rolled")
    return (
        None if turn is None or side == turn else phrase("it is {player}'s turn", player=table.player(turn))
    )


def done(table: MatchState, event: Press) -> Transition:
    """The camera's picture at *done* is judged."""
    side = event.side
    if side is None:
        raise IllegalEvent(phrase("who won the opening roll? press your own done"))
    evidence = event.evidence or Evidence()
    if table.position.awaits is Awaits.PLAY:
        verdict = _judge(table, evidence)
        if verdict.kind is Kind.ILLEGAL and (other := _other_dice(table, side, evidence)) is not None:
            return _disputed(table, side, verdict, other)
        return _judged(table, side, verdict, (table.dice,), tuple(play.text for play in verdict.candidates))
    found = infer(table.position, evidence, side)
    asked = found.candidates[:CANDIDATES] if evidence.cells else ()  # where nothing is seen, all is as likely
    known = found.verdict.kind is not Kind.UNSURE or len({dice for dice, _ in found.candidates}) == 1
    return _judged(
        table,
        side,
        found.verdict,
        found.dice if known else (),
        tuple(f"{words.roll(dice)}: {play.text}" for dice, play in asked),
    )


def _other_dice(table: MatchState, side: Side, evidence: Evidence) -> Inference | None:
    """The rolls by which a play is legal that is not by the dice that the camera read, where these are not
    beyond doubt: what the dice look like and what was played are two opinions of one roll."""
    if table.read is None or table.read >= BEYOND_DOUBT or table.unrolled is None:
        return None
    found = infer(table.unrolled.position, evidence, side)
    return found if found.verdict.kind is Kind.LEGAL else None


def _disputed(table: MatchState, side: Side, verdict: Verdict, other: Inference) -> Transition:
    """The players are asked which it was: the dice that were read, or the play that fits others."""
    asked = tuple(f"{words.roll(dice)}: {other.verdict.play.text}" for dice in other.dice)
    told = words.disputed(table.dice, asked)
    pending = Judgement(table.turn, side, table.dice, Kind.UNSURE.value, None, verdict.cells, asked, told)
    return replace(table, pending=pending, seen=_whole(verdict), back=None), (
        _effect(pending, table.position),
    )


def may_intend(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not say what it plays."""
    turn = table.player(table.position.turn or "")
    if side != table.position.turn:
        return phrase("it is {player}'s turn", player=turn)
    return (
        phrase("{player} has said what it plays: {intended}", player=turn, intended=table.intended)
        if table.intended
        else None
    )


def intend(table: MatchState, event: Intend) -> Transition:
    """The side on turn says what it plays."""
    play = table.position.find(event.play)
    told = Intended(side=table.position.turn or "", play=play.text)
    return replace(table, intended=play.text), (told,)


def choose(table: MatchState, event: Choose) -> Transition:
    """The players say what was played. Dice that the camera read may have been others: ``62: 24/18 13/11``
    says so."""
    if (unrolled := other_dice(table, event.play)) is not None:
        before = replace(unrolled, clock=table.clock, **fair_dice.kept(table), key=table.key)
        took = DiceTookBack(side=table.position.turn, dice=table.dice, position=before.position.to_json())
        after, effects = choose(before, event)
        return after, (took, *effects)
    if table.position.awaits is Awaits.PLAY:
        play = table.position.find(event.play)
        if table.intention is not None and play.after != table.intention.after:
            raise IllegalPlay(
                phrase(
                    "{player} has said what it plays: {intended}",
                    player=table.player(table.position.turn or ""),
                    intended=table.intended,
                )
            )
        return _played(
            table, play, table.dice, phrase("{play}, as the players say", play=play.text), "players"
        )
    dice, rolled, text = asked_about(table, event.side, event.play)
    play = rolled.find(text)
    return _played(
        replace(table, position=rolled),
        play,
        dice,
        phrase("{play}, as the players say", play=play.text),
        "players",
        undo=table,
    )


def may_swap(table: MatchState, side: Side | None) -> str | None:
    """Why there is no play that is named like the button."""
    try:
        table.position.find(Button.SWAP)
    except IllegalPlay as error:
        return str(error)
    return may_play(table, side)


def swap(table: MatchState, event: Press) -> Transition:
    """The button names the play."""
    play = table.position.find(event.button)
    return _played(table, play, table.dice, play.text, "players")


def see(table: MatchState, event: See) -> Transition:
    """A new picture: a pending foul may look different, or be fixed. A picture that settles nothing changes
    nothing."""
    if table.state is not State.FOUL or table.pending is None:
        return table, ()
    verdict = _judge_pending(table, event.evidence)
    if verdict.kind is Kind.UNSURE:
        return table, ()
    if verdict.kind is Kind.LEGAL:
        return replace(table, pending=None, seen=None), (Relit(cells=(), words=phrase("fixed; press done")),)
    told = _foul(table, verdict, table.dice, table.pending.side)
    after = replace(
        table, pending=replace(table.pending, cells=verdict.cells, words=told), seen=_whole(verdict)
    )
    return (table, ()) if after == table else (after, (Relit(cells=verdict.cells, words=told),))


def may_condone(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not let the foul stand."""
    if table.begin.moves is Moves.LEGAL:
        return phrase("an illegal play must be fixed in this match (legal moves)")
    if side == table.position.turn:
        return phrase("only the opponent can condone a foul")
    return cannot_stand(table)


def condone(table: MatchState, event: Condone) -> Transition:
    """The foul stands."""
    return stand(table, condoned=True)


def mover(table: MatchState) -> Side | None:
    """Whose *done* can be taken back, or whose dice."""
    if table.pending is not None:
        return table.pending.side
    return table.moves[-1].side if table.back is not None else table.position.turn


def may_undo(table: MatchState, side: Side | None) -> str | None:
    """Why ``side`` may not take its last *done*, or its dice, back."""
    presser = mover(table)
    if table.pending is None and table.back is None:
        if table.unrolled is None:
            return phrase("there is no play to take back: {settled}", settled=_settled(table))
        return (
            None
            if presser in (None, side)
            else phrase("the dice are {player}'s", player=table.player(presser or ""))
        )
    return None if side == presser else phrase("{player} pressed done", player=table.player(presser or ""))


def _settled(table: MatchState) -> str:
    """Why the last play of this game, if there was any, is not to be taken back."""
    if not table.moves:
        return phrase("nothing has been played yet in this game")
    if table.result is not None and table.result.cause != "played":
        return phrase("the game has not ended by it")
    if table.moves[-1].verdict == "stood":
        return phrase("the foul stands")
    return phrase("the game has gone on since")


def undo(table: MatchState, event: Press) -> Transition:
    """The last *done* is taken back, or the dice that players announced; time that has gone by is gone."""
    dice = table.pending is None and table.back is None
    before = replace(table, pending=None, seen=None) if table.back is None else table.back
    if dice and table.unrolled is not None:
        before = table.unrolled
    side = before.due
    clock = table.clock if side == table.due else table.clock.run(side, event.t, fresh=False)
    before = replace(before, clock=clock, **fair_dice.kept(table), key=table.key)
    position = before.position.to_json()
    if dice:
        return before, (DiceTookBack(side=side, dice=table.dice or table.opened, position=position),)
    return before, (TookBack(turn=before.turn, side=mover(table) or "", position=position),)


def _judged(
    table: MatchState, side: Side, verdict: Verdict, dice: tuple[Dice, ...], candidates: tuple[str, ...]
) -> Transition:
    """What a verdict makes of the table. ``dice`` are the roll, or the rolls that explain the play."""
    throw = dice[0] if dice else ()
    if verdict.kind is Kind.LEGAL:
        told = words.legal(verdict.play, dice[1:])
        rolled = (
            table
            if table.position.awaits is Awaits.PLAY
            else replace(table, position=_rolled(table, side, throw))
        )
        return _played(rolled, verdict.play, throw, told, "camera", undo=table)
    foul = verdict.kind is Kind.ILLEGAL
    ask = words.misfit if verdict.misfit else words.unsure
    told = _foul(table, verdict, throw, side) if foul else ask(candidates)
    cells = verdict.cells if foul else _doubtful(verdict)
    pending = Judgement(table.turn, side, throw, verdict.kind.value, None, cells, candidates, told)
    return replace(table, pending=pending, seen=_whole(verdict), back=None), (
        _effect(pending, table.position),
    )


def _played(
    table: MatchState, play: Play, dice: Dice, told: str, by: str, undo: MatchState | None = None
) -> Transition:
    """A legal play: the turn passes."""
    side = table.position.turn or ""
    judgement = Judgement(table.turn, side, dice, Kind.LEGAL.value, play.text, (), (), told, by)
    before = replace(undo or table, pending=None, seen=None, back=None)
    after = _passed(table, play.after, judgement, before)
    table, effects = ended(after)
    return table, (_effect(judgement, play.after), *effects)


def pass_on(table: MatchState) -> Transition:
    """The turn of a side that cannot move passes by itself, with its dice or, where these have not fallen,
    with any, and is not taken back."""
    rolled = {table.dice: table.position}
    if table.position.awaits is not Awaits.PLAY:
        rolled = rolls(table.position, table.position.turn or "")
    dice, *others = rolled
    table = replace(table, position=rolled[dice])
    play = next(iter(table.position.plays()))
    passed, effects = _played(table, play, dice, words.legal(play, tuple(others)), "rules")
    return replace(passed, back=None), effects


def stand(table: MatchState, *, condoned: bool) -> Transition:
    """A foul that the game goes on from: the board is as it was seen."""
    assert table.pending is not None
    old, after = table.pending, standing(table)
    stands = phrase("{foul}; it stands, condoned", foul=old.words)
    told = stands if condoned else phrase("{foul}; it stands", foul=old.words)
    judgement = replace(old, verdict="stood", candidates=(), words=told)
    effect = FoulStood(
        turn=old.turn,
        side=old.side,
        dice=old.dice,
        cells=old.cells,
        position=after.to_json(),
        words=told,
        condoned=condoned,
    )
    stood, effects = ended(_passed(table, after, judgement, None))
    return stood, (effect, *effects)


def standing(table: MatchState) -> Position:
    """The position where the pending foul stands. Raises IllegalEvent where the game cannot go on from it."""
    assert table.pending is not None
    assert table.seen is not None
    before = table.position
    if before.awaits is not Awaits.PLAY:  # nobody knows the roll, and what stands is the same by any
        before = next(iter(rolls(before, table.pending.side).values()))
    try:
        return before.stand(table.seen)
    except EngineError as error:
        raise IllegalEvent(
            phrase("the game cannot go on from this board: {error}", error=str(error))
        ) from error


def cannot_stand(table: MatchState) -> str | None:
    """Why the pending foul cannot stand."""
    try:
        standing(table)
    except IllegalEvent as error:
        return str(error)
    return None


def _passed(table: MatchState, after: Position, judgement: Judgement, back: MatchState | None) -> MatchState:
    """The turn is over."""
    dice = table.dice if after.awaits is Awaits.PLAY and after.dice else ()
    return replace(
        table,
        position=after,
        turn=table.turn + 1,
        dice=dice,
        rolling=False,
        intended="",
        pending=None,
        seen=None,
        moves=(*table.moves, judgement),
        touched=differing(table.position.looks(), after.looks()),
        back=back,
        unrolled=None,
    )


def ended(table: MatchState) -> Transition:
    """The table with its game scored, if the position says that it is over."""
    outcome = table.position.outcome
    return (table, ()) if outcome is None else finish(table, outcome, "played")


def _judge_pending(table: MatchState, evidence: Evidence) -> Verdict:
    """The judgement of a new picture of the play that is pending."""
    assert table.pending is not None
    if table.position.awaits is Awaits.PLAY:
        return _judge(table, evidence)
    return infer(table.position, evidence, table.pending.side).verdict


def _judge(table: MatchState, evidence: Evidence) -> Verdict:
    """The judgement of a play with known dice."""
    verdict = judge(table.position, evidence)
    return verdict if table.intention is None else held_to(verdict, table.intention)


def _foul(table: MatchState, verdict: Verdict, dice: Dice, side: Side) -> str:
    """What is wrong on the board, in words."""
    if table.intended:
        return words.other_play(table.position, verdict, table.player)
    return words.foul(table.position, verdict, dice, table.player, side)


def _rolled(table: MatchState, side: Side, dice: Dice) -> Position:
    """The position with a roll that was inferred."""
    return rolls(table.position, side)[dice]


def _whole(verdict: Verdict) -> dict[str, tuple[str, ...]]:
    """Every cell as it was seen; where nothing was, as the nearest legal play would leave it."""
    return {**verdict.play.after.looks(), **verdict.seen}


def _doubtful(verdict: Verdict) -> tuple[str, ...]:
    """Where an unsure picture leaves the question: cells on which the candidates differ, or that differ from
    the only one."""
    first = verdict.play.after.looks()
    disputed = {cell for play in verdict.candidates for cell in differing(first, play.after.looks())}
    return tuple(cell for cell in first if cell in disputed) or verdict.cells


def _effect(judgement: Judgement, position: Position) -> Judged:
    told = {name: getattr(judgement, name) for name in judgement.__slots__}
    return Judged(position=position.to_json(), **told)
