from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.errors import ImageError
from vision.picture.frame import Frame, Image, accept, decode, load


def _coded(image: np.ndarray, form: str = ".png") -> bytes:
    return bytes(cv2.imencode(form, image)[1])


def _scene(height: int = 90, width: int = 120) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2] = (200, 120, 40)
    return image


def test_a_colour_picture_comes_through_unchanged() -> None:
    assert np.array_equal(decode(_coded(_scene())).image, _scene())


def test_grey_becomes_three_equal_channels() -> None:
    image = decode(_coded(_scene()[..., 0])).image
    assert image.shape == (90, 120, 3)
    assert np.array_equal(image[..., 0], image[..., 2])


def test_sixteen_bits_become_eight() -> None:
    deep = _scene().astype(np.uint16) * 257
    assert np.array_equal(decode(_coded(deep)).image, _scene())


def test_transparency_is_dropped() -> None:
    clear = np.dstack([_scene(), np.full((90, 120), 7, np.uint8)])
    assert np.array_equal(decode(_coded(clear)).image, _scene())


def test_a_turned_phone_picture_is_put_upright() -> None:
    plain = _coded(np.repeat(np.repeat(_scene(), 2, 0), 2, 1), ".jpg")
    # Orientation 6: a quarter turn
    turn = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    tagged = plain[:2] + b"\xff\xe1" + struct.pack(">H", len(turn) + 2) + turn + plain[2:]
    upright = decode(tagged).image
    assert upright.shape[:2] == (240, 180)
    assert upright[:100].mean() > upright[-100:].mean() + 50


def test_huge_pictures_are_halved_until_they_are_useful() -> None:
    frame = accept(np.zeros((3000, 4000, 3), np.uint8))
    assert frame.image.shape == (1500, 2000, 3)
    assert frame.scale == 0.5


@pytest.mark.parametrize("shape", [(1, 1, 3), (5000, 10, 3), (0, 5, 3), (90, 90, 2), (90,)])
def test_what_is_no_picture_of_a_board_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ImageError):
        accept(np.zeros(shape, np.uint8))


@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 0, 3), np.uint8), np.zeros((90, 90, 3), np.uint16), np.zeros((90, 90, 4), np.uint8), None],
)
def test_a_frame_holds_nothing_but_pictures(array: Image) -> None:
    """A file that OpenCV did not find is None."""
    with pytest.raises(ImageError, match="height x width x 3"):
        Frame(array)


def test_half_a_jpeg_is_refused() -> None:
    whole = _coded(np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8), ".jpg")
    with pytest.raises(ImageError, match="cut off"):
        decode(whole[: len(whole) // 2])


def test_what_a_phone_writes_behind_a_jpeg_does_no_harm() -> None:
    """A film (motion photos) or a second picture, with whatever bytes."""
    image = np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    whole = _coded(image, ".jpg")
    for behind in (bytes(6000), b"\0\0\0\x18ftypmp42" + b"\xff\xda" * 500, whole):
        assert np.array_equal(decode(whole + behind).image, decode(whole).image)
    with pytest.raises(ImageError, match="cut off"):
        decode(whole[: len(whole) // 2] + bytes(6000))


def test_a_small_file_that_promises_gigapixels_is_refused_before_it_is_decoded() -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    with pytest.raises(ImageError, match="100000x100000"):
        decode(bomb)


@pytest.mark.parametrize("form", [".jpg", ".png", ".webp", ".tiff", ".bmp"])
def test_half_a_file_is_refused_whatever_its_format(form: str) -> None:
    whole = _coded(np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8), form)
    assert decode(whole).image.shape == (200, 200, 3)
    with pytest.raises(ImageError, match="cut off"):
        decode(whole[: len(whole) // 2])


def test_a_damaged_png_is_refused_by_its_checksum() -> None:
    whole = bytearray(_coded(np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8)))
    whole[len(whole) // 2] ^= 255
    with pytest.raises(ImageError, match="damaged"):
        decode(bytes(whole))


@pytest.mark.parametrize(("brand", "word"), [(b"heic", "HEIC"), (b"avif", "AVIF"), (b"isom", "video")])
def test_what_phones_also_save_is_named_with_the_way_out(brand: bytes, word: str) -> None:
    with pytest.raises(ImageError, match=f"{word}.*JPEG"):
        decode(b"\0\0\0\x18ftyp" + brand + bytes(600))


@pytest.mark.parametrize("form", [".webp", ".tiff", ".bmp"])
def test_gigapixels_are_refused_in_other_formats_too(form: str) -> None:
    data = bytearray(cv2.imencode(form, _scene(), [cv2.IMWRITE_WEBP_QUALITY, 80])[1])
    if form == ".bmp":
        struct.pack_into("<ii", data, 18, 60_000, 60_000)
        data[30:34] = struct.pack("<I", 1)
    elif form == ".webp":
        struct.pack_into("<HH", data, 26, 16_383, 16_383)
    else:
        at = struct.unpack("<I", data[4:8])[0]
        for entry in range(at + 2, at + 2 + 12 * struct.unpack("<H", data[at : at + 2])[0], 12):
            if struct.unpack("<H", data[entry : entry + 2])[0] in (256, 257):
                struct.pack_into("<HII", data, entry + 2, 4, 1, 60_000)
    with pytest.raises(ImageError, match="megapixels"):
        decode(bytes(data))


def test_a_large_jpeg_is_decoded_small_and_turned_upright() -> None:
    large = _coded(np.repeat(np.repeat(_scene(), 60, 0), 60, 1), ".jpg")
    frame = decode(large)
    assert frame.image.shape == (1350, 1800, 3)
    assert frame.scale == 0.25
    turn = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    assert decode(
        large[:2] + b"\xff\xe1" + struct.pack(">H", len(turn) + 2) + turn + large[2:]
    ).image.shape == (1800, 1350, 3)


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    for path in (tmp_path, tmp_path / "pipe.jpg"):
        with pytest.raises(ImageError, match="no file"):
            load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"nowhere\.jpg"):
        load(tmp_path / "nowhere.jpg")


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"BM", b"RIFF", b"II*\0"]),
)
def test_random_bytes_are_an_error_and_never_a_crash(tail: bytes, head: bytes) -> None:
    with pytest.raises(ImageError):
        decode(head + tail)
