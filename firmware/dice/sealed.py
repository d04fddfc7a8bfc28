"""The house with provable dice: it commits to a secret before a game, rolls from it, and publishes it
afterwards.

The session alone says what is owed, so a power cut changes nothing: dice that were asked for and not written
are rolled at the restart, with the same number and so with the same faces. Only the secret is kept elsewhere,
in a file that nobody else may read; it is on the disk before the commitment is in the journal.

    dice due, none bound           Commit
    all sides have pledged words   Close (or dice are asked for, and nobody who may pledge is waited for)
    dice asked for                 Roll, with its number; the first one waits a while for the words
    the game is over               Reveal, when nobody can take the last play back any more

A play that ended the game can be taken back, and then the game goes on with the same secret. So the secret is
published only when the next game begins, when the players leave (:meth:`SealedHouse.hurry`), or after
:data:`GRACE`; from then on the end is final.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from engine import fair_dice
from engine.events import Close, Commit, DiceFrom, Event, Reveal, Roll
from engine.match_state import MatchState, State
from engine.session import Session
from firmware.files import replace_file
from hardware.dice import SealedDice, commitment, mixed
from hardware.protocols import DeviceError

PLEDGES = 3.0
"""Seconds after the commitment for which the first roll waits for pledges, where a player's page is open."""
BEACON = 12.0
"""Seconds after the commitment for which the first roll waits for the public source's number."""
WORDS = 4.0
"""Seconds for which the first roll waits for words that were pledged."""
GRACE = 60.0
"""Seconds for which a play that ended the game can be taken back."""
DIGEST = re.compile(r"[0-9a-f]{64}")
"""A commitment, which names the file of its secret."""
USE_YOUR_OWN = "roll your own dice and type them"
LEFT = "left"
"""The folder for the secrets of games that were left unfinished: of every commitment that is not at the table
and whose secret is not in the journal yet."""


class SealedHouse:
    """Keeps :class:`firmware.table.referee.House`. :meth:`note` must hear of every journaled event."""

    def __init__(
        self,
        folder: Path,
        tell: Callable[[str], None],
        match: Callable[[], str] = lambda: "",
        expects: Callable[[], bool] = lambda: False,
        next_round: Callable[[], int] = lambda: 0,
    ) -> None:
        """``folder`` keeps the secrets. ``tell`` hears what is wrong with them, "" when nothing is. ``match``
        is the id of the one at the table, ``expects`` whether the page is open at somebody who may pledge
        words, ``next_round`` the round of a public source of randomness that a commitment made now names, 0
        for none."""
        self._match = match
        self._next_round = next_round
        self._folder = folder
        self._tell = tell
        self._expects = expects
        self._committed = self._closed = float("-inf")
        """When, in table time."""
        self._drawn = 0
        self._prepared: str | None = None
        """A commitment whose secret is kept, but which is not in the journal yet."""
        self._over: float | None = None
        """Since when the game has been over; None while it is not."""

    def hurry(self) -> None:
        """The players leave: the secret of a finished game is due now."""
        self._over = float("-inf")

    def owed(self, session: Session, t: float) -> Event | None:
        """Keeps the protocol. Without the secret of this game nothing is owed, and the players are told."""
        over = session.state in (State.OVER, State.ENDED)
        self._over = None if not over else t if self._over is None else self._over
        try:
            event = self._owed(session, t)
        except DeviceError as error:
            self._tell(str(error))
            return None
        self._tell("")
        return event

    def _owed(self, session: Session, t: float) -> Event | None:
        table = session.table
        if table is None or table.begin.dice is not DiceFrom.ROLLED:
            return None
        over = table.state in (State.OVER, State.ENDED)
        if table.commitment is not None:
            if self.is_final(session, t) or (not over and table.bound < table.match.game):
                return Reveal(t=t, secret=self._secret(table.commitment).hex())
            if table.form != 1 and not table.closed and _before_dice(table):
                return Close(t=t) if self._must_close(table, t) else None
        elif not over and table.rolls == (0, 0) and table.position.dice_due and not table.rolling:
            digest = self._commit()
            return Commit(
                t=t, digest=digest, match=self._match(), form=fair_dice.FORM, round=self._next_round()
            )
        if table.state is not State.ROLLING:  # nobody rolls in a pause, or while something is to be answered
            return None
        count, number = table.position.dice_due, self._drawn + 1
        if table.commitment is None:
            # A game that began in the middle: its dice are as random, but no commitment binds them.
            return Roll(t=t, dice=SealedDice.draw().roll(1, count), side=table.position.turn)
        proof = fair_dice.proof_of(table)
        assert proof is not None
        if _before_dice(table) and proof.withheld and t - self._closed < WORDS:
            return None
        if _before_dice(table) and proof.round and not proof.beacon and t - self._committed < BEACON:
            return None
        dice = SealedDice(self._secret(table.commitment), mixed(proof), proof.form)
        return Roll(t=t, dice=dice.roll(number, count), side=table.position.turn, number=number)

    def is_final(self, session: Session, t: float) -> bool:
        """Whether the game is over and its last play cannot be taken back any more. Ask after
        :meth:`owed`."""
        table = session.table
        return (
            table is not None and self._over is not None and (table.back is None or t - self._over >= GRACE)
        )

    def _must_close(self, table: MatchState, t: float) -> bool:
        """Whether nobody may pledge words any more."""
        if len(table.pledges) == len(table.rules.sides):
            return True
        return table.rolling and (t - self._committed >= PLEDGES or not self._expects())

    def note(self, events: Iterable[Event]) -> None:
        """Follows the journal: the number of the next roll."""
        digest = None
        published = []
        for event in events:
            if isinstance(event, Commit):
                self._drawn, digest = 0, event.digest
                self._committed, self._closed = event.t, float("-inf")
            elif isinstance(event, Close):
                self._closed = event.t
            elif isinstance(event, Roll) and event.number is not None:
                self._drawn = event.number
            elif isinstance(event, Reveal):
                published.append(event.secret)
        with suppress(OSError, ValueError):  # a file too many: nothing is lost
            self._forget(published)
        if digest is not None:
            self._prepared = None
            with suppress(OSError):
                self._keep_apart_but(digest)

    def lay_by(self, session: Session) -> None:
        """A match is left in the middle of a game: its secret is kept apart, until somebody continues it."""
        table = session.table
        if table is None or table.commitment is None or not DIGEST.fullmatch(table.commitment):
            return
        try:
            self._keep_apart(table.commitment)
        except OSError as error:
            aside = self._folder / LEFT
            self._tell(f"dice: cannot keep this game's secret in {aside}: {error.strerror or error}")

    def _commit(self) -> str:
        if self._prepared is not None:
            return self._prepared
        dice = SealedDice.draw()
        path = self._folder / dice.commitment
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, dice.secret, private=True)
        except OSError as error:
            words = f"dice: cannot keep their secret in {self._folder}: {error.strerror or error}"
            raise DeviceError(words) from error
        self._prepared = dice.commitment
        return dice.commitment

    def _secret(self, digest: str) -> bytes:
        if not DIGEST.fullmatch(digest):  # a forged journal: it must name no file
            raise DeviceError(f"dice: this game's commitment is no digest; {USE_YOUR_OWN}")
        away: OSError | None = None
        for path in (self._folder / digest, self._folder / LEFT / digest):
            try:
                secret = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                away = error
                continue
            if commitment(secret) != digest:
                raise DeviceError(f"dice: the secret in {path} is damaged; {USE_YOUR_OWN}")
            return secret
        if away is None:
            raise DeviceError(f"dice: this game's secret is gone ({self._folder / digest}); {USE_YOUR_OWN}")
        raise DeviceError(
            f"dice: this game's secret cannot be read now ({away.filename}: {away.strerror or away});"
            f" it is tried again, or {USE_YOUR_OWN}"
        ) from away

    def _keep_apart(self, digest: str) -> None:
        """Raises OSError."""
        aside = self._folder / LEFT
        aside.mkdir(mode=0o700, exist_ok=True)
        (self._folder / digest).replace(aside / digest)

    def _keep_apart_but(self, digest: str) -> None:
        """Keeps the other secrets apart: they may belong to a match that somebody continues, or proves.
        Raises OSError."""
        for path in self._folder.glob("?" * 64):
            if path.name != digest:
                self._keep_apart(path.name)

    def _forget(self, published: Iterable[str]) -> None:
        """Deletes the secrets that the journal has. Raises OSError, and ValueError for what is no secret."""
        for secret in published:
            digest = commitment(bytes.fromhex(secret))
            for folder in (self._folder, self._folder / LEFT):
                (folder / digest).unlink(missing_ok=True)


def _before_dice(table: MatchState) -> bool:
    """Whether words may still join the dice."""
    return not table.drawn and table.rolls == (0, 0) and table.result is None
