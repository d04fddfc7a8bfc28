"""One event's tournament: who plays whom, where, and who has won. Pure: no clock, no file, no network.

Read in this order: :mod:`model` has the words, :mod:`lot`, :mod:`elimination` and :mod:`round_robin` say who
meets whom, :mod:`pairings` works the matches out, :mod:`changes` is all that a director can do, :mod:`trail`
keeps what was done and takes it back, :mod:`standings` and :mod:`ratings` say what came of it.
"""
