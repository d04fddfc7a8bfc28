"""The command line: ``barpoint COMMAND``. Every command is a module of :mod:`firmware.commands`, loaded when
it is called.

Exit status, the same for all: 0 done, 1 the answer is no, 2 bad usage or input, 130 stopped with Ctrl-C. What
goes wrong is one line on standard error, ``barpoint: …``; a traceback is always a bug.
"""

from __future__ import annotations

import difflib
import importlib
import keyword
import sys
from collections.abc import Sequence

import click

from engine.errors import EngineError
from engine.messages import phrase
from firmware.commands._listed import Listed
from firmware.commands._output import hush, tell
from firmware.errors import BadInput
from firmware.languages.catalogue import NAMES
from firmware.languages.choice import local
from firmware.languages.help_texts import in_language, speak, terminal_language
from firmware.record.chain import JournalError
from vision.errors import VisionError

COMMANDS = {
    "demo": phrase("Referees a recorded game and shows it on a web page"),
    "play": phrase("A whole table in the terminal: type what hands would do"),
    "run": phrase("Runs the table: camera, buttons, lights, dice and page"),
    "record": phrase("Runs the table, and keeps every match with its pictures"),
    "replay": phrase("Referees a recorded session and logs it"),
    "transcribe": phrase("Writes down the match in a film"),
    "pictures": phrase("Shows what the camera saw of a match, in one HTML file"),
    "calibrate": phrase("Learns a table from a photo of a known position"),
    "read": phrase("Reads photos: what stands where, and how sure that is"),
    "plays": phrase("Finds the legal plays of positions, JSON lines in and out"),
    "games": phrase("Lists the matches that were logged"),
    "export": phrase("Writes a match for gnubg, XG and other programs"),
    "import": phrase("Puts a match or a position into the archive"),
    "verify": phrase("Checks a log: its chain, its dice, every move"),
    "report": phrase("Writes a match report, one HTML file"),
    "review": phrase("Tells what an engine thinks of a match: ratings, errors, luck"),
    "analyse": phrase("As review, by GNU Backgammon"),
    "best": phrase("Tells what is best in a position: a picture of the board, or an XGID"),
    "history": phrase("Shows a player's ratings over months, and where equity is lost"),
    "backup": phrase("Copies the journal, and checks the copy"),
    "restore": phrase("Makes the journal anew from a backup or a damaged one"),
    "stick": phrase("Writes matches to a USB stick"),
    "config": phrase("Shows the default configuration, or checks one"),
    "doctor": phrase("Tries every part, and says how to fix what is wrong"),
    "alive": phrase("Says in one word whether the table here runs: playing, resting, away"),
    "dice": phrase("Rolls the table's dice, or tests whether they are fair"),
    "pin": phrase("Shows the table's PIN, and a QR code for phones"),
    "key": phrase("Shows the key that the table signs its matches with"),
    "network": phrase("How the table is connected; its hotspot's QR code"),
    "learned": phrase("Shows what the table learned from play, and goes back"),
    "hub": phrase("Many tables, one event: runs a hub, or joins one"),
}
"""In the order in which people need them."""


class Commands(Listed):
    """Loads a command's module when it is called: ``barpoint plays`` does not wait for OpenCV."""

    lines = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            near = difflib.get_close_matches(cmd_name, COMMANDS, 1)
            ctx.fail(
                phrase("there is no command {name!r}; did you mean {near}?", name=cmd_name, near=near[0])
                if near
                else phrase("there is no command {name!r}; 'barpoint --help' lists them", name=cmd_name)
            )
        module = cmd_name + "_" * keyword.iskeyword(cmd_name)  # a module cannot be called "import"
        command: click.Command = importlib.import_module(f"firmware.commands.{module}").command
        return in_language(command)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, in the reader's language."""
        super(Commands, in_language(self)).format_help(ctx, formatter)


def _version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from importlib import metadata  # a seventh of the time until help stands there

    try:
        version = metadata.version("barpoint")
    except metadata.PackageNotFoundError:
        version = "of a checkout that is not installed"
    click.echo(f"barpoint, version {version}")
    ctx.exit()


def _speak(ctx: click.Context, param: click.Parameter, language: str | None) -> None:
    if language:
        speak(language)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
@click.option(
    "--language",
    type=click.Choice(list(NAMES)),
    expose_value=False,
    is_eager=True,  # before the command is loaded, whose help is told in it
    callback=_speak,
    help="The language of help, play and reports; that of LANG otherwise. --json is English.",
)
@click.help_option("-h", "--help", help="Show this message and exit.")
def cli() -> None:
    """Barpoint: a backgammon table that referees itself.

    \b
    Example: barpoint demo
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits. ``arguments`` default to those of the process."""
    with terminal_language():
        _main(arguments)


def _main(arguments: Sequence[str] | None) -> None:
    out = sys.stdout
    try:
        code = cli.main(arguments, prog_name="barpoint", standalone_mode=False)
        if sys.stdout:  # None where it was closed before we began
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        sys.exit(2)
    except click.ClickException as error:
        _complain(error.format_message())
        sys.exit(2)
    except (BadInput, EngineError, JournalError, VisionError) as error:
        for line in local(str(error)).splitlines():
            _complain(line)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        hush(sys.__stdout__)  # the reader has ended (``| head``)
        sys.exit(0)
    except SystemExit:
        if sys.stdout is not out:  # click met the closed pipe, replaced it, and exits with 1
            sys.exit(0)
        raise
    except OSError as error:  # a full disk, a screen that went away
        hush(sys.__stdout__)
        _complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str) -> None:
    tell(f"barpoint: {' '.join(local(message).split())}", err=True)
