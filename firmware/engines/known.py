"""The engines that there are, and which of them are here."""

from __future__ import annotations

import importlib.util

from engine.messages import phrase
from firmware.engines import Maker, NoEngine
from firmware.engines.gnubg import Gnubg, find_gnubg
from firmware.engines.sage import Sage

MAKERS: dict[str, Maker] = {"bgsage": Sage, "gnubg": Gnubg}
"""By name, the one that is taken first where nobody chooses one first."""

GET_SAGE = phrase("bgsage is not installed; for Python on x86-64: pip install bgsage")


def find(name: str | None = None) -> str:
    """The name of the engine asked for, or of the first that is here. Raises NoEngine, which says how to get
    one."""
    if name in (None, "bgsage") and importlib.util.find_spec("bgsage"):
        return "bgsage"
    if name == "bgsage":
        raise NoEngine(GET_SAGE)
    try:
        find_gnubg()
    except NoEngine as error:
        none = phrase("there is no engine here: {one}; or: {other}", one=GET_SAGE, other=str(error))
        raise NoEngine(str(error) if name else none) from None
    return "gnubg"
