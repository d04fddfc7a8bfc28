"""``barpoint play``: a whole table in a terminal, for people who do not have one yet."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import click

from engine import rules as games
from engine.errors import EngineError
from engine.events import Event, Press
from engine.messages import phrase
from engine.position import Rules
from engine.view import view
from firmware.assemble import make_device, make_server
from firmware.commands._options import (
    FOLDER,
    PATH,
    PORT,
    json_option,
    port_option,
    rules_option,
    state_option,
)
from firmware.commands._output import tell
from firmware.commands._state import kept_or_temporary
from firmware.errors import BadInput
from firmware.languages.choice import local
from firmware.levels import BEST, LEVELS, NAME
from firmware.page.delayed import delay_overlay
from firmware.page.server import listen
from firmware.page.stream import Feed
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.recordings.match_recorder import MatchRecorder
from firmware.rules import chosen
from firmware.settings.config import Config, load, parse
from firmware.simulated.board_eyes import BoardEyes
from firmware.simulated.painted import PaintedEyes, learned
from firmware.simulated.sample_map import SAMPLE
from firmware.simulated.tabletop import Tabletop, help_text
from firmware.table.devices import Devices, TableClock
from firmware.table.drivers import load_rig
from firmware.table.open_matches import OpenMatches
from firmware.table.reviewer import MatchReviewer
from firmware.table.rival import Rival
from firmware.table.watcher import TableWatcher


@click.command(name="play")
@click.option(
    "--simulated",
    is_flag=True,
    required=True,
    help="Camera, buttons and lamps are simulated; 'barpoint run' has the real ones.",
)
@rules_option(help="The game (default: the configuration's, or backgammon).")
@click.option(
    "--camera",
    type=click.Choice(["exact", "painted"]),
    default="exact",
    show_default=True,
    help="'exact': the camera is never wrong; 'painted': the board is painted, and read like a real one.",
)
@click.option("--config", "path", type=PATH, help="Take the match from this configuration.")
@click.option(
    "--rival",
    "level",
    type=click.Choice(list(LEVELS)),
    is_flag=False,
    flag_value=BEST,
    help="Play against the table's own player, of this level (without one: the best).",
)
@port_option
@state_option(help="Keep the match here, and continue it the next time (default: nowhere).")
@click.option("--new", "fresh", is_flag=True, help="Begin a new match even where one was left unfinished.")
@click.option("--record", "folder", type=FOLDER, help="Keep the match with painted pictures in here.")
@json_option(help="After every line typed, the whole state as one JSON line.")
def command(
    simulated: bool,
    name: str | None,
    camera: str,
    path: Path | None,
    level: str | None,
    port: int | None,
    state: Path | None,
    fresh: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    """A whole table in the terminal and on a page: type what hands and buttons would do; 'help' lists the
    commands.

    \b
    Example: barpoint play --simulated --rules icegammon --camera painted
    """
    # A shell starts background jobs with Ctrl-C ignored, and SIGTERM counts as one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config = load(path) if path is not None else Config()
    if name is not None:
        text = f"[match]\nrules = {json.dumps(chosen(name).name)}\nlength = {config.match.length}"
        config = config.model_copy(update={"match": parse(text).match})
    if level is not None:
        rival = {"second": f"{NAME} {level}"}
        config = config.model_copy(update={"match": config.match.model_copy(update=rival)})
    match = config.match
    if camera == "painted" and match.game.set_up is not None and match.options.get("border") is None:
        match = match.model_copy(update={"options": dict(SAMPLE)})
        config = config.model_copy(update={"match": match})
    if folder is not None:  # the page looks for the pictures there
        kept_in = config.recording.model_copy(update={"folder": str(folder)})
        config = config.model_copy(update={"recording": kept_in})
    with kept_or_temporary(state, "play") as (place, kept):
        if name is not None and not fresh:
            _check_game(kept, place, config.match.game)
        asyncio.run(_play(config, camera, place, kept, port, fresh, folder, as_json))


def _check_game(kept: Journal, state: Path, game: Rules) -> None:
    """Raises BadInput where a match of another game is at this table."""
    try:
        entries = kept.entries(OpenMatches(state).current(), most=1)
        other = games.get(str(entries[0].body["rules"])) if entries else game
    except (EngineError, JournalError, LookupError):
        return  # it cannot be continued, and the table says why
    if other != game:
        words = phrase(
            "{folder} keeps a match of {game}: leave --rules out to continue it, or begin a new one with"
            " --new",
            folder=state,
            game=other.title,
        )
        raise BadInput(words)


async def answered(rival: Rival, top: Tabletop) -> str:
    """Waits until the table's own player has done what it does; what to print then."""
    before = top.session
    await rival.settled()
    top.follow()
    return "" if top.session is before else f"\n{top.report()}"


async def _play(
    config: Config,
    camera: str,
    state: Path,
    kept: Journal,
    port: int | None,
    fresh: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    _hear_signals()
    feed, clock = Feed(), TableClock()
    eyes = _eyes(config, painted=camera == "painted", moved=folder is None)
    devices = Devices(config.begin, eyes, load_rig=lambda board: load_rig(config, state, board))
    recorder = None if folder is None else MatchRecorder(folder, config.recording.limit, devices)
    rival = Rival()
    reviewer = MatchReviewer(state, lambda words: None, by_itself=False)
    beside: list[TableWatcher] = [rival, reviewer]
    if config.page.overlay_delay:
        beside.append(delay_overlay(feed, config.page.overlay_delay, click.echo))
    device = make_device(devices, state, kept, feed, lambda words: None, clock, recorder, beside=beside)
    top = Tabletop(device, eyes)

    async def echo(event: Event) -> None:
        done = event.button.value if isinstance(event, Press) else event.name
        report = top.report() + await answered(rival, top)
        tell(f"\n{local(phrase('on the page: {what}', what=done))}\n{report}", lines=True)
        ask()

    here = contextvars.copy_context()  # the terminal's language, not that of whoever acts on the page

    async def on_page(event: Event, seen: int | None = None) -> str | None:
        refused = await top.act(event, seen)
        if refused is None and not as_json:
            await asyncio.create_task(echo(event), context=here)
        return refused

    listening = listen("127.0.0.1", port, PORT)
    server, door = make_server(device, config, state, feed, listening, on_page, reviewer=reviewer)
    ask = _prompt if sys.stdin.isatty() and not as_json else _no_prompt
    async with server:
        task = asyncio.create_task(device.run(fresh))
        try:
            while not device.ready and not task.done():
                await asyncio.sleep(0.01)
            if task.done():
                return
            top.tidy()
            await rival.settled()
            if not as_json:
                page = phrase(
                    "the page is at {address} (PIN {pin}); 'help' shows this list again",
                    address=server.address,
                    pin=door.pin,
                )
                tell(f"{local(page)}\n{help_text()}\n{top.report()}", lines=True)
            ask()
            async for line in _typed(task):
                said = await _do(line, top, rival)
                tell(json.dumps({"said": said} | view(top.session, clock())) if as_json else said, lines=True)
                ask()
        finally:
            device.stop()
            await task


def _hear_signals() -> None:
    """SIGTERM counts as Ctrl-C. Where the loop has a handler of its own, any signal wakes it: a Ctrl-C that
    came just before it went to sleep was heard at the next line only."""
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)


def _eyes(config: Config, painted: bool, moved: bool) -> BoardEyes:
    """Simulated eyes: they see the pieces that are ``moved`` by hand here, or pictures painted of them."""
    game, options = config.match.game, config.match.options
    eyes = BoardEyes() if moved else PaintedEyes(game, options)
    if painted:
        begun = game.start({**game.options, **options})
        eyes.sit_down(begun)
        eyes.learn(learned(eyes.painter, begun), game.board)
    return eyes


async def _do(line: bytes, top: Tabletop, rival: Rival) -> str:
    """Does what was typed; what to print then."""
    try:
        return await top.do(_text(line)) + await answered(rival, top)
    except BadInput as error:
        return local(phrase("no: {reason}", reason=str(error)))


def _prompt() -> None:
    click.echo("> ", nl=False)


def _no_prompt() -> None:
    """Nobody waits for one."""


def _text(line: bytes) -> str:
    """A typed line. Raises BadInput."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise BadInput(phrase("this line is not UTF-8 text; nothing was done, type it again")) from None


def _keyboard() -> Iterable[bytes]:
    """Standard input, line by line, without a buffer: Python ends with an abort where a thread still waits
    for a buffered one."""
    try:
        return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    except (OSError, ValueError):  # no file
        return sys.stdin.buffer


async def _typed(task: asyncio.Task[None]) -> AsyncIterator[bytes]:
    """The lines of standard input until it ends, or says *quit*, or the table's task has ended. Reading
    blocks, so a thread does it."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the program has ended
            with contextlib.suppress(OSError):  # the terminal is gone
                for line in _keyboard():
                    loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="keyboard", daemon=True).start()
    while not task.done() and (line := await lines.get()) is not None and line.strip() != b"quit":
        yield line
