"""Checks that a log is what it says: that its chain is unbroken, that its dice are those committed to, that
every move and score follows from the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from engine import rules
from engine.errors import EngineError
from engine.events import Button
from engine.match import Match
from engine.outside import LARGEST, shown
from engine.position import Awaits
from engine.record import (
    Corrected,
    Doubled,
    GameRecord,
    MatchRecord,
    Moment,
    Remark,
    Result,
    Rolled,
    Scored,
    replay,
    result_of,
)
from engine.words import scored
from firmware.dice.proof_words import describe_proof
from firmware.record.archive import IMPORT, replayed
from firmware.record.beacon_check import BadBeacon, check_beacons, check_times
from firmware.record.chain import Entry, JournalError, check_chain
from firmware.record.journal import Journal
from firmware.record.seal import WORDS, BrokenSeal, check, last_line
from firmware.record.signature import BadSignature
from firmware.record.signed import check_signed
from firmware.record.table_key import Keys
from firmware.wording import counted
from hardware.dice import DiceMismatch, verify

BACK = 5.0
"""Seconds by which table time may go back from one entry to the next: a picture counts only after it was
read. A *done* may be older: it is written down when the hands have left."""


class Fault(Exception):
    """What is wrong with a log, and where."""


def check_log(game: str, entries: Sequence[Entry], keys: Keys | None = None) -> list[str]:
    """Checks a log from the journal, and says in words what is in order. With ``keys`` it must be signed by
    one of them. Raises Fault."""
    try:
        check_chain(game, entries)
        match, table = replayed(entries)
    except JournalError as error:
        raise Fault(str(error)) from error
    last = f" up to the last one (digest {entries[-1].digest.hex()[:16]})" if entries else ""
    clock = _check_clock(game, entries)
    try:
        check_times(game, entries)
    except BadBeacon as error:
        raise Fault(str(error)) from error
    imported = bool(entries) and entries[0].body.get("event") == IMPORT
    found = _check_imported(match) if imported else check_record(match, log=game)
    try:
        signed, _ = check_signed(game, entries, table, keys)
    except BadSignature as error:
        raise Fault(str(error)) from error
    whole = f"{counted(len(entries), 'entry', 'entries')}, none altered or missing{last}"
    return [whole, *found, *signed, *clock]


def _check_imported(match: MatchRecord) -> list[str]:
    """Checks a match of another program. Raises Fault, which says that the fault was in the file."""
    try:
        return check_record(match, own=False)
    except Fault as fault:
        raise Fault(f"the imported file had this fault: {fault}; the log itself is unaltered") from fault


def check_lost(journal: Journal, log: str | None = None) -> None:
    """Checks that what is known to have been written to the journal, or to one log in it, is there. Raises
    Fault."""
    lost = [str(each) for each in journal.lost if log in (None, each.game)]
    if lost:
        raise Fault("; ".join(lost))


def check_journal(journal: Journal, keys: Keys | None = None) -> list[str]:
    """Checks a journal, the file itself and every log in it; with ``keys`` each must be signed by one of
    them. Raises Fault, which names every faulty log."""
    faults = [str(each) for each in journal.lost]
    try:
        journal.check_file()
        names = journal.names()
    except JournalError as error:
        raise Fault(str(error)) from error
    for name in names:
        try:
            journal.check_texts(name)
            check_log(name, journal.entries(name), keys)
        except JournalError as error:
            faults.append(f"game {name}: {error}")
        except Fault as fault:
            faults.append(str(fault) if name in str(fault) else f"game {name}: {fault}")
    if faults:
        raise Fault("; ".join(faults))
    return ["the file is sound", f"{counted(len(names), 'log')} in order"]


def check_sealed(match: MatchRecord, seal: list[str] | None, *, own: bool = True) -> list[str]:
    """Checks a match out of a file, its seal too where it has one; ``own`` as for :func:`check_record`.
    Raises Fault."""
    if seal is None:
        return check_record(match, own=own)
    try:
        check(match, seal)
    except BrokenSeal as error:
        raise Fault(str(error)) from error
    lines = [each for each in seal if not each.startswith(WORDS)]
    sealed = f"{counted(len(lines), 'sealed line')}, none altered or missing (last digest {last_line(seal)})"
    return [sealed, *check_record(match, own=own)]


@dataclass(slots=True)
class _Told:
    """What is counted in a match, to be told."""

    plays: int = 0
    proved: int = 0
    foreign: int = 0
    by_hand: int = 0
    scores: int = 0
    discarded: int = 0
    sealed: bool = False
    early: bool = False
    """Whether the dice of a game were drawn as releases up to 0.2 did."""
    standing: dict[str, list[int]] = field(default_factory=dict)
    """What the dice of games prove, and in which games."""

    def count(self, game: GameRecord, moments: Sequence[Moment]) -> None:
        """Counts one game."""
        self.plays += sum(moment.play is not None for moment in moments)
        self.by_hand += sum(isinstance(action, Corrected) for action in game.actions)
        self.scores += sum(isinstance(action, Scored) and action.by != "time" for action in game.actions)
        self.discarded += _count_discarded(moments)

    def stand(self, number: int, match: MatchRecord, game: GameRecord) -> None:
        """Notes to whom the dice of a game are proved."""
        proof = game.proof
        self.early = self.early or (proof is not None and proof.form == 1)
        if (
            proof is None
            or proof.form == 1
            or not any(isinstance(each, Rolled) and each.number is not None for each in game.actions)
        ):
            return
        players = dict(zip(rules.get(match.rules).sides, match.players, strict=True))
        self.standing.setdefault(describe_proof(proof, players), []).append(number)

    def standings(self) -> list[str]:
        """To whom the dice are proved, game by game."""
        return [
            f"the dice of {'game' if len(games) == 1 else 'games'} {', '.join(map(str, games))} are {words}"
            for words, games in self.standing.items()
        ]

    def dice(self, bound: bool) -> list[str]:
        """What is to be said of the dice; ``bound``: a game has a commitment."""
        told = []
        if self.sealed:
            told.append("the dice of the last game are committed to; their secret is not published yet")
        elif not self.proved and bound:
            told.append(
                "dice were committed to, but no roll says that it is one of them: nothing proves these dice"
            )
        elif not self.proved:
            told.append("no dice were committed to")
        if self.proved:
            words = " (as releases up to 0.2 drew them: whoever owned the table could choose)"
            told.append(f"{counted(self.proved, 'roll')} as committed{words if self.early else ''}")
        if self.foreign and (self.proved or self.sealed or bound):
            told.append(f"{counted(self.foreign, 'roll')} not drawn by the device")
        return told

    def corrections(self) -> list[str]:
        """What the players set by hand."""
        kinds = (
            (self.by_hand, "correction", "by hand"),
            (self.scores, "score", "set by hand"),
            (self.discarded, "roll", "discarded by a correction"),
        )
        return [f"{counted(number, what)} {how}" for number, what, how in kinds if number]


def check_record(
    match: MatchRecord, *, whole: bool = True, own: bool = True, log: str | None = None
) -> list[str]:
    """Checks a match record: its moves, results, scores, Crawford game and dice. Raises Fault. Where it is
    not ``whole`` (some of another program's file was left out), a game need not follow from the one
    before. A table's ``own`` match must prove its dice once it is finished; they were committed to for the
    match with the id ``log``, where that is known."""
    told = _Told()
    so_far = Match.begin(match.terms, rules.get(match.rules).sides)
    for number, game in enumerate(match.games, 1):
        if whole:
            _check_begin(number, match, game, so_far)
        try:
            moments = list(replay(match, game))
        except EngineError as error:
            raise Fault(f"game {number}: {error}") from error
        before = so_far if whole else replace(so_far, score=game.score, crawford=game.crawford)
        _check_cube(number, game, before)
        _check_result(number, game, moments, result_of(match, moments), whole)
        told.count(game, moments)
        _check_bound(number, match, game, log)
        proved, foreign, told.sealed = _check_dice(number, game, last=number == len(match.games))
        told.stand(number, match, game)
        told.proved += proved
        told.foreign += foreign
        so_far = _score_after(number, game, so_far) if whole else so_far
    if own and whole and so_far.winner is not None:
        _check_proved(match)
    try:
        public = check_beacons(match)
    except BadBeacon as error:
        raise Fault(str(error)) from error
    games = counted(len(match.games), "game")
    lines = [f"{counted(told.plays, 'play')} in {games}, all by the rules of {match.rules}"]
    if whole:
        end = "the match is finished" if so_far.winner else "the match goes on" if match.terms.length else ""
        lines.append(", ".join(part for part in (f"score {match.score[0]}-{match.score[1]}", end) if part))
    return [
        *lines,
        *told.dice(any(game.proof is not None for game in match.games)),
        *told.standings(),
        *public,
        *told.corrections(),
    ]


def _check_proved(match: MatchRecord) -> None:
    """Checks that a finished match whose dice are committed to proves the dice of every game. A game that
    began from a position set up with dice to play has no commitment. Raises Fault."""
    if all(game.proof is None for game in match.games):
        return
    for number, game in enumerate(match.games, 1):
        if game.proof is not None and not game.proof.secret:
            raise Fault(
                f"game {number}: the match is finished, but the secret of these dice is missing: nothing"
                " proves them. A table publishes it within a minute of the end, or when the next match begins"
            )
        if (
            game.proof is None
            and game.start is None
            and any(isinstance(each, Rolled) for each in game.actions)
        ):
            raise Fault(
                f"game {number}: its dice are not committed to, and those of other games are: nothing proves"
                " them"
            )


def _count_discarded(moments: Sequence[Moment]) -> int:
    """How many rolls were never played because the position was corrected by hand."""
    found = 0
    acted = [moment for moment in moments if not isinstance(moment.action, Remark | Scored)]
    for place, moment in enumerate(acted[:-1]):
        rolled, then = moment.action, acted[place + 1].action
        if not isinstance(rolled, Rolled) or not isinstance(then, Corrected):
            continue
        again = acted[place + 2].action if place + 2 < len(acted) else None
        # The recorder writes a roll that still counts down again after the correction.
        kept = (
            isinstance(again, Rolled) and again.number is None and sorted(again.dice) == sorted(rolled.dice)
        )
        found += moment.after.position.awaits is Awaits.PLAY and not kept
    return found


def _check_begin(number: int, match: MatchRecord, game: GameRecord, so_far: Match) -> None:
    """Checks a game's score and whether it is the Crawford game, by ``so_far``, the match after the games
    before. Raises Fault."""
    before = match.games[number - 2] if number > 1 else None
    due = f"{so_far.score[0]}-{so_far.score[1]}"
    if so_far.winner is not None:
        raise Fault(f"game {number}: {so_far.winner} had won the match before it")
    if before is not None and before.result is None:
        raise Fault(f"game {number}: the game before it has no end: its last lines are missing")
    if game.score != so_far.score:
        after = f"game {number - 1} leads to" if number > 1 else "the match begins at"
        raise Fault(f"game {number}: begins at {game.score[0]}-{game.score[1]}, but {after} {due}")
    if game.crawford != so_far.crawford:
        marked, is_one = ("", "is not") if game.crawford else ("not ", "is")
        raise Fault(f"game {number}: is {marked}marked as the Crawford game, but at {due} it {is_one} one")


def _score_after(number: int, game: GameRecord, so_far: Match) -> Match:
    """The match after a game. Raises Fault where a score was set by hand that cannot be."""
    ended = False
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Scored) and action.by == "time":
            so_far = replace(so_far, score=action.score)
        elif isinstance(action, Scored):
            ended = game.result is not None and place == len(game.actions)
            so_far = _set_by_hand(number, place, action, so_far)
    result = game.result
    if result is None:
        return so_far
    won = so_far if ended else so_far.award(result.winner, result.points)
    return won if won.winner is not None else won.next(tie=result.winner is None)


def _check_cube(number: int, game: GameRecord, so_far: Match) -> None:
    """Checks that nobody doubles where the cube is out of play. A score that is set by hand may begin or end
    the Crawford game. Raises Fault."""
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Doubled) and (so_far.crawford or not so_far.terms.cube):
            what = "in the Crawford game" if so_far.crawford else "in a match without the cube"
            raise Fault(f"game {number}, action {place}: a double {what}")
        if isinstance(action, Scored) and action.by != "time":
            so_far = _set_by_hand(number, place, action, so_far)


def _set_by_hand(number: int, place: int, action: Scored, so_far: Match) -> Match:
    try:
        return so_far.corrected(action.score)
    except EngineError as error:
        raise Fault(f"game {number}, action {place}: {error}") from error


def _check_result(
    number: int, game: GameRecord, moments: Sequence[Moment], found: Result | None, whole: bool
) -> None:
    if found is not None and game.result is None:
        raise Fault(f"game {number}: its result is missing; its moves lead to {_describe(found)}")
    if found is not None and game.result != found:
        assert game.result is not None
        logged = _describe(game.result)
        raise Fault(
            f"game {number}: the result is logged as {logged}, but its moves lead to {_describe(found)}"
        )
    if whole and found is None and game.result is not None and game.result.cause != "time":
        last = f"after action {len(game.actions)}" if moments else "in it"
        raise Fault(
            f"game {number}: a result is logged, but {last} nothing ends the game: its last lines are missing"
            " or altered"
        )


def _check_bound(number: int, match: MatchRecord, game: GameRecord, log: str | None) -> None:
    """Checks that a commitment is used for the game and the match that it was made for. Raises Fault."""
    proof = game.proof
    if proof is None or proof.form == 1:
        return
    if not 0 <= proof.round <= LARGEST:
        raise Fault(f"game {number}: drand has no round {shown(proof.round)}")
    if proof.game != number:
        raise Fault(f"game {number}: its dice were committed to for game {proof.game}")
    others = {each.proof.match for each in match.games if each.proof is not None and each.proof.form != 1}
    if log not in (None, proof.match):
        raise Fault(f"game {number}: its dice were committed to for another match, {proof.match!r}")
    if len(others) > 1:
        raise Fault(
            f"game {number}: dice were committed to for different matches: {', '.join(sorted(others))}"
        )


def _check_dice(number: int, game: GameRecord, last: bool) -> tuple[int, int, bool]:
    """How many rolls came from the secret, how many were not the device's, and whether the secret is not
    published yet. Raises Fault at a roll that is neither. Only the ``last`` game may lack its secret: it is
    published when the end cannot be taken back."""
    rolls = [(place, action) for place, action in enumerate(game.actions, 1) if isinstance(action, Rolled)]
    drawn = [(place, action.number, action.dice) for place, action in rolls if action.number is not None]
    own = len(rolls) - len(drawn)
    if game.proof is None:
        if drawn:
            place, roll, _ = drawn[0]
            raise Fault(
                f"game {number}, action {place}: the device drew roll {roll}, but its commitment is missing"
            )
        return 0, own, False
    sealed = last and not game.proof.secret
    before = 0
    for place, roll, dice in drawn:
        if roll > before + 1:
            raise Fault(
                f"game {number}, action {place}: roll {before + 1} is missing; roll {roll} is in its place"
            )
        if not sealed:
            try:
                verify(game.proof, [(roll, dice)])
            except DiceMismatch as error:
                raise Fault(f"game {number}, action {place}: {error}") from error
        if roll <= before:
            raise Fault(
                f"game {number}, action {place}: roll {roll} follows roll {before}: used twice, or lines"
                " were exchanged"
            )
        before = roll
    return (0 if sealed else len(drawn)), own, sealed


def _check_clock(game: str, entries: Sequence[Entry]) -> list[str]:
    """Checks that table time goes forward; says where the machine's clock was set back. Raises Fault."""
    told = []
    time = float("-inf")
    before: datetime | None = None
    for entry in entries:
        t = entry.body.get("t")
        if isinstance(t, (int, float)):
            waited = entry.body.get("button") == Button.DONE
            if t < time - BACK and not waited:
                raise Fault(
                    f"game {game}, entry {entry.number}: table time goes back, from {time:g} s to {t:g} s"
                )
            time = max(time, t)
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            raise Fault(f"game {game}, entry {entry.number}: {entry.at!r} is no time") from None
        if before is not None and at < before:
            back = (before - at).total_seconds()
            told.append(f"the machine's clock was set back by {back:g} s before entry {entry.number}")
        before = at
    return told


def _describe(result: Result) -> str:
    return f"{result.winner or 'nobody'} wins, {scored(result.kind, result.points)} ({result.cause})"
