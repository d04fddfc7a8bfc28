"""One transcription: a film is opened and watched, what was seen is kept, and the match is written down from
it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.layout import Cell, cell_text
from engine.match import Terms
from engine.messages import phrase
from engine.position import Awaits, Rules
from firmware.transcribe.board_finder import FoundTable, find_table
from firmware.transcribe.branches import APART
from firmware.transcribe.cube_track import CubeTrack, cube_track
from firmware.transcribe.dice_eyes import dice_for
from firmware.transcribe.film import Chain, Film, FilmError, sampled, told_of
from firmware.transcribe.follower import Memory, follow
from firmware.transcribe.next_turn import FITS
from firmware.transcribe.picture_folder import KINDS, PictureFolder
from firmware.transcribe.sighting import Sighting
from firmware.transcribe.transcript import Transcript, transcribed
from firmware.transcribe.video import Video
from firmware.transcribe.watch import DiceFor, Watch, clock
from firmware.transcribe.way_round import DECIDED, way_round
from firmware.transcribe.work_folder import WorkFolder
from vision import boards
from vision.errors import VisionError
from vision.geometry.board_measures import Orientation, renamed
from vision.geometry.camera import Corner
from vision.quality import Quality
from vision.reading import BoardReader
from vision.unknown_board import lies, sides_in_picture, turned

EVERY = 30.0
"""Seconds of film after which it is noted how far it was watched."""

LOST = 5
"""Boards that no play leaves, at the film's end: more than are seen while checkers are put back."""
WAIT = 6
"""Sightings after which it is asked again which way the players move, where no start was seen."""
UNSURE = phrase(
    "too little is played in it to tell which way the players move, so nothing is sure: say on which side of"
    ' the picture the home boards are (--geometry \'{{"home": "right"}}\')'
)

SIDES = {
    "right": phrase("at the right"),
    "left": phrase("at the left"),
    "top": phrase("at the top"),
    "bottom": phrase("at the bottom"),
}
"""What the sides of a picture are called."""

PLACES = ("beyond", "strange", "alike", "unseen", "wrong", "weak")
"""The cells of which a calibration says that something is poor."""
MEASURED = ("reprojection", "corner_error", "separation", "diameter", "blur")
"""What it measures of all checkers."""

Progress = Callable[[str, float], None]
"""Hears what is being done, and the time in the film."""


def open_film(paths: Sequence[Path]) -> Film:
    """The film in these files or folders, one after the other. Raises FilmError."""
    films = [_open(path) for path in paths]
    film = films[0] if len(films) == 1 else Chain(films)
    _ = film.size
    return film


def _open(path: Path) -> Film:
    if path.parts[:1] in (("http:",), ("https:",)):  # as a shell's argument becomes a path
        words = phrase("films are read on this computer: download it first, and give the file")
        raise FilmError(told_of(path, words))
    if path.suffix.lower() in KINDS and path.is_file():
        words = phrase(
            "one picture is no film: give the folder that it is in, or read it with 'barpoint read'"
        )
        raise FilmError(told_of(path, words))
    return PictureFolder(path) if path.is_dir() else Video(path)


@dataclass(frozen=True)
class Where:
    """What is known of the board before the film is looked at."""

    corners: Sequence[Corner] | None = None
    geometry: Mapping[str, Any] = field(default_factory=dict)
    rig: Path | None = None

    def told(self) -> str:
        """The same in a line: another one is another transcription. Raises FilmError where there is no such
        calibration."""
        try:
            rig = "" if self.rig is None else sampled(self.rig)  # by what is in it: it may be copied or moved
        except OSError as error:
            raise FilmError(told_of(str(self.rig), error.strerror or str(error))) from error
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
    match: dict[str, Any] = field(default_factory=dict)
    """What is said of the match, its ``length`` and ``players``; also what was said of it earlier."""
    notes: list[str] = field(default_factory=list)
    """What is to say of the film, each time."""
    news: list[str] = field(default_factory=list)
    """What is to say this time only."""
    memory: Memory = field(default_factory=Memory)

    def watch(self, again: bool = False) -> None:
        """Watches the film, from where it was left; ``again``: from its beginning. Raises FilmError,
        VisionError or OSError."""
        about: dict[str, Any] = {
            "film": self.film.digest(),
            "mark": self.film.mark(),
            "rules": self.rules.name,
            "where": self.where.told(),
            "through": 0.0,
            "done": False,
        }
        state = self._known(about)
        before = state.get("match", {})
        self.match = about["match"] = {**before, **self.match}
        same = all(state.get(key) == about[key] for key in ("film", "rules"))
        if same and self.where == Where():  # where the board lies is not said again
            about["where"], self.where = state["where"], self._said(state)
        about |= {"corners": self.where.corners, "geometry": dict(self.where.geometry)}
        about["rig"] = self.where.rig is not None
        known = {key: None if again else state.get(key) for key in ("film", "rules", "where")}
        if known != {key: about[key] for key in known} or not self.folder.rig.is_file():
            table, about["started"] = self._find()
            answered = self.folder.begin()  # not before a board was found: nothing is lost by wrong corners
            if answered is not None:
                words = phrase(
                    "it is watched anew; what was answered before is in {file}", file=str(answered)
                )
                self.news.append(told_of(self.film.name, words))
            boards.save(table, self.folder.rig, self.rules.name)
            self.folder.progress({**about, "notes": self.notes})
        else:
            about |= state | {"mark": about["mark"], "match": self.match}
            self.notes += about.get("notes", [])
            self._mend(about)
        about["notes"] = self.notes
        if about["done"]:
            if self.match != before:
                self.folder.progress(about)
            return
        while not self._watched(about):
            pass

    def _known(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """What is kept of this film, or of its beginning. Raises FilmError where the folder is of another
        film: what was seen of it would be lost."""
        state = self.folder.state()
        kept, film = str(state.get("film", about["film"])), about["film"]
        if kept != film and self.film.goes_on(str(state.get("mark"))):  # longer now, or with more parts
            ending = ("film", "done", "unsure", "lasting")
            notes = state["notes"][: state.get("lasting")]
            state = {key: each for key, each in state.items() if key not in ending}
            return {**state, "film": film, "done": False, "notes": notes}
        if kept.partition("+")[0] != film.partition("+")[0]:  # with fewer parts it is the same
            words = phrase(
                "{folder} is of another film: move it away, or name another match file (-o)",
                folder=str(self.folder.path),
            )
            raise FilmError(told_of(self.film.name, words))
        return state

    def _said(self, state: Mapping[str, Any]) -> Where:
        """Where the board lies, as it was said earlier."""
        rig = self.folder.rig if state.get("rig") and self.folder.rig.is_file() else None
        return Where(state.get("corners"), state.get("geometry", {}), rig)

    def _mend(self, about: dict[str, Any]) -> None:
        """What is missing of what was seen is watched again."""
        number, last, cut = self.folder.mend()
        if not cut and number >= about.get("seen", 1 if about["done"] else 0):
            return
        for key in ("seen", "gone", "lasting"):
            about.pop(key, None)
        about |= {"done": False, "through": min(float(about["through"]), last)}
        if "before" in about:
            about["before"] = min(about["before"], number)
        words = phrase(
            "what was seen of it was damaged from {time} on, and is watched again", time=clock(last)
        )
        self.news.append(told_of(self.film.name, words))

    def _find(self) -> tuple[BoardReader, bool]:
        """The board's reader, and whether it is known which way the players move. Raises FilmError or
        VisionError."""
        if self.where.rig is not None:
            stored = boards.load(self.where.rig)
            if stored.board != self.rules.board:
                words = phrase(
                    "{file} is calibrated for {board}, not for {game}",
                    file=str(self.where.rig),
                    board=stored.board,
                    game=self.rules.title,
                )
                raise FilmError(words)
            return stored.table, True
        try:
            found = self._seek(self.where.corners, self.where.geometry)
        except FilmError:
            if self.where.corners or not isinstance(self.film, PictureFolder) or not self.film.corners:
                raise
            found = self._seek(self.film.corners, self.film.geometry)
        self.notes += [told_of(self.film.name, words) for words in badly_seen(found.quality)]
        if not found.started:
            words = phrase(
                "no start of a game was seen where the board was looked for: at {time} it was found in"
                " mid-game, and what stood there was read from the picture (--settle corrects it)",
                time=clock(found.t),
            )
            self.notes.append(told_of(self.film.name, words))
        return found.table, found.started

    def _seek(self, corners: Sequence[Corner] | None, geometry: Mapping[str, Any]) -> FoundTable:
        return find_table(self.film, self.rules.board, corners, geometry, self.progress)

    def _watched(self, about: dict[str, Any]) -> bool:
        """Watches on; whether to the film's end, else until it is known which way the players move."""
        table = self._table()
        if "way" in about:
            table = turned(table, Orientation(*about["way"]))
        seen = list(self._sightings(about))
        since = max(seen[-1].t + 0.01 if seen else 0.0, float(about["through"]))
        through, lasting = since, list(self.notes)

        def tell(t: float) -> None:
            nonlocal through, lasting
            self.progress(phrase("watching"), t)
            lasting = self._noted(watch)  # what is noted after the last picture may be wrong when it goes on
            reached = t if watch.left is None else watch.left
            if reached - through >= EVERY:
                through = reached
                # The board may have come to rest and not been read yet: a little is watched again.
                so_far = {"through": reached - 2.0, "done": False, "gone": watch.gone, "notes": lasting}
                self.folder.progress({**about, **so_far})

        settled = about.get("started", True) or "way" in about
        watch = Watch(
            self.film,
            table,
            self.rules.board,
            self.folder.keep,
            tell,
            self.eyes,
            self.where.geometry,
            known=seen[-1].evidence.best() if seen else None,
            way_known=settled,
            gone=about.pop("gone", None),
        )
        number = len(seen)
        if settled:
            seen.clear()  # a long film's are not kept in memory
        for sighting in watch.sightings(since):
            self.folder.add(sighting)
            number += 1
            if settled:
                continue
            seen.append(sighting)
            if number % WAIT == 0 and self._turn(about, table, seen, DECIDED):
                self.notes[:] = self._noted(watch)
                return False
        if not settled and not self._turn(about, table, seen, APART):
            about["unsure"] = True
            self.notes.append(told_of(self.film.name, UNSURE))
        self.notes[:] = dict.fromkeys([*lasting, *self._noted(watch)])
        ended = {"done": True, "seen": number, "gone": watch.gone, "lasting": len(lasting)}
        self.folder.progress({**about, **ended, "through": through})
        return True

    def _noted(self, watch: Watch) -> list[str]:
        """What is to say so far; once of what was watched twice."""
        return list(dict.fromkeys([*self.notes, *watch.notes, *self.film.notes]))

    def _turn(self, about: dict[str, Any], table: BoardReader, seen: Sequence[Sighting], lead: float) -> bool:
        """Whether it follows from what was seen which way the players move. Noted, and kept."""
        if len(seen) < 2:
            return False
        now = lies(table)
        # What a person says is a side of the picture; the table was learned by it.
        home = now.home if self.where.geometry.get("home") else None
        way, apart = way_round(self.rules, now, seen, home)
        if apart < lead:
            return False
        about["way"], about["before"] = [way.turned, way.mirrored], len(seen)
        homes, whites = sides_in_picture(table, way)
        words = phrase(
            "by what is played, the home boards are {homes} of the picture, White's side {whites}",
            homes=SIDES[homes],
            whites=SIDES[whites],
        )
        self.notes.append(told_of(self.film.name, words))
        self.folder.progress({**about, "through": 0.0, "done": False})
        return True

    def _table(self) -> BoardReader:
        """The reader, with the board lying as it was first taken to lie. Raises FilmError."""
        try:
            return boards.load(self.folder.rig).table
        except VisionError as error:
            words = phrase("it is damaged: watch the film from its beginning (--again)")
            raise FilmError(told_of(self.folder.rig, words)) from error

    def _sightings(self, about: Mapping[str, Any]) -> Iterator[Sighting]:
        """What was seen; before it was known how the board lies, its points had other names."""
        names: dict[Cell, Cell] = {}
        if "way" in about:
            now, way = lies(self._table()), Orientation(*about["way"])
            names = {} if now == way else renamed(now, way)
        for number, seen in enumerate(self.folder.sightings()):
            yield seen.renamed(names) if names and number < about["before"] else seen

    def _told(self, seen: Iterable[Sighting]) -> Iterator[Sighting]:
        """The same, as the progress is told: after hours of film this takes minutes."""
        for each in seen:
            self.progress(phrase("following the games"), each.t)
            yield each

    def write_up(self, terms: Terms, players: tuple[str, str]) -> Transcript:
        """The match, from what was seen, with what is to say of the film. Raises FilmError where that is
        nothing, and where the calibration that is kept, or the answers, are damaged."""
        said, state = self.folder.answers(), self.folder.state()
        turns = follow(self.rules, self._told(self._sightings(state)), said, self.memory)
        track = cube_track(self.rules, turns, self._sightings(state))
        if state.get("unsure"):  # nor whose the cube is
            turns, track = [replace(turn, doubtful=True) for turn in turns], CubeTrack()
        found = transcribed(self.rules, turns, terms, players, said, track)
        if not found.games:
            words = phrase("no game is played in it: the board was seen, but no play")
            raise FilmError(told_of(self.film.name, words))
        lost = lost_at(found, self._sightings(state))
        if lost is None:
            return replace(found, notes=(*self.notes, *found.notes))
        words = phrase(
            "from {time} on the board was seen, but not as any play leaves it: what was played is missing",
            time=clock(lost),
        )
        return replace(found, notes=(*self.notes, *found.notes, told_of(self.film.name, words)))


def badly_seen(quality: Quality) -> Iterator[str]:
    """What is poor about the board in a film, for people who have nothing but the film."""
    if not Quality(lead=quality.lead).good:
        yield phrase(
            "both sides are nearly as light, so it is a guess which checkers are White's: if it is wrong,"
            " name the players in the other order (--players)"
        )
    lists = [getattr(quality, name) for name in PLACES]
    cells = dict.fromkeys(cell for each in lists for cell in each)
    if cells:
        places = ", ".join(map(cell_text, cells))
        yield phrase("{places}: badly seen in this film; look at what is told there", places=places)
    measured = {name: getattr(quality, name) for name in MEASURED}
    if not Quality(**measured).good:
        yield phrase("the checkers are small, soft or in poor light in this film, so more may be asked about")


def lost_at(found: Transcript, seen: Iterable[Sighting]) -> float | None:
    """When the last game, which was not over, could no longer be followed, in seconds of the film; None where
    it was followed to the film's end."""
    last = found.games[-1].turns[-1]
    if last.after.awaits is Awaits.NOTHING:
        return None
    looks = last.after.looks()
    strange = [each.t for each in seen if each.t > last.t and -each.evidence.total(looks) >= FITS]
    return strange[0] if len(strange) >= LOST else None
