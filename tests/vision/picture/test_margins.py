"""Plain margins of a picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.picture.margins import shown

SCENE = np.random.default_rng(1).integers(0, 255, (180, 240, 3)).astype(np.uint8)


def test_a_phones_screenshot_is_its_picture() -> None:
    """The clock and the buttons above and below it are not what it shows."""
    screen = cv2.copyMakeBorder(SCENE, 200, 220, 0, 0, cv2.BORDER_CONSTANT)
    cv2.putText(screen, "21:14", (10, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255))
    cv2.circle(screen, (120, 560), 15, (200, 200, 200), 2)
    part, begins = shown(screen)
    assert np.array_equal(part, SCENE)
    assert begins.tolist() == [0, 200]


def test_a_panel_beside_it_belongs_to_a_picture_where_it_is_large() -> None:
    frame = cv2.copyMakeBorder(SCENE, 230, 0, 60, 0, cv2.BORDER_CONSTANT, value=(90, 60, 30))
    for wide, whole in ((80, 240), (200, 540)):
        panel = cv2.copyMakeBorder(frame, 0, 0, 0, 100 + wide, cv2.BORDER_CONSTANT, value=(90, 60, 30))
        panel[230:, -wide:] = SCENE[:, :wide]
        assert shown(panel)[0].shape == (180, whole, 3)


def test_what_is_plain_all_over_stays_as_it_is() -> None:
    part, begins = shown(np.full((100, 120, 3), 90, np.uint8))
    assert part.shape == (100, 120, 3)
    assert begins.tolist() == [0, 0]
