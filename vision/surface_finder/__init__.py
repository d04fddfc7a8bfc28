"""Where a board of checkers may lie in a picture of any position."""
