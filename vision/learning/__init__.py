"""Learning a table from a picture: finding the board, its camera and its measures, what its pieces look like,
and how good all that is."""
