"""What the dice on the board mean for the match: a throw, a turn that is over, or something to be told.

Pure: a :class:`Throws` is a value. ``throws.see(dice, table, board, t)`` gives the next one, what it asks of
the table, and words for the players. Nothing is ever lost by a picture: dice that nobody can make sense of
are told of, and the table waits; players may always type dice and press buttons.

Dice are *spent* once their throw has been played: they may lie on the board until their owner takes them, and
are no throw. The dice of the present roll are *thrown*: where they are picked up, the turn may be over. Dice
have *strayed* that lay in the opponent's half before anything was played: who is on turn threw them there,
most likely, and they never become the opponent's throw when the play is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from engine.events import Button, Choose, Condone
from engine.evidence import Evidence
from engine.infer import Inference, infer
from engine.judge import Kind, judge, likeliest
from engine.layout import Side, differing
from engine.match_state import MatchState, State
from engine.messages import phrase
from engine.position import Awaits, Position
from engine.rolls import closed_out
from engine.turns import may_condone
from engine.waiting import waiting
from engine.words import roll as roll_text
from firmware.table.dice_words import (
    AGAIN,
    count,
    moved_nothing,
    played_second,
    unusable,
    while_picked_up,
    while_played,
)
from firmware.table.referee import Fell
from hardware.protocols import Pressed
from vision.dice import Die, Lies

Outcome: TypeAlias = tuple["Throws", Fell | Pressed | Condone | Choose | None, str]
"""The next value, what is asked of the table, and what the players are told ("" for nothing)."""
ANSWERED = (State.OFFERED, State.RESIGNED, State.PROPOSED, State.PAUSED)
"""States in which a throw waits for an answer."""
DANCES = 0.25
"""How often nothing can be played (three points are closed), at least, where dice in the opponent's half mean
that a throw was picked up unseen. Where it is seldomer, who is on turn has thrown them there."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What the players agreed on. ``strict``: dice must lie flat, in the half at the thrower's right, or all
    are thrown again (``cocked = "reroll"``); otherwise whatever lies on the board counts. ``picking_up``: who
    picks the dice up has ended the turn (``done = "dice"``). ``right_half``: whose right half lies where x is
    more than ``middle`` (cm); None where nobody knows."""

    strict: bool = False
    picking_up: bool = False
    middle: float = 30.0
    right_half: Side | None = None


@dataclass(frozen=True, slots=True)
class Throws:
    """``spent``, ``thrown`` and ``strayed``: see the module. ``up``: whether what was thrown was picked up
    before anything was played, and ``again`` what was thrown then. ``pairs``: the colours of the dice that
    each side has thrown. ``looked``: whether dice were looked at before."""

    habits: Habits = field(default_factory=Habits)
    spent: tuple[Die, ...] = ()
    thrown: tuple[Die, ...] = ()
    up: bool = False
    again: tuple[Die, ...] = ()
    strayed: tuple[Die, ...] = ()
    pairs: Mapping[Side, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    looked: bool = False

    def see(self, dice: Sequence[Die], table: MatchState, board: Evidence | None, t: float) -> Outcome:
        """What ``dice``, seen at rest at ``t`` seconds, mean now. ``board``: how it looks in a picture that
        was not seen before, so a turn may be ended by it; None where there is none."""
        spent = self.spent if self.looked else self._played(dice, table)
        now = replace(self, spent=spent, looked=True)
        if table.state in (State.OPENING, State.ROLL):
            return now._throw(dice, table, board, t)
        if table.state in (State.PLAY, State.FOUL, State.ASKED):
            return now._play(dice, table, board, t)
        return now, None, now._too_early(dice, table)

    def _played(self, dice: Sequence[Die], table: MatchState) -> tuple[Die, ...]:
        """The dice of the last roll that lie there still as the program begins: in the opponent's half, those
        of an opening roll in both."""
        left = list(table.moves[-1].dice if table.moves else table.opened)
        found = []
        for die in dice:
            if die.value in left and (len(table.moves) < 2 or self._whose(die, table) != table.position.turn):
                left.remove(die.value)
                found.append(die)
        return tuple(found)

    def _too_early(self, dice: Sequence[Die], table: MatchState) -> str:
        """What is told of a throw while something else is waited for: it counts afterwards."""
        known = _matched((*self.spent, *self.thrown), dice)
        fresh = [die for die in dice if die not in known and die.lies is not Lies.COVERED]
        if table.state not in ANSWERED or not 0 < table.position.dice_due <= len(fresh):
            return ""
        return phrase("the dice do not count yet: {reason}", reason=waiting(table))

    def _throw(self, dice: Sequence[Die], table: MatchState, board: Evidence | None, t: float) -> Outcome:
        """Dice are due: what lies there that did not lie there before is a throw."""
        spent, strayed = _matched((*self.spent, *self.thrown), dice), _matched(self.strayed, dice)
        now = replace(self, spent=spent, thrown=(), up=False, again=(), strayed=strayed)
        fresh = [die for die in dice if die not in spent and die.lies is not Lies.COVERED]
        if table.state is State.OPENING:
            return now._opening(fresh, table, t)
        turn, due = table.position.turn or "", table.position.dice_due
        own = [die for die in fresh if self._whose(die, table) in (turn, None)]
        other = len(fresh) - len(own)
        strict = self.habits.strict or len(fresh) > due
        mine = _sure(own if strict else fresh, due)
        name = table.player(turn)
        if self.habits.picking_up and fresh and not own and board is not None:
            if self._goes_on([die for die in fresh if die not in strayed], table, board):
                return replace(now, spent=(*spent, *strayed), strayed=()), Pressed(t, turn, Button.DONE), ""
            if _untouched(table.position, board):
                now = replace(now, strayed=tuple(fresh))
        if not mine:
            not_theirs = phrase(
                "it is {player}'s throw, into the half at {player}'s right; these dice do not count",
                player=name,
            )
            return now, None, not_theirs if other else ""
        if len(mine) < due == len(fresh):
            return now, None, phrase("a die lies in the wrong half: {player} throws again", player=name)
        if len(mine) != due:
            return now, None, count(len(mine), due, phrase("{player} throws all of them", player=name))
        words = unusable(mine, self.habits.strict, phrase("{player} throws again", player=name))
        if words:
            return now, None, words
        return now._fell(mine, turn, t)

    def _goes_on(self, fresh: Sequence[Die], table: MatchState, board: Evidence) -> bool:
        """Whether ``fresh`` are the next player's throw, and this turn is over though nobody sees its dice:
        they were picked up at once, since nothing could be played, or never thrown by who is closed out; or
        they were gone when the program began. The board must show it."""
        turn = table.position.turn or ""
        due = table.position.dice_due or len(table.dice)
        theirs = _sure(fresh, due)
        if len(theirs) != due or unusable(theirs, self.habits.strict, AGAIN):
            return False
        if table.state is State.PLAY:
            return judge(table.position, board).kind is Kind.LEGAL
        if not self.habits.strict and not closed_out(table.position):
            return False  # they may as well be the thrower's, in the wrong half
        found = infer(table.position, board, turn)
        if found.verdict.kind is not Kind.LEGAL:
            return False
        return bool(found.verdict.play.steps) or self._danced(theirs, table, found)

    def _danced(self, theirs: Sequence[Die], table: MatchState, found: Inference) -> bool:
        """Whether ``theirs``, in the opponent's half, are rather the opponent's than those of who is on turn,
        on a board that shows no play. The dice themselves say so where each side has its own colour; else how
        often nothing can be played."""
        turn = table.position.turn or ""
        own, other = (self.pairs.get(side, frozenset()) for side in (turn, table.rules.other(turn)))
        colours = {die.colour for die in theirs}
        if own and other and not own & other and (colours <= own or colours <= other):
            return colours <= other
        ways = sum(len(set(permutations(dice))) for dice in found.dice)
        return bool(ways >= DANCES * 6 ** len(theirs))

    def _opening(self, fresh: Sequence[Die], table: MatchState, t: float) -> Outcome:
        """Everybody throws one die, into the own half."""
        sides, due = table.rules.sides, table.position.dice_due
        fresh, each = _sure(fresh, due), due == len(sides)
        one_each = phrase("for the opening roll everybody throws one die, into the half at the own right")
        if len(fresh) != due:
            again = one_each if each else phrase("everybody throws all of them")
            return self, None, count(len(fresh), due, again) if fresh else ""
        if each:
            order = [next((die for die in fresh if self._whose(die, table) == side), None) for side in sides]
            fresh = [die for die in order if die is not None]
            if len(fresh) != due:
                return self, None, one_each
        words = unusable(fresh, self.habits.strict, AGAIN)
        return (self, None, words) if words else self._fell(fresh, None, t)

    def _fell(self, dice: Sequence[Die], side: Side | None, t: float) -> Outcome:
        values = tuple(die.value for die in dice if die.value is not None)
        sure = float(np.prod([die.confidence for die in dice]))
        pairs = self.pairs if side is None else {**self.pairs, side: frozenset(die.colour for die in dice)}
        return (
            replace(self, thrown=tuple(dice), strayed=(), pairs=pairs),
            Fell(t, values, side, read=sure),
            "",
        )

    def _play(self, dice: Sequence[Die], table: MatchState, board: Evidence | None, t: float) -> Outcome:
        """A roll is being played: its dice may be picked up, touched, or turned over."""
        thrown = self.thrown or self._adopted(dice, table)
        here = self._paired(thrown, dice, table)
        if self.up and any(_same(die, dice) is None for die in thrown):
            here = []  # what lies there was thrown later
        stays = tuple(replace(now, value=die.value) for die, now in here)
        gone = len(thrown) - len(here)
        turn = table.position.turn or ""
        # Of the opening's dice one is the opponent's.
        mine = [die for die in thrown if table.moves or self._whose(die, table) in (turn, None)] or thrown
        left = [die for die, _ in here if die in mine]
        some_gone = 0 < len(left) < len(mine)
        fresh = [
            die
            for die in dice
            if die.value is not None
            and die.lies is not Lies.COVERED
            and _same(die, self.spent) is None
            and all(die is not now for _, now in here)
        ]
        if table.state is State.FOUL and (other := self._lets_stand(fresh, table)):
            return self, Condone(t=t, side=other), ""
        sides = [self._whose(die, table) for die in fresh]
        unseen = self.habits.picking_up and not thrown and table.state is State.PLAY
        early = [table.player(side) if side not in (turn, None) else "" for side in sides]
        if unseen and all(early) and board is not None and self._goes_on(fresh, table, board):
            return self, Pressed(t, turn, Button.DONE), ""
        words = while_played(here, early, table.player(turn), table.dice)
        if self.habits.picking_up and not words:
            words = while_picked_up(here, some_gone, table.player(turn))
        if self.habits.picking_up and not thrown and not words:
            words = phrase(
                "the dice of {player} are not seen: {player} presses done when the play is over",
                player=table.player(turn),
            )
        if self.habits.picking_up and gone and not left and thrown:
            return self._picked_up(thrown, fresh, table, board, t, words)
        kept = thrown if gone else stays  # what was picked up is waited for
        return replace(self, thrown=tuple(kept), up=False, again=()), None, words

    def _picked_up(
        self,
        thrown: tuple[Die, ...],
        fresh: Sequence[Die],
        table: MatchState,
        board: Evidence | None,
        t: float,
        words: str,
    ) -> Outcome:
        """All dice of the roll were picked up: the turn is over, unless nothing was played and could be. Then
        the throw may have been none (a die that was cocked, to the players), and nobody is accused before the
        opponent throws."""
        turn = table.position.turn or ""
        again = [die for die in fresh if self._whose(die, table) in (turn, None)]
        second = "" if again or board is None else self._by_second_throw(table, board)
        if second and len(fresh) >= len(table.dice):  # who throws now has seen it all, and agrees
            return replace(self, up=False, again=()), Choose(t=t, side=turn, play=second), ""
        if second:
            return self, None, played_second(table.player(turn), table.dice, second)
        waits = self.up if board is None else (self.up and bool(again)) or _unplayed(table.position, board)
        if table.state is not State.PLAY or len(again) < len(fresh) or not waits:
            ended = replace(self, thrown=thrown, up=False)
            return ended, Pressed(t, turn, Button.DONE) if board is not None else None, words
        whole = len(again) == len(table.dice) and not unusable(again, self.habits.strict, AGAIN)
        told = moved_nothing(table.player(turn), table.dice, bool(again))
        return replace(self, thrown=thrown, up=True, again=tuple(again) if whole else self.again), None, told

    def _by_second_throw(self, table: MatchState, board: Evidence) -> str:
        """The play, with its roll, that was made by a second throw instead of the roll; "" where none was."""
        before = table.unrolled
        if table.state is not State.PLAY or not (self.up and self.again and before and table.moves):
            return ""
        dice = tuple(die.value for die in self.again if die.value is not None)
        rolled = before.position.roll(dice)
        if rolled.awaits is not Awaits.PLAY or judge(table.position, board).kind is Kind.LEGAL:
            return ""
        found = judge(rolled, board)
        return f"{roll_text(dice)}: {found.play.text}" if found.kind is Kind.LEGAL else ""

    def _lets_stand(self, fresh: Sequence[Die], table: MatchState) -> Side | None:
        """Who throws on a foul and so lets it stand, as by *roll*; None where nobody does, or may."""
        assert table.pending is not None
        other = table.rules.other(table.pending.side)
        due = len([die for die in fresh if self._whose(die, table) == other]) == len(table.pending.dice) > 0
        return other if due and may_condone(table, other) is None else None

    def _paired(self, thrown: Sequence[Die], dice: Sequence[Die], table: MatchState) -> list[tuple[Die, Die]]:
        """Each die that was thrown and lies on the board still, with how it lies now: where it lay, or else,
        with the same value and colour, elsewhere in the same half: it was pushed aside. Who throws next does
        so into the other half."""
        here = {die: now for die in thrown if (now := _same(die, dice)) is not None}
        others = [one for one in dice if one not in here.values() and one.lies is not Lies.COVERED]
        for die in thrown:
            alike = [
                one
                for one in others
                if (one.value, one.colour) == (die.value, die.colour)
                and self._whose(one, table) == self._whose(die, table)
            ]
            if die not in here and alike:
                here[die] = min(alike, key=die.apart)
                others.remove(here[die])
        return [(die, here[die]) for die in thrown if die in here]

    def _adopted(self, dice: Sequence[Die], table: MatchState) -> tuple[Die, ...]:
        """The dice of the present roll, where nobody saw them thrown: the program began after they had
        fallen, or they were typed. They lie in the half of whose turn it is, the opening's in both; one that
        cannot be read is one of them, and of typed dice one that was read otherwise."""
        turn, left = table.position.turn, list(table.dice)
        own = [
            die
            for die in dice
            if die.lies is not Lies.COVERED
            and (self._whose(die, table) == turn or not table.moves or self._nobodys(die, table))
        ]
        typed = table.read is None and len(own) == len(left)
        found = []
        for die in sorted(own, key=lambda die: die.value is None):
            if die.value in left:
                left.remove(die.value)
                found.append(die)
            elif left and (typed or die.value is None):
                value = left.pop()
                found.append(replace(die, value=value if die.value is None else die.value))
        return tuple(found) if not left else ()

    def _nobodys(self, die: Die, table: MatchState) -> bool:
        """Whether nobody knows whose a die is that was not there before."""
        return self._whose(die, table) is None and _same(die, self.spent) is None

    def _whose(self, die: Die, table: MatchState) -> Side | None:
        """In whose right half a die lies; None where nobody knows."""
        right = self.habits.right_half
        if right is None:
            return None
        return right if die.place[0] > self.habits.middle else table.rules.other(right)


def fresh_dice(dice: Sequence[Die], before: Sequence[Die]) -> list[Die]:
    """The dice that do not lie where one of those ``before`` lay."""
    return [die for die in dice if _same(die, before) is None]


def _untouched(position: Position, board: Evidence) -> bool:
    """Whether the board looks as it did before the turn."""
    return not differing(likeliest(position, board).looks, position.looks())


def _unplayed(position: Position, board: Evidence) -> bool:
    """Whether nothing was played of a roll that can be played."""
    return _untouched(position, board) and judge(position, board).kind is not Kind.LEGAL


def _same(die: Die, others: Sequence[Die]) -> Die | None:
    """The die that lies where ``die`` lay."""
    return min((one for one in others if die.stays(one)), key=die.apart, default=None)


def _matched(known: Sequence[Die], dice: Sequence[Die]) -> tuple[Die, ...]:
    """Those of ``dice`` that lie where known ones lay, and show what these showed as far as can be told."""
    found = []
    for die in dice:
        old = _same(die, known)
        if old is not None and (die.value is None or old.value in (None, die.value)):
            found.append(die)
    return tuple(found)


def _sure(dice: Sequence[Die], due: int) -> list[Die]:
    """The dice that can be read, where these are as many as are due: what cannot be read besides is no die of
    this throw, and perhaps none at all."""
    read = [die for die in dice if die.value is not None]
    return read if len(read) == due else list(dice)
