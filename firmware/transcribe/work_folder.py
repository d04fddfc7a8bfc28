"""What a transcription keeps on the disk, so that it goes on where it was stopped, and can be asked again.

``film.json`` says which film it is and how far it was watched, ``rig.json`` how its board is read,
``sightings.jsonl`` has a line for every time that the board was at rest, ``pictures`` the pictures of those,
and ``answers.json`` what players said about doubts.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine import rules as games
from engine import strict_json
from engine.layout import Side
from engine.messages import from_data, phrase, to_data
from engine.position import Position
from firmware.files import NotPlain, check_plain, read_whole, replace_file
from firmware.jpeg import encode_jpeg, fit_width
from firmware.transcribe.doubles import Answer
from firmware.transcribe.film import FilmError, told_of
from firmware.transcribe.sighting import Sighting
from firmware.transcribe.turns import WORTH, Answers, Choice
from vision.picture.frame import Image

VERSION = 1
SUFFIX = ".film"
SIGHTINGS, ANSWERS, LOCK = "sightings.jsonl", "answers.json", "lock"
FORM = {"through": float | int, "match": dict, "geometry": dict, "seen": int, "lasting": int}
"""What is kept of a film besides words and numbers that are only compared."""
LONGEST = 1_000_000
"""Bytes of a line of sightings; one has some ten thousand."""
WIDE = 960
"""Pixels across a picture that is kept."""


@dataclass(frozen=True)
class WorkFolder:
    """The folder of one transcription."""

    path: Path

    @property
    def rig(self) -> Path:
        """The table's calibration."""
        return self.path / "rig.json"

    @property
    def pictures(self) -> Path:
        """The pictures of the sightings."""
        return self.path / "pictures"

    @property
    def empty(self) -> bool:
        """Whether nothing is kept in it: it is not there, or no board was found."""
        return all(each.name == LOCK for each in self.path.glob("*"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else works in the folder meanwhile: what two have seen would lie in it in a wrong order.
        Afterwards a folder in which nothing is kept is gone. Raises FilmError where somebody does, or where
        something in it is a link, and OSError."""
        try:
            check_plain(self.path)
        except NotPlain as error:
            raise FilmError(str(error)) from error
        with (self.path / LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                words = phrase(
                    "{folder} is in use by another 'barpoint transcribe'; wait for that one, or name another"
                    " match file (-o)",
                    folder=str(self.path),
                )
                raise FilmError(words) from error
            except OSError:  # some file systems of networks know no locks
                pass
            try:
                yield
            finally:
                if self.empty:
                    with suppress(OSError):
                        (self.path / LOCK).unlink()
                        self.path.rmdir()

    def state(self) -> dict[str, Any]:
        """How far it is; empty where nothing is kept yet, or it is another version's, or damaged."""
        try:
            data = strict_json.loads_object(read_whole(self.path / "film.json").decode())
            data["notes"] = [from_data(each) for each in data.get("notes", [])]
        except (OSError, ValueError, LookupError, TypeError):
            return {}
        good = all(isinstance(data[key], kind) for key, kind in FORM.items() if key in data)
        good = good and all(isinstance(each, str) for each in data["notes"])
        return data if good and data.get("version") == VERSION else {}

    def begin(self) -> Path | None:
        """Forgets what was seen and begins anew. What was answered before is kept beside it: the file, if
        there is one. Raises OSError."""
        kept = None
        if (self.path / ANSWERS).is_file():
            kept, number = self.path / "answers-before.json", 1
            while kept.exists():
                number += 1
                kept = self.path / f"answers-before-{number}.json"
            (self.path / ANSWERS).replace(kept)
        shutil.rmtree(self.pictures, ignore_errors=True)
        for name in (SIGHTINGS, "film.json", "rig.json"):
            (self.path / name).unlink(missing_ok=True)
        self.pictures.mkdir(parents=True)
        return kept

    def progress(self, about: dict[str, Any]) -> None:
        """Says how far it is, once all that was seen so far is on the disk. Raises OSError."""
        sightings = self.path / SIGHTINGS
        if sightings.is_file():
            with sightings.open("rb") as file:
                os.fsync(file.fileno())
        notes = [to_data(each) for each in about.get("notes", [])]  # whoever reads them chooses the language
        text = json.dumps({"version": VERSION, **about, "notes": notes})
        replace_file(self.path / "film.json", text + "\n")

    def keep(self, t: float, image: Image) -> str:
        """Keeps a picture; its name. Raises OSError."""
        name = f"{round(t * 100):08d}.jpg"
        (self.pictures / name).write_bytes(encode_jpeg(fit_width(image, WIDE)))
        return name

    def add(self, seen: Sighting) -> None:
        """One more sighting. Raises OSError."""
        with (self.path / SIGHTINGS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(seen.to_json(), separators=(",", ":")) + "\n")

    def sightings(self) -> Iterator[Sighting]:
        """Those that are kept, up to the first that is damaged."""
        try:
            with (self.path / SIGHTINGS).open("rb") as file:
                for line in _lines(file):
                    yield _sighting(line)
        except (FileNotFoundError, ValueError):
            return

    def mend(self) -> tuple[int, float, bool]:
        """Cuts off what is damaged of the sightings, as a power cut may leave them: how many are left, the
        last one's time, and whether anything was cut off. Raises OSError."""
        path, number, last, good = self.path / SIGHTINGS, 0, 0.0, 0
        if not path.is_file():
            return number, last, False
        with path.open("rb+") as file:
            for line in _lines(file):
                try:
                    seen = _sighting(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    break
                number, last, good = number + 1, seen.t, good + len(line)
            cut = good < file.seek(0, os.SEEK_END)
            if cut:
                file.truncate(good)
        return number, last, cut

    def answers(self) -> Answers:
        """What players have said. Raises FilmError where the file is damaged."""
        try:
            data = strict_json.loads_object(read_whole(self.path / ANSWERS).decode())
            plays = {str(name): each and _said(each) for name, each in data.get("plays", {}).items()}
            results = {
                int(number): None if each is None else _result(*each)
                for number, each in data.get("results", {}).items()
            }
            cubes = {
                str(name): (str(Answer(answer)), str(before))
                for name, (answer, before) in data.get("cubes", {}).items()
            }
            asked: list[tuple[str, str | int]] = [("plays", key) for key in plays]
            asked += [("cubes", key) for key in cubes]
            asked += [("results", key) for key in results]
            told = [(str(kind), key) for kind, key in data.get("order", [])]
            order = [each for each in asked if each not in told] + [each for each in told if each in asked]
        except FileNotFoundError:
            return Answers()
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            words = phrase(
                "it is damaged ({reason}): delete it, and answer again (--settle)", reason=str(error)
            )
            raise FilmError(told_of(self.path / ANSWERS, words)) from error
        return Answers(plays, results, cubes, order)

    def save_answers(self, answers: Answers) -> None:
        """Keeps them. Raises OSError."""
        data = {
            "plays": {name: each and _kept(each) for name, each in answers.plays.items()},
            "results": {str(number): each and list(each) for number, each in answers.results.items()},
            "cubes": {name: list(each) for name, each in answers.cubes.items()},
            "order": [list(each) for each in answers.order],
        }
        replace_file(self.path / ANSWERS, json.dumps(data, indent=1) + "\n")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one that is longer than any sighting, parts."""
    return iter(lambda: file.readline(LONGEST), b"")


def _sighting(line: bytes) -> Sighting:
    """Raises ValueError."""
    try:
        return Sighting.from_json(json.loads(line))
    except RecursionError as error:
        raise ValueError("too many brackets within brackets") from error


def _kept(said: Choice | Position) -> dict[str, Any]:
    return {"position": said.to_json()} if isinstance(said, Position) else said.to_json()


def _said(kept: Mapping[str, Any]) -> Choice | Position:
    """The inverse. Raises an error of :meth:`WorkFolder.answers`."""
    if "position" in kept:
        stands = kept["position"]
        return games.get(stands["rules"]).read(stands)
    return Choice(tuple(map(int, kept["dice"])), str(kept["move"]))


def _result(side: str, points: int) -> tuple[Side, int]:
    if side not in ("white", "black") or not 1 <= int(points) <= WORTH:
        raise ValueError(f"no game is won like this: {side}, {points}")
    return side, int(points)
