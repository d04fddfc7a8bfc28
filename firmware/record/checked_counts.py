"""What is counted in a match while it is checked, and told of it in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine import rules
from engine.messages import phrase, phrase_number
from engine.position import Awaits
from engine.record import Corrected, GameRecord, MatchRecord, Moment, Remark, Rolled, Scored, Stood
from firmware.dice.proof_words import describe_proof


@dataclass(slots=True)
class CheckedCounts:
    """What is counted in a match, to be told."""

    plays: int = 0
    proved: int = 0
    foreign: int = 0
    by_hand: int = 0
    stood: int = 0
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
        self.stood += sum(isinstance(action, Stood) for action in game.actions)
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
            phrase_number(
                "the dice of game {games} are {words}",
                "the dice of games {games} are {words}",
                len(games),
                games=", ".join(map(str, games)),
                words=words,
            )
            for words, games in self.standing.items()
        ]

    def dice(self, bound: bool) -> list[str]:
        """What is to be said of the dice; ``bound``: a game has a commitment."""
        told: list[str] = []
        if self.sealed:
            told.append(
                phrase("the dice of the last game are committed to; their secret is not published yet")
            )
        elif not self.proved and bound:
            told.append(
                phrase(
                    "dice were committed to, but no roll says that it is one of them: nothing proves these"
                    " dice"
                )
            )
        elif not self.proved:
            told.append(phrase("no dice were committed to"))
        if self.proved:
            rolls = phrase_number("{n} roll as committed", "{n} rolls as committed", self.proved)
            if self.early:
                rolls = phrase(
                    "{rolls} (as releases up to 0.2 drew them: whoever owned the table could choose)",
                    rolls=rolls,
                )
            told.append(rolls)
        if self.foreign and (self.proved or self.sealed or bound):
            told.append(
                phrase_number(
                    "{n} roll not drawn by the device", "{n} rolls not drawn by the device", self.foreign
                )
            )
        return told

    def corrections(self) -> list[str]:
        """What the players let stand, and what they set by hand."""
        told: list[str] = []
        if self.stood:
            told.append(
                phrase_number("{n} illegal play that stood", "{n} illegal plays that stood", self.stood)
            )
        if self.by_hand:
            told.append(phrase_number("{n} correction by hand", "{n} corrections by hand", self.by_hand))
        if self.scores:
            told.append(phrase_number("{n} score set by hand", "{n} scores set by hand", self.scores))
        if self.discarded:
            told.append(
                phrase_number(
                    "{n} roll discarded by a correction",
                    "{n} rolls discarded by a correction",
                    self.discarded,
                )
            )
        return told


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
