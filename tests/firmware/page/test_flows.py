"""What players do by the page, in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Begin, Button, Choose, Correct, DiceFrom, Moves, Press, Roll
from engine.match import Terms
from engine.match_state import State
from tests.engine.ice_boards import board
from tests.engine.siege_boards import drawn
from tests.firmware.page.test_archive import log
from tests.firmware.page.test_correcting import more, type_play
from tests.firmware.sitting_browser import CHROMIUM, PIN, Sitting, box_of, drag, enter, expect, until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here; on Debian: sudo apt-get install chromium"),
]


COUNT_GLIDES = """() => {
  const animate = Element.prototype.animate;
  window.glides = 0;
  Element.prototype.animate = function (...how) { window.glides++; return animate.apply(this, how); };
}"""


def test_a_wrong_pin_is_told_and_the_right_one_shows_the_buttons(
    sit: Callable[..., Sitting], page: Any
) -> None:
    page.goto(sit().address)
    expect(page.locator("#door")).to_have_text("Enter the PIN to act")
    expect(page.locator("#tools")).to_be_hidden()
    enter(page, "000000")
    expect(page.locator("#pin-reason")).to_have_text("this is not the table's PIN")
    page.fill("#pin", PIN)
    page.press("#pin", "Enter")
    expect(page.locator("#tools")).to_be_visible()
    page.reload()
    expect(page.locator("#tools")).to_be_visible()
    page.click("#door")
    expect(page.locator("#tools")).to_be_hidden()


def test_players_decide_an_unsure_judgement_from_its_candidates_and_take_it_back(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "<i>Ann</i>", "black": "Bob"}, terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="<i>Ann</i>: Done").click()
    expect(page.locator("#candidates h3")).to_have_text("Which of these did you play?")
    expect(page.locator(".candidate").first.locator("circle.disc")).to_have_count(30)
    page.locator(".candidate", has_text="13/7 8/7").click()
    expect(page.locator("#moves li")).to_have_count(1)
    expect(page.get_by_text("None yet in this game")).to_be_hidden()
    expect(page.locator("#moves li")).to_contain_text("13/7 8/7")
    expect(page.locator("#candidates")).to_be_empty()
    expect(page.locator(".player.due .name")).to_have_text("Bob")
    page.click("#acting summary")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#moves li")).to_have_text(["<i>Ann</i> took 13/7 8/7 back"])
    expect(page.locator("#judgement")).to_have_text("<i>Ann</i> took 13/7 8/7 back")
    assert table.session.state is State.PLAY


def test_own_dice_are_entered_the_play_is_said_and_a_resignation_answered(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(table.address)
    enter(page)
    page.click("#acting summary")
    page.get_by_role("button", name="Own dice").click()
    expect(page.locator("#dice-send")).to_be_disabled()
    page.locator("#faces fieldset").nth(0).get_by_role("button", name="6").click()
    page.locator("#faces fieldset").nth(1).get_by_role("button", name="1").click()
    page.click("#dice-send")
    expect(page.locator("#phase")).to_have_text("White must play and press done")
    type_play(page, "13/6")
    expect(page.locator("#moves li")).to_contain_text("13/6")
    more(page, "Resign")
    page.get_by_role("button", name="black: gammon").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#phase")).to_have_text("White wins: gammon, 2 points")
    expect(page.locator(".player .score").first).to_have_text("2")
    page.get_by_role("button", name="Next game").click()
    expect(page.locator("#phase")).to_have_text("The opening roll is due")


def test_a_play_that_is_refused_says_why(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    page.click("#acting summary")
    page.fill("#play", "24/20")
    page.press("#play", "Enter")
    expect(page.locator("#refusal")).to_contain_text("24/20")
    assert table.session.state is State.PLAY


def test_on_one_phone_for_both_each_answers_for_whose_play_it_is(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(dice=DiceFrom.INFERRED)
    page.goto(table.address)
    enter(page)
    page.click("#acting summary")
    expect(page.locator("#say")).to_be_hidden()  # nobody knows whose the opening is
    table.tell(Roll(t=0, dice=(6, 1), side="black"))
    page.get_by_role("button", name="black: Done").click()
    page.locator(".candidate", has_text="13/7 8/7").click()
    expect(page.locator("#moves li")).to_have_count(1)
    page.click("#acting summary")
    for count, said in enumerate(("52: 13/8 24/22", "31: 8/5 6/5"), start=2):
        page.fill("#play", said)
        page.press("#play", "Enter")
        expect(page.locator("#moves li")).to_have_count(count)
    assert table.session.table is not None
    assert [move.side for move in table.session.table.moves] == ["black", "white", "black"]


def test_a_foul_is_let_stand_by_the_opponent(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(moves=Moves.RESPONSIBLE)
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.lay({"p24": ("white",), "p23": ("white",)})
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="white: Done").click()
    expect(page.locator("#board rect.wrong").first).to_be_visible()
    page.get_by_role("button", name="black: Let it stand").click()
    expect(page.locator("#moves li.stood")).to_have_count(1)
    expect(page.locator("#board g[data-cell=p23]")).to_have_count(1)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("seated", [True, False])
def test_own_dice_of_the_opponent_let_a_foul_stand(
    sit: Callable[..., Sitting], page: Any, told: bool, seated: bool
) -> None:
    dice, names = DiceFrom.ROLLED if told else DiceFrom.INFERRED, {"white": "Zoë", "black": "Émile"}
    table = sit(moves=Moves.RESPONSIBLE, players=names, dice=dice)
    opening = Roll(t=0, dice=(6, 1), side="white") if told else Choose(t=0, play="13: 8/5 6/5", side="black")
    table.tell(opening)
    table.lay({})
    table.tell(Press(t=0, button=Button.DONE, side="white"))
    page.goto(table.address)
    enter(page)
    if seated:
        more(page, "Whose phone is this?")
        page.locator("#fair-seats").get_by_role("button", name="Émile", exact=True).click()
        expect(page.locator("#role")).to_have_text("Acts for Émile")
    more(page, "Own dice")
    expect(page.locator("#dice-title")).to_have_text("Émile: Own dice")
    for place, face in enumerate("65"):
        page.locator("#faces fieldset").nth(place).get_by_role("button", name=face).click()
    page.click("#dice-send")
    expect(page.locator("#moves li.stood")).to_have_count(1)
    expect(page.locator("#phase")).to_have_text("Émile must play and press done")


def test_own_dice_of_nobody_in_a_foul_are_the_opponents(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(moves=Moves.LEGAL)
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.lay({})
    table.tell(Press(t=0, button=Button.DONE, side="white"))
    page.goto(table.address)
    enter(page)
    expect(page.locator("#tools")).to_be_visible()
    status = page.evaluate(
        "async () => (await fetch('/api/act', {method: 'POST', headers: {'content-type': 'application/json'},"
        " body: JSON.stringify({event: 'roll', dice: [6, 5]})})).status"
    )
    assert status == 204
    expect(page.locator("#phase")).to_have_text("Black must play and press done")


def test_the_game_is_paused_and_goes_on(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(terms=Terms(length=3), clock=Control(kind=Timing.DELAY))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    expect(page.locator(".clock").first).to_contain_text("6:00")
    page.click("#acting summary")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#phase")).to_have_text("The game is paused")
    expect(page.locator("#buttons button")).to_have_text(["Continue"])
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#phase")).to_have_text("White must play and press done")


@pytest.mark.parametrize("where", ["", "tv"])
def test_a_bronstein_clock_is_one_sum(sit: Callable[..., Sitting], page: Any, where: str) -> None:
    table = sit(clock=Control(Timing.BRONSTEIN, 100.0, 600.0))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.tell(Press(t=0, button=Button.PAUSE))
    page.goto(table.address + where)
    expect(page.locator(".clock")).to_have_text(["11:39", "10:00"])


def test_a_clock_of_hours_shows_them(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(clock=Control(Timing.DELAY, 12.0, 32405.0))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.tell(Press(t=0, button=Button.PAUSE))
    for where, wide, high in (("", 320, 568), ("", 1280, 720), ("tv", 1080, 1920), ("tv", 1920, 1080)):
        page.set_viewport_size({"width": wide, "height": high})
        page.goto(table.address + where)
        clock = page.locator(".clock")
        expect(clock).to_have_text([re.compile(r"9:00:05 \+1[12]"), "9:00:05"])
        assert clock.first.evaluate("each => each.scrollWidth <= each.clientWidth"), (where, wide)


def test_checkers_glide_and_the_board_turns_round(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit()
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    expect(page.locator("#board g[data-cell=p24]")).to_have_count(2)
    page.evaluate(COUNT_GLIDES)
    table.tell(Choose(t=0, play="13/7 8/7"))
    expect(page.locator("#board g[data-cell=p7]")).to_have_count(2)
    assert page.evaluate("() => window.glides") == 2
    corner = page.locator("#board g[data-cell=p1]").first
    was = corner.get_attribute("data-x"), corner.get_attribute("data-y")
    page.click("#flip")
    now = corner.get_attribute("data-x"), corner.get_attribute("data-y")
    assert float(was[0]) > 1000 > 500 > float(now[0])
    assert float(was[1]) > 600 > 500 > float(now[1])
    assert page.evaluate("() => window.glides") == 2
    page.click("#mirror")
    assert float(corner.get_attribute("data-x")) > 1000
    page.reload()
    expect(corner).to_have_attribute("data-y", now[1])


def test_a_foul_of_blacks_is_named_framed_and_shown_with_blacks_numbers(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Anna", "black": "Björn"})
    table.tell(Roll(t=0, dice=(6, 1), side="black", opening=True))
    table.lay({"p17": ("black",) * 2, "p22": ("black",)})
    page.goto(table.address)
    enter(page)
    page.get_by_role("button", name="Björn: Done").click()
    expect(page.locator("#judgement")).to_contain_text("left 8, came to 3")
    framed = """() => [...document.querySelectorAll("#board .wrong")].map((frame) => {
      const middle = Number(frame.getAttribute("x")) + 50, high = Number(frame.getAttribute("y")) < 500;
      return [...document.querySelectorAll("#board .label")].filter((each) =>
        Math.abs(each.getAttribute("x") - middle) < 2 && (each.getAttribute("y") < 500) === high
      ).map((each) => each.textContent)[0];
    })"""
    named = set(
        page.locator("#judgement p")
        .inner_text()
        .split("look at ")[1]
        .strip(")")
        .replace(" and", ",")
        .split(", ")
    )
    assert set(page.evaluate(framed)) == named
    page.click("#flip")
    assert set(page.evaluate(framed)) == named, "the numbers go with their points"
    expect(page.locator("#board .ghost circle.disc.second")).to_have_count(1)
    expect(page.locator("#board .gone circle.disc.second")).to_have_count(1)
    table.tell(Choose(t=0, play="13/7 8/7"))
    expect(page.locator("#board .ghost")).to_have_count(0)
    expect(page.locator("#board .label.touched")).to_have_text(["13", "8", "7"])


def test_before_anybody_moves_the_numbers_are_those_of_who_looks(
    sit: Callable[..., Sitting], page: Any
) -> None:
    page.goto(sit().address)
    corner = page.locator("#board .label").first
    expect(corner).to_have_text("1")
    page.click("#flip")
    expect(corner).to_have_text("24")


def test_mistyped_dice_are_taken_back_and_a_correction_stops_the_clock(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(clock=Control(Timing.DELAY, 12.0, 600.0), players={"white": "Anna", "black": "Björn"})
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    page.goto(table.address)
    enter(page)
    page.click("#more summary")
    page.get_by_role("button", name="Take the dice back").click()
    expect(page.locator("#judgement")).to_have_text("The players took the dice back: 6-1")
    assert table.session.state is State.OPENING
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    expect(page.locator("#judgement")).to_have_text("Anna begins, 3-1")
    more(page, "Correct the position")
    until(page, lambda: table.session.state is State.PAUSED)
    page.click("#stop")
    until(page, lambda: table.session.state is State.PLAY)
    more(page, "Correct the position")
    until(page, lambda: table.session.state is State.PAUSED)
    page.click("#save")
    until(page, lambda: table.session.state is State.PLAY)


def test_a_double_lies_in_the_middle_with_its_new_number_until_it_is_answered(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Anna", "black": "Björn"}, terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    table.tell(Choose(t=0, play="8/5 6/5"))
    table.tell(Press(t=0, button=Button.DOUBLE))
    page.goto(f"{table.address}tv")
    expect(page.locator("#judgement")).to_have_text("Björn doubles to 2")
    expect(page.locator("#board [data-kind=cube]")).to_have_text("2")
    expect(page.locator("#board .offered")).to_have_count(1)
    table.tell(Press(t=0, button=Button.TAKE))
    expect(page.locator("#judgement")).to_have_text("Anna takes; Anna owns the cube at 2")
    expect(page.locator("#board .offered")).to_have_count(0)


def test_the_big_screen_is_readable_from_five_metres(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(clock=Control(Timing.DELAY, 12.0, 600.0), terms=Terms(length=5))
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    for wide, high in ((1920, 1080), (3840, 2160), (1080, 1920)):
        page.set_viewport_size({"width": wide, "height": high})
        page.goto(f"{table.address}tv?dark")
        expect(page.locator(".terms")).to_have_text("Backgammon, 5 points")
        for part in (".score", ".clock"):
            # In one go: between finding and measuring, the page may draw it anew.
            size = page.evaluate(
                "(part) => parseFloat(getComputedStyle(document.querySelector(part)).fontSize)",
                f".player {part}",
            )
            assert size >= 0.045 * high, (part, wide)
        told = box_of(page.locator("#judgement strong"))
        assert told["height"] >= 0.045 * high
        if wide > high:
            assert box_of(page.locator("#board .die").first)["height"] >= 0.045 * high
        assert told["y"] + told["height"] <= high


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1080, 1920)])
def test_the_big_screen_shows_a_long_foul_and_the_board_whole(
    sit: Callable[..., Sitting], page: Any, size: tuple[int, int]
) -> None:
    map_ = drawn(["##############", *["#............#"] * 5, "#....n.......#", "##############"])
    options = {**map_["board"], "border": map_["border"], "fortresses": map_["fortresses"]}
    table = sit("siege-master", options=options, players={"red": "Anna Magdalena", "blue": "Björn"})
    free = [cell for cell, look in table.session.position.looks().items() if not look]
    table.lay(dict.fromkeys((*free[:3], *free[30:33]), ("army.red",)) | {free[50]: ("fortress.red",)})
    table.tell(Press(t=0, button=Button.DONE, side="red"))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{table.address}tv")
    expect(page.locator("#judgement p")).to_contain_text("Nearest legal play")
    for part in ("#judgement p", "#board"):
        box = box_of(page.locator(part))
        assert box["y"] + box["height"] <= size[1], part


@pytest.mark.parametrize("size", [(844, 390), (1366, 768)])
def test_beside_a_wide_board_the_judgement_is_in_view(
    sit: Callable[..., Sitting], page: Any, size: tuple[int, int]
) -> None:
    table = sit(clock=Control(Timing.DELAY, 12.0, 600.0))
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    table.tell(Choose(t=0, play="8/5 6/5"))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(table.address)
    expect(page.locator("#judgement")).to_contain_text("8/5 6/5")
    for part in ("#board", "#judgement", ".players"):
        box = box_of(page.locator(part))
        assert box["x"] >= 0, part
        assert box["y"] >= 0, part
        assert box["x"] + box["width"] <= size[0], part
        assert box["y"] + box["height"] <= size[1], part


def test_who_listens_hears_dice_cube_and_who_moved_and_the_line_to_the_table_once(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"}, terms=Terms(length=5))
    page.goto(table.address)
    expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#board-text")).to_contain_text("; Cube: 1, nobody")
    watch = (
        "window.written = 0; new MutationObserver(() => window.written++).observe(line, {childList: true})"
    )
    page.evaluate(f"() => {{ const line = document.getElementById('line'); {watch}; }}")
    table.tell(Roll(t=0, dice=(3, 1), side="white"))
    table.tell(Choose(t=0, play="8/5 6/5"))
    table.tell(Correct(t=0, cube=2, owner="black"))
    table.tell(Roll(t=0, dice=(4, 6), side="black"))
    expect(page.locator("#board-text")).to_contain_text("; Cube: 2, Bob; Dice: 6-4")
    expect(page.locator("#moves li").first.get_by_role("img", name="Ann")).to_have_count(1)
    assert page.evaluate("() => window.written") == 0


def test_pyramids_are_drawn_by_layer_and_beside_the_points_by_size(
    sit: Callable[..., Sitting], page: Any
) -> None:
    position = board({20: ["white", [1, 2], "black", [3]]}, bar={"black": [1]})
    page.goto(sit("icegammon", position=position).address)
    expect(page.locator("#board g[data-cell=p20]")).to_have_count(3)
    expect(page.locator("#board g[data-cell='hand.white'][data-kind='white.3']")).to_have_count(5)
    expect(page.locator("#board g[data-cell='bar.black'] polygon")).to_have_count(1)
    heights = [float(one.get_attribute("data-y")) for one in page.locator("#board g[data-cell=p20]").all()]
    assert heights[0] < heights[1] < heights[2]
    across = {one.get_attribute("data-x") for one in page.locator("#board g[data-cell=p20]").all()}
    assert len(across) == 1, "one column on each point"
    expect(page.locator("#board g[data-cell=p20] .covered")).to_have_count(2)
    expect(page.locator("#board-text")).to_contain_text(
        "point 20: 1 black of size 3, on 1 white of size 1, 1 white of size 2;"
    )
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_map_of_hexes_is_drawn_with_its_armies(sit: Callable[..., Sitting], page: Any) -> None:
    map_ = drawn(["######", "#.n..#", "#....#", "#..n.#", "######"])
    table = sit(
        "siege-master", options={**map_["board"], "border": map_["border"], "fortresses": map_["fortresses"]}
    )
    page.goto(table.address)
    expect(page.locator("#board polygon.hex")).to_have_count(30)
    expect(page.locator("#board path.tower.neutral")).to_have_count(2)
    assert table.session.position is not None
    play = next(
        play
        for play in table.session.position.plays()
        if "red" in play.after.to_json()["fortresses"].values()
    )
    taken = list(play.after.to_json()["fortresses"].values()).count("red")
    table.tell(Choose(t=0, play=play.text))
    expect(page.locator("#board g[data-kind='army.red']")).to_have_count(4)
    heard = page.locator("#board-text").text_content().split("; ")
    army = [f"hex {step.target[4:]}" for step in play.steps if step.piece == "army.red"]
    assert heard[0] == f"army red: {', '.join(army)}"
    assert sum("army" in part for part in heard) == 1, "not once for each of its hexes"
    assert "supply blue: 20 armies left, 2 fortresses" in heard
    expect(page.locator(".player").first).to_contain_text(
        f"{taken} fortress{'es' * (taken > 1)} · 19 armies left"
    )
    expect(page.locator(".player").last).to_contain_text("0 fortresses · 20 armies left")
    row = page.locator("#moves li", has_text=play.text).locator("> *")
    expect(row).to_have_text(["1", "", play.text])  # and no empty place for dice
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_the_big_screen_shows_board_and_score_and_nothing_to_press(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(players={"white": "Ann"})
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{table.address}tv?clear")
    expect(page.locator(".player .name").first).to_have_text("Ann")
    expect(page.locator("#board circle.disc")).to_have_count(30)
    assert page.locator("button:visible").count() == 0
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("() => document.documentElement.scrollHeight") <= 1080
    table.tell(Press(t=0, button=Button.ROLL, side="white"))
    expect(page.locator("#phase")).to_have_text("The dice have not fallen yet")


def test_a_match_is_found_in_the_archive_replayed_downloaded_and_put_away(
    sit: Callable[..., Sitting], page: Any, tmp_path: Path
) -> None:
    log(tmp_path, "2026-01-02-abc")
    log(tmp_path, "2026-01-03-def", events=(Begin(t=0, rules="icegammon", players={"white": "Cleo"}),))
    page.goto(sit(archive=tmp_path).address)
    enter(page)
    page.click("#archive summary")
    expect(page.locator("#games li")).to_have_count(2)
    page.fill("#search", "ann")
    expect(page.locator("#games li")).to_have_count(1)
    expect(page.locator("#games strong")).to_have_text("Ann – <b>Bob</b>")
    with page.expect_download() as download:
        page.click("a.file >> text=.mat")
    assert "3 point match" in download.value.path().read_text()
    page.get_by_role("button", name="Replay").click()
    expect(page.locator("#slider-text")).to_have_text("1 of 3")
    expect(page.locator("#board g[data-cell=p13]")).to_have_count(5)
    page.press("#slider", "End")
    expect(page.locator("#board g[data-cell=p7]")).to_have_count(2)
    row = page.locator("#moves .go", has_text="13/7 8/7")
    expect(row).to_have_attribute("aria-current", "step")
    page.click("#board")
    page.locator("#slider").blur()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#slider-text")).to_have_text("2 of 3")
    expect(row).not_to_have_attribute("aria-current", "step")
    row.click()
    expect(page.locator("#slider-text")).to_have_text("3 of 3")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator("#slider-text")).to_have_text("3 of 3")
    expect(page.get_by_role("button", name="Play it")).to_be_visible()
    page.click("#live")
    expect(page.locator("#board g[data-cell=p13]")).to_have_count(5)
    page.get_by_role("button", name="Hide").click()
    expect(page.locator("#games li")).to_have_text("No match was found.")
    page.get_by_role("button", name="Show again").click()
    expect(page.locator("#games strong")).to_have_text("Ann – <b>Bob</b>")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_a_misread_position_is_mended_by_dragging_and_by_the_keyboard(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(table.address)
    enter(page, table.keeper.director)
    page.click("#acting summary")
    page.get_by_role("button", name="Correct the position").click()
    page.evaluate("() => window.scrollTo(0, 0)")
    drag(page, "#board g[data-cell=p13]", "#board .zone[data-cell=p7]")
    expect(page.locator("#board g[data-cell=p7]")).to_have_count(1)
    drag(page, "#board g[data-cell=p24]", "#board .zone[data-cell=p1]")  # black stands there
    expect(page.locator("#board g[data-cell=p24]")).to_have_count(2)
    page.select_option("#from", "p1")
    page.select_option("#to", "bar.black")
    page.click("#move")
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    found = table.session.position.to_json()
    assert (found["points"]["7"], found["points"]["13"], found["points"]["1"], found["bar"]) == (
        1,
        4,
        -1,
        [0, 1],
    )


def test_pyramids_are_mended_too(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit("icegammon", position=board({20: ["white", [1, 2], "black", [3]]}))
    page.goto(table.address)
    enter(page, table.keeper.director)
    page.click("#acting summary")
    page.get_by_role("button", name="Correct the position").click()
    page.select_option("#from", "p20 black.3")
    page.select_option("#to", "p5")
    page.click("#move")
    page.click("#save")
    expect(page.locator("#correct")).to_be_hidden()
    assert table.session.position is not None
    assert table.session.position.to_json()["points"] == {"20": [["white", [1, 2]]], "5": [["black", [3]]]}


def test_borne_off_checkers_lie_in_the_tray_as_wide_as_checkers_are(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit(position={"turn": "white", "points": {"6": 12, "24": -15}, "bar": [0, 0], "off": [3, 0]})
    page.goto(table.address)
    expect(page.locator("#board g[data-cell='off.white']")).to_have_count(3)
    lying = box_of(page.locator("#board g[data-cell='off.white'] rect").first)
    disc = box_of(page.locator("#board g[data-cell=p6] circle.disc").first)
    assert lying["width"] > 0.9 * disc["width"] > 2 * lying["height"]


def test_the_link_of_a_qr_code_lets_in_at_once_and_leaves_no_secret_in_the_address(
    sit: Callable[..., Sitting], page: Any
) -> None:
    table = sit()
    page.goto(f"{table.address}#join={table.keeper.invitation}")
    expect(page.locator("#tools")).to_be_visible()
    assert page.url == table.address


def test_the_big_screen_asks_in_until_the_first_move(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(host="0.0.0.0")
    here = f"http://127.0.0.1:{table.address.rstrip('/').rpartition(':')[2]}/"
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{here}tv")
    expect(page.locator("#invitation")).to_be_visible()
    expect(page.locator("#invitation-address")).to_have_text(table.address.split("/")[2])
    expect(page.locator("#invitation-pin")).to_have_text("")  # it runs on the device, but has no token
    page.goto("about:blank")
    page.goto(f"{here}tv#screen={table.keeper.screen}")
    expect(page.locator("#invitation-pin")).to_have_text(f"PIN {PIN}")
    expect(page.locator("#invitation-code")).to_have_js_property("complete", True)
    assert page.evaluate("() => document.getElementById('invitation-code').naturalWidth") > 0
    assert page.evaluate("() => document.documentElement.scrollHeight") <= 1080
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    table.tell(Choose(t=0, play="13/7 8/7"))
    expect(page.locator("#invitation")).to_be_hidden()
    page.goto(f"{here}tv?clear")
    expect(page.locator("#board circle.disc").first).to_be_visible()
    assert page.locator("#invitation").is_hidden()


def test_a_page_that_only_its_own_machine_can_open_asks_nobody_in(
    sit: Callable[..., Sitting], page: Any
) -> None:
    page.goto(f"{sit().address}tv")
    expect(page.locator("#board circle.disc").first).to_be_visible()
    expect(page.locator("#invitation")).to_be_hidden()
    assert page.request.get(f"{page.url[:-2]}api/invitation").json()["address"] is None
