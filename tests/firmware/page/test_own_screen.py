"""What is this screen's own: the app, sounds, keys, and the overlay of a stream."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Button, Choose, Press, Roll
from engine.match import Terms
from firmware.page.assets import STATIC
from tests.firmware.sitting_browser import CHROMIUM, PATIENCE, Sitting, box_of, enter, expect, module, until

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)


def test_the_page_opens_while_the_table_is_away_with_the_last_state(
    browser: Any, sit: Callable[..., Sitting]
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(table.address)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # from now on the worker hears of all that is fetched
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    expect(page.locator("#judgement")).to_have_text("Ann begins, 6-1")
    context.set_offline(True)
    page.reload()
    expect(page.locator("#judgement")).to_have_text("Ann begins, 6-1")
    expect(page.locator("#line")).to_have_text("connection lost; trying again")
    expect(page.locator("#tools")).to_be_hidden()
    context.close()


def test_the_manifest_names_icons_that_are_there(sit: Callable[..., Sitting], page: Any) -> None:
    address = sit().address
    answer = page.request.get(f"{address}manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = json.loads(answer.text())
    assert {each["sizes"] for each in manifest["icons"]} == {"192x192", "512x512"}
    for each in manifest["icons"]:
        icon = page.request.get(address.rstrip("/") + each["src"])
        assert (icon.status, icon.body()[:4]) == (200, b"\x89PNG")


VOICES = """([...tongues]) => {
  globalThis.said = [];
  globalThis.SpeechSynthesisUtterance = function (text) { this.text = text; };
  const voices = tongues.map((lang) => ({ lang, name: lang }));
  Object.defineProperty(globalThis, "speechSynthesis", { value: {
    getVoices: () => voices, cancel() {},
    speak: ({ text, lang, voice }) => said.push([text, lang, voice?.name]),
  } });
}"""
"""A browser with these voices, which keeps what it was given to say."""


@pytest.mark.parametrize(
    ("language", "voices", "said"),
    [
        ("de", ["en-US", "de_DE"], ["Ann beginnt, 3, 1", "de", "de_DE"]),
        ("ja", ["en-US", "ja-JP"], ["Annが先手、3, 1", "ja", "ja-JP"]),
        ("de", ["en-US"], None),
    ],
)
def test_what_happens_is_said_by_a_voice_of_the_pages_language_or_by_none(
    sit: Callable[..., Sitting], page: Any, language: str, voices: list[str], said: list[str] | None
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    page.add_init_script(f"({VOICES})({json.dumps(voices)}); localStorage.speech = 1;")
    page.goto(f"{table.address}?lang={language}")
    expect(page.locator("#board.drawn")).to_be_visible()
    table.tell(Roll(t=0, dice=(3, 1)))
    expect(page.locator("#board .die").first).to_be_visible()
    if said:
        until(page, lambda: page.evaluate("said") != [])
    assert page.evaluate("said") == ([said] if said else [])


def test_what_happens_before_the_stream_is_there_is_said_too(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    page.add_init_script(f"({VOICES})(['en-US']); localStorage.speech = 1;")
    held: list[Any] = []
    page.route("**/api/events*", lambda route: held.append(route))
    page.goto(table.address)
    until(page, lambda: held != [])
    table.tell(Roll(t=0, dice=(3, 1)))
    for each in held:
        each.continue_()
    expect(page.locator("#board .die").first).to_be_visible()
    until(page, lambda: page.evaluate("said") != [])
    assert page.evaluate("said") == [["Ann begins, 3, 1", "en", "en-US"]]


def test_each_thing_that_happens_has_its_sound(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(terms=Terms(length=5), clock=Control(kind=Timing.DELAY))
    page.goto(table.address)
    expect(page.locator("#board.drawn")).to_be_visible()
    name = module(page, "sound.js")

    def heard(*events: Any, foul: bool = False) -> str | None:
        before = page.evaluate("() => fetch('/api/state').then((answer) => answer.json())")
        for event in events:
            table.tell(event)
        after = page.evaluate("() => fetch('/api/state').then((answer) => answer.json())")
        found: str | None = page.evaluate(
            "async ([name, one, other]) => (await import(name)).soundOf(one, other)", [name, before, after]
        )
        return found

    assert heard() is None
    assert heard(Roll(t=0, dice=(3, 1), side="white")) == "dice"
    table.lay({"p24": ("white",), "p23": ("white",)})
    assert heard(Press(t=0, button=Button.DONE, side="white")) == "foul"
    assert heard(Choose(t=0, play="8/5 6/5")) == "checker"
    assert heard(Press(t=0, button=Button.DOUBLE, side="black")) == "cube"
    assert heard(Press(t=0, button=Button.DROP, side="white")) == "won"


def test_sounds_come_only_after_a_touch_and_end_with_one(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    page.add_init_script(
        "window.played = 0; for (const kind of [AudioScheduledSourceNode, AudioBufferSourceNode]) {"
        " const start = kind.prototype.start; kind.prototype.start = function (...given)"
        " { window.played += 1; return start.apply(this, given); }; }"
    )
    page.goto(table.address)
    expect(page.locator("#board.drawn")).to_be_visible()
    page.click("#phase")
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    until(page, lambda: page.evaluate("window.played") > 0)
    page.click("#sound")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "false")
    before = page.evaluate("window.played")
    table.tell(Choose(t=0, play="8/5 6/5"))
    expect(page.locator("#moves li")).to_have_count(1)
    assert page.evaluate("window.played") == before


def test_after_a_play_that_was_typed_keys_are_keys_again_and_the_focus_stays_at_the_buttons(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    expect(page.locator("#buttons button").first).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.type("13/7 8/7")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_count(1)
    expect(page.locator("#acting")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="black: Roll")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#phase")).to_have_text("The dice have not fallen yet")
    table.tell(Roll(t=0, dice=(5, 2)))
    expect(page.get_by_role("button", name="black: Done")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="black: Done")).to_be_focused()


def test_keys_do_what_the_buttons_do_and_are_listed(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    page.goto(table.address)
    enter(page)
    expect(page.locator("#buttons button").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#key-list dd").first).to_have_text("Roll")
    page.keyboard.press("r")
    assert table.session.table is not None
    assert not table.session.table.rolling, "in a dialog keys are the dialog's"
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(page.locator("#phase")).to_have_text("The dice have not fallen yet")
    page.click("#mine summary")
    page.uncheck("#keys")
    page.locator("#phase").click()
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_hidden()


def test_the_overlay_is_clear_but_for_board_names_score_and_clock(
    sit: Callable[..., Sitting], page: Any
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    table = sit(
        players={"white": "Ann", "black": "Bob"}, terms=Terms(length=5), clock=Control(kind=Timing.DELAY)
    )
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    page.goto(f"{table.address}overlay")
    expect(page.locator("#board.drawn")).to_be_visible()
    clear = "(e) => getComputedStyle(e).backgroundColor"
    for part in ("html", "body", ".table"):
        assert page.locator(part).evaluate(clear) == "rgba(0, 0, 0, 0)", part
    for part in ("#judgement", "#door", ".heading", ".moves", ".camera", ".mine", "#archive"):
        expect(page.locator(part).first).to_be_hidden()
    for part in ("#board", ".player .name", ".player .score", ".player .clock", "#board .die"):
        box = box_of(page.locator(part).first)
        assert box["y"] >= 0 < box["height"], part
        assert box["y"] + box["height"] <= 1080, part


def test_the_worker_keeps_nothing_that_the_table_says() -> None:
    text = (STATIC / "worker.js").read_text()
    assert "/api" not in text
    assert ".jpg" not in text


def test_the_big_screen_shows_that_the_table_is_away(sit: Callable[..., Sitting], page: Any) -> None:
    page.route("**/api/events*", lambda route: route.abort())
    page.goto(f"{sit().address}tv")
    expect(page.locator("#line")).to_have_text("connection lost; trying again")
    box = box_of(page.locator("#line"))
    on_top = "([x, y]) => document.elementFromPoint(x, y)?.id"
    assert page.evaluate(on_top, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]) == "line"
