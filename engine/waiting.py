"""What a match waits for, in words: shown to the players, and the reason why anything else is refused."""

from __future__ import annotations

from engine import agreements, rolls
from engine.match_state import MatchState, State
from engine.messages import phrase
from engine.names import dashed

NO_MATCH = phrase("no match has begun")


def waiting(table: MatchState) -> str:
    """What the match waits for, with the game's own remark while a game is played."""
    said = table.position.says(table.player) if table.result is None else ""
    words = _by_state(table)
    return phrase("{words}; {more}", words=words, more=said) if said else words


def _by_state(table: MatchState) -> str:
    due, turn = (side and table.player(side) for side in (table.due, table.position.turn))
    opened, play = dashed(table.opened), table.intended
    match table.state:
        case State.OPENING if opened:
            return phrase("equal dice, {dice}: roll for the opening again", dice=opened)
        case State.OPENING:
            return phrase("the opening roll is due")
        case State.ROLL if opened:
            return phrase("{player} won the opening roll, {dice}, and must roll", player=turn, dice=opened)
        case State.ROLL if rolls.closed_out(table.position):
            other = table.player(table.rules.other(table.position.turn or ""))
            return phrase(
                "{player} can move with no roll, and need not roll: {other} may", player=turn, other=other
            )
        case State.ROLL:
            return phrase("{player} must roll", player=turn)
        case State.ROLLING:
            return phrase("the dice have not fallen yet")
        case State.PLAY if play:
            return phrase("{player} plays {play}: move its pieces and press done", player=turn, play=play)
        case State.PLAY if rolls.cannot_move(table):
            return phrase("{player} cannot move, and must press done", player=turn)
        case State.PLAY:
            return phrase("{player} must play and press done", player=turn)
        case State.FOUL if play:
            return phrase(
                "{player} plays {play}: the board shows something else; fix it", player=turn, play=play
            )
        case State.FOUL:
            assert table.pending is not None
            mover = table.player(table.pending.side)  # nobody is on turn before an inferred opening roll
            return phrase("{player} must fix the play, which is not legal", player=mover)
        case State.ASKED if due is None:
            return phrase("say what was played, or press done again")
        case State.ASKED:
            return phrase("{player} must say what was played, or press done again", player=due)
        case State.OFFERED:
            return phrase("{player} must take or drop", player=due)
        case State.RESIGNED:
            return phrase("{player} must accept the resignation (take) or refuse it (drop)", player=due)
        case State.PROPOSED:
            return agreements.waiting(table)
        case State.PAUSED if table.proposal is not None:
            return phrase("the game is paused; once it goes on, {more}", more=agreements.waiting(table))
        case State.PAUSED:
            return phrase("the game is paused")
        case State.OVER:
            return phrase("the game is over; begin the next one")
        case _:
            return phrase("the match is over")
