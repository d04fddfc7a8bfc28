"""Maps of hexes: the grid on the sheet, what its cells look like, and what stands in them."""
