"""The director's office: tournaments on the hub's database, tables that get their matches, results that come
back from the tables' journals, and what is given to others.

* :mod:`book`: the trails in the database;
* :mod:`results`: what a table's journal says of a match that has ended, and what that changes in the draw;
* :mod:`seating`: which matches are at tables, and why one cannot be;
* :mod:`checks`: what a tournament cannot know by itself of a change;
* :mod:`given`: the match that a table is given, and :mod:`under_way`: whether it plays that one;
* :mod:`desk`: joins them with the hub: every change goes through :meth:`desk.Desk.do`;
* :mod:`tell`: a tournament as plain data for pages and feeds;
* :mod:`history`: ratings and matches of each player over all tournaments;
* :mod:`zipped`: all matches of a tournament as ``.mat`` in one archive.
"""
