"""Trying out what only hands and eyes can: buttons, lamps and the camera, step by step, on a terminal
(:mod:`firmware.diagnostics.hands`) and on the page (:mod:`firmware.setup`). Nothing here waits, reads a
device or prints."""
