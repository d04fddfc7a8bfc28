"""Where in any picture a board of checkers lies."""
