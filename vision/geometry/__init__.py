"""Lens and height, the board laid flat, its landmarks, and a camera that was bumped."""
