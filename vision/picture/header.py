"""What a picture file says of itself before anything is decoded: its format and its size.

A few bytes can promise gigabytes, and decoders believe them; some also write to standard error what they
think of a broken file. So files are looked at here first, and only those of known formats, of a sane size and
(where it is cheap to see) whole are decoded. A file that can be read in two ways (the same tag twice, a first
chunk that is not the header) is damaged: the decoder might take the other one.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from engine.messages import phrase
from vision.errors import ImageError

Size = tuple[int, int]


@dataclass(frozen=True)
class Header:
    """``form`` names the format; ``size`` is (width, height) as stored, before any turn that the file asks
    for; ``depth`` bytes are kept of each pixel while it is decoded."""

    form: str
    size: Size
    depth: int = 4


def header(data: bytes) -> Header:
    """Format and size. Raises ImageError for an unknown or a broken file, with what to do about it."""
    for form in FORMATS:
        if data.startswith(form.starts) and form.also in data[8:12]:
            try:
                return Header(form.name, form.size(data), form.depth(data))
            except BROKEN as error:
                raise ImageError(
                    phrase("the {form} is damaged or cut off; copy the file again", form=form.name)
                ) from error
    if data[4:8] == b"ftyp":
        heic = data[8:12] in (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
        kind = "HEIC" if heic else "AVIF" if data[8:12].startswith(b"avi") else "video"
        raise ImageError(
            phrase(
                "{kind} files are not read here: save the picture as JPEG (phones: camera settings, 'most"
                " compatible')",
                kind=kind,
            )
        )
    raise ImageError(phrase("not a picture in a format known here (JPEG, PNG, WebP, TIFF, BMP, GIF)"))


def whole(data: bytes, form: str) -> bool:
    """Whether the file of this format goes on to its end, as far as that is cheap to see; the decoder would
    print its own opinion."""
    try:
        return next(known.ends(data) for known in FORMATS if known.name == form)
    except BROKEN:
        return False


BROKEN = (struct.error, IndexError, KeyError, ValueError, OverflowError)
"""What reading a broken file may raise."""


class _Most(IntEnum):
    """What no picture has more of: passes over a JPEG (a progressive one has about ten, and each costs as
    much as the picture is large) and its markers (a depth map of 10 MB takes 160), pixels of a TIFF's side
    (there may be a table entry for each line) and of a tile's (a whole one is decoded at once, however small
    the picture is)."""

    SCANS = 100
    MARKERS = 10_000
    SIDE = 65_535
    TILE = 4096


_JPEG_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
"""Those that stand alone in or before the picture's own bytes left out."""
_SCAN, _END = 0xDA, 0xD9


def _jpeg_markers(data: bytes) -> Iterator[tuple[int, int]]:
    """The markers up to the picture's end, each with where what it says begins. Phones write a film or a
    second picture behind that."""
    at = 2
    for _ in range(_Most.MARKERS):
        if (found := _JPEG_MARKER.search(data, at)) is None:
            return
        marker, at = found[1][0], found.end()
        yield marker, at
        if marker == _END:
            return
        at += struct.unpack(">H", data[at : at + 2])[0]


def _jpeg(data: bytes) -> Size:
    for marker, at in _jpeg_markers(data):
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 3 : at + 7])
            return width, height
    raise ValueError("no picture in it")


def _jpeg_depth(data: bytes) -> int:
    """Of one in several passes all coefficients are kept (two bytes each), whatever size it is decoded at."""
    scans = sum(marker == _SCAN for marker, _ in _jpeg_markers(data))
    if scans > _Most.SCANS:
        raise ValueError("too many passes")
    return 1 if scans < 2 else 6


def _jpeg_ends(data: bytes) -> bool:
    return any(marker == _END for marker, _ in _jpeg_markers(data))


def _png(data: bytes) -> Size:
    length, name, width, height = struct.unpack(">I4sII", data[8:24])
    if length != 13 or name != b"IHDR":
        raise ValueError("the header is not where it must be")
    return width, height


def _png_depth(data: bytes) -> int:
    return 8 if data[24] == 16 else 4


def _png_ends(data: bytes) -> bool:
    at = 8
    while True:
        length, name = struct.unpack(">I4s", data[at : at + 8])
        end = at + 8 + length
        if zlib.crc32(data[at + 4 : end]) != struct.unpack(">I", data[end : end + 4])[0]:
            return False
        if name == b"IEND":
            return True
        at = end + 4


def _bmp(data: bytes) -> Size:
    known, width, height = struct.unpack("<Iii", data[14:26])
    if known < 40 or width <= 0:
        raise ValueError("a header of OS/2, or none")  # its numbers have half the bytes
    return width, abs(height)


def _bmp_ends(data: bytes) -> bool:
    width, height = _bmp(data)
    start, bits, packing = struct.unpack("<I", data[10:14])[0], *struct.unpack("<HI", data[28:34])
    packed = packing in (1, 2)  # runs, of any length
    return bits <= 32 and bool(packed or len(data) >= start + (width * bits + 31) // 32 * 4 * height)


def _gif(data: bytes) -> Size:
    width, height = struct.unpack("<HH", data[6:10])
    return width, height


def _webp(data: bytes) -> Size:
    name = data[12:16]
    if name == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if name == b"VP8L":
        packed = struct.unpack("<I", data[21:25])[0]
        return 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF)
    if name != b"VP8 ":
        raise ValueError("no picture where it must be")
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


class _Tag(IntEnum):
    """The tags of a TIFF that say how much there is, and where it is."""

    WIDTH = 256
    HEIGHT = 257
    BITS = 258
    STARTS = 273
    SAMPLES = 277
    ROWS = 278
    LENGTHS = 279
    TILE_WIDTH = 322
    TILE_HEIGHT = 323
    TILE_STARTS = 324
    TILE_LENGTHS = 325


def _tiff(data: bytes) -> Size:
    """Of the first of its pictures, which is the one that is decoded."""
    tags = _tags(data)
    (width,), (height,) = tags[_Tag.WIDTH], tags[_Tag.HEIGHT]
    tile = max(tags.get(side, (0,))[0] for side in (_Tag.TILE_WIDTH, _Tag.TILE_HEIGHT))
    if max(width, height) > _Most.SIDE or tile > _Most.TILE:
        raise ValueError("a side that no picture has")
    return width, height


def _tiff_depth(data: bytes) -> int:
    """Bits of 16 or 32 are decoded as they are, all others as bytes."""
    tags = _tags(data)
    (samples,), bits = tags.get(_Tag.SAMPLES, (1,)), tags.get(_Tag.BITS, (1,))
    if not 1 <= samples <= 4 or len(bits) not in (1, samples) or set(bits) - {1, 2, 4, 8, 16, 32}:
        raise ValueError("no pixels that are known here")
    return 4 * max(1, max(bits) // 8)


def _tiff_ends(data: bytes) -> bool:
    """Whether all strips or tiles are in the file, none of them twice over."""
    tags = _tags(data)
    for starts, lengths in ((_Tag.STARTS, _Tag.LENGTHS), (_Tag.TILE_STARTS, _Tag.TILE_LENGTHS)):
        parts = list(zip(tags.get(starts, ()), tags.get(lengths, ()), strict=True))
        if any(start + length > len(data) for start, length in parts):
            return False
        if sum(length for _, length in parts) > len(data):
            return False
    return True


def _tags(data: bytes) -> dict[int, tuple[int, ...]]:
    """What the tags say that matter here. Raises one of BROKEN, also where one of them is there twice, or is
    not a whole number of two or four bytes."""
    order = "<" if data[:2] == b"II" else ">"
    at = struct.unpack(order + "I", data[4:8])[0]
    tags: dict[int, tuple[int, ...]] = {}
    for index in range(struct.unpack(order + "H", data[at : at + 2])[0]):
        entry = data[at + 2 + 12 * index : at + 14 + 12 * index]
        tag, kind, count = struct.unpack(order + "HHI", entry[:8])
        if tag not in tuple(_Tag):
            continue
        if tag in tags:
            raise ValueError("a tag is there twice")
        code = {3: "H", 4: "I"}[kind]
        if not 1 <= count <= 1_000_000:
            raise ValueError("a tag of no sane length")
        long = count * struct.calcsize(code)
        start = 0 if long <= 4 else struct.unpack(order + "I", entry[8:12])[0]
        values = entry[8 : 8 + long] if long <= 4 else data[start : start + long]
        tags[tag] = struct.unpack(f"{order}{count}{code}", values)
    return tags


@dataclass(frozen=True)
class _Format:
    """How such a file ``starts``, what is its third word (``also``), and what finds its ``size``, its
    ``depth`` in bytes, and whether it ``ends`` as it must."""

    name: str
    starts: bytes | tuple[bytes, ...]
    size: Callable[[bytes], Size]
    ends: Callable[[bytes], bool]
    depth: Callable[[bytes], int] = lambda data: 4
    also: bytes = b""


FORMATS = (
    _Format("JPEG", b"\xff\xd8", _jpeg, _jpeg_ends, _jpeg_depth),
    _Format("PNG", b"\x89PNG\r\n\x1a\n", _png, _png_ends, _png_depth),
    _Format(
        "WebP", b"RIFF", _webp, lambda data: len(data) >= struct.unpack("<I", data[4:8])[0] + 8, also=b"WEBP"
    ),
    _Format("TIFF", (b"II*\0", b"MM\0*"), _tiff, _tiff_ends, _tiff_depth),
    _Format("BMP", b"BM", _bmp, _bmp_ends),
    _Format("GIF", b"GIF8", _gif, lambda data: True),
)
