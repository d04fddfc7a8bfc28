"""``python -m firmware`` is ``barpoint``."""

from firmware.cli import main

main()
