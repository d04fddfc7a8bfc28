"""The hub's pages: the wall, the director's console, and what the public sees.

* :mod:`broadcast`: how the tables stand, made once for all who look;
* :mod:`public`: what everybody may ask: draw, standings, boards, players, exports;
* :mod:`console`: what directors do, behind the hub's PIN;
* :mod:`pages`: the files, and :func:`pages.add`, which hangs all of it on the hub's application.
"""
