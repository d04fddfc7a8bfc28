"""Files that promise one thing and hold another: they are refused before a decoder sees them."""

from __future__ import annotations

import base64
import contextlib
import struct
import zlib

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.errors import ImageError
from vision.picture.frame import decode
from vision.stored import picture_from, picture_to


@pytest.fixture
def no_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(*_: object) -> None:
        raise AssertionError("this must not be decoded")

    monkeypatch.setattr(cv2, "imdecode", decoded)


SIDE = 100
SHORT, LONG = 3, 4
PIXELS = bytes(SIDE * SIDE * 3)
USUAL = {
    256: (LONG, SIDE),
    257: (LONG, SIDE),
    258: (SHORT, 8),
    259: (SHORT, 1),
    262: (SHORT, 2),
    273: (LONG, 8),
    277: (SHORT, 3),
    278: (LONG, SIDE),
    279: (LONG, len(PIXELS)),
}


def _tiff(changed: dict[int, tuple[int, int]], twice: tuple[tuple[int, int, int], ...] = ()) -> bytes:
    tags = [(tag, *value) for tag, value in (USUAL | changed).items()]
    entries = b"".join(
        struct.pack("<HHII", tag, kind, 1, value)
        for tag, kind, value in sorted((*twice, *tags), key=lambda entry: entry[0])
    )
    return (
        b"II*\0"
        + struct.pack("<I", 8 + len(PIXELS))
        + PIXELS
        + struct.pack("<H", len(USUAL) + len(changed.keys() - USUAL.keys()) + len(twice))
        + entries
        + bytes(4)
    )


def test_the_plain_tiff_of_these_tests_is_read() -> None:
    assert decode(_tiff({})).image.shape == (SIDE, SIDE, 3)


@pytest.mark.usefixtures("no_decoder")
@pytest.mark.parametrize(
    ("changed", "twice"),
    [
        ({}, ((256, LONG, 30_000), (257, LONG, 30_000))),
        ({}, ((258, SHORT, 8),)),
        ({256: (1, SIDE)}, ()),
        ({258: (SHORT, 64)}, ()),
        ({277: (SHORT, 5)}, ()),
        ({277: (SHORT, 60_000)}, ()),
        ({257: (LONG, 200_000)}, ()),
        ({322: (LONG, 60_000), 323: (LONG, 60_000)}, ()),
        ({324: (LONG, 8)}, ()),
        ({279: (LONG, 4_000_000_000)}, ()),
    ],
    ids=[
        "sizes twice", "bits twice", "size of one byte", "64 bits", "5 samples", "60000 samples",
        "a tall side", "a giant tile", "tiles without lengths", "a strip of 4 GB",
    ],
)  # fmt: skip
def test_a_tiff_that_can_be_read_in_two_ways_or_promises_too_much_is_refused(
    changed: dict[int, tuple[int, int]], twice: tuple[tuple[int, int, int], ...]
) -> None:
    with pytest.raises(ImageError, match=r"damaged|megapixels"):
        decode(_tiff(changed, twice))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _png(width: int, height: int, bits: int = 8, ahead: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, bits, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + ahead + _chunk(b"IHDR", head) + _chunk(b"IEND", b"")


@pytest.mark.usefixtures("no_decoder")
@pytest.mark.parametrize(
    "data",
    [
        _png(30_000, 30_000, ahead=_chunk(b"abCd", struct.pack(">II", 100, 100) + bytes(5))),
        _png(8000, 8000, 16),
        b"BM" + struct.pack("<IIIIHHHH", 500, 0, 26, 12, 100, 100, 1, 24) + bytes(500),
        b"RIFF" + struct.pack("<I", 60) + b"WEBPALPH" + struct.pack("<I", 40) + bytes(48),
    ],
    ids=["a PNG whose header comes second", "a deep PNG", "a BMP of OS/2", "a WebP that begins otherwise"],
)
def test_others_of_the_family_are_refused(data: bytes) -> None:
    with pytest.raises(ImageError, match=r"damaged|megapixels"):
        decode(data)


@pytest.mark.usefixtures("no_decoder")
def test_a_jpeg_of_thousands_of_passes_is_refused() -> None:
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, 6000, 8000, 3) + b"\1\x11\0\2\x11\0\3\x11\0"
    scan = b"\xff\xda" + struct.pack(">HB", 8, 1) + b"\1\0\1\1\0" + b"\0"
    with pytest.raises(ImageError, match="damaged"):
        decode(b"\xff\xd8" + frame + scan * 5000 + b"\xff\xd9")


@pytest.mark.usefixtures("no_decoder")
@pytest.mark.parametrize(
    "data",
    [_png(20_000, 20_000), bytes(200), b"\xff\xd8\xff" + bytes(99), _tiff({})],
    ids=["bomb", "", "", ""],
)
def test_a_rigs_surface_is_looked_at_before_it_is_decoded(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"surface|picture|damaged"):
        picture_from(base64.b64encode(data).decode())


def test_a_rigs_surface_comes_through() -> None:
    image = np.random.default_rng(1).integers(0, 255, (90, 120, 3)).astype(np.uint8)
    assert np.array_equal(picture_from(picture_to(image)), image)


WHOLE = [
    bytes(cv2.imencode(form, np.random.default_rng(1).integers(0, 255, (80, 80, 3)).astype(np.uint8))[1])
    for form in (".jpg", ".png", ".webp", ".tiff", ".bmp", ".gif")
    if cv2.haveImageWriter(form)
]


@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
def test_changed_bytes_give_a_picture_or_a_line(whole: bytes, changes: list[tuple[int, int]]) -> None:
    data = bytearray(whole)
    for place, value in changes:
        data[place % len(data)] = value
    with contextlib.suppress(ImageError):
        assert decode(bytes(data)).image.size < 10_000_000
