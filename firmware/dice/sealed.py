"""The house with provable dice: it commits itself before a game, rolls what the secret says, and publishes
the secret after it.

What is owed follows from the session alone, so a power cut changes nothing: dice that were asked for and not
written down are rolled at the restart, with the same number and so with the same faces. Only the secret
itself is kept elsewhere, in a file of its own that nobody else may read; it is on the disk before the
commitment is in the journal.

    dice due, none bound      Commit
    dice asked for            Roll, with its number
    the game is over          Reveal, when nobody can take the last play back any more

A play that ended the game can be taken back, and the game then goes on with the same secret. So that is
published only when the next game begins, when the players leave (:meth:`SealedHouse.hurry`), or after
:data:`GRACE`; from then on the end is final.

A player's button timing joins the secret too (:meth:`SealedHouse.timing`): the device committed itself before
it could know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from engine.events import Commit, DiceFrom, Event, Reveal, Roll, Seed
from engine.layout import Side
from engine.match_state import State
from engine.session import Session
from firmware.files import replace_file
from hardware.dice import SealedDice, commitment
from hardware.protocols import DeviceError

GRACE = 60.0
"""Seconds for which a play that ended the game can be taken back."""
LEFT = "left"
"""Where the secrets of games are kept that were left unfinished."""


class SealedHouse:
    """Keeps :class:`firmware.table.referee.House`. Tell it of every event journaled (:meth:`note`), at a
    restart of all."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        """``folder`` keeps the secrets; it is made when it is needed. ``tell`` hears what is wrong with them,
        "" when nothing is."""
        self._folder = folder
        self._tell = tell
        self._drawn = 0
        self._prepared: str | None = None
        """A commitment whose secret is kept, and which has not been written down yet."""
        self._over: float | None = None
        """Since when the game has been over; None while it is not."""

    def hurry(self) -> None:
        """The players leave a match that is over: its secret is due at once."""
        self._over = float("-inf")

    def owed(self, session: Session, t: float) -> Event | None:
        """Keeps the protocol. Nothing is paid, and the players are told, where the secret of this game cannot
        be kept or is gone."""
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
        self._over = None if not over else t if self._over is None else self._over
        if table.commitment is not None:
            final = self._over is not None and (table.back is None or t - self._over >= GRACE)
            if final or (not over and table.bound < table.match.game):
                return Reveal(t=t, secret=self._secret(table.commitment).hex())
        elif not over and table.rolls == (0, 0) and table.position.dice_due and not table.rolling:
            return Commit(t=t, digest=self._commit())
        if not table.rolling:
            return None
        count, number = table.position.dice_due, self._drawn + 1
        if table.commitment is None:
            # A game that was taken up in the middle: its dice are as random, but nothing binds them.
            return Roll(t=t, dice=SealedDice.draw().roll(1, count), side=table.position.turn)
        dice = SealedDice(self._secret(table.commitment), tuple(words for _, words in table.seeds))
        return Roll(t=t, dice=dice.roll(number, count), side=table.position.turn, number=number)

    def timing(self, session: Session, side: Side | None, t: float) -> Seed | None:
        """The words that a first press of *roll* adds; None where words count no longer, or that side has
        given some."""
        table = session.table
        if (
            table is None
            or table.commitment is None
            or table.drawn
            or table.rolls != (0, 0)
            or table.state is not State.OPENING
        ):
            return None
        side = side or table.rules.sides[0]
        if side in (given for given, _ in table.seeds):
            return None
        return Seed(t=t, side=side, words=f"roll pressed at {t:.6f} s")

    def note(self, events: Iterable[Event]) -> None:
        """Follows the journal: which roll of the game is the next."""
        digest = None
        for event in events:
            if isinstance(event, Commit):
                self._drawn, digest = 0, event.digest
            elif isinstance(event, Roll) and event.number is not None:
                self._drawn = event.number
        if digest is not None:
            self._prepared = None
            self._forget_but(digest)

    def lay_by(self, session: Session) -> None:
        """A match is left in the middle of a game: its secret is kept apart, for when somebody goes on with
        it."""
        table = session.table
        if table is None or table.commitment is None:
            return
        aside = self._folder / LEFT
        try:
            aside.mkdir(mode=0o700, exist_ok=True)
            (self._folder / table.commitment).replace(aside / table.commitment)
        except OSError as error:
            self._tell(
                f"dice: the secret of the game that was left cannot be kept in {aside}:"
                f" {error.strerror or error}"
            )

    def _commit(self) -> str:
        if self._prepared is not None:
            return self._prepared
        dice = SealedDice.draw()
        path = self._folder / dice.commitment
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, dice.secret, private=True)
        except OSError as error:
            raise DeviceError(
                f"dice: their secret cannot be kept in {self._folder}: {error.strerror or error}"
            ) from error
        self._prepared = dice.commitment
        return dice.commitment

    def _secret(self, digest: str) -> bytes:
        path = self._folder / digest
        if not path.exists() and (self._folder / LEFT / digest).exists():
            path = self._folder / LEFT / digest
        try:
            secret = path.read_bytes()
        except OSError as error:
            raise DeviceError(
                f"dice: the secret of this game is gone ({path}); roll your own and type them"
            ) from error
        if commitment(secret) != digest:
            raise DeviceError(f"dice: the secret in {path} is damaged; roll your own and type them")
        return secret

    def _forget_but(self, digest: str) -> None:
        """Secrets of games that are over are in the journal; one that was never committed to is worth
        nothing."""
        for path in self._folder.glob("?" * 64):
            if path.name != digest:
                path.unlink(missing_ok=True)
