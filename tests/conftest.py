"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine must not fail a test: no property here is about time. The same examples everywhere: whoever
# runs ./check on the same tree gets the same answer. To look for new ones: HYPOTHESIS_PROFILE=explore ./check
os.environ["LANGUAGE"] = "en"  # what the program says is compared with English

settings.register_profile("barpoint", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "barpoint"))
