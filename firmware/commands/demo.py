"""``barpoint demo``: the bundled recorded game, refereed before your eyes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from engine.effects import Judged
from engine.events import Button
from firmware import rules
from firmware.commands._judgements import Report
from firmware.page.server import Server, listen
from firmware.page.stream import Hub
from firmware.record.journal import Journal
from firmware.recordings import reel
from firmware.recordings.reel import ButtonPressed
from firmware.recordings.replay import Replay
from firmware.state import JOURNAL, journal, new_log
from firmware.table import loop
from firmware.table.referee import News, Watcher
from firmware.table.showing import Showing

REEL = Path(__file__).parents[1] / "demo" / "reel"
PORT = 8080
SPEED = 4.0
"""How much faster than it was played the game is shown to those who watch."""


@click.command(name="demo", short_help="Referees a recorded game and shows it on a web page")
@click.option("--once", is_flag=True, help="End after the last move, and do not wait between moves.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Where the page is served (default: {PORT}, or a free one if that is taken).",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    help=f"Times as fast as the game was played; 0 does not wait (default: {SPEED:g}).",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the log is kept (default: nowhere, it is a demonstration).",
)
def command(once: bool, port: int | None, speed: float | None, state: Path | None) -> None:
    """Referees the recorded game that comes with Barpoint and shows it on a web page, whose address is
    printed.

    The page is served to this machine only, until Ctrl-C.

    \b
    Example: barpoint demo
    """
    # A shell starts background jobs deaf to Ctrl-C, and SIGTERM is heard as one (below): a demo can always be
    # told to end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    recorded = reel.read(REEL)
    replay = Replay.prepare(REEL, recorded, rules.chosen(recorded.rules))
    pace = speed if speed is not None else 0.0 if once else SPEED
    with contextlib.ExitStack() as stack:
        if state is None:
            kept = Journal.open(
                Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="barpoint-"))) / JOURNAL
            )
        else:
            kept = journal(state)
        stack.callback(kept.close)
        asyncio.run(_show(replay, kept, port, pace, once))


async def _show(replay: Replay, kept: Journal, port: int | None, pace: float, once: bool) -> None:
    # Being told to end is like Ctrl-C: what is being written is written, and the temporary journal goes.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)
    hub = Hub()
    showing = Showing(replay.rules, hub, asyncio.get_running_loop())
    socket = listen("127.0.0.1", port, PORT)
    server = Server(hub, replay.eyes.drawn, socket)
    console = Console(highlight=False)
    console.print(
        f"Barpoint referees a recorded game of {replay.rules.title.lower()}: open"
        f" [bold]{server.address}[/bold]"
    )
    judgements = sum(
        isinstance(moment, ButtonPressed) and moment.button is Button.DONE for moment in replay.reel.timeline
    )
    async with server:
        with Progress(
            TextColumn("{task.completed}/{task.total} judged"), BarColumn(), console=console
        ) as progress:
            task = progress.add_task("", total=judgements)
            log = new_log()
            report = Report(
                log,
                as_json=False,
                say=lambda line: progress.console.print(line, markup=False, soft_wrap=True),
                warn=console.log,
            )

            def advance(news: News) -> None:
                progress.advance(
                    task, sum(isinstance(effect, Judged) and effect.by == "camera" for effect in news.effects)
                )

            watchers: list[Watcher] = [report, advance, showing]
            referee = replay.referee(kept, log, watchers)
            await loop.run(referee, loop.paced(replay.stimuli(referee), pace))
        console.print(report.summary())
        if not once:
            console.print(f"The game is over; {server.address} still shows it. Ctrl-C ends the demo.")
            await server.interrupted()
