"""What the eyes make of every labelled set of checkers, kept between runs: true looks and evidence.

One file for each table and alteration, in a folder that is named after the eyes' own source: a run that was
broken off goes on where it was, and other eyes begin anew. An alteration is either there from the start (*as
calibrated*), or comes after the calibration (*later*: lamps, blur and noise change during an evening).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from engine.evidence import Evidence
from engine.layout import Looks
from tests.bench.altered import ALTERED
from tests.bench.sets import Table, hard, reel, renders, webcam
from vision.blind.reader import opinion
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.errors import VisionError
from vision.picture.frame import Frame, load

PLAIN = "as it is"
CHANGES = (
    "dim",
    "warm",
    "gamma",
    "flat",
    "grey",
    "jpeg 12",
    "noisy",
    "blurred 0.15",
    "lamp aside",
    "arm's shadow",
    "somebody leans over",
    "second lamp",
    "sunlight",
)
"""Other lamps, tones, noise, blur and shadows (``tests.bench.altered``)."""
ALTERATIONS = (PLAIN, *(f"{name}, {when}" for name in CHANGES for when in ("later", "as calibrated")))
FEW = 4
"""Pictures of a table that are read altered."""
OWN = Path(__file__).parents[2]


@dataclass(frozen=True)
class Seen:
    """A board as it stood, and as it was read."""

    looks: Looks
    evidence: Evidence


class Job(NamedTuple):
    """One table, altered in one way, and the file for what is seen there."""

    data: Path
    set: str
    table: str
    alteration: str
    file: Path


SETS = {"renders": renders, "reel": reel, "webcam": webcam, "hard": hard}


def tables(data: Path, name: str) -> Iterator[Table]:
    """The tables of one set."""
    return SETS[name](data)


def eyes() -> str:
    """What tells these eyes from others: a digest of all that they are made of."""
    digest = hashlib.sha256()
    for path in sorted((OWN / "vision").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(OWN).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def read_all(data: Path, cache: Path, sets: list[str], alterations: list[str], workers: int) -> list[Job]:
    """Reads what was not read yet; every table and alteration there is."""
    folder = cache / eyes()
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [
        Job(data, name, table.name, alteration, folder / f"{name}-{table.name}-{alteration}.json")
        for name in sets
        for table in tables(data, name)
        for alteration in alterations
    ]
    due = [job for job in jobs if not job.file.exists()]
    random.Random(1).shuffle(due)  # what is there early tells of all
    with ProcessPoolExecutor(workers) as pool:
        for number, _ in enumerate(pool.map(_read, due), 1):
            print(f"\r{number} of {len(due)} read", end="" if number < len(due) else "\n", flush=True)
    return jobs


def seen(job: Job) -> list[Seen]:
    """What was read; nothing where the table could not be learned."""
    return [
        Seen(
            {cell: tuple(look) for cell, look in shot["looks"].items()}, Evidence.from_json(shot["evidence"])
        )
        for shot in json.loads(job.file.read_text())["shots"]
        if "evidence" in shot
    ]


def troubles(job: Job) -> list[str]:
    """Why the table was not learned, and where the eyes crashed."""
    found = json.loads(job.file.read_text())
    crashed = [shot["crashed"] for shot in found["shots"] if "crashed" in shot]
    return ([f"refused: {found['refused']}"] if "refused" in found else []) + crashed


def _read(job: Job) -> None:
    cv2.setNumThreads(1)
    table = next(table for table in tables(job.data, job.set) if table.name == job.table)
    found: dict[str, Any] = {"shots": []}
    try:
        found["shots"] = list(_shots(table, job.alteration))
    except VisionError as error:
        found["refused"] = str(error)
    part = job.file.with_suffix(".part")
    part.write_text(json.dumps(found))
    part.replace(job.file)


def _shots(table: Table, alteration: str) -> Iterator[dict[str, Any]]:
    """Every picture but that of the calibration, unless a hand was seen in it: that would not be judged."""
    name, _, when = alteration.partition(", ")
    alter = ALTERED[name]
    rng = np.random.default_rng([*table.name.encode()])
    corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, 2.0, (4, 2))]
    first, *shots = table.shots
    image = load(first.path).image
    known = None if table.start else first.looks
    learned = alter(image, table.corners)[0] if when == "as calibrated" else image
    rig = calibrate(learned, corners, table.geometry, known)
    reader = CheckersReader(rig, opinion).examined(learned, first.looks)
    if alteration != PLAIN:
        shots = [shot for shot in shots if not shot.hand]
        shots = shots[:: max(1, len(shots) // FEW)][:FEW]
    for shot in shots:
        try:
            reading = reader.read(Frame(alter(load(shot.path).image, table.corners)[0]))
        except Exception as error:  # a crash of the eyes is no judgement: it is told, and not counted
            yield {"crashed": f"{shot.path.name}: {type(error).__name__}: {error}"}
            continue
        if not reading.hand:
            yield {"picture": shot.path.name, "looks": shot.looks, "evidence": reading.evidence.to_json()}
