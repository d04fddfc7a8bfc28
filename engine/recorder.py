"""From a journal to a record: a session's events replayed, and what happened written down.

The session is the only one who knows what an event means, so this module asks it: every event is handled
again, and its effects are turned into the actions of :mod:`engine.record`. What was taken back is taken out
again (with a remark), fouls that were fixed are remarks, and a foul that stood is an action with the
position that it left.
"""

from __future__ import annotations

from dataclasses import replace

from engine import effects as told
from engine import fair_dice
from engine.events import Beacon, Begin, Button, Commit, Event, Pledge, Press, Reveal, Roll, Seed
from engine.layout import Side
from engine.match_state import MatchState
from engine.messages import phrase, phrase_number
from engine.names import dashed, named
from engine.position import Awaits, Dice
from engine.record import (
    Action,
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Proof,
    Remark,
    Resigned,
    Result,
    Rolled,
    Scored,
    Stood,
    Taken,
)
from engine.session import Session


class Recorder:
    """A record that grows with its events; ``record`` is the match so far."""

    def __init__(self, date: str = "", round: str = "") -> None:
        self.session = Session()
        self._match = MatchRecord("", ("", ""), date=date, round=round)
        self._games: list[GameRecord] = []
        self._actions: list[Action] = []
        self._proof: Proof | None = None

    @property
    def record(self) -> MatchRecord:
        """The match so far, the present game included."""
        games = (
            [*self._games[:-1], replace(self._games[-1], actions=tuple(self._actions))] if self._games else []
        )
        return replace(self._match, games=tuple(games))

    def take(self, event: Event) -> None:
        """One more event. Raises IllegalEvent where the session refuses it."""
        before = self.session.table
        self.session, effects = self.session.handle(event)
        after = self.session.table
        assert after is not None
        if isinstance(event, Begin):
            self._begin(event, after)
        elif isinstance(event, Reveal) and after.commitment is None:
            self._reveal(event.secret)
        elif isinstance(event, Beacon | Commit | Pledge | Seed):
            self._prove(after)
        for effect in effects:
            self._tell(effect, event, before or after, after)
            if isinstance(effect, told.DiceTookBack) and before is not None and before.unrolled is not None:
                before = before.unrolled  # what follows is told of the table without them

    def _begin(self, event: Begin, table: MatchState) -> None:
        first, second = (event.players.get(side, side) for side in table.rules.sides)
        self._match = replace(
            self._match,
            rules=event.rules,
            players=(first, second),
            terms=event.terms,
            options=dict(event.options),
            event=event.competition,
            place=event.place,
        )

    def _prove(self, after: MatchState) -> None:
        """Keep what makes the dice provable with the game that it belongs to, the secret with every game of
        one commitment. The tables are asked, not the event: time that had run out may have ended the game
        first."""
        if after.commitment is not None:
            self._proof = fair_dice.proof_of(after)
            if after.result is None:
                self._games[-1] = replace(self._games[-1], proof=self._proof)

    def _reveal(self, secret: str) -> None:
        sealed, self._proof = self._proof, None
        if sealed is not None:
            opened = replace(sealed, secret=secret)
            self._games = [
                replace(game, proof=opened) if game.proof == sealed else game for game in self._games
            ]

    def _tell(self, effect: told.Effect, event: Event, before: MatchState, after: MatchState) -> None:
        """What one effect adds."""
        match effect:
            case told.Started(crawford=crawford):
                self._start(event, after, crawford)
            case told.DiceFell(dice=dice) if isinstance(event, Roll):
                self._fell(event, dice, before, after)
            case told.Judged(verdict="legal", side=side, move=move, dice=dice):
                if not isinstance(event, Roll):
                    self._infer(before, side, dice)
                self._add(Played(side, move or ""))
            case told.Judged(verdict="illegal", side=side, words=words):
                self._add(Remark(phrase("foul by {player}: {words}", player=named(side), words=words)))
            case told.FoulStood(side=side, position=position, words=words, dice=dice):
                self._infer(before, side, dice)
                self._add(Stood(side, position, words))
            case told.TookBack(side=side):
                self._take_back(before, side)
            case told.DiceTookBack(side=side, dice=dice):
                self._take_dice_back(before, side, dice)
            case told.Offered(by=side, beaver=beaver):
                self._add(Beavered(side) if beaver else Doubled(side))
            case told.CubeTaken(side=side):
                self._add(Taken(side))
            case told.CubeDropped(side=side):
                self._add(Dropped(side))
            case _:
                self._tell_end(effect, event, before, after)

    def _tell_end(self, effect: told.Effect, event: Event, before: MatchState, after: MatchState) -> None:
        """The same of what ends a game, and of what was set by hand."""
        offered = before.resignation
        match effect:
            case told.ResignationChanged(side=side, grade=None):
                if offered is not None and isinstance(event, Press) and event.button is Button.DROP:
                    self._add(Resigned(side, before.rules.grades[offered.grade][0], accepted=False))
            case told.Ended(outcome=outcome, points=points, cause=cause):
                if offered is not None and cause == "resigned":
                    self._add(Resigned(offered.side, before.rules.grades[offered.grade][0]))
                # A dropped cube ends the game before it is told as dropped.
                result = Result(outcome.winner, outcome.kind, points, cause)
                self._games[-1] = replace(self._games[-1], result=result)
            case told.Expired(side=side, points=points, score=score):
                player = named(side)
                if not points:
                    self._add(Remark(phrase("{player} is out of time", player=player)))
                    return
                words = phrase_number(
                    "{player} is out of time and loses {n} point",
                    "{player} is out of time and loses {n} points",
                    points,
                    player=player,
                )
                self._actions += (Remark(words), Scored(score, "time"))
            case told.SetByHand(position=position, cube=cube, owner=owner, score=score, ended=ended):
                if after.result is None:
                    self._add(Corrected(position, cube, owner))
                    if after.position.awaits is Awaits.PLAY and after.position.dice:
                        self._add(Rolled(after.position.turn, after.position.dice))
                if score != before.match.score:
                    self._add(Scored(score, "after" if ended else "hand"))

    def _fell(self, event: Roll, dice: Dice, before: MatchState, after: MatchState) -> None:
        opening = before.position.awaits is Awaits.OPENING
        turn = None if opening else before.position.turn
        if before.pending is not None:  # the opponent's roll let a foul stand
            turn = before.rules.other(before.pending.side)
        self._add(Rolled(turn, _in_order(before, dice, event.side) if opening else dice, event.number))
        self._raise(before, after)

    def _start(self, event: Event, table: MatchState, crawford: bool) -> None:
        if self._games:
            self._games[-1] = replace(self._games[-1], actions=tuple(self._actions))
        self._actions = []
        options = dict(table.begin.options)
        start = event.position if isinstance(event, Begin) else None
        self._games.append(
            GameRecord(
                table.match.score,
                crawford=crawford,
                start=None if start is None else {**start, "rules": table.rules.name},
                options=None if options == self._match.options else options,
                proof=self._proof if table.form == 1 or table.bound == table.match.game else None,
            )
        )

    def _raise(self, before: MatchState, after: MatchState) -> None:
        """Automatic doubles: the game's stake, or a correction where the cube had been set by hand before."""
        stake = after.cube.value
        if stake != before.cube.value and any(isinstance(action, Corrected) for action in self._actions):
            self._add(Corrected(after.position.to_json(), stake, after.cube.owner))
        elif stake != before.cube.value:
            self._games[-1] = replace(self._games[-1], cube=stake)

    def _add(self, action: Action) -> None:
        self._actions.append(action)

    def _infer(self, before: MatchState, side: Side, dice: Dice) -> None:
        """The roll of players who roll their own dice and say nothing, as the judge found it: of a foul
        there is none."""
        awaits = before.position.awaits
        if not dice:
            return
        if awaits is Awaits.OPENING:
            self._add(Rolled(None, _in_order(before, dice, side)))
        elif awaits is Awaits.ROLL:
            self._add(Rolled(side, dice))

    def _take_back(self, before: MatchState, side: Side) -> None:
        """Without its last play, and the roll that was only inferred from it. A judgement that was pending
        had added nothing."""
        if before.back is not None:
            place = max(at for at, action in enumerate(self._actions) if isinstance(action, Played))
            begin = place
            if before.back.position.awaits is not Awaits.PLAY:
                begin = max(
                    at for at, action in enumerate(self._actions[:place]) if isinstance(action, Rolled)
                )
            self._actions = [
                each
                for at, each in enumerate(self._actions)
                if not (begin <= at <= place and not isinstance(each, Remark))
            ]
            self._games[-1] = replace(self._games[-1], result=None)
        self._add(Remark(phrase("{player} took the play back", player=named(side))))

    def _take_dice_back(self, before: MatchState, side: Side | None, dice: Dice) -> None:
        """Without the last roll, and without a foul that stood by it."""
        unrolled = before.unrolled
        assert unrolled is not None
        gone = (Rolled, Stood) if unrolled.pending is not None else (Rolled,)
        for kind in gone:
            place = max(at for at, action in enumerate(self._actions) if isinstance(action, kind))
            del self._actions[place]
        game = self._games[-1]
        stake = game.cube if before.cube.value == unrolled.cube.value else unrolled.cube.value
        self._games[-1] = replace(game, result=None, cube=stake)
        shown = dashed(dice)
        words = (
            phrase("the players took the dice back: {dice}", dice=shown)
            if side is None
            else phrase("{player} took the dice back: {dice}", player=named(side), dice=shown)
        )
        self._add(Remark(words))


def _in_order(table: MatchState, dice: Dice, winner: Side | None) -> Dice:
    """Opening dice in the order of the sides; with a winner named, its die is the higher."""
    if winner is None or len(dice) != 2:
        return dice
    high, low = max(dice), min(dice)
    return (high, low) if winner == table.rules.sides[0] else (low, high)
