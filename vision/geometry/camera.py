"""A real lens at a real height: where in the picture a place on the board is, and the other way round.

Board coordinates are centimetres: the origin is the bottom-left corner of the playing surface, x runs right,
y up the board (away from the bottom player), z up from the surface. The camera is a pinhole with one radial
term (``distorted = undistorted * (1 + k1 r^2)``, r in focal lengths), its principal point in the middle of
the picture.

From four corners alone a focal length is weakly determined (looking straight down, not at all), so it is
estimated with a prior: most cameras over tables see 45 to 75 degrees. What depends on it here is only
parallax, a few millimetres.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.messages import phrase
from vision.errors import CalibrationError
from vision.picture.frame import MOST_PIXELS
from vision.stored import bounded, whole

Floats: TypeAlias = NDArray[np.float64]
Corner: TypeAlias = tuple[float, float]
USUAL_FOCAL = 1.05
"""Focal length of a usual camera in the picture's longer side (a field of view of 51 degrees along it): a
phone held upright has the same lens."""
FOCAL_SPREAD = 0.35
"""One standard deviation of its logarithm."""
CLICK = 3.0
"""How far off a person's clicks are, in pixels (one standard deviation)."""


@dataclass(frozen=True)
class Camera:
    """``size`` (width, height) in pixels; ``focal`` in pixels; ``turn`` a Rodrigues vector and ``shift`` in
    cm take board to camera."""

    size: tuple[int, int]
    focal: float
    k1: float
    turn: tuple[float, float, float]
    shift: tuple[float, float, float]

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Camera:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        width, height = (whole(value, 1, MOST_PIXELS) for value in data["size"])
        if width * height > MOST_PIXELS:
            raise ValueError(f"no picture has {width} x {height} pixels")
        turn, shift = (triple(map(bounded, data[name])) for name in ("turn", "shift"))
        return cls((width, height), bounded(data["focal"], 1.0), bounded(data["k1"]), turn, shift)

    @property
    def _rotation(self) -> Floats:
        """Board to camera (3 x 3)."""
        return np.asarray(cv2.Rodrigues(np.array(self.turn, np.float64))[0], np.float64)

    def project(self, places: ArrayLike) -> Floats:
        """Pixels (N x 2) of board places (N x 3, cm)."""
        points = np.asarray(places, np.float64).reshape(-1, 3)
        seen = points @ self._rotation.T + np.array(self.shift)
        plane = seen[:, :2] / np.maximum(seen[:, 2:], 1e-6)
        bent = plane * (1 + self.k1 * np.sum(plane**2, axis=1, keepdims=True))
        return np.asarray(bent * self.focal + np.array(self.size) / 2, np.float64)

    def place(self, pixels: ArrayLike, z: float = 0.0) -> Floats:
        """Board places (N x 2, cm) at height ``z`` seen at these pixels (N x 2)."""
        plane = straighten(
            (np.asarray(pixels, np.float64).reshape(-1, 2) - np.array(self.size) / 2) / self.focal, self.k1
        )
        rays = np.column_stack([plane, np.ones(len(plane))])
        away, eye = rays @ self._rotation, self.eye()
        return np.asarray((eye + away * ((z - eye[2]) / away[:, 2:]))[:, :2], np.float64)

    def eye(self) -> Floats:
        """Where the camera is, in board coordinates (cm)."""
        return np.asarray(-self._rotation.T @ np.array(self.shift), np.float64)

    def half_turned(self, width: float, height: float) -> Camera:
        """The same camera above a surface of this size (cm) that is turned by half."""
        turn = cv2.Rodrigues(self._rotation @ np.diag([-1.0, -1.0, 1.0]))[0]
        shift = self._rotation @ np.array([width, height, 0.0]) + np.array(self.shift)
        return replace(self, turn=triple(turn.ravel()), shift=triple(shift))

    def lean(self, places: ArrayLike, z: float) -> Floats:
        """Where on the surface (N x 2, cm) something at height ``z`` above ``places`` (N x 2) appears to
        be."""
        points = np.asarray(places, np.float64).reshape(-1, 2)
        eye = self.eye()
        return np.asarray(eye[:2] + (points - eye[:2]) * (eye[2] / (eye[2] - z)), np.float64)


def triple(values: Iterable[Any]) -> tuple[float, float, float]:
    """Three plain numbers. Raises TypeError or ValueError where it is not three."""
    x, y, z = (float(value) for value in values)
    return x, y, z


def straighten(plane: Floats, k1: float) -> Floats:
    """Undo the radial term, by fixed-point steps; exact to 1e-6 for any lens that does not fold the picture
    over."""
    straight = plane.copy()
    for _ in range(12):
        straight = plane / np.maximum(1 + k1 * np.sum(straight**2, axis=1, keepdims=True), 0.3)
    return straight


def as_corners(places: ArrayLike) -> list[Corner]:
    """Places of a picture (N x 2) as plain numbers."""
    return [(float(x), float(y)) for x, y in np.asarray(places)]


def scaled(corners: ArrayLike, scale: float) -> list[Corner]:
    """Four corners in a picture of another size. Raises CalibrationError where these are none."""
    return as_corners(_four(corners) * scale)


def _four(corners: ArrayLike) -> Floats:
    """Four corners (4 x 2). Raises CalibrationError where these are none."""
    try:
        points = np.asarray(corners, np.float64)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise CalibrationError(phrase("four corners are needed, each an x and a y in pixels"))
    return points


def rectangle(width: float, height: float) -> Floats:
    """The four corners of the surface in board coordinates (4 x 3): bottom-left, bottom-right, top-right,
    top-left."""
    return np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], np.float64)


def from_corners(
    corners: Sequence[Corner],
    width: float,
    height: float,
    size: tuple[int, int],
    focal: float | None = None,
    k1: float = 0.0,
) -> tuple[Camera, float]:
    """The camera that sees the surface's corners there, and its mean corner error in pixels.

    ``corners`` are pixels in the order of :func:`rectangle`; without ``focal`` the likeliest under the prior
    is taken. Raises CalibrationError where no camera above the board sees them so.
    """
    check(corners, size)
    best: tuple[float, Camera, float] | None = None
    surface, clicked = rectangle(width, height), np.asarray(corners, np.float64)
    usual = USUAL_FOCAL * max(size)
    choices = [focal] if focal else list(max(size) * np.exp(np.linspace(np.log(0.5), np.log(3.0), 25)))
    for choice in choices:
        found = _pose(clicked, surface, size, float(choice), k1)
        if found is not None:
            error = np.linalg.norm(found.project(surface) - clicked, axis=1)
            unusual = np.log(choice / usual) / FOCAL_SPREAD
            cost = float(np.sum((error / CLICK) ** 2)) + unusual**2
            if best is None or cost < best[0]:
                best = (cost, found, float(np.mean(error)))
    if best is None:
        raise CalibrationError(
            phrase(
                "no camera above the board sees its corners so; give bottom-left, bottom-right, "
                "top-right, top-left"
            )
        )
    return best[1], best[2]


def _pose(corners: Floats, surface: Floats, size: tuple[int, int], focal: float, k1: float) -> Camera | None:
    """The camera of this focal length above the board that sees the surface's corners there."""
    plane = straighten((corners - np.array(size) / 2) / focal, k1).reshape(-1, 1, 2)
    try:
        done, turns, shifts, _ = cv2.solvePnPGeneric(
            surface, plane, np.eye(3), np.zeros(4), flags=cv2.SOLVEPNP_ITERATIVE
        )
    except cv2.error:
        return None
    if not done:
        return None
    for turn, shift in zip(turns, shifts, strict=True):
        camera = Camera(size, focal, k1, triple(turn.ravel()), triple(shift.ravel()))
        if camera.eye()[2] > 0 and np.isfinite(camera.eye()).all():
            return camera
    return None


def check(corners: Sequence[Corner], size: tuple[int, int]) -> None:
    """Refuse four corners that no board could have. Raises CalibrationError with what to change."""
    points = _four(corners)
    width, height = size
    beyond = 0.15 * max(size)
    outside = ((points < -beyond) | (points > np.array(size) + beyond)).any(axis=1)
    if outside.any():
        raise CalibrationError(
            phrase(
                "corner {corner} is far outside the picture of {width}x{height}",
                corner=int(np.argmax(outside)) + 1,
                width=width,
                height=height,
            )
        )
    sides = np.roll(points, -1, axis=0) - points
    after = np.roll(sides, -1, axis=0)
    crosses = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if (crosses > 0).all():
        raise CalibrationError(
            phrase(
                "the corners run clockwise: give bottom-left, bottom-right, top-right, top-left as the "
                "picture shows them"
            )
        )
    if not (crosses < 0).all():
        raise CalibrationError(
            phrase(
                "the corners cross over: give them in the order bottom-left, bottom-right, top-right, "
                "top-left"
            )
        )
    area = float(cv2.contourArea(points.astype(np.float32)))
    if area < 0.02 * width * height:
        raise CalibrationError(
            phrase("the board fills less than a fiftieth of the picture; bring the camera closer")
        )
