"""Files that nobody writes by hand: each parser has one way out, a line that says what is wrong."""

from __future__ import annotations

import contextlib
import json
import resource
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import strict_json
from engine.messages import Text
from firmware.commands._positions import read_position
from firmware.formats import FormatError, detect, read, textform
from firmware.formats.source import decode
from firmware.record import seal

MANY, DEEP = "9" * 5000, "[" * 3000
MAT = (
    " 7 point match\n\n Game 1\n Alice : 0              Bob : 0\n  1) 31: 8/5 6/5              42: 8/4 6/4\n"
)
MONEY = MAT.replace("7 point match", "money game")
SGF = "(;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]PW[a]PB[b]RU[Crawford];W[31hefe];B[42heje])"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
HEAD = '{"format":"barpoint-match","version":1,"rules":"backgammon","players":["a","b"]'
TEXT = f"{textform.TITLE}\nrules: backgammon\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MAT.replace("7 point", f"{MANY} point"), "line 1: .*too large"),
        (MAT.replace("Game 1", f"Game {MANY}"), "line 3: .*too large"),
        (f'; [Stake "Game 1: {MANY}"]\n{MAT}', "line 1: .*too large"),
        (f'; [Illegal "Game {MANY}, move 1, white: x"]\n{MAT}', "line 1: .*too large"),
        (f'; [Beavers "x"]\n{MONEY}', "line 1: 'x' is no number"),
        (f'; [AutomaticDoubles "{MANY}"]\n{MONEY}', "line 1: .*too large"),
        (SGF.replace("length:7", f"length:{MANY}"), "too large"),
        (SGF.replace("Crawford", f"Beavers{MANY}"), "too large"),
        (SGF.replace("PW", f"CV[{MANY}]PW"), "too large"),
        (XGID.replace("B-:0", f"B-:{MANY}"), "too large"),
        (XGID.replace("B-:0", "B-:999"), "999 times"),
        (f'{{"format":"barpoint-match","version":{MANY}}}', "too large"),
        (f'{{"a":{DEEP}', "brackets"),
        (HEAD + ',"options":' + '{"a":' * 90 + "1" + "}" * 91, "brackets"),
        (HEAD + ',"terms":{"length":1e999}}', "too large"),
        (HEAD + ',"terms":{"length":NaN}}', "NaN"),
        (HEAD + ',"comment":"\\udfff"}', "half of a character"),
        (HEAD + ',"comment":"x","comment":"y"}', "twice"),
        (f"{TEXT}option x: {DEEP}", "brackets"),
        (TEXT.replace("backgammon", MANY), "unknown game '9.* … .*9"),
        (f"{TEXT}\nGame 1, score {MANY}-0", "line 4: .*too large"),
        (f"{TEXT}\nGame 1, score 0-0\n  start {DEEP}", "line 5: .*brackets"),
    ],
)
def test_what_no_match_has_is_refused_in_a_line(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words) as refused:
        read(text)
    assert len(str(refused.value)) < 500
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        MAT.replace("Bob : 0", f"Bob : {MANY}"),
        MAT.replace("8/5", f"8/{MANY}"),
        MAT.replace("8/5", f"{MANY}/5"),
        MAT + f"   Wins {MANY} points\n",
        SGF.replace(";W[31hefe]", ";W"),
        SGF.replace(";W[31hefe]", ";AW[ab]"),
        SGF.replace(";W[31hefe]", ";AE[a:\U0010ffff]"),
    ],
)
def test_what_can_be_left_out_is_left_out_and_told(text: str) -> None:
    assert any(note.lost or "not understood" in note.text for note in read(text).notes)


def test_a_position_among_many_empty_lines_costs_no_time() -> None:
    begun = time.process_time()
    assert detect(XGID + "\n" * 20_000 + "x") == "xgid"
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("text", ["[]", "3", "null", '"x"'])
def test_json_that_is_no_object_is_said_to_be_none(text: str) -> None:
    with pytest.raises(FormatError, match=r"must be an object, \{...\}"):
        seal.read(text)


@pytest.mark.parametrize(
    "text", [f'{{"a":{DEEP}', f'{{"rules":{MANY}}}', '{"points":1e999}', ";".join([MANY] * 40)]
)
def test_so_it_is_with_positions(text: str) -> None:
    with pytest.raises(FormatError):
        read_position(text)


@given(
    st.sampled_from([MAT, MONEY, SGF, XGID, HEAD + "}", TEXT + "\nGame 1, score 0-0\n"]),
    st.lists(
        st.tuples(
            st.integers(0, 400),
            st.integers(0, 5),
            st.sampled_from(
                [MANY, "-", "[", "]", "(", ")", ";", ":", '"', "{", "\n", "0", "²", "\ud800", ""]
            ),
        ),
        max_size=4,
    ),
)
def test_changed_files_are_read_or_refused(text: str, changes: list[tuple[int, int, str]]) -> None:
    for place, cut, put in changes:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + cut :]
    with contextlib.suppress(FormatError):
        read(text)


@given(st.text(alphabet='{}[]":,0123456789.eE-+nulltrefasINity \\ud', max_size=60))
def test_strict_json_agrees_with_pythons_or_refuses(text: str) -> None:
    with contextlib.suppress(strict_json.BadJson):
        assert strict_json.loads(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        " Game 1\n",
        f"{MAT}  2) 31: 99/3\n",
        f"{MAT}  2) 31: 24/19\n",
        f"{MAT}  2) 31: foo\n",
        f'; [EventDate "2026"]\n{MAT}',
        "(;FF[4]GM[6]MI[length:3]PW[A]PB[B];W[31hefe]",
        "(;FF[4]GM[6]MI[length:3]PW[A]PB[B]DT[2026]RE[foo];W[31hefe];B[62zza])",
        "(;GM[1])",
        "XGID=a",
    ],
)
def test_what_is_wrong_with_a_file_can_be_said_in_any_language(text: str) -> None:
    try:
        told = [str(note) for note in read(text).notes]
    except FormatError as error:
        told = [str(error)]
    assert told
    assert all(isinstance(each, Text) for each in told)


def test_a_value_without_an_end_takes_no_more_memory_than_it_is_long() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FormatError, match="in the middle of a game"):
        read("(;GM[6]C" + "[A" * 2_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB; it took 400 MB


def test_what_windows_wrote_is_read_byte_by_byte_to_the_same() -> None:
    every = bytes(each for each in range(256) if each != ord("\r"))
    told = [bytes([each]).decode("cp1252", errors="ignore") or chr(each) for each in every]
    assert decode(every) == "".join(told)
