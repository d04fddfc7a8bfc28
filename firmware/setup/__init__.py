"""Setting up a table on the page: the camera learns the board, buttons and lamps are tried, players agree on
the match. The routes are in ``firmware.page.setup_api``."""
