"""IceGammon, Ron Hale-Evans's backgammon with Icehouse pyramids (beta of 2001-01-19), as completed by this
project's rulings.

The rule numbers in these modules are those of its text. ``board`` is what stands where (rules 4, 6, 19),
``steps`` one piece's move (5, 8, 10-17), ``turn`` what a player must play (7-9), ``search`` the plays nearest
to a picture (by ``visible_bounds``, ``bounds``, ``strands``, ``growth`` and ``play_out``), ``notation`` moves
as text, ``setup`` positions from JSON and from the board, ``position`` the state machine (2, 3, 9),
``faults`` what to tell the players of an illegal play. The doubling cube (18) is that of all games,
``engine.cube``."""

from engine.position import Rules
from engine.rules.icegammon.board import SIDES
from engine.rules.icegammon.position import read, start

RULES = Rules(
    name="icegammon",
    title="IceGammon",
    sides=SIDES,
    cube=True,
    start=start,
    read=read,
    options={"first": None},
    grades=(("mon", 1), ("gammon", 2), ("icegammon", 3), ("mons olympus", 4)),
    board="pyramids",
)
