"""A table is set up in a real browser: from the corners in a picture to the first judged move."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.events import Button
from engine.match_state import State
from firmware.setup import learning
from firmware.simulated.board_eyes import BoardEyes, example_map
from hardware.painter import Painter
from hardware.strip import OFF
from tests.firmware.page.test_accessible import check
from tests.firmware.sitting_browser import CHROMIUM, PATIENCE, PIN, box_of, expect, until
from tests.firmware.table_browser import SetTable
from vision import boards

pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"
)


@pytest.fixture
def lay(tmp_path: Path) -> Iterator[Callable[..., SetTable]]:
    tables: list[SetTable] = []

    def make(config: str = "") -> SetTable:
        tables.append(SetTable(tmp_path, config))
        return tables[-1]

    yield make
    for table in tables:
        table.close()


def enter(page: Any, table: SetTable) -> None:
    page.goto(table.address + "setup")
    page.fill("#pin", PIN)
    page.press("#pin", "Enter")
    expect(page.locator("#game")).to_be_visible()


def choose(page: Any, game: str) -> None:
    page.locator(f"#games input[value={game}]").check()
    page.click("#next")
    expect(page.locator("#stage .handle").first).to_be_visible()


def corner(page: Any, place: int) -> tuple[float, float]:
    x, y = re.findall(r"\d+", page.locator(".handle").nth(place).get_attribute("aria-label"))
    return float(x), float(y)


def drag(page: Any, corners: list[tuple[float, float]]) -> None:
    """Each handle to its corner, by the thumb as far as that goes."""
    page.locator("#stage").evaluate("stage => stage.scrollIntoView({ block: 'center' })")
    box = box_of(page.locator("#stage"))
    for place, (x, y) in enumerate(corners):
        handle = box_of(page.locator(".handle").nth(place))
        page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + x * box["width"] / 1280, box["y"] + y * box["height"] / 960, steps=2)
        expect(page.locator("#magnifier")).to_be_visible()
        page.mouse.up()
    expect(page.locator("#magnifier")).to_be_hidden()


def teach_map(page: Any) -> None:
    """Calibrates for a sheet of 12 x 10 hexes, up to the map that is to be confirmed."""
    page.locator("#games input[value=siege-master]").check()
    page.click("#next")
    page.fill("#measure-cols", "12")
    page.fill("#measure-rows", "10")
    page.click("#arrange")
    expect(page.locator("#overlay .outline")).to_have_count(120)
    drag(page, Painter("hexes", 1, 12, 10).corners)
    page.click("#learn")
    expect(page.locator("#result-title")).to_be_focused()
    page.click("#keep")


def test_setting_up_can_be_left_for_the_table_at_any_time(lay: Callable[..., SetTable], page: Any) -> None:
    enter(page, lay())
    page.get_by_role("link", name="To the table").click()
    expect(page.locator("#phase")).to_be_visible()
    page.get_by_role("link", name="Set up").click()
    expect(page.locator("#game")).to_be_visible()


def test_a_table_is_set_up_from_a_picture_and_the_first_move_is_judged(
    lay: Callable[..., SetTable], page: Any, tmp_path: Path
) -> None:
    table = lay()
    enter(page, table)
    choose(page, "backgammon")
    expect(page.locator("#overlay .outline")).to_have_count(25)
    drag(page, Painter("checkers", 1).corners)
    page.click("#learn")
    expect(page.locator("#result-title")).to_be_focused()
    expect(page.locator("#result-picture")).to_be_visible()
    check(page, "dark, 390")
    lighter = page.locator("#result-numbers dd").last
    page.click("#exchange")
    expect(lighter).to_have_text(re.compile("^-"))
    page.click("#exchange")
    expect(lighter).not_to_have_text(re.compile("^-"))
    page.click("#keep")
    expect(page.locator("#tools-title")).to_be_focused()
    assert (tmp_path / "table.rig").exists()
    page.click("#next")
    expect(page.locator("#board-said")).to_have_text("The board is set up correctly.")
    page.fill("#name-0", "<i>Ann</i>")
    page.fill("#name-1", "Bob")
    for wrong in ("0", "2.5"):
        page.fill("#length", wrong)
        page.click("#begin")
        expect(page.locator("#form-reason")).to_have_text("Length: enter a number from 1 to 99.")
    page.fill("#length", "3")
    page.select_option("#clock", "delay")
    expect(page.locator("#clock-text")).to_contain_text("6 minutes")
    page.click("#seeds summary")
    check(page, "light, 390")
    page.fill("#words-0", "a word of mine")
    page.click("#begin")
    expect(page.locator("#phase")).to_have_text("The opening roll is due")
    expect(page.locator(".player .name").first).to_have_text("<i>Ann</i>")
    expect(page.locator(".clock").first).to_contain_text("6:00")
    assert table.session.table is not None
    assert table.session.table.seeds == (("white", "a word of mine"),)
    assert table.eyes.board == "checkers"
    table.do("dice 6 1")
    table.do("play 13/7 8/7")
    table.do("done")
    expect(page.locator("#moves li")).to_contain_text("13/7 8/7")


def test_one_goes_back_over_what_was_learned_to_the_calibrations_before(
    lay: Callable[..., SetTable], page: Any, tmp_path: Path
) -> None:
    eyes, painter = BoardEyes(), Painter("checkers", 1)
    eyes.arrange(boards.get("checkers").set_out, "checkers", {})
    image = eyes.still()
    assert image is not None
    learned = learning.learn(
        image, "checkers", "backgammon", painter.corners, painter.geometry, lambda part, words: None
    )
    rig = tmp_path / "table.rig"
    learning.keep(learned.table, learned.board, learned.rules, rig)
    learning.keep(learned.table, learned.board, learned.rules, rig)
    boards.save_version(learned.table, rig, boards.Version("2026-11-22T20:00Z", "learned"))
    enter(page, lay())
    page.locator("#games input[value=backgammon]").check()
    page.click("#next")
    said, back = page.locator("#learned-text"), page.locator("#go-back")
    expect(said).to_contain_text("Since then it has followed the looks of checkers and board once")
    expect(back).to_have_text("Go back to before it learned")
    back.click()
    expect(said).to_have_text("The camera reads as it did before it last learned.")
    expect(back).to_have_text("Go back to the calibration before")
    back.click()
    expect(said).to_have_text("The camera reads with the calibration before.")
    expect(back).to_be_hidden()
    assert len(boards.versions(rig)) == 1


def test_corners_are_moved_by_the_keyboard_and_said(lay: Callable[..., SetTable], page: Any) -> None:
    enter(page, lay())
    choose(page, "backgammon")
    x, y = corner(page, 1)
    page.locator(".handle").nth(1).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    assert corner(page, 1) == (x - 1, y + 10)
    expect(page.locator("#corner-said")).to_have_text(f"Bottom right corner, at {x - 1:.0f}, {y + 10:.0f}")


def test_wrong_corners_are_refused_with_the_way_out_and_nothing_is_kept(
    lay: Callable[..., SetTable], page: Any, tmp_path: Path
) -> None:
    enter(page, lay())
    choose(page, "backgammon")
    drag(page, [(150, 840), (400, 860), (400, 700), (170, 700)])
    page.click("#learn")
    expect(page.locator("#board-reason")).to_contain_text("corners")
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator("#learn")).to_be_enabled()
    assert not list(tmp_path.glob("table.rig*"))


def test_a_map_is_read_put_right_by_touch_and_by_keys_and_played_on(
    lay: Callable[..., SetTable], page: Any
) -> None:
    table = lay('[match]\nrules = "siege-master"')
    enter(page, table)
    assert table.session.state is State.IDLE
    teach_map(page)
    expect(page.locator("#map-board .hex.border")).to_have_count(40)
    towers = sum("fortress" in "".join(look) for look in example_map(12, 10).values())
    expect(page.locator("#map-board path.tower")).to_have_count(towers)
    empty = page.locator('#map-board .hex[data-cell="hex.3,4"]')
    empty.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("#map-said")).to_have_text("Hex 3,4: fortress")
    expect(page.locator("#map-board path.tower")).to_have_count(towers + 1)
    page.locator('#map-board .hex[data-cell="hex.3,4"]').click()
    expect(page.locator("#map-board path.tower")).to_have_count(towers)
    page.keyboard.press("ArrowRight")
    expect(page.locator('#map-board .hex[data-cell="hex.4,4"]')).to_be_focused()
    expect(page.locator("#map-right")).to_be_enabled()
    check(page, "light, 390")
    page.click("#map-right")
    page.click("#next")
    expect(page.locator("#dice-set")).to_be_hidden()
    page.click("#begin")
    expect(page.locator("#phase")).to_have_text("Red must play and press done")
    assert table.session.position is not None
    assert len(table.session.position.to_json()["fortresses"]) == towers


def test_buttons_light_up_lamps_shine_and_a_running_match_is_kept(
    lay: Callable[..., SetTable], page: Any, tmp_path: Path
) -> None:
    table = lay()
    table.do("dice 6 1")
    enter(page, table)
    page.click("#steps button[data-step=tools]")
    expect(page.locator("#tools-reason")).to_contain_text("pause it")
    table.do("pause")
    page.click("#back")
    page.click("#next")
    until(page, lambda: table.device.trial is not None)
    expect(page.locator("#tools-reason")).to_be_hidden()
    before = table.session
    table.call(lambda: table.buttons.press("black", Button.ROLL))
    expect(page.locator("#box li.heard strong")).to_have_text("Black: Roll")
    assert table.session is before
    page.locator("#places button", has_text=re.compile("^Point 13$")).click()
    expect(page.locator("#places button[aria-pressed=true]")).to_have_text("Point 13")
    check(page, "dark, 390")
    page.fill("#places input[data-place=p13]", "70-71")
    page.fill("#places input[data-place=p14]", "70")
    page.click("#lamps-save")
    expect(page.locator("#lamps-reason")).to_contain_text("already belongs to p13")
    page.fill("#places input[data-place=p14]", "13")
    page.click("#lamps-save")
    expect(page.locator("#lamps-save")).to_be_disabled()
    page.locator("#places button", has_text=re.compile("^Point 13$")).click()
    until(page, lambda: [place for place, led in enumerate(table.strip.leds) if led != OFF] == [70, 71])
    assert (tmp_path / "lamps.json").exists()
    page.click("#next")
    page.click("#begin")
    expect(page.locator("#form-reason")).to_contain_text("a match is being played")
    page.check("#leave")
    page.click("#begin")
    expect(page.locator("#phase")).to_have_text("The opening roll is due")
    assert table.device.open_matches.unfinished()
    page.goto(table.address + "setup")
    page.click("#steps button[data-step=match]")
    page.get_by_role("button", name="Continue: ").click()
    expect(page.locator("#phase")).to_have_text("The game is paused")


def test_back_and_on_again_at_once_leaves_the_trial_on(lay: Callable[..., SetTable], page: Any) -> None:
    table = lay()
    enter(page, table)
    page.click("#steps button[data-step=tools]")
    until(page, lambda: table.device.trial is not None)
    held: list[Any] = []
    page.route("**/api/setup/try", lambda route: held.append(route))
    page.click("#back")
    page.click("#next")
    expect(page.locator("main [data-step=tools]")).to_be_visible()
    for place, on in enumerate((False, True)):  # the table hears of them in this order
        until(page, lambda place=place: len(held) == place + 1)
        assert held[place].request.post_data_json["on"] is on
        with page.expect_response("**/api/setup/try"):
            held[place].continue_()
    expect(page.locator("main [data-step=tools]")).to_be_visible()
    until(page, lambda: table.device.trial is not None)


def test_lines_that_were_asked_for_before_the_measures_changed_are_not_drawn(
    lay: Callable[..., SetTable], page: Any
) -> None:
    enter(page, lay('[match]\nrules = "siege-master"'))
    page.locator("#games input[value=siege-master]").check()
    page.click("#next")
    page.click("#arrange")
    expect(page.locator("#overlay .outline")).to_have_count(19 * 15)
    held: list[Any] = []
    page.route("**/api/setup/outlines", lambda route: held.append(route))
    page.fill("#measure-cols", "12")
    page.fill("#measure-rows", "10")
    page.press("#measure-rows", "Tab")
    until(page, lambda: len(held) == 2)
    for late in reversed(held):
        with page.expect_response("**/api/setup/outlines") as answered:
            late.continue_()
        answered.value.finished()
        expect(page.locator("#overlay .outline")).to_have_count(120)


def test_a_map_is_not_confirmed_before_the_table_has_heard_of_a_change_and_who_goes_on_is_not_called_back(
    lay: Callable[..., SetTable], page: Any
) -> None:
    enter(page, lay('[match]\nrules = "siege-master"'))
    teach_map(page)
    expect(page.locator("#map-right")).to_be_enabled()
    held: list[Any] = []
    page.route("**/api/setup/fix", lambda route: held.append(route))
    page.locator('#map-board .hex[data-cell="hex.3,4"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#map-right")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    until(page, lambda: len(held) == 1)
    held[0].continue_()
    expect(page.locator("#map-right")).to_be_enabled()
    expect(page.locator('#map-board .hex[data-cell="hex.4,4"]')).to_be_focused()


def test_a_second_person_is_told_and_may_take_over(
    lay: Callable[..., SetTable], page: Any, browser: Any
) -> None:
    table = lay()
    enter(page, table)
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    other = context.new_page()
    other.goto(table.address + "setup")
    other.fill("#pin", PIN)
    other.press("#pin", "Enter")
    expect(other.locator("#taken-text")).to_contain_text(
        "somebody at 127.0.0.1 has been setting this table up"
    )
    other.click("#take")
    expect(other.locator("#game")).to_be_visible()
    expect(page.locator("#taken-title")).to_be_visible()
    other.context.close()


def test_corners_are_looked_for_only_where_they_can_be_found(lay: Callable[..., SetTable], page: Any) -> None:
    enter(page, lay())
    choose(page, "icegammon")
    expect(page.locator("#find")).to_be_hidden()
    page.click("#back")
    choose(page, "backgammon")
    expect(page.locator("#find")).to_be_visible()


def test_who_starts_without_a_map_is_told_why_the_map_comes_first(
    lay: Callable[..., SetTable], page: Any
) -> None:
    enter(page, lay())
    page.locator("#games input[value=siege-master]").check()
    page.click("#steps button[data-step=match]")
    page.click("#begin")
    expect(page.locator("#map-reason")).to_have_text(
        "the camera does not know this board yet; calibrate first"
    )
    page.click("#steps button[data-step=game]")
    teach_map(page)
    expect(page.locator("#map-right")).to_be_enabled()
    expect(page.locator("#map-reason")).to_be_hidden()
    page.click("#steps button[data-step=match]")
    page.click("#begin")
    expect(page.locator("#map-reason")).to_have_text("Confirm the map first.")
    page.click("#map-right")
    expect(page.locator("#tools")).to_be_visible()
    page.click("#steps button[data-step=map]")
    expect(page.locator("#map-reason")).to_be_hidden()
