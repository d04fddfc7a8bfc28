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
from engine.match_state import FOR_THE_MOMENT, JUDGED, Announcement, MatchState
from engine.position import Awaits
from engine.words import scored


def announced(
    before: MatchState | None, after: MatchState, event: Event, effects: tuple[Effect, ...]
) -> MatchState:
    """``after`` with what these effects told. An undo takes no words back: the story goes on from
    ``before``."""
    old = before or after
    news = tuple(each for effect in effects if (each := _told(effect, event, old, after)) is not None)
    anew = before is None or any(isinstance(effect, told.Started) for effect in effects)
    story = () if anew else old.story
    lasting = tuple(each for each in news if each.kind not in FOR_THE_MOMENT)
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
            kind, whose, words = "intention", side, f"{after.player(side)} plays {play}"
        case told.TookBack() | told.DiceTookBack() | told.Relit(cells=()):
            kind, whose, words = _of_play(effect, before)
        case told.SetByHand() | told.Proposed() | told.ProposalAnswered():
            kind, whose, words = _of_corrections(effect, event, before, after)
        case _:
            kind, whose, words = _of_games(effect, after)
    return Announcement(kind, whose, words[0].upper() + words[1:], len(after.moves)) if words else None


def _of_stakes(effect: Effect, event: Event, table: MatchState) -> tuple[str, Side | None, str]:
    """Cube and resignations."""
    match effect:
        case told.Offered(by=side, stake=stake, beaver=beaver):
            kind = "beaver" if beaver else "double"
            return kind, side, f"{table.player(side)} {kind}s to {stake}"
        case told.CubeTaken(side=side, owner=owner, stake=stake):
            owner = table.player(owner)
            return "take", side, f"{table.player(side)} takes; {owner} owns the cube at {stake}"
        case told.CubeDropped(side=side):
            return "drop", side, f"{table.player(side)} drops"
        case told.ResignationChanged(side=side, grade=None):
            if isinstance(event, Press) and event.button is Button.DROP:
                other = table.rules.other(side)
                return "refusal", other, f"{table.player(other)} refuses the resignation"
            return "resignation", side, f"{table.player(side)} plays on"
        case told.ResignationChanged(side=side, grade=grade):
            loses = f": {grade}" if grade != "win" else ""
            return "resignation", side, f"{table.player(side)} offers to resign{loses}"
    return "", None, ""


def _of_dice(effect: told.DiceFell, before: MatchState, after: MatchState) -> tuple[str, Side | None, str]:
    fell = "-".join(map(str, effect.dice))
    if effect.side is None:
        doubled = f"; the stake is {effect.stake}" if effect.stake != before.cube.value else ""
        return "roll", None, f"Equal dice, {fell}: roll again{doubled}"
    name = after.player(effect.side)
    if effect.stuck:
        return "no move", effect.side, f"{name} rolls {fell} and cannot move"
    opens = before.position.awaits is Awaits.OPENING
    return "roll", effect.side, f"{name} begins, {fell}" if opens else f"{name} rolls {fell}"


def _of_play(effect: Effect, before: MatchState) -> tuple[str, Side | None, str]:
    """What was taken back, or fixed."""
    match effect:
        case told.DiceTookBack(side=side, dice=dice):
            fell = "-".join(map(str, dice))
            return (
                "undo",
                side,
                f"{before.player(side) if side else 'The players'} took the dice back: {fell}",
            )
        case told.TookBack(side=side):
            play = before.moves[-1].move if before.pending is None and before.moves else None
            return "undo", side, f"{before.player(side)} took {play or 'the play'} back"
    side = before.position.turn
    return "fixed", side, f"{before.player(side)} has fixed the play: press done" if side else ""


def _of_corrections(
    effect: Effect, event: Event, before: MatchState, after: MatchState
) -> tuple[str, Side | None, str]:
    """What was set by hand, and what of that is asked and answered."""
    match effect:
        case told.Proposed(by=by, words=words, waits=waits):
            asked = " and ".join(after.player(side) for side in waits)
            who = after.player(by) if by in after.rules.sides else "somebody at the page"
            return (
                "proposal",
                by if by in after.rules.sides else None,
                f"{who} asks to set {words}; {asked} must agree",
            )
        case told.ProposalAnswered(side=side, agreed=agreed):
            own = before.proposal is not None and before.proposal.event.actor == side
            who = "the director" if event.actor == DIRECTOR else before.player(side)
            does = "agrees" if agreed else "withdraws the correction" if own else "refuses the correction"
            return "answer", None if event.actor == DIRECTOR else side, f"{who} {does}"
    words = describe_correction(before, after)
    hand = "set by the director" if event.actor == DIRECTOR and before.proposal is None else "set by hand"
    return "correction", None, f"{hand}: {words}" if words else ""


def _of_games(effect: Effect, table: MatchState) -> tuple[str, Side | None, str]:
    """A game's beginning, its end, and the match's; time that is up."""
    first, second = (table.player(side) for side in table.rules.sides)
    match effect:
        case told.Started(game=game, crawford=crawford) if game > 1:
            score = table.match.score
            rule = ", the Crawford game" if crawford else ""
            return "game", None, f"Game {game}{rule}: {first} {score[0]}, {second} {score[1]}"
        case told.Ended(outcome=outcome, points=points, score=score):
            if outcome.winner is None:
                return "game won", None, f"A tie: {outcome.kind}"
            words = f"{table.player(outcome.winner)} wins: {scored(outcome.kind, points)}"
            if table.match.winner is None:
                words += f"; {first} {score[0]}, {second} {score[1]}"
            return "game won", outcome.winner, words
        case told.MatchEnded(winner=winner):
            return "match won", winner, match_won(table)
        case told.Expired(side=side, points=lost):
            cost = f" and loses {lost} point{'' if lost == 1 else 's'}" if lost else ""
            return "time", side, f"{table.player(side)} is out of time{cost}"
    return "", None, ""


def match_won(table: MatchState) -> str:
    """Who has won the match, with the score: ``Björn wins the match 5–0``. Empty while nobody has."""
    winner = table.match.winner
    if winner is None:
        return ""
    match, loser = table.match, table.rules.other(winner)
    score = f"{match.points(winner)}–{match.points(loser)}"
    lost = f": {table.player(loser)} is out of time" if match.forfeited else ""
    return f"{table.player(winner)} wins the match {score}{lost}"


def describe_correction(before: MatchState, after: MatchState) -> str:
    """What was set by hand: ``the score, 3–1``; empty where everything was so already."""
    old, new = before.position.to_json(), after.position.to_json()
    turn = old.pop("turn", None) != new.pop("turn", None)
    parts = ["the position"] if old != new else []
    if turn and after.position.turn is not None:
        parts.append(f"{after.player(after.position.turn)} is on turn")
    if before.match.score != after.match.score:
        parts.append("the score, {}–{}".format(*after.match.score))
    if (before.cube.value, before.cube.owner) != (after.cube.value, after.cube.owner):
        owner = f"{after.player(after.cube.owner)}'s" if after.cube.owner else "in the middle"
        parts.append(f"the cube, {after.cube.value}, {owner}")
    return "; ".join(parts)
