"""Siege Master, a game of territory on hexes by Phillip L. Leduc, as refereed here.

``hexmap`` is the board and the map, ``setup`` what may stand on it, ``notation`` the text of plays, ``position`` the game. Comments such
as "siege-master: PLAYER ACTIONS" name the section of the rule text that a piece of code implements.
"""

from engine.rules.siege_master.position import RULES

__all__ = ["RULES"]
