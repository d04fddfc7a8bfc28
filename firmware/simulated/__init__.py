"""A table in a terminal, for people who have none yet."""
