"""Pixels to evidence: what stands where in a picture of a board, and how sure.

Its rooms from the ground up, and how a picture goes through them: docs/vision.md.
"""
