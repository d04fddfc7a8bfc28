"""What one table's page shows, and what people can do on it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from firmware.page.access import Keeper
from firmware.page.acting import Act
from firmware.page.director_call import DirectorCalls
from firmware.page.look import Look
from firmware.page.review_api import Reviewing
from firmware.page.stream import Feed
from firmware.page.upkeep import Upkeep
from firmware.settings.reach import Reach
from firmware.setup.setup_session import SetupSession
from firmware.table.coach import Coach

Picture: TypeAlias = Callable[[], bytes | None]
"""Gives the newest camera picture as a JPEG, or None before the first one. Takes some milliseconds."""

Closeup: TypeAlias = Callable[[Collection[str]], bytes | None]
"""Gives the part of it that shows some cells, None where it shows none of them."""


@dataclass(frozen=True, slots=True)
class TablePage:
    """``feed`` has the newest state, ``picture`` the camera's. Whoever the ``keeper`` knows may ``act``;
    without these the page only shows. ``archive`` is the state directory whose matches can be looked through;
    ``reach`` says how the page is found; ``closeup`` is the part of the picture that a doubt is about;
    ``setup`` is where the table is set up; ``coach`` tells what is best; ``calls`` tells the director of the
    club, where the table belongs to one; ``board`` says what the board looks like; ``upkeep`` is what the
    director does to the device itself; ``reviewing`` makes reviews, and has the recorded pictures;
    ``language`` is the table's own, "" for the browser's."""

    feed: Feed
    picture: Picture
    keeper: Keeper | None = None
    act: Act | None = None
    archive: Path | None = None
    reach: Reach = field(default_factory=Reach)
    closeup: Closeup | None = None
    setup: SetupSession | None = None
    coach: Coach | None = None
    calls: DirectorCalls | None = None
    board: Look | None = None
    upkeep: Upkeep | None = None
    reviewing: Reviewing = field(default_factory=Reviewing)
    language: str = ""
