"""What a transcription keeps on the disk, so that it goes on where it was stopped, and can be asked again.

``film.json`` says which film it is and how far it was watched, ``rig.json`` how its board is read,
``sightings.jsonl`` has a line for every time that the board was at rest, ``pictures`` the pictures of those,
and ``answers.json`` what players said about doubts.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import strict_json
from engine.messages import phrase
from firmware.files import replace_file
from firmware.jpeg import encode_jpeg, fit_width
from firmware.transcribe.doubles import Answer
from firmware.transcribe.film import FilmError
from firmware.transcribe.sighting import Sighting
from firmware.transcribe.turns import Answers, Choice
from vision.picture.frame import Image

VERSION = 1
SUFFIX = ".film"
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

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else works in the folder meanwhile: what two have seen would lie in it in a wrong order.
        Raises FilmError where somebody does, and OSError."""
        with (self.path / "lock").open("w") as file:
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
            yield

    def state(self) -> dict[str, Any]:
        """How far it is; empty where nothing is kept yet, or it is another version's."""
        try:
            data = strict_json.loads_object((self.path / "film.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if data.get("version") == VERSION else {}

    def begin(self, about: dict[str, Any]) -> None:
        """Forgets everything and begins anew. Raises OSError."""
        shutil.rmtree(self.pictures, ignore_errors=True)
        for name in ("sightings.jsonl", "answers.json", "film.json", "rig.json"):
            (self.path / name).unlink(missing_ok=True)
        self.pictures.mkdir(parents=True)
        self.progress(about)

    def progress(self, about: dict[str, Any]) -> None:
        """Says how far it is. Raises OSError."""
        replace_file(self.path / "film.json", json.dumps({"version": VERSION, **about}) + "\n")

    def keep(self, t: float, image: Image) -> str:
        """Keeps a picture; its name. Raises OSError."""
        name = f"{round(t * 100):08d}.jpg"
        (self.pictures / name).write_bytes(encode_jpeg(fit_width(image, WIDE)))
        return name

    def add(self, seen: Sighting) -> None:
        """One more sighting. Raises OSError."""
        with (self.path / "sightings.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(seen.to_json(), separators=(",", ":")) + "\n")

    def sightings(self) -> Iterator[Sighting]:
        """Those that are kept. What a power cut left of the last line is cut off."""
        path, good = self.path / "sightings.jsonl", 0
        if not path.exists():
            return
        with path.open("rb+") as file:
            for line in file:
                try:
                    seen = Sighting.from_json(json.loads(line))
                except ValueError:
                    file.truncate(good)
                    return
                good += len(line)
                yield seen

    def answers(self) -> Answers:
        """What players have said. Raises ValueError where the file is damaged."""
        try:
            data = strict_json.loads_object((self.path / "answers.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Answers()
        try:
            plays = {
                str(name): None if each is None else Choice(tuple(map(int, each["dice"])), str(each["move"]))
                for name, each in data.get("plays", {}).items()
            }
            results = {
                int(number): (str(side), int(points))
                for number, (side, points) in data.get("results", {}).items()
            }
            cubes = {
                str(name): (str(Answer(answer)), str(before))
                for name, (answer, before) in data.get("cubes", {}).items()
            }
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{self.path / 'answers.json'}: {error}") from error
        return Answers(plays, results, cubes)

    def save_answers(self, answers: Answers) -> None:
        """Keeps them. Raises OSError."""
        data = {
            "plays": {name: each and each.to_json() for name, each in answers.plays.items()},
            "results": {str(number): list(each) for number, each in answers.results.items()},
            "cubes": {name: list(each) for name, each in answers.cubes.items()},
        }
        replace_file(self.path / "answers.json", json.dumps(data, indent=1) + "\n")
