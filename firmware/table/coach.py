"""What is best in the position on the real board: for training, and refused while people play a match.

One question at a time: who asks again ends the last one. Nothing here is shown to anybody but who asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine import rules as games
from engine.errors import EngineError
from engine.layout import Side
from engine.messages import phrase
from engine.position import Json
from engine.session import Session
from firmware.engines import NoEngine
from firmware.engines.thinker import Thinker, first_thinker
from firmware.errors import NotNow, describe_fault
from firmware.formats import FormatError
from firmware.formats.ids import Situation
from firmware.record.advice import Advice, NoAdvice, advise, position_seen, roll_out
from firmware.table.change import under_way
from firmware.table.device import Device
from firmware.table.mind import own_players
from vision import boards

MATCH_PLAY = phrase("people are playing a match; what is best is told in training only")


@dataclass(frozen=True, slots=True)
class BoardQuestion:
    """What somebody wants to know about the board: ``batches`` of a rollout, 0 for none."""

    rules: str
    turn: Side
    dice: Sequence[int] = ()
    cube: int = 1
    owner: Side | None = None
    score: tuple[int, int] = (0, 0)
    length: int = 0
    batches: int = 0


def is_training(session: Session) -> bool:
    """Whether nobody plays against people now: no match goes on, or the table plays in it itself."""
    return session.table is None or not under_way(session) or bool(own_players(session.table))


class Coach:
    """Answers about the board of one table."""

    def __init__(self, device: Device, think: Callable[[], Thinker] = first_thinker) -> None:
        self._device, self._think = device, think
        self._lock = threading.Lock()
        self._number = 0
        self._thinker: Thinker | None = None
        self._progress: Json = {"state": "idle"}

    def progress(self) -> Json:
        """``state`` (idle, thinking, rolling, done, failed), ``done`` and ``of`` batches of a rollout,
        ``advice`` as far as it is known, ``position``, ``reason``. What is known ends with training."""
        return self._progress if is_training(self._device.session) else {"state": "idle"}

    def stop(self) -> None:
        """Ends the question, whatever its engine does; what a rollout has found stays."""
        self._number += 1
        thinker = self._thinker
        if thinker is not None:
            thinker.close()  # else a batch that has begun, minutes on a small machine, would be waited for
        if self._progress["state"] in ("thinking", "rolling"):
            self._progress = {**self._progress, "state": "done" if "advice" in self._progress else "idle"}

    def ask(self, asked: BoardQuestion) -> Json:
        """Reads the board, and begins to think. Raises NotNow, NoAdvice, EngineError, FormatError."""
        self._check()
        situation = self.situation(asked)
        self.stop()
        begun = {"state": "thinking", "position": situation.position.to_json()}
        self._progress = begun
        work = (situation, asked.batches, self._number)
        threading.Thread(target=self._answer, args=work, name="coach", daemon=True).start()
        return begun

    def situation(self, asked: BoardQuestion) -> Situation:
        """The board as the camera sees it now, and what was said of it. Raises as :meth:`ask` does."""
        rules, eyes = games.get(asked.rules), self._device.devices.eyes
        reading = eyes.glance() if eyes.board == rules.board else None
        if reading is None:
            raise NotNow(phrase("the camera shows no board that it knows; calibrate it under 'Set up' first"))
        if reading.hand:
            raise NotNow(phrase("something is over the board; take your hands away and ask again"))
        position = position_seen(rules, boards.get(rules.board).describe(reading), asked.turn)
        if asked.dice:
            position = position.roll(tuple(asked.dice))
        return Situation(position, asked.cube, asked.owner, score=asked.score, length=asked.length)

    def _check(self) -> None:
        if not is_training(self._device.session):
            self._device.tell_log(f"a hint was asked for, and refused: {MATCH_PLAY}")
            raise NotNow(MATCH_PLAY)

    def _answer(self, situation: Situation, batches: int, number: int) -> None:
        """Thinks, in a thread of its own; one question at a time has the engine."""
        with self._lock:
            if number != self._number:
                return
            shown = {"position": situation.position.to_json()}

            def tell(done: int, of: int, so_far: Advice) -> bool:
                wanted = number == self._number and is_training(self._device.session)
                if wanted:
                    state = "rolling" if done < of else "done"
                    known = {"done": done, "of": of, "advice": so_far.to_json()}
                    self._progress = {"state": state, **known, **shown}
                return wanted

            try:
                thinker = self._thinker = self._think()
                found = advise(situation, thinker)
                if tell(0, batches, found) and batches:
                    roll_out(found, situation, thinker, batches, tell)
            except Exception as error:
                known = isinstance(error, NoEngine | NoAdvice | EngineError | FormatError)
                if number == self._number:
                    reason = str(error) if known else describe_fault(error)
                    self._progress = {"state": "failed", "reason": reason, **shown}
            finally:
                if self._thinker is not None:
                    self._thinker.close()
                self._thinker = None
