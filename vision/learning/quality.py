"""How good a calibration is, in numbers and in words.

A calibration that cannot read its own picture is refused (``calibrate``). One that can may still be weak:
corners far from where the checkers say the board is, colours that are hard to tell apart, checkers of a few
pixels. The words say what a person would change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SMALL = 15.0
"""Pixels across a checker under which a picture is called small (the smallest that is accepted has 12)."""
LOOSE = 0.12
"""Distance between known pieces and where they were found, in checkers, above which the fit is called
loose."""
OFF = 0.15
"""Distance between the corners given and where the pieces put them, in checkers, that is worth telling."""
SOFT = 0.74
"""What a blur leaves of the sharpest edges (see ``sharpness.blur``) above which the picture is called
soft."""
CRISP, VAGUE, BLURRED = 0.68, 0.8, 0.6
"""The same up to which evidence counts in full, and from which on it counts BLURRED."""
MIRRORED = 0.6
"""What evidence counts where a lamp is mirrored in checkers so that they look like the other side's."""
EVEN = 5.0
"""Difference of lightness (CIELAB units) under which the sides do not say how the board lies: it is taken to
lie as usual."""
CLOSE = 2.5
"""Nats by which a known checker stands out from all else (the worst tenth of them) under which looks are
called alike."""


@dataclass(frozen=True)
class Quality:
    """``reprojection``: mean distance in pixels between known pieces and where they were found;
    ``corner_error``: mean distance in pixels between the corners given and the board's; ``separation``: how
    far the known pieces stand out from the bare board, the other side's and anything else, in nats (the worst
    tenth of them); ``wrong``: cells of the calibration picture that are read otherwise; ``weak``: those read
    rightly with a confidence under 0.9; ``diameter``: pixels across a checker; ``either_way``: the position
    looks the same in a mirror, so that nothing said on which side the home is; ``blur``: what another blur
    leaves of the sharpest edges (0-1, about 0.5 in a sharp picture); ``lead``: how much lighter White's
    checkers are (CIELAB units), where that told how the board lies; ``alike``: cells whose checkers look like
    the other side's, since a lamp is mirrored in them; ``strange``: cells over which something lies that is
    not the board (a hand); ``beyond``: those of which too little is in the picture to be read. None or 0
    where this kind of board does not measure it."""

    reprojection: float = 0.0
    corner_error: float = 0.0
    separation: float | None = None
    wrong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    diameter: float = 0.0
    either_way: bool = False
    blur: float = 0.0
    lead: float | None = None
    alike: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()

    @property
    def crisp(self) -> float:
        """What evidence that is read with this calibration counts (0-1) for its softness: it has blurred
        tints and edges."""
        return 1 - (1 - BLURRED) * min(max((self.blur - CRISP) / (VAGUE - CRISP), 0.0), 1.0)

    @property
    def belief(self) -> float:
        """What it counts for the two looks of checkers that mirror a lamp."""
        return MIRRORED if self.alike else 1.0

    @property
    def good(self) -> bool:
        """Nothing to say against it."""
        return not self.words()

    def words(self) -> list[str]:
        """What is weak, and how to mend it: one line each, none for a good calibration."""
        said, wide = [], self.diameter
        if self.blur > SOFT:
            said.append("the picture is soft: focus the camera, or clean its lens")
        if self.lead is not None and abs(self.lead) < EVEN:
            said.append(
                "both sides are nearly as light, so which is White's is a guess: look at the overlay, and"
                " exchange the sides if they are the wrong way round (--exchange; on the page: Exchange"
                " sides)"
            )
        if self.either_way:
            said.append(
                "this position looks the same in a mirror, so the home is taken to be on the right; if it is"
                " not, use another"
            )
        if self.beyond:
            said.append(
                f"not all of {', '.join(self.beyond)} is in the picture, so that nothing is read there: move"
                " the camera until all of the board is in view"
            )
        if self.strange:
            said.append(
                f"something lies over {', '.join(self.strange)} (a hand, or a lamp's mirror image) and was"
                " learned as board: take it away and calibrate again"
            )
        if self.alike:
            said.append(
                f"a lamp or a window is mirrored in the checkers on {', '.join(self.alike)}, which look like"
                " the other side's: dim it, or move it or the camera; until then their side is read with"
                " doubt"
            )
        if self.wrong:
            said.append(
                f"read otherwise in its own picture: {', '.join(self.wrong)}; add a photo of the empty board,"
                " or more light"
            )
        if self.weak:
            said.append(
                f"doubtful in its own picture: {', '.join(self.weak)}; a photo of the empty board helps"
            )
        if self.separation is not None and self.separation < CLOSE:
            said.append(
                f"some checkers hardly stand out ({self.separation:.1f} nats): avoid glare, and light the"
                " board evenly"
            )
        if 0 < wide < SMALL:
            said.append(f"a checker is only {wide:.0f} pixels wide: bring the camera closer")
        if self.reprojection > LOOSE * wide > 0:
            said.append(
                f"checkers lie {self.reprojection:.1f} pixels from their places: set them up neatly, against"
                " the rims"
            )
        if self.corner_error > OFF * wide > 0:
            said.append(
                f"the corners are {self.corner_error:.1f} pixels from where the checkers put them: look at"
                " the overlay"
            )
        return said

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, and the words."""
        plain = {
            key: round(value, 3) if isinstance(value, float) else value for key, value in asdict(self).items()
        }
        return {**plain, "good": self.good, "words": self.words()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Quality:
        """The inverse of ``asdict``; older files have fewer numbers. Raises KeyError, TypeError or ValueError
        on another shape."""
        separation = data["separation"]
        return cls(
            float(data["reprojection"]),
            float(data["corner_error"]),
            None if separation is None else float(separation),
            tuple(str(cell) for cell in data["wrong"]),
            tuple(str(cell) for cell in data.get("weak", ())),
            float(data.get("diameter", 0.0)),
            bool(data.get("either_way", False)),
            float(data.get("blur", 0.0)),
            None if data.get("lead") is None else float(data["lead"]),
            tuple(str(cell) for cell in data.get("alike", ())),
            tuple(str(cell) for cell in data.get("strange", ())),
            tuple(str(cell) for cell in data.get("beyond", ())),
        )
