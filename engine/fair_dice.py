"""Provable dice, as the session knows them: what each party to a game's dice is bound to, and in what order.

    Commit     the device is bound to a secret, for one game of one match
    Pledge     each player is bound to words that nobody else knows: to a digest of them
    Beacon     where the commitment named a round of a public source: what that was, which nobody knew before
    Close      no more pledges; from here on the players say their words
    Seed       a player's words, which must be those of the pledge
    Roll       the first one: what has not been said until now does not count

Whoever gives the last part of a sum chooses the sum. So every part is bound before the first is told, and the
device (which knows its secret all along) and one of the players cannot choose together against the other.

Words without a pledge are mixed in where they come before Close. They are known before all is bound, so they
prove nothing. Games of form 1 (releases up to 0.2) have no other words.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any

from engine.errors import IllegalEvent
from engine.events import Beacon, Close, Commit, Pledge, Reveal, Seed
from engine.layout import Side
from engine.match_state import MatchState, State, Transition
from engine.record import Given, Proof

FORM = 2
"""How new games draw their dice (:mod:`hardware.dice`). 1: without pledges, match and game."""
DIGEST = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[0-9a-f]{96}")
LONGEST = 400
"""Letters of a player's words."""


def pledge_of(commitment: str, side: Side, words: str) -> str:
    """What binds a player to words: the SHA-256, in hex, of the commitment, the side and the words, with a
    blank between."""
    return hashlib.sha256(f"{commitment} {side} {words}".encode()).hexdigest()


def proof_of(table: MatchState) -> Proof | None:
    """What proves the dice that the table is bound to; None where it is bound to none."""
    if table.commitment is None:
        return None
    if table.form == 1:
        return Proof(table.commitment, tuple(words for _, words in table.seeds))
    said = dict(table.told)
    given = [Given(side, said.get(side, ""), pledge) for side, pledge in table.pledges]
    given += [Given(side, words) for side, words in table.seeds]
    return Proof(
        table.commitment,
        form=table.form,
        match=table.log,
        game=table.bound,
        given=tuple(sorted(given)),
        round=table.round,
        beacon=table.beacon,
    )


def kept(table: MatchState) -> dict[str, Any]:
    """The fields that belong to the commitment: neither *undo* nor the next game changes them."""
    names = ("commitment", "bound", "seeds", "form", "log", "pledges", "told", "closed", "round", "beacon")
    return {name: getattr(table, name) for name in names}


def commit(table: MatchState, event: Commit) -> Transition:
    """The device is bound to its dice from here on."""
    if table.commitment is not None:
        raise IllegalEvent("the dice are bound already; publish the secret first")
    if table.result is None and table.rolls != (0, 0):
        raise IllegalEvent("dice have fallen in this game already; a commitment comes before the first roll")
    if event.form not in (1, FORM):
        raise IllegalEvent(f"dice of form {event.form}: this release knows 1 and {FORM}; use a later one")
    if event.round < 0:
        raise IllegalEvent(f"a public source has no round {event.round}")
    bound = _freed(table)
    bound = replace(bound, commitment=event.digest, form=event.form, log=event.match, round=event.round)
    return replace(bound, bound=table.match.game + (table.result is not None)), ()


def pledge(table: MatchState, event: Pledge) -> Transition:
    """A player is bound to words. The first pledge of a side stands."""
    _check_in_time(table)
    if table.form == 1:
        raise IllegalEvent("these dice take words, not pledges")
    if table.closed:
        raise IllegalEvent("the words are being told already: a pledge would come too late")
    if not DIGEST.fullmatch(event.digest):
        raise IllegalEvent("a pledge is a SHA-256, 64 hexadecimal digits")
    if event.side in dict(table.pledges):
        raise IllegalEvent(f"words of {table.player(event.side)} have been pledged already")
    return replace(table, pledges=(*table.pledges, (event.side, event.digest))), ()


def close(table: MatchState, event: Close) -> Transition:
    """No more pledges."""
    _check_in_time(table)
    if table.closed or table.form == 1:
        raise IllegalEvent("the pledges are closed")
    return replace(table, closed=True), ()


def beacon(table: MatchState, event: Beacon) -> Transition:
    """The public source's number joins the secret."""
    _check_in_time(table)
    if not table.round or table.beacon:
        raise IllegalEvent("no number of a public source is waited for")
    if not SIGNATURE.fullmatch(event.signature):
        raise IllegalEvent("a public source's number is a signature, 96 hexadecimal digits")
    return replace(table, beacon=event.signature), ()


def seed(table: MatchState, event: Seed) -> Transition:
    """A player's words join the secret."""
    _check_in_time(table)
    if table.form == 1:
        return replace(table, seeds=(*table.seeds, (event.side, event.words))), ()
    if not 0 < len(event.words) <= LONGEST:
        raise IllegalEvent(f"words for the dice have 1 to {LONGEST} letters")
    pledged = dict(table.pledges).get(event.side)
    if pledged is None:
        if table.closed:
            raise IllegalEvent(
                f"{table.player(event.side)} has pledged no words; they come too late for this game"
            )
        if event.side in dict(table.seeds):
            raise IllegalEvent(f"{table.player(event.side)} has given words already")
        return replace(table, seeds=(*table.seeds, (event.side, event.words))), ()
    if not table.closed:
        raise IllegalEvent("these words are pledged; they are told when nobody can pledge any more")
    if event.side in dict(table.told):
        raise IllegalEvent(f"{table.player(event.side)} has told these words already")
    if pledge_of(table.commitment or "", event.side, event.words) != pledged:
        raise IllegalEvent(f"these are not the words that {table.player(event.side)} has pledged")
    return replace(table, told=(*table.told, (event.side, event.words))), ()


def reveal(table: MatchState, event: Reveal) -> Transition:
    """The secret is out: new dice need a new commitment, and the game cannot be gone on with. Its last play
    stands from here on."""
    if table.commitment is None:
        raise IllegalEvent("there is no commitment to reveal")
    over = table.state in (State.OVER, State.ENDED)
    if not over and table.bound == table.match.game:
        raise IllegalEvent("the secret stays secret until the game is over")
    if over:
        table = replace(table, back=None, unrolled=None)
    return _freed(table), ()


def _freed(table: MatchState) -> MatchState:
    """Bound to nothing; what ``bound`` says stays, though it counts for nothing then."""
    return replace(
        table,
        commitment=None,
        drawn=0,
        seeds=(),
        form=1,
        log="",
        pledges=(),
        told=(),
        closed=False,
        round=0,
        beacon="",
    )


def _check_in_time(table: MatchState) -> None:
    """Raises IllegalEvent where words would come before the commitment or after a roll."""
    if table.commitment is None:
        raise IllegalEvent("the device has not committed itself yet: words only count after that")
    if table.drawn or (table.result is None and (table.rolls != (0, 0) or table.bound < table.match.game)):
        raise IllegalEvent("dice have fallen already that these words cannot change")
