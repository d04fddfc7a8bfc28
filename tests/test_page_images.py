"""The page's own pictures are made by a script, and are what it makes."""

import cv2
import numpy as np
import pytest

from docs.drawings import page_images

FILES = page_images.files()


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_picture_is_what_the_script_draws(name: str) -> None:
    kept = (page_images.STATIC / name).read_bytes()
    one, other = (
        cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) for data in (kept, FILES[name])
    )
    assert one is not None
    assert other is not None
    assert one.shape == other.shape
    seen = [each.astype(float) * (each[..., 3:] / 255 if each.shape[2] == 4 else 1) for each in (one, other)]
    assert np.abs(seen[0] - seen[1]).mean() < 2, "run: python -m docs.drawings.page_images"
