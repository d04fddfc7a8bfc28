"""What the commands about recordings share: which recording is meant, and refereeing it again without
writing anything to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from firmware.errors import BadInput
from firmware.files import is_file, is_folder
from firmware.record.chain import Entry
from firmware.record.journal import Journal
from firmware.recordings import loop, reel
from firmware.recordings.recorder import FOLDER
from firmware.recordings.reel import REEL, BadReel
from firmware.recordings.replay import Replay
from firmware.rules import chosen
from firmware.state import directory
from firmware.table.news import Watcher

RECORDING = "'[recording] on = true' in the configuration records matches"


def folder_of(name: Path, state: Path | None) -> Path:
    """The recording's folder: the one named, or that of the match with this id (or the beginning of one id
    only, or ``last``). Raises BadInput where that match was not recorded."""
    root = directory(state) / FOLDER
    if is_file(name / REEL) or is_folder(name):
        return name
    reels = {path.parent.name: path for path in root.glob(f"*/{REEL}")}
    if str(name) == "last" and reels:
        return max(reels.values(), key=lambda path: path.stat().st_mtime).parent
    found = [path.parent for log, path in reels.items() if log.startswith(str(name))]
    if not found and len(name.parts) == 1:
        which = "any match" if str(name) == "last" else f"a match {name}"
        raise BadInput(f"there is no recording of {which}, and no {name / REEL}; {RECORDING}")
    return found[0] if len(found) == 1 else name


def prepare_replay(folder: Path, name: str | None) -> Replay:
    """A recording, all of it checked; ``name`` is the game, where it is known better. Raises BadInput."""
    try:
        recorded = reel.read(folder)
        rules = chosen(name or recorded.rules)
        reel.check(recorded, rules, folder)
        return Replay.prepare(folder, recorded, rules)
    except BadReel as error:
        raise BadInput(str(error)) from error


def referee_again(replay: Replay, log: str, watchers: Iterable[Watcher]) -> list[Entry]:
    """Referees the recording without waiting between moves; the log that this makes, kept in memory only.
    Raises BadInput."""
    try:
        with Journal.open(Path(":memory:")) as draft:
            referee = replay.referee(draft, log, watchers)
            asyncio.run(loop.run(referee, loop.paced(replay.stimuli(referee), speed=0)))
            return draft.entries(log)
    except BadReel as error:
        raise BadInput(str(error)) from error
