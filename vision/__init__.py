"""Pixels to evidence: what stands where in a picture, and how sure the camera is of it."""
