"""Many tables, one event.

Each table stays whole without the hub: its journal is what happened, and the hub keeps a copy. A
reader takes the modules in this order.

* :mod:`firmware.hub.messages`: what tables and hub say to each other, and on which topics (MQTT 5);
* :mod:`firmware.hub.outbox`, :mod:`firmware.hub.table_talk`, :mod:`firmware.hub.table_link`: a table's side,
  which knows neither database nor page; the link is a watcher of the daemon;
* :mod:`firmware.hub.joining`, :mod:`firmware.hub.membership`: how a table joins, and what it knows
  of its hub;
* :mod:`firmware.hub.inbox`: which of the entries that came follow from those that are kept (pure);
* :mod:`firmware.hub.store`: the database, SQLite or PostgreSQL; :mod:`firmware.hub.ledger` puts them there;
* :mod:`firmware.hub.admission`: which tables may come; :mod:`firmware.hub.rations`: what each may send;
* :mod:`firmware.hub.live`: how all tables stand now, for whoever wants to show it;
  :mod:`firmware.hub.table_states` takes that from what they tell;
* :mod:`firmware.hub.identity`, :mod:`firmware.hub.broker`: who may say what, and the broker that sees to it;
* :mod:`firmware.hub.hub`: the running hub, which joins all of these;
* :mod:`firmware.hub.app`: the web application, on which the pages hang their routers;
* :mod:`firmware.hub.simulate`: a club that is not there.

What it needs beside the table's program is the extra ``hub``.
"""
