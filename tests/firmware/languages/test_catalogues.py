"""Every catalogue has every word of the source, and no other; placeholders agree; a reader gets the language
that was asked for."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from babel.messages import Catalog
from babel.messages.pofile import read_po

from engine.errors import EngineError
from engine.events import Begin, Button, Press, Roll
from engine.evidence import Evidence
from engine.layout import Looks
from engine.messages import all_of, joined, phrase, phrase_number, sentence, translated
from engine.position import Position
from engine.rules import get
from engine.session import Session
from firmware.languages.catalogue import ENGLISH, NAMES, LanguageCatalogue, catalogue, path_of
from firmware.languages.choice import first_known, of_request, of_terminal
from firmware.languages.extract import from_html, from_python, from_script, messages
from firmware.page.assets import STATIC
from firmware.page.state import page_state
from tests.firmware.conftest import REPOSITORY

FOREIGN = [code for code in NAMES if code != ENGLISH]


@cache
def source() -> dict[str | tuple[str, ...], list[str]]:
    return messages(REPOSITORY)


def read(code: str) -> Catalog:
    with path_of(code).open("rb") as file:
        return read_po(file, locale=code)


def named(pattern: str) -> set[str]:
    return {
        f"{name}{'!' + conversion if conversion else ''}"
        for _, name, _, conversion in Formatter().parse(pattern)
        if name is not None
    }


@pytest.mark.parametrize("code", FOREIGN)
def test_every_message_is_translated_and_none_is_unused(code: str) -> None:
    known = {message.id: message.string for message in read(code) if message.id}
    update = "run python -m firmware.languages, and fill in what it lists"
    assert set(known) == set(source()), update
    empty = [
        words for words, text in known.items() if not (all(text) if isinstance(text, (tuple, list)) else text)
    ]
    assert not empty, f"{code} has no words for these; {update}"


@pytest.mark.parametrize("words", ["left", "played"])
def test_what_says_two_things_in_english_is_two_messages(words: str) -> None:
    """A player who has left is not on the left; how a result came about is not what was played."""
    assert not [place for place in source()[words] if "hub" in place]


@pytest.mark.parametrize("code", FOREIGN)
def test_placeholders_agree_with_english(code: str) -> None:
    for message in read(code):
        if isinstance(message.id, tuple):
            for form in message.string:
                assert named(form) - {"n"} == named(message.id[1]) - {"n"}, message.id
        elif message.id:
            assert named(str(message.string)) == named(str(message.id)), message.id


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("de", ["1 Punkt", "2 Punkte", "5 Punkte"]),
        ("ru", ["1 очко", "2 очка", "5 очков"]),
        ("ja", ["1ポイント", "2ポイント", "5ポイント"]),
    ],
)
def test_plurals_are_those_of_the_language(code: str, told: list[str]) -> None:
    words = [phrase_number("{n} point", "{n} points", n) for n in (1, 2, 5)]
    assert [str(each) for each in words] == ["1 point", "2 points", "5 points"]
    assert translated(words, catalogue(code)) == told


def test_a_message_is_english_text_and_stays_a_message_through_an_error() -> None:
    message = phrase("{player} rolls {dice}", player="{n}", dice="5-2")
    assert message == "{n} rolls 5-2"
    assert str(ValueError(message)) is message
    assert translated({"a": [sentence(message)]}, catalogue("de")) == {"a": ["{n} wirft 5-2"]}


def test_a_message_without_a_translation_is_told_in_english() -> None:
    empty = LanguageCatalogue("de", {}, {}, "(n != 1)")
    assert translated(all_of(["7", "8", "11"]), empty) == "7, 8 and 11"
    assert translated(phrase_number("{n} point", "{n} points", 2), empty) == "2 points"


def test_a_foul_is_told_to_each_in_their_language_and_the_journal_in_english() -> None:
    session, _ = Session().handle(Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bo"}))
    session, _ = session.handle(Roll(t=1, dice=(6, 1), side="white"))
    assert session.position is not None
    looks = {**session.position.looks(), "p8": ("white",) * 2}
    session, effects = session.handle(
        Press(t=2, button=Button.DONE, evidence=Evidence.certain(looks | {"p2": ("white",)}))
    )
    state = page_state(session, 3, [])
    german = translated(state["judgement"], catalogue("de"))
    assert german["title"] == "Nicht erlaubt: Ann, 6-1"
    assert (
        german["text"].startswith("Ann verließ 8, kam nach 2. Sie sind 6 Pips gezogen")
        or "Ann verließ 8" in german["text"]
    )
    assert "Der nächste erlaubte Zug" in german["text"]
    assert "Ann left 8" in effects[0].to_json()["words"]
    hebrew = translated(state["judgement"], catalogue("he"))
    assert "\u2066Ann\u2069" in hebrew["title"]
    assert translated(state, catalogue(ENGLISH))["judgement"] == state["judgement"]


def siege_map(cols: int, rows: int, *fortresses: str) -> Position:
    """A map that fills a sheet but for its edge."""
    sheet = [(c, r) for r in range(rows) for c in range(cols)]
    border = [f"{c - r // 2},{r}" for c, r in sheet if c in (0, cols - 1) or r in (0, rows - 1)]
    options = {"cols": cols, "rows": rows, "border": border, "fortresses": fortresses}
    return get("siege-master").start(options)


def cannot_stand(before: Position, looks: Looks) -> str:
    """Why a foul cannot stand."""
    with pytest.raises(EngineError) as error:
        before.stand({**before.looks(), **looks})
    return str(error.value)


def test_what_keeps_a_board_from_being_played_on_is_told_in_the_readers_language() -> None:
    siege, ice = get("siegegammon").start({}).roll((6, 1)), get("icegammon").start({"first": "white"})
    with pytest.raises(EngineError) as small:
        siege_map(5, 3, "1,1")
    told = [
        str(small.value),
        siege_map(8, 6, "1,1", "3,3").notes()[-1],
        cannot_stand(siege, {"p3": ("white",), "reserve.white": ("white",) * 14}),
        cannot_stand(ice.roll((1, 2, 3)), {"p3": ("black.1", "white.1")}),
    ]
    german = translated(told, catalogue("de"))
    assert [each.split()[0] for each in german] == ["auf", "2", "Punkt", "Punkt"]


def test_a_play_stays_as_it_is_written_in_a_sentence_from_right_to_left() -> None:
    assert phrase("{play}", play="8/3* 6/4").told(catalogue("he")) == "\u20668/3* 6/4\u2069"
    assert phrase("{play}", play="8/3* 6/4").told(catalogue("de")) == "8/3* 6/4"


def test_a_name_from_right_to_left_turns_no_sentence_from_left_to_right() -> None:
    left = phrase("{player} left", player=joined(" - ", ("דוד", "Ann")))
    assert left.told(catalogue("de")).startswith("\u2068דוד\u2069 - Ann")
    for code in ("de", ENGLISH):
        assert phrase("{player}", player="\u202eAnn\u202a").told(catalogue(code)) == "Ann"


def test_the_language_is_chosen_or_the_browsers() -> None:
    header = {"accept-language": "nl, fr-CH;q=0.8, de;q=0.9, en;q=0.1"}
    assert of_request(header, "") == "de"
    assert of_request(header, "", usual="ja") == "ja"
    assert of_request(header | {"cookie": "a=b; barpoint-language=tr"}, "", usual="ja") == "tr"
    assert of_request(header | {"cookie": "barpoint-language=tr"}, "x=1&lang=he") == "he"
    assert of_request({}, "lang=xx") == ENGLISH
    assert of_request({"accept-language": ";;q=x,*"}, "") == ENGLISH
    assert first_known(["iw-IL"]) == "he"
    assert of_terminal("", {"LANG": "de_AT.UTF-8"}) == "de"
    assert of_terminal("fr", {"LANG": "de_AT.UTF-8"}) == "fr"
    assert of_terminal("", {"LANGUAGE": "xx:es", "LANG": "C"}) == "es"
    assert of_terminal("", {}) == ENGLISH


def test_numbers_and_dates_are_the_languages() -> None:
    from datetime import datetime

    at = datetime(2026, 11, 3)
    assert (catalogue("de").number(1234.5, 2), catalogue("de").date(at)) == ("1.234,50", "03.11.2026")
    assert (catalogue("en").number(1234.5, 2), catalogue("ja").date(at)) == ("1,234.50", "2026/11/03")


def test_words_are_found_in_python_scripts_and_pages() -> None:
    assert list(from_python('phrase("a {b}", b=phrase("c")); phrase_number("1", "2", n); say("no")')) == [
        "a {b}",
        ("1", "2"),
        "c",
    ]
    script = (
        'const x = inLanguage({ "k": "one", two: { l: ["three"] }, n: plural("{n} a", "{n} b") }); f("no");'
    )
    assert list(from_script(script)) == ["one", "three", ("{n} a", "{n} b")]
    with pytest.raises(ValueError, match="plain quotes"):
        list(from_script("inLanguage({ a: `b` })"))
    assert list(from_html("<p>[[Set up]] x</p>")) == ["Set up"]


TEXTS = re.compile(r">([^<>]+)<|(?:alt|aria-label|placeholder|title|content)=\"([^\"]*)\"")


PAGES = sorted([*STATIC.glob("*.html"), *(REPOSITORY / "firmware/hub/page/static").glob("*.html")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_a_page_has_no_words_that_are_not_looked_up(page: Path) -> None:
    plain = re.sub(
        r"<(code|script|style)[\s\S]*?</\1>|<meta name=[^>]*>|<!--[\s\S]*?-->", "", page.read_text()
    )
    texts = " ".join(one or two for one, two in TEXTS.findall(re.sub(r"\[\[.+?\]\]", "", plain)))
    assert set(re.findall(r"[A-Za-z]{2,}", texts)) <= {"Barpoint", *re.findall(r"@([A-Z]+)@", texts)}


def test_the_scripts_of_a_page_get_their_own_words_of_one_language() -> None:
    script = catalogue("de").script(["words.js"])
    assert re.match(r"globalThis\.barpointWords=\{plural:\(n\)=>Number\(", script)
    assert '"Roll":"Werfen"' in script
    assert "the picture fits no legal play" not in script
    assert "calls the director" not in script  # the hub's wall says it
    assert Path(path_of("de")).exists()
