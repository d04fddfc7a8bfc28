"""What an evening at the table has shown to be unhandy, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.clock import Control, Timing
from engine.events import Roll
from engine.match import Terms
from tests.firmware.conftest import REEL
from tests.firmware.sitting_browser import CHROMIUM, Sitting, enter, expect

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
    board, sheet = page.locator("#board").bounding_box(), page.locator("#acting").bounding_box()
    assert board["y"] + board["height"] <= sheet["y"]
    assert sheet["y"] + sheet["height"] <= height


def test_dice_are_one_word_on_the_big_screen(sit: Callable[..., Sitting], page: Any) -> None:
    table = sit(players={"white": "Ann", "black": "Bob"})
    table.tell(Roll(t=0, dice=(5, 3), side="white"))
    page.goto(f"{table.address}tv")
    told = page.locator("#judgement strong .whole")
    expect(told).to_have_text("5-3")
    page.locator("#judgement").evaluate("(box) => { box.style.width = '1em'; }")
    assert told.evaluate("(each) => each.getClientRects().length") == 1
