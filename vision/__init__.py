"""Pixels to evidence: what stands where in a picture of a board, and how sure.

Read from the ground up: ``picture`` (a file becomes an array), ``geometry`` (the board laid flat), ``light``
(lamp and colour), ``reading`` (the words that all kinds of board share), ``hands``, ``settle`` and
``overlay``, then a room for each kind of board, then ``boards``, which knows them by name.
"""
