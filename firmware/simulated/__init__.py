"""A table in a terminal, for people who do not have one yet."""
