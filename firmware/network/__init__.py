"""The table's way into a network: the club's Wi-Fi, or a hotspot of its own where there is none.

A small program of root's (:mod:`firmware.network.service`), without a capability and without a network of
its own, asks NetworkManager by ``nmcli``. The table's program asks it over a socket
(:mod:`firmware.network.talk`).
"""
