"""What is measured of each hex."""

from __future__ import annotations

from vision.hexes.reader import HexReader
from vision.reading import BoardReader


def test_a_ring_is_as_dark_as_it_gets_anywhere_near(table: BoardReader) -> None:
    assert isinstance(table, HexReader)
    here = table.sampler.features(table.plane.bare.values)[:, 3]
    light, dark = table.sampler.rings(table.plane.bare.values)
    assert (light >= here).all()
    assert (dark <= here).all()
    assert (light > dark).any()
