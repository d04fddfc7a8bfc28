"""Broken files for every parser: ``python -m tests.bench.fuzz_parsers [INPUTS] [SEED]``, 200,000 by default.

Each input is a sound file with a few things wrong: bytes flipped, cut out, doubled or put in, numbers of five
thousand digits, brackets without end, half characters, what belongs to another format. A parser may read it
or refuse it, in one line (of a configuration, one a fault) and within some seconds; anything else is a fault:
printed with the input, which is kept in the folder ``fuzz_parsers`` where this runs. Prints a line for each
parser; exit 1 where one failed.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from engine.events import Begin
from firmware import formats
from firmware.commands._positions import read_position
from firmware.errors import BadInput
from firmware.formats import FormatError
from firmware.record import seal
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.recover import recover
from firmware.recordings import reel
from firmware.settings import config
from tests.bench.arguments import arguments
from tests.firmware.formats.test_hostile_files import HEAD, MAT, MONEY, SGF, TEXT, XGID
from tests.matches import simulate
from vision import boards
from vision.errors import VisionError
from vision.picture import frame

DATA = Path(__file__).parents[1] / "data"
SLOW = 20.0
"""Seconds that no input may take."""
KEPT = Path("fuzz_parsers")
TOKENS = (
    *(b"9" * 5000, b"-1", b"0", b"1e999", b"NaN", b"-", b"\xff", b"\x00", b"\xed\xa0\x80", b"[" * 3000),
    *(
        b"(" * 3000,
        b"{",
        b"}",
        b"]",
        b'"',
        b"\\ud800",
        b"\n",
        b"\r",
        b"\t",
        b";",
        b":",
        b",",
        b"'",
        b"\xe2\x80\xae",
    ),
    *(
        b"null",
        b"true",
        b"{}",
        b"[]",
        b'""',
        b"2147483648",
        b"-9223372036854775809",
        b"0x10",
        b"\xc2\xb2",
        b"../../x",
    ),
    *(b"\x1b[2J", b"= 1979-05-27", b"inf", b"Infinity", b"a" * 70_000),
)


@dataclass(frozen=True)
class Parser:
    """A parser: sound inputs, how it is called, what it may raise, and which part of the inputs it gets."""

    name: str
    sound: tuple[bytes, ...]
    parse: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    share: float
    lines: bool = False
    """Whether it tells each fault in a line of its own."""


def files(folder: Path, *patterns: str, most: int = 40_000) -> tuple[bytes, ...]:
    """What is in the files of these patterns."""
    found = [path.read_bytes() for pattern in patterns for path in sorted(folder.glob(pattern))]
    return tuple(data[:most] for data in found)


def through(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Calls a parser that wants a file."""

    def parse(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return parse


def pictures() -> tuple[bytes, ...]:
    """A small picture in each format that is read."""
    picture = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
    made = [cv2.imencode(ending, picture) for ending in (".jpg", ".png", ".webp", ".tif", ".bmp")]
    return tuple(data.tobytes() for done, data in made if done)


def backup(folder: Path) -> bytes:
    """A journal with two matches, as a backup holds it."""
    path = folder / "made.db"
    with Journal.open(path) as journal:
        for log in ("a", "b"):
            for t in range(12):
                journal.append(log, "2026-01-31T20:15:00Z", Begin(t=t, rules="backgammon").to_json())
        journal.backup(folder / "backup.db")
    return (folder / "backup.db").read_bytes()


def restored(path: Path) -> object:
    """What ``barpoint restore`` does with a file."""
    try:
        with Journal.open_readonly(path) as journal:
            journal.check_file()
    except JournalError:
        pass
    return recover(path)


def parsers(folder: Path) -> list[Parser]:
    """All of them; ``folder`` is for what must be a file."""
    matches = DATA / "matches"
    whole = formats.write(simulate(3), "json").encode()
    refused = (FormatError,)
    toml = (
        Path(config.__file__).with_name("barpoint.toml").read_bytes(),
        b"[match]\nlength = 5\n[page]\nport = 80\n",
    )
    releases = DATA / "releases" / "0.1.0"
    rigs = files(releases / "state", "*.rig", most=10**7) + files(releases / "rigs", "*.rig", most=10**7)
    recording = DATA / "reel"
    recorded = ((recording / "reel.json").read_bytes(),)
    for name in sorted(recording.glob("*.jpg")):
        (folder / name.name).symlink_to(name)
    return [
        Parser("mat", (MAT.encode(), MONEY.encode()), formats.read, refused, 0.16),
        Parser("mat, whole", files(matches, "*.mat", most=4000), formats.read, refused, 0.002),
        Parser("sgf", (SGF.encode(),), formats.read, refused, 0.16),
        Parser("sgf, whole", files(matches, "*.sgf", most=4000), formats.read, refused, 0.002),
        Parser("xgid", (XGID.encode(),), formats.read, refused, 0.27),
        Parser("json", (f"{HEAD}}}".encode(),), formats.read, refused, 0.16),
        Parser(
            "sealed json", (whole,), lambda data: seal.read(data.decode("utf-8", "replace")), refused, 0.005
        ),
        Parser("text", (f"{TEXT}\nGame 1, score 0-0\n".encode(),), formats.read, refused, 0.11),
        Parser(
            "position",
            (
                b'{"rules":"backgammon","turn":"white","points":{"24":15,"1":-15},"bar":[0,0],"off":[0,0]}',
                XGID.encode(),
            ),
            lambda data: read_position(data.decode("utf-8", "replace")),
            refused,
            0.1,
        ),
        Parser(
            "reel.json",
            recorded,
            through(folder / "reel.json", lambda path: reel.read(path.parent)),
            (reel.BadReel,),
            0.003,
        ),
        Parser("rig", rigs, through(folder / "table.rig", boards.load), (VisionError,), 0.004),
        Parser(
            "configuration", toml, through(folder / "barpoint.toml", config.load), (BadInput,), 0.015, True
        ),
        Parser("picture", pictures(), frame.decode, (VisionError,), 0.004),
        Parser("backup", (backup(folder),), through(folder / "copy.db", restored), (JournalError,), 0.005),
    ]


def broken(sound: tuple[bytes, ...], rng: random.Random) -> bytes:
    """One of them with a few things wrong."""
    data = bytearray(rng.choice(sound))
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(7):
            case 0:
                del data[at : at + rng.choice((1, 2, 8, 100))]
            case 1 | 2:
                data[at : at + rng.choice((0, 1, 2, 5))] = rng.choice(TOKENS)
            case 3 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 4:
                data[at:at] = data[at : at + rng.choice((1, 10, 300))] * rng.choice((1, 2, 50))
            case 5:
                del data[at:]
            case _:
                other = rng.choice(sound)
                start = rng.randrange(len(other))
                data[at:at] = other[start : start + rng.choice((3, 40))]
    return bytes(data)


def tried(parser: Parser, data: bytes) -> tuple[bool, str]:
    """Whether an input was read, and what is wrong with how it was."""
    begun = time.perf_counter()
    fault, read = "", False
    try:
        parser.parse(data)
        read = True
    except parser.refuses as error:
        said = str(error)
        if not said.strip() or ("\n" in said and not parser.lines) or len(said) > 600:
            fault = f"is refused in no short words: {said[:200]!r}"
    except Exception as error:  # the very thing that is looked for
        fault = f"{type(error).__name__}: {str(error)[:200]}"
    took = time.perf_counter() - begun
    return read, fault or (f"took {took:.0f} s" if took > SLOW else "")


def main(inputs: int, seed: int) -> None:
    """All parsers, one after the other."""
    wrong = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for parser in parsers(Path(folder)):
            rng, begun, read, slowest = random.Random(f"{seed} {parser.name}"), time.perf_counter(), 0, 0.0
            count = max(1, round(inputs * parser.share))
            for number in range(count):
                data = broken(parser.sound, rng)
                since = time.perf_counter()
                was_read, fault = tried(parser, data)
                slowest = max(slowest, time.perf_counter() - since)
                read += was_read
                if fault:
                    wrong += 1
                    KEPT.mkdir(exist_ok=True)
                    kept = KEPT / f"{parser.name.replace(', ', '-').replace(' ', '-')}-{seed}-{number}"
                    kept.write_bytes(data)
                    print(f"{parser.name}, {kept}: {fault}", flush=True)
            total += count
            print(
                f"{parser.name}: {count} inputs, {read} read, {count - read} refused,"
                f" slowest {slowest:.2f} s, {time.perf_counter() - begun:.0f} s",
                flush=True,
            )
    print(f"{total} inputs, {wrong} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(**arguments(__doc__, inputs=200_000, seed=1))
