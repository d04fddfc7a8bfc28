"""``barpoint demo``: the bundled recorded game, refereed while you watch."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from engine.effects import Judged
from engine.events import Button
from engine.messages import phrase
from firmware import rules
from firmware.commands._judgements import JudgementPrinter
from firmware.commands._options import PORT, port_option, state_option
from firmware.commands._state import kept_or_temporary
from firmware.languages.choice import local
from firmware.page.publisher import PagePublisher
from firmware.page.server import Server, listen
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record.journal import Journal
from firmware.recordings import loop, reel
from firmware.recordings.reel import ButtonPressed
from firmware.recordings.replay import Replay
from firmware.state import new_log
from firmware.table.news import News, Watcher
from firmware.wording import clean

REEL = Path(__file__).parents[1] / "demo" / "reel"
SPEED = 4.0
"""How much faster than it was played the game is shown."""


@click.command(name="demo")
@click.option("--once", is_flag=True, help="End after the last move, and do not wait between moves.")
@port_option
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    help="How much faster than the game was played; 0 does not wait (default: 4).",
)
@state_option(help="Where the log is kept (default: nowhere).")
def command(once: bool, port: int | None, speed: float | None, state: Path | None) -> None:
    """Referees the recorded game that comes with Barpoint and shows it on a web page, whose address is
    printed.

    The page is served to this machine only, until Ctrl-C.

    \b
    Example: barpoint demo
    """
    # A shell starts background jobs with Ctrl-C ignored, and SIGTERM counts as one (below): so a demo can
    # always be stopped.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    recorded = reel.read(REEL)
    replay = Replay.prepare(REEL, recorded, rules.chosen(recorded.rules))
    pace = speed if speed is not None else 0.0 if once else SPEED
    with kept_or_temporary(state, "demo") as (folder, kept):
        asyncio.run(_show(replay, folder, kept, port, pace, once))


async def _show(
    replay: Replay, folder: Path, kept: Journal, port: int | None, pace: float, once: bool
) -> None:
    # SIGTERM counts as Ctrl-C: what is being written is finished, and the temporary journal is deleted.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)
    feed = Feed()
    publisher = PagePublisher(feed, asyncio.get_running_loop())
    socket = listen("127.0.0.1", port, PORT)
    server = Server(TablePage(feed, replay.eyes.drawn, archive=folder, board=replay.eyes.appearance), socket)
    console = Console(highlight=False)
    here = f"[bold]{server.address}[/bold]"
    words = phrase("Barpoint referees a recorded game: open {address}", address=here)
    console.print(local(words))
    pressed = (moment for moment in replay.reel.timeline if isinstance(moment, ButtonPressed))
    judged = local(phrase("plays judged"))
    columns = (TextColumn("{task.completed}/{task.total} " + judged), BarColumn())
    async with server:
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("", total=sum(moment.button is Button.DONE for moment in pressed))
            log = new_log()
            report = JudgementPrinter(
                log,
                as_json=False,
                say=lambda line: progress.console.print(clean(local(line)), markup=False, soft_wrap=True),
                warn=lambda line: console.log(clean(local(line)), markup=False),
            )

            def advance(news: News) -> None:
                judged = (isinstance(effect, Judged) and effect.by == "camera" for effect in news.effects)
                progress.advance(task, sum(judged))

            watchers: list[Watcher] = [report, advance, publisher]
            referee = replay.referee(kept, log, watchers)
            await loop.run(referee, loop.paced(replay.stimuli(referee), pace))
        console.print(local(report.summary()))
        if not once:
            words = phrase(
                "The game is over; {address} still shows it. Ctrl-C ends the demo.", address=server.address
            )
            console.print(local(words))
            await server.interrupted()
