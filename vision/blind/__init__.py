"""Reading a board never seen before: a small network, and what a board's own make-up says about its
answers."""
