"""One transcription: a film is opened and watched, what was seen is kept, and the match is written down from
it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from engine.match import Terms
from engine.position import Rules
from firmware.transcribe.board_finder import FoundTable, find_table
from firmware.transcribe.dice_eyes import dice_for
from firmware.transcribe.film import Chain, Film, FilmError
from firmware.transcribe.follower import Memory, follow
from firmware.transcribe.picture_folder import PictureFolder
from firmware.transcribe.transcript import Transcript, transcribed
from firmware.transcribe.turns import Answers
from firmware.transcribe.video import Video
from firmware.transcribe.watch import DiceFor, Watch
from firmware.transcribe.work_folder import WorkFolder
from vision import boards
from vision.geometry.camera import Corner
from vision.reading import BoardReader

EVERY = 30.0
"""Seconds of film after which it is noted how far it was watched."""

Progress = Callable[[str, float], None]
"""Hears what is being done, and the time in the film."""


def open_film(paths: Sequence[Path]) -> Film:
    """The film in these files or folders, one after the other. Raises FilmError."""
    films: list[Film] = [PictureFolder(path) if path.is_dir() else Video(path) for path in paths]
    film = films[0] if len(films) == 1 else Chain(films)
    _ = film.size
    return film


@dataclass(frozen=True)
class Where:
    """What is known of the board before the film is looked at."""

    corners: Sequence[Corner] | None = None
    geometry: Mapping[str, Any] = field(default_factory=dict)
    rig: Path | None = None

    def told(self) -> str:
        """The same in a line: another one is another transcription."""
        rig = "" if self.rig is None else f"{self.rig}:{self.rig.stat().st_mtime_ns}"
        return f"{self.corners and [list(each) for each in self.corners]} {dict(self.geometry)} {rig}"


@dataclass
class Job:
    """The transcription of ``film`` in ``folder``."""

    film: Film
    rules: Rules
    folder: WorkFolder
    where: Where = field(default_factory=Where)
    progress: Progress = lambda words, t: None
    eyes: DiceFor = dice_for
    notes: list[str] = field(default_factory=list)
    memory: Memory = field(default_factory=dict)

    def watch(self, again: bool = False) -> None:
        """Watches the film, from where it was left; ``again``: from its beginning. Raises FilmError,
        VisionError or OSError."""
        about: dict[str, Any] = {
            "film": self.film.digest(),
            "rules": self.rules.name,
            "where": self.where.told(),
            "through": 0.0,
            "done": False,
        }
        state = {} if again else self.folder.state()
        known = {key: state.get(key) for key in ("film", "rules", "where")}
        if known != {key: about[key] for key in known} or not self.folder.rig.is_file():
            self.folder.begin(about)
            table = self._find()
            boards.save(table, self.folder.rig, self.rules.name)
        else:
            about |= state
        if about.pop("done"):
            self.notes += about.get("notes", [])
            self.folder.progress({**about, "done": True})
            return
        self._watch(about)

    def _find(self) -> BoardReader:
        """The board's reader. Raises FilmError or VisionError."""
        if self.where.rig is not None:
            stored = boards.load(self.where.rig)
            if stored.board != self.rules.board:
                raise FilmError(
                    f"{self.where.rig} is calibrated for {stored.board}, not for {self.rules.title}"
                )
            return stored.table
        try:
            found = self._seek(self.where.corners, self.where.geometry)
        except FilmError:
            if self.where.corners or not isinstance(self.film, PictureFolder) or not self.film.corners:
                raise
            found = self._seek(self.film.corners, self.film.geometry)
        self.notes += [f"{self.film.name}: {words}" for words in found.quality.words()]
        return found.table

    def _seek(self, corners: Sequence[Corner] | None, geometry: Mapping[str, Any]) -> FoundTable:
        progress = partial(self.progress, "looking for the board")
        return find_table(self.film, self.rules.board, corners, geometry, progress)

    def _watch(self, about: dict[str, Any]) -> None:
        stored = boards.load(self.folder.rig)
        seen = 0.0
        for each in self.folder.sightings():
            seen = each.t + 0.01
        since = max(seen, float(about["through"]))
        through = since

        def tell(t: float) -> None:
            nonlocal through
            self.progress("watching", t)
            if t - through >= EVERY:
                through = t
                # The board may have come to rest and not been read yet: a little is watched again.
                self.folder.progress({**about, "through": t - 2.0, "done": False})

        watch = Watch(
            self.film, stored.table, stored.board, self.folder.keep, tell, self.eyes, self.where.geometry
        )
        for sighting in watch.sightings(since):
            self.folder.add(sighting)
        self.notes += [*watch.notes, *self.film.notes]
        self.folder.progress({**about, "through": through, "done": True, "notes": self.notes})

    def write_up(self, terms: Terms, players: tuple[str, str], answers: Answers | None = None) -> Transcript:
        """The match, from what was seen. Raises FilmError where that is nothing, ValueError for damaged
        answers."""
        said = self.folder.answers() if answers is None else answers
        turns = follow(self.rules, self.folder.sightings(), said, self.memory)
        found = transcribed(self.rules, turns, terms, players, said)
        if not found.games:
            raise FilmError(f"{self.film.name}: no game is played in it: the board was seen, but no play")
        return found
