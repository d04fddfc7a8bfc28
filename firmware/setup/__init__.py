"""Setting up a table by the page: the camera learns the board, buttons and lamps are tried, the match is
agreed on.

``desk`` is who sets up and what they have done so far, ``work`` a long job that can be stopped, ``learning``
corners and calibration, ``games`` what can be played and what was agreed on, ``maps`` the boards that players
set up themselves. The routes are in ``firmware.page.setup_api``.
"""
