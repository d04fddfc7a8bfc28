"""Learning a table of checkers: finding the board, its camera and its measures, what its pieces look like,
and proving all that."""
