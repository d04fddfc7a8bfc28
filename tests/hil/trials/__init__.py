"""Trials of the whole table, run in the guest: each does something to it, and says what is due."""
