"""Players call the director of their club, where their table belongs to one."""

from __future__ import annotations

import asyncio

import httpx
from fastapi import FastAPI

from firmware.page.access import Keeper
from firmware.page.app import application
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage

PATH = "/api/director-call"


def keeper() -> Keeper:
    return Keeper("271828", b"key", lambda: 0.0)


def browser(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table")


class Calls:
    """A way to the director that notes what is called."""

    def __init__(self) -> None:
        self.called, self.coming = False, ""
        self.told: list[tuple[bool, str]] = []

    def call_director(self, called: bool, why: str) -> None:
        self.called = called
        self.told.append((called, why))


def test_players_call_the_director_and_call_it_off_and_nobody_else_does() -> None:
    calls = Calls()
    app = application(TablePage(Feed(), lambda: None, keeper(), calls=calls))

    async def go() -> None:
        async with browser(app) as player:
            assert (await player.get(PATH)).json() == {"called": False, "coming": ""}
            assert (await player.post(PATH, json={"called": True})).status_code == 401
            assert (await player.post("/api/pin", json={"pin": "271828"})).status_code == 204
            assert (await player.post(PATH, json={"called": 1})).status_code == 422
            assert (await player.post(PATH, json={"called": True, "why": "a\nquestion"})).status_code == 204
            calls.coming = "Ada"
            assert (await player.get(PATH)).json() == {"called": True, "coming": "Ada"}
            assert (await player.post(PATH, json={"called": False})).status_code == 204

    asyncio.run(go())
    assert calls.told == [(True, "a question"), (False, "")]


def test_a_table_without_a_hub_has_nobody_to_call() -> None:
    async def go() -> None:
        async with browser(application(TablePage(Feed(), lambda: None, keeper()))) as player:
            assert (await player.get(PATH)).json() == {"called": None, "coming": ""}
            assert (await player.post(PATH, json={"called": True})).status_code == 405

    asyncio.run(go())
