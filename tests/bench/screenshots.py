"""The page's pictures in the documentation: ``python -m tests.bench.screenshots [FOLDER]``, docs/img by default.

Sits down at tables of all games as players would, photographs the page on a phone, a tablet, a wide screen and a big one, and stores the
pictures as WebP. Look at each of them before you keep it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from engine.clock import Control, Kind
from engine.events import Begin, Choose, Moves, Roll
from engine.match import Terms
from firmware.eyes import RigEyes
from tests.engine.ice_boards import board
from tests.engine.siege_boards import drawn
from tests.firmware.conftest import REEL
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, Sitting, enter
from tests.firmware.test_page_archive import log

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "wide": (1920, 1080)}
NAMES = {"white": "Ann", "black": "Bob"}
QUALITY = 80
