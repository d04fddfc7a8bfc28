"""Pictures altered as other cameras, lamps and poses would, with their corners; for benches, never for
training."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from vision.picture.frame import Image

Alter = Callable[[Image, np.ndarray], tuple[Image, np.ndarray]]
"""A picture and its corners (4 x 2), altered."""


def warped(
    matrix: np.ndarray, image: Image, corners: np.ndarray, size: tuple[int, int]
) -> tuple[Image, np.ndarray]:
    """Both under a homography."""
    moved = cv2.perspectiveTransform(np.asarray(corners, np.float64).reshape(-1, 1, 2), matrix).reshape(-1, 2)
    small = min(1.0, float(np.sqrt(abs(np.linalg.det(matrix[:2, :2])))))
    soft = cv2.GaussianBlur(image, (0, 0), 0.4 / small) if small < 0.8 else image
    return cv2.warpPerspective(
        soft, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ), moved


def tilted(degrees: float, towards: float) -> Alter:
    """Seen from aside: the camera leans by so much, towards a direction (degrees; 0 is from the right, 90
    from below)."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        focal, a, t = 1.05 * width, np.deg2rad(towards), np.deg2rad(degrees)
        turn, _ = cv2.Rodrigues(np.array([np.sin(a), np.cos(a), 0.0]) * t)
        middle = corners.mean(axis=0)
        into = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, focal]])
        out = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
        lifted = turn @ into
        lifted[2] += np.array([0, 0, focal - (turn @ np.array([0, 0, focal]))[2]])
        lifted[:2] -= np.outer((turn @ np.array([0, 0, focal]))[:2], [0, 0, 1])
        matrix = out @ lifted
        seen = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 2)
        fit = min(1.0, 0.95 * width / np.ptp(seen[:, 0]), 0.95 * height / np.ptp(seen[:, 1]))
        centre = (seen.min(axis=0) + seen.max(axis=0)) / 2
        shrink = np.array(
            [[fit, 0, width / 2 - fit * centre[0]], [0, fit, height / 2 - fit * centre[1]], [0, 0, 1]]
        )
        return warped(shrink @ matrix, image, corners, (width, height))

    return alter


def turned(degrees: float) -> Alter:
    """The camera turned about its axis; corners keep naming the board's own."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        wide = int(
            np.ceil(abs(width * np.cos(np.deg2rad(degrees))) + abs(height * np.sin(np.deg2rad(degrees))))
        )
        high = int(
            np.ceil(abs(width * np.sin(np.deg2rad(degrees))) + abs(height * np.cos(np.deg2rad(degrees))))
        )
        matrix = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0), [0, 0, 1]])
        matrix[:2, 2] += [(wide - width) / 2, (high - height) / 2]
        image, corners = warped(matrix, image, corners, (wide, high))
        return (image, np.roll(corners, 2, axis=0)) if abs(degrees) == 180 else (image, corners)

    return alter


def mirrored(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """Left to right; the corners are named as they now lie."""
    moved = np.column_stack([image.shape[1] - 1 - corners[:, 0], corners[:, 1]])
    return np.ascontiguousarray(image[:, ::-1]), moved[[1, 0, 3, 2]]


def lens(bend: float) -> Alter:
    """A lens that bends straight lines: ``bend`` is the change at a focal length from the middle."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        focal, middle = 1.05 * width, np.array([width / 2, height / 2])
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float64)
        plane = (np.stack([xx, yy], axis=-1) - middle) / focal
        straight = plane.copy()
        for _ in range(8):
            straight = plane / (1 + bend * (straight**2).sum(axis=-1, keepdims=True))
        maps = (straight * focal + middle).astype(np.float32)
        image = cv2.remap(
            image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        off = (corners - middle) / focal
        return image, off * (1 + bend * (off**2).sum(axis=1, keepdims=True)) * focal + middle

    return alter


def sized(width: int, height: int | None = None) -> Alter:
    """Another size; with ``height`` another shape too: the sides are cut or filled."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        scale = width / image.shape[1]
        high = height or round(image.shape[0] * scale)
        if height and scale * image.shape[0] > height:
            scale = max(height / image.shape[0], scale * 0.8)
        matrix = np.array(
            [
                [scale, 0, (width - scale * image.shape[1]) / 2],
                [0, scale, (high - scale * image.shape[0]) / 2],
                [0, 0, 1],
            ]
        )
        return warped(matrix, image, corners, (width, high))

    return alter


def coloured(change: Callable[[np.ndarray], np.ndarray]) -> Alter:
    """Other levels (a function of floats 0-1), the same places."""
    return lambda image, corners: (
        np.asarray(np.clip(change(image.astype(np.float32) / 255), 0, 1) * 255 + 0.5, np.uint8),
        corners,
    )


def jpeg(quality: int) -> Alter:
    """Through a JPEG."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), corners

    return alter


def blurred(checkers: float) -> Alter:
    """Out of focus by so much (standard deviation, in checkers)."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        wide = float(np.linalg.norm(corners[1] - corners[0])) / 13.5
        return np.asarray(cv2.GaussianBlur(image, (0, 0), checkers * wide), np.uint8), corners

    return alter


def lamp(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """Lit from the left only: a third of the light is left on the right."""
    fall = np.linspace(1.1, 0.35, image.shape[1], dtype=np.float32)[None, :, None]
    return np.asarray(np.clip(image * fall, 0, 255), np.uint8), corners


def noisy(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """A small sensor in the evening."""
    grain = np.random.default_rng(int(image[::50, ::50].sum())).normal(0, 12, image.shape)
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8), corners


def bands(swing: float, phase: float | None = None) -> Alter:
    """Under a lamp on the mains, by a shutter that takes row after row: so much more and less of the light,
    2.3 times over the picture's height. They travel: ``phase`` (0-1) says where they are, None: elsewhere in
    each picture."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        at = np.random.default_rng(int(image[::50, ::50].sum())).random() if phase is None else phase
        rows = np.linspace(at, at + 2.3, len(image))[:, None, None]
        light = (image.astype(np.float32) / 255) ** 2.2 * (1 + swing * np.sin(2 * np.pi * rows))
        return np.asarray(np.clip(light, 0, 1) ** (1 / 2.2) * 255 + 0.5, np.uint8), corners

    return alter


def local(
    gain: Callable[[np.ndarray, np.ndarray], np.ndarray], tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> Alter:
    """More or less light on a part of the board: ``gain`` says how much there is (1: as before) by board
    places (0-1 from left to right and from below), ``tint`` how much of what is more is blue, green and
    red."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        yy, xx = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32)
        there = cv2.perspectiveTransform(
            np.stack([xx, yy], axis=-1).reshape(-1, 1, 2),
            cv2.getPerspectiveTransform(np.asarray(corners, np.float32), square),
        ).reshape(*xx.shape, 2)
        more = gain(there[..., 0], there[..., 1])[..., None] - 1
        light = (image.astype(np.float32) / 255) ** 2.2 * (
            1 + more * (np.array(tint) if more.max() > 0 else 1.0)
        )
        return np.asarray(np.clip(light, 0, 1) ** (1 / 2.2) * 255 + 0.5, np.uint8), corners

    return alter


def _edge(away: np.ndarray, soft: float) -> np.ndarray:
    """0 to 1 over a distance."""
    return np.asarray(1 / (1 + np.exp(-np.clip(4 * away / soft, -30, 30))))


def _arm(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How much of an arm's shadow lies at a place: a band from below right, which ends within the board."""
    along, across = 0.6 * (x - 0.75) - 0.8 * y, 0.8 * (x - 0.75) + 0.6 * y
    return _edge(0.11 - np.abs(across), 0.06) * _edge(0.75 + along, 0.1)


ALTERED: dict[str, Alter] = {
    "as it is": lambda image, corners: (image, corners),
    "mirrored": mirrored,
    "turned 180": turned(180),
    "turned 90": turned(90),
    "turned 12": turned(12),
    "turned -30": turned(-30),
    "tilt 15 below": tilted(15, 90),
    "tilt 25 below": tilted(25, 90),
    "tilt 25 right": tilted(25, 0),
    "tilt 25 corner": tilted(25, 225),
    "tilt 35 below": tilted(35, 90),
    "lens -0.12": lens(-0.12),
    "lens +0.1": lens(0.1),
    "640x480": sized(640, 480),
    "480 wide": sized(480),
    "2592 wide": sized(2592),
    "portrait": sized(960, 1280),
    "jpeg 30": jpeg(30),
    "jpeg 12": jpeg(12),
    "lamp aside": lamp,
    "dim": coloured(lambda x: x * 0.3),
    "bright": coloured(lambda x: x * 1.35),
    "warm": coloured(lambda x: x * np.array([0.6, 0.9, 1.15], np.float32)),
    "cold": coloured(lambda x: x * np.array([1.15, 1.0, 0.75], np.float32)),
    "flat": coloured(lambda x: 0.4 + (x - 0.4) * 0.5),
    "gamma": coloured(lambda x: x**1.6),
    "contrasty": coloured(lambda x: x - 0.12 * np.sin(2 * np.pi * x)),
    "very dim": coloured(lambda x: x * 0.12),
    "other hues": coloured(lambda x: x[..., [1, 2, 0]]),
    "negative": coloured(lambda x: 1 - x),
    "grey": coloured(lambda x: np.repeat(x @ np.array([[0.114], [0.587], [0.299]], np.float32), 3, axis=-1)),
    "noisy": noisy,
    "bands": bands(0.2),
    "strong bands": bands(0.4),
    "blurred 0.1": blurred(0.1),
    "blurred 0.15": blurred(0.15),
    "blurred 0.25": blurred(0.25),
    "arm's shadow": local(lambda x, y: 1 - 0.5 * _arm(x, y)),
    "arm's dark shadow": local(lambda x, y: 1 - 0.7 * _arm(x, y)),
    "somebody leans over": local(lambda x, y: 1 - 0.5 * _edge(0.45 + 0.3 * x - y, 0.25)),
    "second lamp": local(
        lambda x, y: 1 + 1.2 * np.exp(-((x - 1.05) ** 2 + (y - 0.8) ** 2) / 0.25), (0.8, 1.0, 1.15)
    ),
    "sunlight": local(lambda x, y: 1 + 1.0 * _edge(x - 0.62 + 0.2 * y, 0.02), (0.8, 1.0, 1.15)),
    "bright sunlight": local(lambda x, y: 1 + 2.5 * _edge(x - 0.62 + 0.2 * y, 0.02), (0.8, 1.0, 1.15)),
    "sun through a blind": local(lambda x, y: 0.5 + 0.6 * _edge(np.sin(2 * np.pi * (4 * x + 6 * y)), 0.5)),
    "soft": lambda image, corners: (np.asarray(cv2.GaussianBlur(image, (0, 0), 2.0), np.uint8), corners),
}

OTHER_LIGHT = (
    "arm's shadow",
    "arm's dark shadow",
    "somebody leans over",
    "second lamp",
    "sunlight",
    "bright sunlight",
    "sun through a blind",
)
"""Those with light on a part of the board only."""
INPLACE = (
    "jpeg 30",
    "jpeg 12",
    "lamp aside",
    "dim",
    "bright",
    "warm",
    "cold",
    "flat",
    "gamma",
    "contrasty",
    "very dim",
    "grey",
    "noisy",
    "bands",
    "strong bands",
)
INPLACE += ("blurred 0.1", "blurred 0.15", "blurred 0.25", "soft")
INPLACE += OTHER_LIGHT
"""Those after which everything is where it was in the picture."""
