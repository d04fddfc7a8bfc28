"""The page shows the table's public key, and never the private one."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware.page.app import application
from firmware.page.invitation import code as qr
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record.table_key import FILE, TableKey, code, grouped


def ask(state: Path | None, *paths: str) -> list[httpx.Response]:
    async def go() -> list[httpx.Response]:
        transport = httpx.ASGITransport(application(TablePage(Feed(), lambda: b"", archive=state)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return [await client.get(path) for path in paths]

    return asyncio.run(go())


def test_it_is_a_page_a_picture_and_json(tmp_path: Path) -> None:
    key = TableKey.load_or_make(tmp_path)
    page, data, picture = ask(tmp_path, "/key", "/api/key", "/key.svg")
    assert grouped(key.public) in page.text
    assert data.json() == {"key": key.public, "code": code(key.public)}
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.startswith("<svg")
    private = (tmp_path / FILE).read_text().splitlines()[1]
    assert not any(private in each.text for each in (page, data, picture))


def test_the_code_can_be_read() -> None:
    # A key of the test's own: OpenCV's reader fails at a few of all codes.
    public = TableKey(Ed25519PrivateKey.from_private_bytes(b"\1" * 32)).public
    out = io.BytesIO()
    qr(code(public)).save(out, kind="png", border=4, scale=6)
    drawn = cv2.imdecode(np.frombuffer(out.getvalue(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert drawn is not None
    assert cv2.QRCodeDetector().detectAndDecode(drawn)[0] == code(public)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_table_without_a_key_says_so(tmp_path: Path, damaged: bool) -> None:
    if damaged:
        (tmp_path / FILE).write_text("rubbish")
    for answer in ask(tmp_path, "/key", "/api/key", "/key.svg"):
        assert answer.status_code == 404
        assert "this table has no key, so it signs no matches" in answer.text.lower()
