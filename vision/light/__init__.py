"""Colour and lamp: tone curves, shadows, the bare board; a picture in the light of its calibration."""
