"""A long job in a thread of its own: it reports its progress, and can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from engine.messages import phrase
from engine.position import Json
from firmware.errors import BadInput, describe_fault
from vision.errors import VisionError

Tell: TypeAlias = Callable[[float, str], None]
"""Tells how much is done (0 to 1) and what comes next; raises Stopped where the job was stopped."""


class Stopped(Exception):
    """The job was stopped."""


class LongJob:
    """One job. A thread calls ``does`` with a :data:`Tell`; what it returns becomes ``result``."""

    def __init__(self, name: str, does: Callable[[Tell], Any]) -> None:
        self.name = name
        self.result: Any = None
        self.refused: str | None = None
        self.over = False
        self._does = does
        self._part = 0.0
        self._words = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it when it next reports; its result is dropped."""
        self._stop.set()
        self.over = True

    def join(self) -> None:
        """Waits for its end."""
        self._thread.join()

    def _tell(self, part: float, words: str) -> None:
        if self._stop.is_set():
            raise Stopped
        self._part, self._words = part, words

    def _run(self) -> None:
        try:
            result = self._does(self._tell)
            self._tell(1.0, "")
            self.result = result
        except Stopped:
            return
        except (VisionError, BadInput) as error:
            self.refused = str(error)
        except OSError as error:
            self.refused = phrase("cannot be written: {reason}", reason=error.strerror or error)
        except Exception as error:
            self.refused = phrase("a fault in the program: {reason}", reason=describe_fault(error))
        finally:
            self.over = True

    def to_json(self) -> Json:
        """Its progress."""
        progress = {"name": self.name, "part": self._part, "words": self._words}
        return progress | {"over": self.over, "refused": self.refused}
