"""A director at the console in a real browser: enters players, draws, opens rounds, types results; and what
must come of it, worked out without any of the hub's code."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.firmware.hub.club import PIN, Club
from tests.firmware.sitting_browser import PATIENCE

Results = dict[tuple[str, str], str]
"""Who won, by the two who met (in the order of their names)."""


def sign_in(page: Any, club: Club) -> None:
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{club.address}/director")
    page.fill("#who", "Ada")
    page.fill("#code", PIN)
    page.click("#enter button")
    page.locator("#settings").wait_for()


def make(page: Any, name: str, kind: str, lengths: str) -> None:
    if page.locator("#new").is_visible():
        page.click("#new")
    page.fill("#name", name)
    page.select_option("#kind", kind)
    page.fill("#lengths", lengths)
    page.click("#save")
    page.locator("#people").wait_for()


def enter_all(page: Any, names: list[str], folder: Path) -> None:
    """The players, out of a file."""
    file = folder / "players.csv"
    file.write_text("Player\n" + "".join(f"{name}\n" for name in names), encoding="utf-8")
    page.set_input_files("#players-csv", file)
    page.locator("#entries tbody tr").nth(len(names) - 1).wait_for()


def draw(page: Any, method: str = "lot", seed: str = "") -> None:
    page.select_option("#method", method)
    page.fill("#lot", seed)
    page.click("#draw button")
    page.locator("#playing").wait_for()


def play_round(page: Any, number: int, length: int, rng: random.Random) -> Results:
    """Opens a round and types the result of each of its matches."""
    page.select_option("#round", str(number))
    if page.locator("#open").is_enabled():
        page.click("#open")
        page.locator("#open:disabled").wait_for()
    results: Results = {}
    page.locator("#matches li:is(.ready, .over)").first.wait_for()
    rows = page.locator("#matches li")
    while page.locator("#matches li.ready").count():
        row = page.locator("#matches li.ready").first
        match = row.get_attribute("data-match")
        names = row.locator(".score label").all_inner_texts()
        first, second = (name.strip() for name in names)
        lost = rng.randrange(length)
        score = (length, lost) if rng.random() < 0.5 else (lost, length)
        fields = row.locator(".score input")
        fields.nth(0).fill(str(score[0]))
        fields.nth(1).fill(str(score[1]))
        row.locator(".score button.main").click()
        page.locator(f'#matches li.over[data-match="{match}"]').wait_for()
        one, other = sorted((first, second))
        results[one, other] = first if score[0] > score[1] else second
    assert rows.count() == page.locator("#matches li.over").count()
    return results


def rounds(page: Any) -> int:
    return int(page.locator("#round option").count())


def standings(page: Any, club: Club, name: str) -> list[tuple[str, str]]:
    """Place and player, as the public sees them."""
    page.goto(f"{club.address}/")
    page.select_option("#choose", label=name)
    page.get_by_role("heading", name=name).wait_for()
    rows = page.locator("#standings tbody tr")
    rows.first.wait_for()
    return [tuple(cells[:2]) for cells in (row.locator("td").all_inner_texts() for row in rows.all())]


def expected_elimination(names: list[str], results: list[Results]) -> list[tuple[str, set[str]]]:
    """Places, and who share them: those who lost in the same round, the later the better."""
    places: list[tuple[str, set[str]]] = []
    gone: set[str] = set()
    for found in results:
        losers = {other if winner == one else one for (one, other), winner in found.items()}
        last = len(names) - len(gone)
        first = last - len(losers) + 1
        places.insert(0, (str(first) if first == last else f"{first}-{last}", losers))
        gone |= losers
    return [("1", set(names) - gone), *places]


def expected_round_robin(names: list[str], results: list[Results]) -> list[tuple[str, set[str]]]:
    """Places by wins, then by wins among the equal ones, then by the wins of those who were beaten."""
    beaten: dict[str, set[str]] = defaultdict(set)
    for found in results:
        for (one, other), winner in found.items():
            beaten[winner].add(other if winner == one else one)
    wins = {name: len(beaten[name]) for name in names}
    groups: dict[tuple[int, int, int], set[str]] = defaultdict(set)
    for name in names:
        direct = len([loser for loser in beaten[name] if wins[loser] == wins[name]])
        groups[wins[name], direct, sum(wins[loser] for loser in beaten[name])].add(name)
    places, place = [], 1
    for key in sorted(groups, reverse=True):
        last = place + len(groups[key]) - 1
        places.append((str(place) if place == last else f"{place}-{last}", groups[key]))
        place = last + 1
    return places


def check(shown: list[tuple[str, str]], wanted: list[tuple[str, set[str]]]) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for place, name in shown:
        found[place].add(name)
    assert dict(found) == dict(wanted)
    assert [place for place, _ in wanted] == list(dict.fromkeys(place for place, _ in shown))


def run(
    page: Any, club: Club, folder: Path, name: str, kind: str, count: int, lengths: list[int], seed: int
) -> int:
    """A whole tournament, from an empty form to the standings; how many matches were played."""
    rng = random.Random(seed)
    names = [f"Player {n:02}" for n in range(1, count + 1)]
    sign_in(page, club) if page.url == "about:blank" else page.goto(f"{club.address}/director")
    page.locator("#settings").wait_for()
    make(page, name, kind, ", ".join(map(str, lengths)))
    enter_all(page, names, folder)
    draw(page)
    results = [
        play_round(page, number, lengths[min(number, len(lengths)) - 1], rng)
        for number in range(1, rounds(page) + 1)
    ]
    page.click("#close")
    page.get_by_text("tournament closed").wait_for()
    expected = expected_elimination if kind == "elimination" else expected_round_robin
    check(standings(page, club, name), expected(names, results))
    return sum(len(found) for found in results)
