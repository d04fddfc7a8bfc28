"""``--help`` in the reader's language: everything that click shows is in the catalogues."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import click
import pytest
from babel.messages.pofile import read_po

from firmware.cli import cli, main
from firmware.commands._listed import Listed
from firmware.languages.catalogue import ENGLISH, FOLDER, NAMES, catalogue, path_of
from firmware.languages.choice import reader, reading
from firmware.languages.help_texts import AS_IT_STANDS, OF_CLICK, in_language, paragraphs
from tests.firmware.conftest import REPOSITORY
from tests.firmware.terminal import barpoint

FOREIGN = [code for code in NAMES if code != ENGLISH]


def spoken(*arguments: str, language: str) -> subprocess.CompletedProcess[str]:
    """The program in a terminal of this language, whatever that of the tests is."""
    return barpoint(*arguments, LANGUAGE="", LC_ALL="", LANG=language, COLUMNS="100", PYTHONUTF8="1")


def test_a_language_that_a_command_was_given_ends_with_it() -> None:
    with pytest.raises(SystemExit):
        main(["--language", "de", "config", "--nonsense"])
    assert reader.get() == ENGLISH


def shown(command: click.Command) -> Iterator[str]:
    """Every help text of a command and of those under it."""
    yield command.help or ""
    yield from (each.help or "" for each in command.params if isinstance(each, click.Option))
    if isinstance(command, Listed):
        for name, line in command.lines.items():
            yield line
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from shown(below)


def told() -> set[str]:
    return {part for text in shown(cli) for part in paragraphs(text) if part}


@pytest.mark.parametrize("code", FOREIGN)
def test_no_help_is_left_in_english(code: str) -> None:
    texts = {part for part in told() if not part.startswith(AS_IT_STANDS)}
    assert len(texts) > 150
    assert not [text for text in texts if catalogue(code).gettext(text) == text]


def test_a_commands_help_is_in_the_readers_language_and_english_again_for_the_next() -> None:
    command = cli.get_command(click.Context(cli), "export")
    assert command is not None
    with reading("de"):
        german = in_language(command).get_help(click.Context(command))
    assert "Beispiel: barpoint export last --format mat -o match.mat" in german
    assert "Write to this file" not in german
    assert "Write to this file" in in_language(command).get_help(click.Context(command))


@pytest.mark.parametrize("code", FOREIGN)
def test_clicks_own_words_are_those_of_the_catalogue(code: str) -> None:
    with path_of(code).open("rb") as file:
        catalog = read_po(file, locale=code)
    with (FOLDER / code / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        made = GNUTranslations(file)
    for words in OF_CLICK:
        message = catalog.get(words)
        assert message is not None
        if isinstance(words, tuple):
            assert made.ngettext(*words, 1) == message.string[0]
        else:
            assert made.gettext(words) == message.string


def test_the_language_is_that_of_the_terminal_or_the_one_asked_for() -> None:
    english = spoken("dice", "--help", language="C")
    german = spoken("dice", "--help", language="de_DE.UTF-8")
    asked = spoken("--language", "de", "dice", "--help", language="fr_FR.UTF-8")
    assert english.stdout.startswith("Usage: barpoint dice")
    assert german.stdout.startswith(catalogue("de").gettext("Usage:") + " barpoint dice")
    assert asked.stdout == german.stdout
    assert spoken("--language", "de", "--help", language="C").stdout == spoken("--help", language="de").stdout
    assert not english.stdout.count("Zeigt")


def test_what_is_wrong_with_an_argument_is_said_in_that_language() -> None:
    wrong = spoken("--language", "de", "dice", "--nonsense", language="C")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(
        "barpoint: " + catalogue("de").gettext("No such option {name!r}.").format(name="--nonsense")
    )


def test_a_replay_judges_in_the_readers_language_though_the_referee_has_a_thread_of_its_own(
    tmp_path: Path,
) -> None:
    (recording,) = (REPOSITORY / "tests/data/releases/0.2.0/recordings").iterdir()
    german = spoken("--language", "de", "replay", str(recording), "--state", str(tmp_path), language="C")
    assert german.returncode == 0, german.stderr
    assert "Weiß" in german.stdout
    assert "Der nächste erlaubte Zug" in german.stdout
    assert german.stdout.splitlines()[-1].startswith("3 Urteile: 2 erlaubt, 1 unerlaubt")
