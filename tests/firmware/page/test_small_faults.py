"""What an evening at the table has shown to be unhandy, in a real browser."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Begin, Button, Choose, Event, Moves, Press, Roll
from engine.match import Terms
from firmware.record.archive import imported
from firmware.record.journal import Journal
from firmware.state import JOURNAL
from tests.firmware.conftest import REEL
from tests.firmware.page.test_archive import log
from tests.firmware.sitting_browser import CHROMIUM, Sitting, box_of, enter, expect, until
from tests.firmware.table_browser import SetTable
from tests.matches import simulate

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180)])
def test_the_question_what_was_played_leaves_the_board_in_view(
    sit: Callable[..., Sitting], page: Any, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    table = sit(
        closeup=lambda cells: (REEL / "000.jpg").read_bytes(),
        terms=Terms(length=7),
        clock=Control(kind=Timing.DELAY),
        players={"white": "Ann", "black": "Bob"},
    )
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="Ann: Done").click()
    expect(page.locator("#candidates img.doubt")).to_be_visible()
    board, sheet = box_of(page.locator("#board")), box_of(page.locator("#acting"))
    assert board["y"] + board["height"] <= sheet["y"]
    assert sheet["y"] + sheet["height"] <= height


def test_dice_are_one_word_on_the_big_screen(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    table.tell(Roll(t=0, dice=(5, 3), side="white"))
    page.goto(f"{table.address}tv")
    told = page.locator("#judgement strong .whole")
    expect(told).to_have_text("5-3")
    lines = """() => {
        document.querySelector("#judgement").style.width = "1em";
        return document.querySelector("#judgement strong .whole").getClientRects().length;
    }"""
    assert page.evaluate(lines) == 1


def test_before_the_opening_roll_nothing_is_said_that_is_not_so_in_every_game(
    sit: Callable[..., Sitting], page: Any
) -> None:
    page.goto(sit(rules="icegammon").address)  # who begins rolls three dice anew, and plays none of these
    expect(page.locator("#judgement")).to_have_text("Each player rolls one die. The higher one begins.")


def test_dice_lie_and_are_written_with_the_higher_first_from_both_sides(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    table.tell(Roll(t=0, dice=(2, 6)))
    table.tell(Choose(t=0, play="24/18 13/11"))
    table.tell(Roll(t=0, dice=(1, 4)))
    page.goto(table.address)
    expect(page.locator("#judgement")).to_have_text("Ann rolls 4-1")
    expect(page.locator("#moves li").first).to_contain_text("6-2")
    faces = """() => [...document.querySelectorAll("#board g.thrown")]
      .sort((one, other) => one.getBoundingClientRect().x - other.getBoundingClientRect().x)
      .map((die) => die.querySelectorAll(".pip").length)"""
    for button in ("flip", "mirror"):
        assert page.evaluate(faces) == [4, 1]
        page.click(f"#{button}")
        assert page.evaluate(faces) == [4, 1]


def test_who_cannot_move_is_not_told_to_play(sit: Callable[..., Sitting], page: Any) -> None:
    points = {str(point): -2 for point in range(19, 25)} | {"6": 5, "8": 3, "13": 6, "12": -3}
    position = {"turn": "white", "points": points, "bar": [1, 0], "off": [0, 0]}
    table = sit(players={"white": "Ann", "black": "Bob"}, position=position)
    table.tell(Roll(t=0, dice=(6, 1)))
    page.goto(table.address)
    expect(page.locator("#phase")).to_have_text("Ann cannot move, and must press done")
    expect(page.locator("#terms")).to_have_text("Backgammon, money session")


def test_a_foul_is_its_players_to_fix_before_the_other_lets_it_stand(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"}, moves=Moves.RESPONSIBLE)
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.lay({"p24": ("white",), "p23": ("white",)})
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="Ann: Done").click()
    expect(page.locator("#judgement")).to_have_class("judgement illegal")
    expect(page.locator("#buttons button")).to_have_text(
        ["Ann: Done", "Bob: Let it stand", "Bob: Roll, and let it stand"]
    )


@pytest.mark.parametrize("how", ["mouse", "touch"])
def test_the_second_tap_of_a_double_one_does_not_roll_for_the_other_player(
    sit: Callable[..., Sitting], page: Any, how: str
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"}, terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    table.lay({"p8": ("white",) * 2, "p6": ("white",) * 4, "p5": ("white",) * 2})
    heard: list[Event] = []
    table.heard = heard.append
    page.goto(table.address)
    enter(page)
    done, roll = (page.get_by_role("button", name=name) for name in ("Ann: Done", "Bob: Roll"))
    place = box_of(done)

    def tap(count: int) -> None:
        at = {"x": place["x"] + place["width"] / 4, "y": place["y"] + place["height"] - 8}
        if how == "mouse":
            page.mouse.move(**at)
            page.mouse.down(click_count=count)
            page.mouse.up(click_count=count)
        else:  # as phones do that count each tap as a first one
            tapped = """({x, y}) => document.elementFromPoint(x, y).dispatchEvent(
                new PointerEvent("click", {detail: 1, pointerType: "touch", bubbles: true}))"""
            page.evaluate(tapped, at)

    page.evaluate(
        "Object.defineProperty(Event.prototype, 'timeStamp', {get: () => 1000})"
    )  # however busy it is
    tap(1)
    expect(roll).to_be_visible()
    tap(2)
    roll.click()
    until(page, lambda: len(heard) > 1)
    expect(roll).to_be_hidden()
    assert [event.button for event in heard if isinstance(event, Press)] == [Button.DONE, Button.ROLL]


def test_a_replays_list_stands_where_the_replay_does(
    sit: Callable[..., Sitting], page: Any, tmp_path: Path
) -> None:
    table = sit()
    events: list[Event] = [Begin(t=0, rules="backgammon")]
    table.heard = events.append
    for side in ("white", "black") * 15:
        table.tell(Roll(t=0, dice=(2, 1), side=side))
        assert table.session.position is not None
        table.tell(Choose(t=0, play=table.session.position.plays()[0].text, side=side))
    log(tmp_path, "2026-01-02-abc", events=tuple(events))
    page.goto(sit(archive=tmp_path).address)
    page.click("#archive summary")
    page.get_by_role("button", name="Replay").click()
    expect(page.locator("#slider-text")).to_contain_text("1 of ")
    scrolled = "() => document.querySelector('#moves').scrollTop"
    assert page.evaluate(scrolled) == 0
    page.press("#slider", "End")
    assert page.evaluate(scrolled) > 0
    page.press("#slider", "Home")
    expect(page.locator("#slider-text")).to_contain_text("1 of ")
    assert page.evaluate(scrolled) == 0


@pytest.mark.parametrize(("code", "day"), [("ja", "2026/01/02"), ("de", "02.01.2026")])
def test_a_replays_list_names_player_and_dice_and_a_match_is_found_by_its_day_in_every_language(
    sit: Callable[..., Sitting], page: Any, tmp_path: Path, code: str, day: str
) -> None:
    names = {"white": "Ann", "black": "Bob"}
    roll = Roll(t=1, dice=(1, 3), side="white")
    play = Choose(t=2, play="8/5 6/5")
    log(tmp_path, "a", events=(Begin(t=0, rules="backgammon", players=names), roll, play))
    page.goto(f"{sit(archive=tmp_path).address}?lang={code}")
    page.click("#archive summary")
    page.fill("#search", day)
    page.locator("#games button").click()
    expect(page.locator("#moves .go").last).to_contain_text("Ann, 3-1: 8/5 6/5")


def test_the_day_of_an_imported_match_is_that_day_everywhere(
    sit: Callable[..., Sitting], browser: Any, tmp_path: Path
) -> None:
    with Journal.open(tmp_path / JOURNAL) as journal:
        for name, day in (("one", "2026-03-01"), ("two", "no day")):
            journal.append(name, "2026-04-05T12:00:00Z", imported(replace(simulate(11), date=day)))
    context = browser.new_context(timezone_id="America/Los_Angeles", locale="en-US")
    page = context.new_page()
    page.goto(sit(archive=tmp_path).address)
    page.click("#archive summary")
    lines = page.locator("#games li p")
    expect(lines.nth(0)).to_contain_text("Apr 5, 2026, 5:00")
    expect(lines.nth(1)).to_contain_text("Mar 1, 2026 ·")
    context.close()


@pytest.mark.parametrize("code", ["en", "de", "el"])
def test_on_a_small_phone_laid_down_a_foul_is_read_beside_the_board_and_above_the_buttons(
    sit: Callable[..., Sitting], page: Any, code: str
) -> None:
    page.set_viewport_size({"width": 640, "height": 360})
    table = sit(
        players={"white": "Ann", "black": "Bob"},
        terms=Terms(length=7),
        clock=Control(kind=Timing.DELAY),
        moves=Moves.RESPONSIBLE,
    )
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.lay({"p24": ("white",), "p23": ("white",)})
    page.goto(f"{table.address}?lang={code}")
    enter(page)
    page.locator("#buttons .main").click()
    expect(page.locator("#judgement")).to_have_class("judgement illegal")
    page.evaluate("scrollTo(0, 0)")
    told = box_of(page.locator("#judgement"))
    assert told["y"] + told["height"] <= 360
    page.evaluate("document.querySelector('#acting').scrollIntoView({block: 'end'})")
    over = """([x, y]) => document.elementFromPoint(x, y).closest("#judgement, #acting").id"""
    told = box_of(page.locator("#judgement"))
    assert page.evaluate(over, [told["x"] + 20, told["y"] + told["height"] - 5]) == "judgement"


def test_the_back_button_closes_what_lies_over_the_board_and_stays_on_the_page(
    sit: Callable[..., Sitting], page: Any, tmp_path: Path
) -> None:
    log(tmp_path, "2026-01-02-abc")
    table = sit(archive=tmp_path)
    page.goto(f"{table.address}history")
    page.goto(table.address)
    page.click("#archive summary")
    watch, replay = page.get_by_role("button", name="Replay"), page.locator("#replay")
    for _ in range(2):
        watch.click()
        expect(replay).to_be_visible()
        page.go_back()
        expect(replay).to_be_hidden()
    watch.click()
    page.click("#live")
    until(page, lambda: page.evaluate("history.state") is None)
    page.click("#door")
    expect(page.locator("#pin-ask")).to_be_visible()
    page.go_back()
    expect(page.locator("#pin-ask")).to_be_hidden()
    enter(page, table.keeper.director)
    page.click("#acting summary")
    page.get_by_role("button", name="Correct the position").click()
    expect(page.locator("#correct")).to_be_visible()
    page.go_back()
    expect(page.locator("#correct")).to_be_hidden()
    assert page.url == table.address
    page.go_back()
    assert page.url == f"{table.address}history"


LONG = "Maximiliane Friederike von Hohenstein-Oberbergheim-Unterwaldenzuckerbaeckerei"


@pytest.mark.parametrize(("path", "size"), [("", (320, 568)), ("", (1366, 768)), ("tv", (1080, 1920))])
def test_a_very_long_name_stays_within_its_place(
    sit: Callable[..., Sitting], page: Any, path: str, size: tuple[int, int]
) -> None:
    table = sit(players={"white": LONG, "black": "Bob"})
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.tell(Press(t=0, button=Button.DONE))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{table.address}{path}")
    expect(page.locator("#judgement strong")).to_contain_text("Unsure")
    for place in (".heading", "#judgement"):
        assert page.locator(place).evaluate("each => each.scrollWidth <= each.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("where", ["", "tv"])
def test_a_line_that_has_fallen_silent_is_dead_and_another_one_is_taken(
    sit: Callable[..., Sitting], page: Any, where: str
) -> None:
    table = sit()
    page.add_init_script(
        "window.lines = 0; window.EventSource = class extends EventSource"
        " { constructor(...given) { super(...given); window.lines += 1; } };"
    )
    page.clock.install()
    page.goto(table.address + where)
    expect(page.locator("#phase")).to_have_text("The opening roll is due")
    lines = page.evaluate("window.lines")
    page.clock.run_for(30_000)
    assert page.evaluate("window.lines") == lines
    page.clock.run_for(45_000)
    assert page.evaluate("window.lines") == lines + 1
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    expect(page.locator("#phase")).to_have_text("White must play and press done")
    expect(page.locator("#line")).to_have_class("line live")


def test_no_name_turns_a_sentence(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players={"white": "\u202eAnn", "black": "דוד"})
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    expect(page.locator("#phase")).to_have_text("Ann must play and press done")
    expect(page.locator("#buttons button")).to_have_text(["Ann: Done"])
    table.tell(Choose(t=0, play="13/7 8/7"))
    expect(page.locator("#phase")).to_have_text("\u2068דוד\u2069 must roll")


def test_a_hit_is_marked_behind_the_play_from_right_to_left_too(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    for dice, play in (((3, 1), "8/5 6/5"), ((5, 2), "13/8 24/22"), ((6, 4), "24/14"), ((4, 1), "13/9 6/5")):
        table.tell(Roll(t=0, dice=dice, side="white" if dice == (3, 1) else None))
        table.tell(Choose(t=0, play=play))
    table.tell(Roll(t=0, dice=(5, 2)))
    table.tell(Press(t=0, button=Button.DONE))
    page.goto(f"{table.address}?lang=he")
    told = page.locator("#judgement p")
    expect(told).to_contain_text("8/1*")
    assert told.evaluate("""told => {
        const texts = document.createTreeWalker(told, NodeFilter.SHOW_TEXT), range = document.createRange();
        while (texts.nextNode()) {
            if (!texts.currentNode.data.startsWith("*")) continue;
            range.setStart(texts.currentNode, 0);
            range.setEnd(texts.currentNode, 1);
            const star = range.getBoundingClientRect();
            const play = texts.currentNode.previousSibling.getBoundingClientRect();
            if (star.top < play.bottom && star.left < play.left) return false;
        }
        return true;
    }""")


@pytest.mark.parametrize("where", ["", "tv"])
def test_what_is_wrong_at_the_table_is_said_on_its_page(tmp_path: Path, page: Any, where: str) -> None:
    table = SetTable(tmp_path, '[match]\nfirst = "Ann"\nsecond = "Bob"\ndice = "players"\n')
    page.goto(f"{table.address}{where}")
    said = page.locator("#judgement .trouble")
    expect(said).to_have_count(0)
    table.call(lambda: table.device.report_trouble("camera", "the lamp is off, or the lens is covered"))
    expect(said).to_have_text("The lamp is off, or the lens is covered")
    expect(page.locator("#judgement")).to_contain_text("Each player rolls one die.")
    table.call(lambda: table.device.report_trouble("camera", ""))
    expect(said).to_have_count(0)
    table.call(lambda: table.buttons.press("white", Button.TAKE))  # on the box, where nothing else says why
    expect(said).to_have_text("The opening roll is due")
    table.close()


def test_who_acts_on_a_page_alone_is_told_why_it_was_refused(tmp_path: Path, page: Any) -> None:
    table = SetTable(tmp_path, '[match]\nfirst = "Ann"\nsecond = "Bob"\ndice = "players"\n')
    page.goto(table.address)
    refused = Press(t=0, button=Button.TAKE, side="white", actor="page")
    assert table.run(table.device.act(refused)) == "the opening roll is due"
    table.call(lambda: table.device.report_trouble("camera", "gone"))
    expect(page.locator("#judgement .trouble")).to_have_text("Gone")
    table.close()
