"""The page keeps nobody out: axe finds nothing wrong in any state of it, and every word can be said in
another language.

Setting up is looked at by axe where it is walked, in test_setup_flows.
"""

import json
import re
from calendar import month_abbr
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Begin, Moves, Roll
from engine.match import Terms
from firmware.languages.catalogue import ENGLISH, NAMES
from firmware.languages.extract import messages
from tests.engine.ice_boards import board
from tests.firmware.conftest import REEL, REPOSITORY
from tests.firmware.page.test_archive import log
from tests.firmware.page.test_correcting import SIEGE, more
from tests.firmware.sitting_browser import CHROMIUM, Sitting, box_of, enter, expect

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)

Sit = Callable[..., Sitting]


def looks(page: Any) -> Iterator[str]:
    """The narrow and the wide page, each by day and by night."""
    for scheme in ("light", "dark"):
        for width, height in ((390, 844), (1920, 1080)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            yield f"{scheme}, {width}"


def check(page: Any, looked: str = "") -> None:
    from axe_playwright_python.sync_playwright import Axe

    for name in looks(page):
        if looked in name:
            found = Axe().run(page)
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"


OUTSIDE = """() => [...document.querySelectorAll("button, p, h2, summary, label, select, input")]
  .filter((each) => each.offsetParent && each.type !== "checkbox")
  .filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  })
  .map((each) => each.id || each.textContent)"""
"""What stands outside of the screen, at its left or right."""


def check_now(page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def judged(sit: Sit, **more: Any) -> Sitting:
    table = sit(
        players={"white": "Ann", "black": "Bob"},
        terms=Terms(length=5),
        clock=Control(kind=Timing.DELAY),
        **more,
    )
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    return table


def test_watching_and_the_big_screen(sit: Sit, page: Any) -> None:
    table = judged(sit, host="0.0.0.0")
    for path in ("", "tv", "tv?clear"):
        page.goto(f"http://127.0.0.1:{table.address.rstrip('/').rpartition(':')[2]}/{path}")
        expect(page.locator("#board.drawn")).to_be_visible()
        check(page)


@pytest.mark.parametrize(
    ("rules", "terms"),
    [
        ("zombie", {}),
        ("siegegammon", {}),
        ("icegammon", {"position": board({20: ["white", [1, 2], "black", [3]]}, bar={"black": [1]})}),
        ("siege-master", {"options": SIEGE}),
    ],
)
def test_every_game(sit: Sit, page: Any, rules: str, terms: dict[str, Any]) -> None:
    page.goto(sit(rules, **terms).address)
    enter(page)
    expect(page.locator("#tools")).to_be_visible()
    page.click("#more summary")
    check(page, "390")
    more(page, "Correct the position")
    check(page, "1920")


def test_dialogs(sit: Sit, page: Any) -> None:
    page.goto(sit().address)
    page.click("#door")
    check(page, "light, 390")
    page.fill("#pin", "000000")
    page.press("#pin", "Enter")
    expect(page.locator("#pin-reason")).not_to_be_empty()
    check(page, "dark, 390")
    page.press("#pin", "Escape")
    enter(page)
    more(page, "Own dice")
    page.locator("#faces button").first.click()
    check(page, "390")
    page.locator("#dice .close").click()
    more(page, "Score, cube, turn")
    check(page, "390")
    page.locator("#director .close").click()
    more(page, "Resign")
    check(page, "390")


def test_an_unsure_judgement_and_a_foul(sit: Sit, page: Any) -> None:
    table = judged(sit, closeup=lambda cells: (REEL / "000.jpg").read_bytes(), moves=Moves.RESPONSIBLE)
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="Ann: Done").click()
    expect(page.locator("#candidates img.doubt")).to_be_visible()
    check(page, "390")
    table.lay({"p24": ("white",), "p23": ("white",)})
    page.get_by_role("button", name="Ann: Done").click()
    expect(page.locator("#judgement")).to_have_class("judgement illegal")
    check(page)
    page.click("#more summary")
    page.fill("#play", "24/20")
    page.press("#play", "Enter")
    expect(page.locator("#refusal")).to_be_visible()
    check(page, "390")


def test_the_archive_and_a_replay(sit: Sit, page: Any, tmp_path: Path) -> None:
    log(tmp_path, "a")
    log(tmp_path, "b", events=(Begin(t=0, rules="icegammon"),))
    page.goto(sit(archive=tmp_path).address)
    enter(page)
    page.click("#archive summary")
    page.get_by_role("button", name="Hide").first.click()
    expect(page.locator("#archive-reason")).not_to_be_empty()
    page.check("#away")
    check(page)
    page.get_by_role("button", name="Replay").last.click()
    expect(page.locator("#replay")).to_be_visible()
    expect(page.locator("#acting")).to_be_hidden()  # the live game's buttons are not of this board
    check(page, "390")
    report = page.request.get(page.url + "api/games/a/report").text()
    page.goto("about:blank")
    page.set_content(report)
    check(page, "390")


SAID = """() => {
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.matches("noscript")) said.push(walker.currentNode.data);
  for (const each of document.querySelectorAll("*"))
    for (const name of ["aria-label", "title", "alt", "placeholder", "aria-valuetext"])
      said.push(each.getAttribute(name) ?? "");
  return said;
}"""


def marked() -> str:
    """The words of a language in which every message of the page is marked."""
    words = {
        each if isinstance(each, str) else each[0]: f"«{each}»"
        if isinstance(each, str)
        else [f"«{form}»" for form in each]
        for each, places in messages(REPOSITORY).items()
        if any(place.endswith(".js") for place in places)
    }
    assert len(words) > 300
    return f"globalThis.barpointWords = {{ plural: (n) => Number(n !== 1), words: {json.dumps(words)} }};"


def test_every_word_of_the_page_can_be_said_in_another_language(sit: Sit, page: Any, tmp_path: Path) -> None:
    """With every message of the page marked, whatever is not marked has to be what the table said."""
    page.add_init_script(marked())
    log(tmp_path, "a")
    table = sit(
        players={"white": "Ann", "black": "Bob"},
        terms=Terms(length=5),
        clock=Control(kind=Timing.DELAY),
        archive=tmp_path,
    )
    page.goto(table.address)
    page.click("#door")
    page.fill("#pin", "271828")
    page.press("#pin", "Enter")
    expect(page.locator("#tools")).to_be_visible()
    page.click("#more summary")
    said = set(page.evaluate(SAID))
    page.click("#archive summary")
    expect(page.locator("#games li")).to_have_count(1)
    for step in ("Own dice", "Score, cube, turn", "Resign"):
        more(page, f"«{step}»")
        said |= set(page.evaluate(SAID))
        page.keyboard.press("Escape")
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    more(page, "«Correct the position»")
    said |= set(page.evaluate(SAID))
    page.click("#stop")
    page.get_by_role("button", name="Ann: «Done»").click()
    expect(page.locator(".candidate").first).to_be_visible()
    said |= set(page.evaluate(SAID))
    page.get_by_role("button", name="«Replay»").click()
    expect(page.locator("#replay")).to_be_visible()
    said |= set(page.evaluate(SAID))
    told = json.dumps(
        [
            page.request.get(f"{table.address}api/{path}").json()
            for path in ("state", "games", "games/a/states")
        ]
    )
    page.goto(f"{table.address}tv")
    expect(page.locator("#board.drawn")).to_be_visible()
    said |= set(page.evaluate(SAID))
    known = {word.lower() for word in re.findall(r"[A-Za-z]{2,}", told)} | {"barpoint", "pin", "am", "pm"}
    known |= {word.lower() for word in re.findall(r"[A-Za-z]{2,}", f"{[*NAMES.values(), *month_abbr]}")}
    foreign = {
        word
        for text in said
        for word in re.findall(r"[A-Za-z]{2,}", re.sub("«[^»]*»", "", text))
        if word.lower() not in known
    }
    assert foreign == set()


def test_in_every_language(sit: Sit, page: Any) -> None:
    """A foul, with everything open, by day on a phone or by night on a wide screen: axe finds nothing,
    nothing is wider than the screen, and the board is never mirrored."""
    table = judged(sit)
    table.lay({"p24": ("white",), "p23": ("white",)})
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="Ann: Done").click()
    for place, code in enumerate(code for code in NAMES if code != ENGLISH):
        page.emulate_media(color_scheme=("light", "dark")[place % 2])
        page.set_viewport_size(({"width": 390, "height": 844}, {"width": 1366, "height": 768})[place % 2])
        page.goto(f"{table.address}?lang={code}")
        expect(page.locator("#judgement")).to_have_class("judgement illegal")
        expect(page.locator("#tools")).to_be_visible()
        page.click("#more summary")
        page.click("#mine summary")
        assert page.locator("html").get_attribute("lang") == code
        assert page.locator("html").get_attribute("dir") == ("rtl" if code == "he" else "ltr")
        assert "Not legal" not in page.locator("#judgement").inner_text()
        far, near = (box_of(page.locator(f'#board [data-cell="{cell}"]').first) for cell in ("p12", "p7"))
        assert far["x"] < near["x"]
        assert page.evaluate(OUTSIDE) == [], code
        check_now(page)


def test_the_language_is_chosen_on_the_page_and_remembered(sit: Sit, page: Any) -> None:
    page.goto(sit(players={"white": "Ann", "black": "Bob"}).address)
    page.click("#mine summary")
    page.select_option("#language", "de")
    expect(page.locator("#phase")).to_have_text("Der Eröffnungswurf steht an")
    page.reload()
    expect(page.locator("#phase")).to_have_text("Der Eröffnungswurf steht an")
    page.click("#mine summary")
    page.select_option("#language", "")
    expect(page.locator("#phase")).to_have_text("The opening roll is due")


def test_the_board_and_all_buttons_are_within_reach_of_the_keyboard(sit: Sit, page: Any) -> None:
    page.goto(sit().address)
    expect(page.locator("#door")).to_be_visible()
    for name in ("flip", "mirror", "moves", "door"):
        page.locator(f"#{name}").focus()
        assert page.evaluate("() => document.activeElement.id") == name
    page.press("#door", "Enter")
    page.keyboard.type("271828")
    page.keyboard.press("Enter")
    expect(page.locator("#tools")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#buttons button").first.press("Enter")
    expect(page.locator("#phase")).to_have_text("The dice have not fallen yet")
