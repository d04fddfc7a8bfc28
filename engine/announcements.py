"""What happens at the table, as players would say it aloud: "Anna doubles to 2", "Björn cannot move".

A session keeps the *news*, what the newest event told, and the *story* of the present game: all that belongs
beside its plays, in order. Both are made here from an event's effects, so that page, strip and archive, which
only see the session, tell the same.
"""

from __future__ import annotations

from dataclasses import replace

from engine import effects as told
from engine.effects import Effect
from engine.events import DIRECTOR, Button, Event, Press
from engine.layout import Side
from engine.match_state import CANNOT_MOVE, FOR_THE_MOMENT, JUDGED, Announcement, MatchState
from engine.messages import all_of, joined, phrase, phrase_number, sentence
from engine.names import dashed, named
from engine.position import Awaits
from engine.words import TIE, scored


def announced(
    before: MatchState | None, after: MatchState, event: Event, effects: tuple[Effect, ...]
) -> MatchState:
    """``after`` with what these effects told. An undo takes no words back: the story goes on from
    ``before``."""
    old = before or after
    news = tuple(each for effect in effects if (each := _told(effect, event, old, after)) is not None)
    anew = before is None or any(isinstance(effect, told.Started) for effect in effects)
    story = () if anew else old.story
    lost = after.result is not None  # by dice that no play follows
    lasting = tuple(
        each for each in news if each.kind not in FOR_THE_MOMENT or (lost and each.kind == CANNOT_MOVE)
    )
    return replace(after, news=news or old.news, story=(*story, *lasting))


def _told(effect: Effect, event: Event, before: MatchState, after: MatchState) -> Announcement | None:
    """What one effect tells; None where it has no words of its own."""
    match effect:
        case told.Judged(side=side) | told.FoulStood(side=side):
            return Announcement(JUDGED, side, "", len(after.moves))
        case told.Offered() | told.CubeTaken() | told.CubeDropped() | told.ResignationChanged():
            kind, whose, words = _of_stakes(effect, event, before)
        case told.DiceFell():
            kind, whose, words = _of_dice(effect, before, after)
        case told.Intended(side=side, play=play):
            kind, whose = "intention", side
            words = phrase("{player} plays {play}", player=after.player(side), play=play)
        case told.TookBack() | told.DiceTookBack() | told.Relit(cells=()):
            kind, whose, words = _of_play(effect, before)
        case told.SetByHand() | told.Proposed() | told.ProposalAnswered():
            kind, whose, words = _of_corrections(effect, event, before, after)
        case _:
            kind, whose, words = _of_games(effect, after)
    moves = (before if isinstance(effect, told.DiceTookBack) else after).moves  # a play may follow at once
    return Announcement(kind, whose, sentence(words), len(moves)) if words else None


def _of_stakes(effect: Effect, event: Event, table: MatchState) -> tuple[str, Side | None, str]:
    """Cube and resignations."""
    match effect:
        case told.Offered(by=side, stake=stake, beaver=True):
            return (
                "beaver",
                side,
                phrase("{player} beavers to {stake}", player=table.player(side), stake=stake),
            )
        case told.Offered(by=side, stake=stake):
            return (
                "double",
                side,
                phrase("{player} doubles to {stake}", player=table.player(side), stake=stake),
            )
        case told.CubeTaken(side=side, owner=owner, stake=stake):
            words = phrase(
                "{player} takes; {owner} owns the cube at {stake}",
                player=table.player(side),
                owner=table.player(owner),
                stake=stake,
            )
            return "take", side, words
        case told.CubeDropped(side=side):
            return "drop", side, phrase("{player} drops", player=table.player(side))
        case told.ResignationChanged(side=side, grade=None):
            if isinstance(event, Press) and event.button is Button.DROP:
                other = table.rules.other(side)
                return (
                    "refusal",
                    other,
                    phrase("{player} refuses the resignation", player=table.player(other)),
                )
            return "resignation", side, phrase("{player} plays on", player=table.player(side))
        case told.ResignationChanged(side=side, grade="win"):
            return "resignation", side, phrase("{player} offers to resign", player=table.player(side))
        case told.ResignationChanged(side=side, grade=grade):
            words = phrase(
                "{player} offers to resign: {grade}", player=table.player(side), grade=named(grade or "")
            )
            return "resignation", side, words
    return "", None, ""


def _of_dice(effect: told.DiceFell, before: MatchState, after: MatchState) -> tuple[str, Side | None, str]:
    dice = dashed(effect.dice)
    if effect.side is None:
        if effect.stake == before.cube.value:
            return "roll", None, phrase("equal dice, {dice}: roll again", dice=dice)
        words = phrase("equal dice, {dice}: roll again; the stake is {stake}", dice=dice, stake=effect.stake)
        return "roll", None, words
    name = after.player(effect.side)
    if effect.stuck:
        return (
            CANNOT_MOVE,
            effect.side,
            phrase("{player} rolls {dice} and cannot move", player=name, dice=dice),
        )
    if before.position.awaits is Awaits.OPENING:
        return "roll", effect.side, phrase("{player} begins, {dice}", player=name, dice=dice)
    return "roll", effect.side, phrase("{player} rolls {dice}", player=name, dice=dice)


def _of_play(effect: Effect, before: MatchState) -> tuple[str, Side | None, str]:
    """What was taken back, or fixed."""
    match effect:
        case told.DiceTookBack(side=None, dice=dice):
            return "undo", None, phrase("the players took the dice back: {dice}", dice=dashed(dice))
        case told.DiceTookBack(side=side, dice=dice):
            player = before.player(side or "")
            return (
                "undo",
                side,
                phrase("{player} took the dice back: {dice}", player=player, dice=dashed(dice)),
            )
        case told.TookBack(side=side):
            play = before.moves[-1].move if before.pending is None and before.moves else None
            player = before.player(side)
            if not play:
                return "undo", side, phrase("{player} took the play back", player=player)
            return "undo", side, phrase("{player} took {play} back", player=player, play=play)
    side = before.position.turn
    if side is None:
        return "fixed", None, ""
    return "fixed", side, phrase("{player} has fixed the play: press done", player=before.player(side))


def _of_corrections(
    effect: Effect, event: Event, before: MatchState, after: MatchState
) -> tuple[str, Side | None, str]:
    """What was set by hand, and what of that is asked and answered."""
    match effect:
        case told.Proposed(by=by, words=words, waits=waits):
            asked = all_of([after.player(side) for side in waits])
            whose = by if by in after.rules.sides else None
            who = phrase("somebody at the page") if whose is None else after.player(whose)
            words = phrase(
                "{player} asks to set {words}; {others} must agree", player=who, words=words, others=asked
            )
            return "proposal", whose, words
        case told.ProposalAnswered(side=side, agreed=agreed):
            own = before.proposal is not None and before.proposal.event.actor == side
            directed = event.actor == DIRECTOR
            player = phrase("the director") if directed else before.player(side)
            if agreed:
                words = phrase("{player} agrees", player=player)
            elif own:
                words = phrase("{player} withdraws the correction", player=player)
            else:
                words = phrase("{player} refuses the correction", player=player)
            return "answer", None if directed else side, words
    words = describe_correction(before, after)
    if words and event.actor == DIRECTOR and before.proposal is None:
        words = phrase("set by the director: {words}", words=words)
    elif words:
        words = phrase("set by hand: {words}", words=words)
    return "correction", None, words


def _of_games(effect: Effect, table: MatchState) -> tuple[str, Side | None, str]:
    """A game's beginning, its end, and the match's; time that is up."""
    match effect:
        case told.Started(game=game, crawford=True) if game > 1:
            words = phrase("game {number}, the Crawford game: {score}", number=game, score=_score(table))
            return "game", None, words
        case told.Started(game=game) if game > 1:
            return "game", None, phrase("game {number}: {score}", number=game, score=_score(table))
        case told.Ended(outcome=outcome, points=points, cause=cause):
            if outcome.winner is None:
                return "game won", None, TIE
            player, won = table.player(outcome.winner), scored(outcome.kind, points)
            words = phrase("{player} wins: {points}", player=player, points=won)
            if table.match.winner is None:
                words = phrase("{words}; {more}", words=words, more=_score(table))
            if cause == "played" and (why := table.position.says(table.player)):
                words = phrase("{words}; {more}", words=words, more=why)
            return "game won", outcome.winner, words
        case told.MatchEnded(winner=winner):
            return "match won", winner, match_won(table)
        case told.Expired(side=side, points=0):
            return "time", side, phrase("{player} is out of time", player=table.player(side))
        case told.Expired(side=side, points=lost):
            words = phrase_number(
                "{player} is out of time and loses {n} point",
                "{player} is out of time and loses {n} points",
                lost,
                player=table.player(side),
            )
            return "time", side, words
    return "", None, ""


def _score(table: MatchState) -> str:
    """Who has how many points: ``Anna 3, Björn 1``."""
    (first, second), (one, other) = table.rules.sides, table.match.score
    return phrase(
        "{first} {one}, {second} {other}",
        first=table.player(first),
        one=one,
        second=table.player(second),
        other=other,
    )


def match_won(table: MatchState) -> str:
    """Who has won the match, with the score: ``Björn wins the match 5–0``. Empty while nobody has."""
    winner = table.match.winner
    if winner is None:
        return ""
    match, loser = table.match, table.rules.other(winner)
    score = f"{match.points(winner)}–{match.points(loser)}"
    words = phrase("{player} wins the match {score}", player=table.player(winner), score=score)
    if not match.forfeited:
        return words
    return phrase("{words}: {player} is out of time", words=words, player=table.player(loser))


def describe_correction(before: MatchState, after: MatchState) -> str:
    """What was set by hand: ``the score, 3–1``; empty where everything was so already."""
    old, new = before.position.to_json(), after.position.to_json()
    turn = old.pop("turn", None) != new.pop("turn", None)
    parts: list[str] = [phrase("the position")] if old != new else []
    if turn and after.position.turn is not None:
        parts.append(phrase("{player} is on turn", player=after.player(after.position.turn)))
    if before.match.score != after.match.score:
        parts.append(phrase("the score, {score}", score="{}–{}".format(*after.match.score)))
    cube, withdrawn = after.cube, before.cube.offer is not None and after.cube.offer is None
    if withdrawn or (before.cube.value, before.cube.owner) != (cube.value, cube.owner):
        parts.append(
            phrase("the cube, {value}, {player}'s", value=cube.value, player=after.player(cube.owner))
            if cube.owner
            else phrase("the cube, {value}, in the middle", value=cube.value)
        )
    return joined(phrase("; "), parts)
