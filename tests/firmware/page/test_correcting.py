"""Corrections on the page, in a real browser: positions of every kind of board, score, cube and turn, doubts
with their pictures."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Choose, Correct, Roll
from engine.match import Terms
from engine.match_state import State
from tests.engine.ice_boards import board
from tests.engine.siege_boards import drawn
from tests.firmware.conftest import REEL
from tests.firmware.page.test_archive import log
from tests.firmware.sitting_browser import CHROMIUM, Sitting, box_of, drag, enter, expect, until

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)

MAP = drawn(["########", "#.n....#", "#......#", "#..n...#", "#......#", "########"])
SIEGE = {**MAP["board"], "border": MAP["border"], "fortresses": MAP["fortresses"]}


def open_more(page: Any) -> None:
    if page.locator("#more").get_attribute("open") is None:
        page.click("#more summary")


def more(page: Any, name: str) -> None:
    open_more(page)
    page.get_by_role("button", name=name).click()


def type_play(page: Any, play: str) -> None:
    open_more(page)
    page.fill("#play", play)
    page.press("#play", "Enter")


@pytest.mark.parametrize("rules", ["backgammon", "zombie", "siegegammon"])
def test_a_checker_is_dragged_to_where_it_stands(sit: Callable[..., Sitting], page: Any, rules: str) -> None:
    table = sit(rules)
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    last = page.locator("#board g.piece[data-kind=white]").last
    cell = last.get_attribute("data-cell")
    count = page.locator(f"#board g[data-cell='{cell}']").count()
    drag(page, f"#board g[data-cell='{cell}']", "#board .zone[data-cell=p11]")
    expect(page.locator("#board g[data-cell=p11]")).to_have_count(1)
    expect(page.locator(f"#board g[data-cell='{cell}']")).to_have_count(count - 1)
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    assert table.session.position.looks()["p11"] == ("white",)


def test_a_finger_beside_the_board_scrolls_to_the_buttons_below(
    sit: Callable[..., Sitting], browser: Any
) -> None:
    table = sit("backgammon")
    phone = browser.new_context(viewport={"width": 375, "height": 480}, has_touch=True, is_mobile=True)
    page = phone.new_page()
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    expect(page.locator("#stop")).not_to_be_in_viewport(ratio=1)
    assert box_of(page.locator("#from"))["y"] == box_of(page.locator("#to"))["y"]
    finger = phone.new_cdp_session(page)
    for y in range(470, 170, -30):
        kind, touched = ("touchStart" if y == 470 else "touchMove"), [{"x": 180, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#stop")).to_be_in_viewport(ratio=1)
    phone.close()


def test_a_pyramid_is_dragged_from_the_hand_and_onto_others(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit("icegammon", position=board({20: ["white", [1, 2], "black", [3]]}))
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell='hand.white'][data-kind='white.3']", "#board .zone[data-cell=p9]")
    drag(page, "#board g[data-cell='hand.black'][data-kind='black.2']", "#board .zone[data-cell=p9]")
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    assert table.session.position.to_json()["points"]["9"] == [["white", [3]], ["black", [2]]]


def test_a_pyramid_pins_its_own_or_joins_it_as_the_players_say(
    sit: Callable[..., Sitting], page: Any
) -> None:
    """By hand or keyboard; of a hand each size can be chosen, and pieces go off though none has yet."""
    table = sit("icegammon", position=board({1: ["white", [1]]}))
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell='hand.white'][data-kind='white.2']", "#board .zone[data-cell=p1]")
    page.get_by_role("button", name="It lies on top: a pin").click()
    for piece, to in (("white.1", "p16"), ("white.3", "p16"), ("black.1", "off.black")):
        page.select_option("#from", f"hand.{piece[:-2]} {piece}")
        page.select_option("#to", to)
        page.click("#move")
    expect(page.locator("#relay")).to_be_hidden()
    drag(page, "#board g[data-cell='hand.white'][data-kind='white.1']", "#board .zone[data-cell='off.white']")
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    found = table.session.position.to_json()
    assert found["points"] == {"1": [["white", [1]], ["white", [2]]], "16": [["white", [1, 3]]]}
    assert found["off"] == {"white": [1], "black": [1]}


def test_a_map_is_mended_by_touch(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit("siege-master", options=SIEGE)
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    fortress = next(iter(MAP["fortresses"]))
    page.locator(f"#board g[data-cell='hex.{fortress}']").click()
    expect(page.locator("#board path.tower.one")).to_have_count(1)
    row = ["hex.0,2", "hex.1,2", "hex.2,2", "hex.3,2"]
    for cell in row:
        page.locator(f"#board polygon[data-cell='{cell}']").click()
    expect(page.locator("#board polygon.marked")).to_have_count(4)
    page.get_by_role("button", name="Army: red").click()
    expect(page.locator("#board g[data-kind='army.red']")).to_have_count(4)
    page.locator("#board g[data-kind='army.red']").first.click()
    expect(page.locator("#board g[data-kind='army.blue']")).to_have_count(4)
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    found = table.session.position.to_json()
    assert found["fortresses"][fortress] == "red"
    assert found["armies"] == [["blue", [cell[4:] for cell in row]]]


def test_a_map_is_mended_by_the_keyboard_and_what_cannot_be_is_told(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit("siege-master", options=SIEGE)
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    for cell in ("hex.0,2", "hex.1,2"):
        page.select_option("#from", cell)
        page.press("#move", "Enter")
    page.get_by_role("button", name="Army: blue").press("Enter")
    page.press("#save", "Enter")
    expect(page.locator("#refusal")).to_contain_text("does not cover four hexes in a row")
    page.select_option("#from", "hex.0,2")
    page.press("#move", "Enter")  # blue is the last side: the army goes
    expect(page.locator("#board g[data-kind^=army]")).to_have_count(0)
    page.press("#stop", "Enter")
    assert table.session.state is not State.IDLE


def test_the_director_sets_score_cube_and_turn(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(terms=Terms(length=7), players={"white": "Ann", "black": "Bob"})
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Score, cube, turn")
    page.get_by_label("Ann", exact=True).fill("3")
    page.select_option("#cube-value", "4")
    page.select_option("#cube-owner", "black")
    page.select_option("#turn", "black")
    page.get_by_role("button", name="Set").click()
    expect(page.locator("#director")).to_be_hidden()
    assert table.session.table is not None
    assert table.session.table.match.score == (3, 0)
    assert (table.session.table.cube.value, table.session.table.cube.owner) == (4, "black")
    assert table.session.table.position.turn == "black"
    more(page, "Score, cube, turn")
    page.get_by_label("Ann", exact=True).fill("7")
    page.get_by_role("button", name="Set").click()
    expect(page.locator("#director-reason")).not_to_be_empty()


def test_a_doubt_is_shown_as_the_camera_sees_it(sit: Callable[..., Sitting], page: Any) -> None:
    asked: list[Collection[str]] = []

    def closeup(cells: Collection[str]) -> bytes:
        asked.append(cells)
        return (REEL / "000.jpg").read_bytes()

    table = sit(closeup=closeup)
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="white: Done").click()
    expect(page.locator("#candidates img.doubt")).to_be_visible()
    expect(page.locator(".candidate").nth(1)).to_be_visible()
    assert table.session.table is not None
    assert table.session.table.pending is not None
    assert set(asked[0]) == set(table.session.table.pending.cells) != set()
    page.locator(".candidate", has_text="13/7 8/7").click()
    expect(page.locator("#candidates")).to_be_empty()


def test_a_report_is_downloaded(sit: Callable[..., Sitting], page: Any, tmp_path: Path) -> None:
    log(tmp_path, "a")
    page.goto(sit(archive=tmp_path).address)
    page.click("#archive summary")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download: report").click()
    text = download.value.path().read_text()
    assert "<html" in text
    assert "&lt;b&gt;Bob" in text


@pytest.mark.parametrize(
    ("rules", "terms"),
    [
        ("backgammon", {}),
        ("zombie", {}),
        ("siegegammon", {}),
        ("icegammon", {}),
        ("siege-master", {"options": SIEGE}),
    ],
)
def test_every_game_is_played_resigned_and_followed_by_the_next_on_the_page(
    sit: Callable[..., Sitting], page: Any, rules: str, terms: dict[str, Any]
) -> None:
    table = sit(rules, terms=Terms(length=5), **terms)
    page.goto(table.address)
    enter(page)
    expect(page.locator("#tools")).to_be_visible()
    for _ in range(4):  # rolls by hand until somebody is to play
        if table.session.state is State.PLAY:
            break
        more(page, "Own dice")
        faces = page.locator("#faces fieldset")
        for place in range(faces.count()):
            faces.nth(place).get_by_role("button", name=str((6, 3, 1)[place])).click()
        before = table.session
        page.click("#dice-send")
        until(page, lambda before=before: table.session is not before)
        expect(page.locator("#phase")).to_have_text(table.phase)
    assert table.session.position is not None
    play = table.session.position.plays()[0].text
    type_play(page, play)
    expect(page.locator("#moves li:not(.told)")).to_have_count(1)
    more(page, "Undo")
    expect(page.locator("#moves li:not(.told)")).to_have_count(0)
    type_play(page, play)
    expect(page.locator("#moves li:not(.told)")).to_have_count(1)
    more(page, "Pause")
    expect(page.locator("#phase")).to_have_text("The game is paused")
    page.get_by_role("button", name="Continue").click()
    more(page, "Resign")
    columns = [
        {box_of(one)["x"] for one in side.locator("button").all()}
        for side in page.locator("#resign-grades > div").all()
    ]
    assert [len(column) for column in columns] == [1, 1]  # each player's grades stand one under the other
    assert min(columns[0]) < min(columns[1])
    page.locator("#resign-grades button").first.click()
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#phase")).to_contain_text("wins")
    page.get_by_role("button", name="Next game").click()
    expect(page.locator("#moves li:not(.told)")).to_have_count(0)


def test_a_game_that_is_lost_in_one_way_asks_for_no_grade(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit("siege-master", options=SIEGE, players={"red": "Ann", "blue": "Bob"})
    page.goto(table.address)
    enter(page)
    more(page, "Resign")
    expect(page.locator("#resign-grades button")).to_have_text(["Ann: Resign", "Bob: Resign"])


def test_pips_are_counted_only_where_checkers_race(sit: Callable[..., Sitting], page: Any) -> None:
    counted = {}
    for rules, terms in (
        ("backgammon", {}),
        ("siegegammon", {}),
        ("icegammon", {}),
        ("siege-master", {"options": SIEGE}),
    ):
        page.goto(sit(rules, **terms).address)
        expect(page.locator("#board.drawn")).to_be_visible()
        counted[rules] = "pips" in page.locator("#players").inner_text()
    assert counted == {"backgammon": True, "siegegammon": False, "icegammon": False, "siege-master": False}


def test_the_lamps_of_rows_and_columns_are_drawn_on_the_edges_of_a_map(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit("siege-master", options=SIEGE)
    page.goto(table.address)
    expect(page.locator("#board circle.led[data-place^='row.']")).to_have_count(6)
    expect(page.locator("#board circle.led[data-place^='column.']")).to_have_count(8)
    assert table.session.position is not None
    table.lay({"hex.0,2": ("army.red",)})  # one hex of an army: no play
    enter(page)
    page.get_by_role("button", name="Done").first.click()
    expect(page.locator("#judgement")).to_have_class("judgement illegal")
    expect(page.locator("#board circle.led.blink[data-place='row.2']")).to_be_visible()


def test_a_clock_is_right_for_who_comes_late_or_wakes_up(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(terms=Terms(length=3), clock=Control(kind=Timing.FISCHER, reserve=600, delay=0))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.age(65.0)
    page.goto(table.address)
    clock = page.locator(".clock").first
    expect(clock).to_contain_text(
        "8:"
    )  # of ten minutes 65 seconds are gone, though nothing has happened since
    table.age(60.0)
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(clock).to_contain_text("7:")
    expect(page.locator("#line")).to_have_text("live")


def test_a_page_that_was_open_during_an_upgrade_loads_itself_again(
    sit: Callable[..., Sitting], page: Any
) -> None:
    served = {"version": "this"}
    page.route(
        "**/api/events?*",
        lambda route: route.fulfill(
            content_type="text/event-stream", body=f"retry: 50\nevent: version\ndata: {served['version']}\n\n"
        ),
    )
    address = sit().address
    with page.expect_request("**/api/events?*"):
        page.goto(address)
    with page.expect_request("**/api/events?*"):  # so the first answer was read to its end
        page.evaluate("() => { window.old = true; }")
    with page.expect_navigation():
        served["version"] = "newer"
    assert page.evaluate("() => window.old") is None


def test_two_pages_of_one_table_show_the_same(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    page.goto(table.address)
    other = page.context.new_page()
    other.goto(table.address)
    enter(page)
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.click("#more summary")
    page.fill("#play", "13/7 8/7")
    page.press("#play", "Enter")
    for each in (page, other):
        expect(each.locator("#moves li")).to_have_count(1)
    other.reload()
    expect(other.locator("#tools")).to_be_visible()  # one browser, one cookie


def test_a_board_that_is_turned_is_corrected_where_it_is_touched(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(table.address)
    page.click("#flip")
    page.click("#mirror")
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell=p6]", "#board .zone[data-cell=p4]")
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    assert table.session.position.looks()["p4"] == ("white",)


def test_a_correction_ends_where_somebody_else_was_quicker(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    page.goto(table.address)
    enter(page, table.keeper.director)
    more(page, "Correct the position")
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell=p6]", "#board .zone[data-cell=p4]")
    assert table.session.position is not None
    other = {**table.session.position.to_json()["points"], "6": 4, "5": 1}
    table.tell(Correct(t=0, position={**table.session.position.to_json(), "points": other}))
    expect(page.locator("#correct")).to_be_hidden()
    expect(page.locator("#refusal")).to_contain_text("The board has changed meanwhile")
    expect(page.locator("#board g[data-cell=p5]")).to_have_count(1)
    expect(page.locator("#board g[data-cell=p4]")).to_have_count(0)


def test_who_wants_no_motion_gets_none(browser: Any, sit: Callable[..., Sitting]) -> None:
    table = sit()
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(table.address)
    expect(page.locator("#board g[data-cell=p24]")).to_have_count(2)
    table.tell(Choose(t=0, play="13/7 8/7"))
    expect(page.locator("#board g[data-cell=p7]")).to_have_count(2)
    assert page.evaluate("() => document.getAnimations().length") == 0
    context.close()


def test_a_page_loaded_anew_in_a_correction_leaves_the_clock_running(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(terms=Terms(length=5), clock=Control(kind=Timing.DELAY))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    more(page, "Correct the position")
    expect(page.locator("#phase")).to_contain_text("Drag")
    until(page, lambda: table.session.state is State.PAUSED)
    page.reload()
    until(page, lambda: table.session.state is State.PLAY)
    expect(page.locator("#phase")).to_have_text(table.phase)
