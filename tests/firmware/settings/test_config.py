"""The configuration: its defaults are written down, and what is wrong is told with its line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.events import Button
from firmware.commands.config import command
from firmware.errors import BadInput
from firmware.settings.config import Config, load, parse
from firmware.settings.section import DEFAULTS
from firmware.settings.toml_lines import lines


def test_the_commented_file_says_exactly_the_defaults() -> None:
    assert parse(DEFAULTS.read_text()) == Config() == parse("")


def test_every_key_is_in_the_commented_file() -> None:
    written = lines(DEFAULTS.read_text())
    for part, fields in Config().model_dump(mode="json").items():
        for key in fields:
            assert (part, key) in written or key == "reserve"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[match]\n\nlenght = 7", 3, "match.lenght: there is no such key"),
        ("[mach]\n", 1, "mach: there is no such key"),
        ("[match]\nrules = 'chess'", 2, "chess"),
        ("[match]\nlength = '7'", 2, "match.length"),
        ("[match]\nlength = 0\njacoby = true\n[clock]\nkind = 'delay'", 5, "reserve"),
        ("[match]\n[match.options]\nx = 1", 3, "no option 'x'"),
        ("[clock]\nkind = 'sand'", 2, "not one of none, delay"),
        ("[buttons.first]\nroll = 28", 2, "buttons.first.roll"),
        ("# pins\n[buttons.first]\nroll = 1", 3, "HAT"),
        ("[buttons.first]\nroll = 10", 2, "MOSI of SPI0"),
        ("[buttons.first]\nroll = 20", 2, "first.roll: GPIO 20 is the button second.roll"),
        ("[buttons.first]\nroll = 6", 2, "first.roll: GPIO 6 is the button first.done"),
        ("[match]\nlenght = 5", 2, "no such key; did you mean length?"),
        ("[button]\nhold = 2.0", 1, "no such key; did you mean buttons?"),
        ("crawford = false", 1, "no such key; it belongs under [match]"),
        ("[match]\nlength = 5.5", 2, "match.length: should be a whole number, not 5.5"),
        ("[match]\nlength = 100", 2, "match.length: should be less than or equal to 99"),
        ("match = 5", 1, "match: should be a table"),
        ("[match]\nlength = 3\njacoby = true", 3, "match.jacoby: jacoby is for money play"),
        ("[match]\nrules = 'zombie'\n[match.options]\nlast_roll = 'yes'", 4, "'last_roll' must be a bool"),
        ("[buttons]\nstuck = 1.0", 2, "stuck"),
        ("[buttons.held]\ndouble = 'twice'", 2, "twice"),
        ("[strip]\nbus = 1", 1, "SPI1"),
        ("[strip]\ncount = 3\n[strip.map]\np1 = 0\np2 = 7", 5, "LEDs 0 to 2, no 7"),
        ("[strip]\ncount = 30", 2, "strip.count: the default map needs LEDs 0 to 53; write"),
        ("[strip.map]\np1 = 0\nbar.first = [\n  4,\n  0]", 3, "LED 0 already belongs to p1"),
        ("[strip.map]\np25 = 0", 2, "'p25' is no place"),
        ("[strip.map]\np1 = '4-2'", 2, "no range"),
        ("[strip]\nmilliamps = 10.0", 2, "72 mA"),
        ("[camera]\nkind = 'folder'", 1, "path"),
        ("[match]\ncube = 'eyes'", 2, 'match.cube: should be true, false or "camera", not'),
        ("[match]\ndone = 'dice'", 2, "match.done: a turn ends by picking the dice up only where"),
        ("[match]\ndice = 'camera'\n[camera]\nkind = 'none'", 2, "the camera reads the dice, and the table"),
        ("[match]\ncube = 'camera'\n[camera]\nkind = 'none'", 2, "the camera reads the cube, and the table"),
        ("[match]\ncocked = 'perhaps'", 2, "match.cocked"),
        ("[match]\nmoves = 1", 2, "match.moves: 1 is not one of legal, responsible"),
        ("[match]\nfirst = 'Ann'\noptions = 1", 3, "match.options: should be a table"),
        ("[page]\nnames = 'table'", 2, "page.names: should be a list, as"),
        ("[page]\nport = 70000", 2, "page.port"),
        ('[state]\ndirectory = "/srv/a\\u0000"', 2, "state.directory: '/srv/a\\x00' has a character"),
        ('[state]\ndirectory = "/srv/a\\nUser=root"', 2, "state.directory: '/srv/a\\nUser=root' has"),
        ('[match]\nfirst = "Ann\\n"', 2, "match.first: 'Ann\\n' has a character"),
        ('[page]\nnames = ["a", "b\\u001b"]', 2, "page.names: 'b\\x1b' has a character"),
        ("[camera]\nrig = '~/table.rig'", 2, "camera.rig: '~/table.rig' is no home directory here"),
        ("[recording]\nfolder = '~pi/reels'", 2, "recording.folder: '~pi/reels' is no home directory"),
        ("[page]\nhost = 'not a host'", 2, "page.host: 'not a host' is no address and no name"),
        ("[page]\nhost = ''", 2, "page.host"),
        ("[page]\nhost = '-table.lan'", 2, "page.host"),
        (f"[match]\nfirst = '{'x' * 41}'", 2, "match.first: a name may have 40 letters, not 41"),
        ("[match]\nfirst = 'Ann'\nsecond = 'Ann'", 3, "match.second: both players have the same name"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text, "t.toml")
    assert f"t.toml, line {line}:" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("value", ["v4l2", "‘v4l2’"])
def test_a_text_without_its_quotes_is_told_what_it_needs(value: str) -> None:
    with pytest.raises(BadInput, match=r"at line 2, column 8.*; a text stands in straight quotes"):
        parse(f"[camera]\nkind = {value}")


def test_a_wrong_strip_is_told_once() -> None:
    with pytest.raises(BadInput) as caught:
        parse("[strip]\nkind = 'neon'", "t.toml")
    assert str(caught.value).startswith("t.toml, line 2: strip.kind: ")
    assert "\n" not in str(caught.value)


def test_a_name_in_any_script_is_taken() -> None:
    assert parse("[match]\nfirst = '山田　太郎'").match.first == "山田　太郎"
    assert parse("[match]\nfirst = ' \u202eAnn'\n").match.first == "Ann"


def test_a_text_that_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput, match="line 2"):
        parse("[match]\nlength = = 3")


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(BadInput, match=r"line 1: .*\n.*line 3: "):
        parse("a = 1\n[page]\nport = -1")


def test_an_unreadable_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--show-defaults"):
        load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"[match]\nfirst = '\xe9'")
    with pytest.raises(BadInput, match="UTF-8"):
        load(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "fe80::1%eth0", "localhost", "table.club.example", "Tisch-2.lan."]
)
def test_the_page_is_served_at_addresses_and_names(host: str) -> None:
    assert parse(f"[page]\nhost = '{host}'").page.host == host


def test_a_certificate_that_is_not_here_is_told_of_and_no_fault(tmp_path: Path) -> None:
    path, here = tmp_path / "t.toml", tmp_path / "key.pem"
    here.touch()
    path.write_text(f"[page]\ncertificate = '{tmp_path}/missing.pem'\nkey = '{here}'\n")
    result = CliRunner().invoke(command, ["--check", str(path)])
    assert result.exit_code == 0
    assert "missing.pem, which is not here" in result.stderr
    assert "key.pem" not in result.stderr


def test_points_and_rows_may_lie_over_the_same_leds() -> None:
    assert parse("[strip.map]\np1 = 0\nrow.0 = 0\ncolumn.3 = 1").strip.map == {
        "p1": (0,),
        "row.0": (0,),
        "column.3": (1,),
    }


def test_a_strip_of_its_own_frees_the_pins_of_its_bus() -> None:
    assert parse("[strip]\nkind = 'none'\n[buttons.first]\nroll = 10").buttons.first.roll == 10


def test_a_pin_that_is_left_out_keeps_its_default() -> None:
    """One line to move one button: the others would be gone without a word."""
    first = parse("[buttons.first]\nroll = 4").buttons.first
    assert first == Config().buttons.first.model_copy(update={"roll": 4})


def test_a_file_from_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"\xef\xbb\xbf[match]\r\nlength = 7\r\n")
    assert load(tmp_path / "b.toml").match.length == 7


def test_the_match_begins_as_configured() -> None:
    begin = parse(
        "[match]\nrules='siege-master'\nfirst='Ada'\nlength=0\ndice='players'\n[clock]\nkind='fischer'\nreserve=60.0"
    ).begin(3.0)
    assert (begin.t, begin.rules, begin.players, begin.clock.reserve) == (
        3.0,
        "siege-master",
        {"red": "Ada"},
        60.0,
    )
    assert begin.dice == "inferred"


def test_held_buttons_mean_something_else() -> None:
    assert Config().buttons.held[Button.DOUBLE] is Button.SWAP


def test_lines_are_found_through_lists_texts_and_repeated_tables() -> None:
    found = lines('a = """\n[no]\n"""\n[[t]]\nx = 1\n[[t]]\n"q.r" = {z = [1,\n 2]}\n[u.v]\nw.k = 1\n')
    assert found[("t", 1, "q.r", "z", 1)] == 7
    assert found[("u", "v", "w", "k")] == 10
    assert ("no",) not in found


def test_the_command_shows_and_checks(tmp_path: Path) -> None:
    shown = CliRunner().invoke(command, ["--show-defaults"])
    path = tmp_path / "b.toml"
    path.write_text(shown.output)
    checked = CliRunner().invoke(command, ["--check", str(path), "--json"])
    assert json.loads(checked.output)["strip"]["count"] == 72
    assert CliRunner().invoke(command, []).exit_code == 2


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 3000, "1" + "0" * 30])
def test_a_number_or_a_list_that_nobody_writes_is_one_line(value: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(f"[match]\nbeavers = {value}")
    assert "\n" not in str(refused.value)
