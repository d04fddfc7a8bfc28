"""A whole table on a disk that fills up and is freed again: ``python -m tests.bench.full_disk`` (as root: it
mounts a small tmpfs).

Two random players sit at the simulated desk. While nothing can be written every press is refused with the
reason and the table stands; as soon as it can, the same press counts. At the end the log passes ``barpoint
verify``. Exit status 1 where any of that is not so.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.events import Button, Press
from engine.match_state import State
from firmware.record.verify import check_log
from tests.bench.arguments import arguments
from tests.firmware.desk import Desk, running
from tests.firmware.evening import act, begun, standing

SIZE = "2m"
TURNS = 60


async def refused(desk: Desk, what: str) -> None:
    """Checks that a press is refused with the disk as the reason, and that nothing changes."""
    for _ in range(200):
        before, count = desk.session, len(desk.entries())
        said = await desk.device.act(Press(t=0, button=Button.PAUSE))
        if said is not None and "disk" in said:
            assert desk.session is before
            assert len(desk.entries()) == count
            print(f"{what}: {said}")
            return
    raise AssertionError(f"{what}: a press was never refused")


async def goes_on(desk: Desk, rng: random.Random, what: str) -> None:
    """Plays on, and compares the table with its journal."""
    if desk.session.state is State.PAUSED:
        assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
    before = len(desk.entries())
    for _ in range(TURNS):
        await act(desk, rng)
    assert await standing(desk)
    print(f"{what}: {len(desk.entries())} entries, {before} before; the table is what its journal says")


async def evening(state: Path) -> None:
    """The whole story."""
    rng, filler = random.Random(3), state / "filler"
    async with running(state, begun) as desk:
        await goes_on(desk, rng, "begun")
        with filler.open("wb") as file:
            try:
                while True:
                    os.write(file.fileno(), b"x" * 4096)
            except OSError as error:
                print(f"the disk is filled: {error.strerror}")
        await refused(desk, "full disk")
        filler.unlink()
        await goes_on(desk, rng, "freed")
        for log in desk.reader.names():
            check_log(log, desk.reader.entries(log))
        print("verified")


def main() -> int:
    arguments(__doc__)
    if os.geteuid() != 0:
        print("this wants root: it mounts a small disk")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
        try:
            asyncio.run(evening(Path(folder)))
        finally:
            subprocess.run(["umount", folder], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
