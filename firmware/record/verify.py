"""Checks that a log is what it says: that its chain is unbroken, that its dice are those committed to, that
every move and score follows from the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine import rules
from engine.errors import EngineError
from engine.events import Button
from engine.match import Match
from engine.messages import joined, phrase, phrase_number
from engine.record import (
    MatchRecord,
    replay,
    result_of,
)
from firmware.record.archive import IMPORT, replayed
from firmware.record.beacon_check import BadBeacon, check_beacons, check_times
from firmware.record.chain import Entry, JournalError, check_chain
from firmware.record.checked_counts import CheckedCounts
from firmware.record.game_faults import (
    Fault,
    check_begin,
    check_bound,
    check_cube,
    check_dice,
    check_proved,
    check_result,
    of_entry,
    of_game,
    score_after,
)
from firmware.record.journal import Journal
from firmware.record.seal import WORDS, BrokenSeal, check, last_line
from firmware.record.signature import BadSignature
from firmware.record.signed import check_signed
from firmware.record.table_key import Keys

BACK = 5.0
"""Seconds by which table time may go back from one entry to the next: a picture counts only after it was
read. A *done* may be older: it is written down when the hands have left."""


def check_log(game: str, entries: Sequence[Entry], keys: Keys | None = None) -> list[str]:
    """Checks a log from the journal, and says in words what is in order. With ``keys`` it must be signed by
    one of them. Raises Fault."""
    try:
        check_chain(game, entries)
        match, table = replayed(entries)
    except JournalError as error:
        raise Fault(str(error)) from error
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
    whole = phrase_number(
        "{n} entry, none altered or missing", "{n} entries, none altered or missing", len(entries)
    )
    if entries:
        digest = entries[-1].digest.hex()[:16]
        whole = phrase("{entries} up to the last one (digest {digest})", entries=whole, digest=digest)
    return [whole, *found, *signed, *clock]


def _check_imported(match: MatchRecord) -> list[str]:
    """Checks a match of another program. Raises Fault, which says that the fault was in the file."""
    try:
        return check_record(match, own=False)
    except Fault as fault:
        raise Fault(
            phrase("the imported file had this fault: {fault}; the log itself is unaltered", fault=fault)
        ) from fault


def check_lost(journal: Journal, log: str | None = None) -> None:
    """Checks that what is known to have been written to the journal, or to one log in it, is there. Raises
    Fault."""
    lost = [str(each) for each in journal.lost if log in (None, each.game)]
    if lost:
        raise Fault(joined("; ", lost))


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
            faults.append(of_game(name, str(error)))
        except Fault as fault:
            faults.append(str(fault) if name in str(fault) else of_game(name, str(fault)))
    if faults:
        raise Fault(joined("; ", faults))
    logs = phrase_number("{n} log in order", "{n} logs in order", len(names))
    return [phrase("the file is sound"), logs]


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
    sealed = phrase_number(
        "{n} sealed line, none altered or missing (last digest {digest})",
        "{n} sealed lines, none altered or missing (last digest {digest})",
        len(lines),
        digest=last_line(seal),
    )
    return [sealed, *check_record(match, own=own)]


def check_record(
    match: MatchRecord, *, whole: bool = True, own: bool = True, log: str | None = None
) -> list[str]:
    """Checks a match record: its moves, results, scores, Crawford game and dice. Raises Fault. Where it is
    not ``whole`` (some of another program's file was left out), a game need not follow from the one
    before. A table's ``own`` match must prove its dice once it is finished; they were committed to for the
    match with the id ``log``, where that is known."""
    told = CheckedCounts()
    so_far = Match.begin(match.terms, rules.get(match.rules).sides)
    for number, game in enumerate(match.games, 1):
        if whole:
            check_begin(number, match, game, so_far)
        try:
            moments = list(replay(match, game))
        except EngineError as error:
            raise Fault(of_game(number, str(error))) from error
        before = so_far if whole else replace(so_far, score=game.score, crawford=game.crawford)
        check_cube(number, game, before)
        check_result(number, game, moments, result_of(match, moments), whole)
        told.count(game, moments)
        check_bound(number, match, game, log)
        proved, foreign, told.sealed = check_dice(number, game, last=number == len(match.games))
        told.stand(number, match, game)
        told.proved += proved
        told.foreign += foreign
        so_far = score_after(number, game, so_far) if whole else so_far
    if own and whole and so_far.winner is not None:
        check_proved(match)
    try:
        public = check_beacons(match)
    except BadBeacon as error:
        raise Fault(str(error)) from error
    games = phrase_number("{n} game", "{n} games", len(match.games))
    lines: list[str] = [
        phrase_number(
            "{n} play in {games}, all by the rules of {rules}",
            "{n} plays in {games}, all by the rules of {rules}",
            told.plays,
            games=games,
            rules=match.rules,
        )
    ]
    if whole:
        score = f"{match.score[0]}-{match.score[1]}"
        if so_far.winner:
            lines.append(phrase("score {score}, the match is finished", score=score))
        elif match.terms.length:
            lines.append(phrase("score {score}, the match goes on", score=score))
        else:
            lines.append(phrase("score {score}", score=score))
    return [
        *lines,
        *told.dice(any(game.proof is not None for game in match.games)),
        *told.standings(),
        *public,
        *told.corrections(),
    ]


def _check_clock(game: str, entries: Sequence[Entry]) -> list[str]:
    """Checks that table time goes forward; says where the machine's clock was set back. Raises Fault."""
    told: list[str] = []
    time = float("-inf")
    before: datetime | None = None
    for entry in entries:
        t = entry.body.get("t")
        if isinstance(t, (int, float)):
            waited = entry.body.get("button") == Button.DONE
            if t < time - BACK and not waited:
                back = phrase(
                    "table time goes back, from {before} s to {time} s", before=f"{time:g}", time=f"{t:g}"
                )
                raise Fault(of_entry(game, entry.number, back))
            time = max(time, t)
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            wrong = phrase("{time!r} is no time", time=entry.at)
            raise Fault(of_entry(game, entry.number, wrong)) from None
        if before is not None and at < before:
            told.append(
                phrase(
                    "the machine's clock was set back by {time} s before entry {entry}",
                    time=f"{(before - at).total_seconds():g}",
                    entry=entry.number,
                )
            )
        before = at
    return told
