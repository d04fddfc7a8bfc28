"""Names, passwords and settings of Wi-Fi networks: checked, and written in NetworkManager's own form."""

from __future__ import annotations

import re
import secrets
import uuid
from dataclasses import dataclass

from engine.messages import phrase
from firmware.errors import BadInput

HOTSPOT, CLUB, TRIED = "barpoint-hotspot", "barpoint-club", "barpoint-tried"
"""What our connections are called in NetworkManager; the last is a network of which nobody knows yet whether
it takes the table."""
HERE = "10.42.0.1"
"""The table's address in its own hotspot: NetworkManager's usual one."""
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike on a screen."""
SPACE = uuid.UUID("5f3a1a52-7a43-4b43-9f7c-0a9cc1c0f5a1")
"""Our connections' UUIDs are made of it and their names, so that each is the same at every start."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network's name (SSID) and password; an empty password is an open network."""

    ssid: str
    password: str = ""

    def __repr__(self) -> str:
        return f"Network({self.ssid!r})"  # the password is in no message

    @classmethod
    def checked(cls, ssid: object, password: object) -> Network:
        """A network as somebody typed it. Raises BadInput, which does not say the password."""
        if not isinstance(ssid, str) or not isinstance(password, str):
            raise BadInput("the network's name and its password must be texts")
        if not 1 <= len(ssid.encode(errors="replace")) <= 32 or not ssid.isprintable():
            raise BadInput(phrase("a network's name has 1 to 32 bytes, and no control characters"))
        if password and not re.fullmatch(r"[ -~]{8,63}|[0-9a-fA-F]{64}", password):
            raise BadInput(phrase("a Wi-Fi password has 8 to 63 letters, digits and signs, all of ASCII"))
        return cls(ssid, password)

    @classmethod
    def made_up(cls) -> Network:
        """The name and password of a table's own hotspot."""
        password = "".join(secrets.choice(LETTERS) for _ in range(10))
        return cls(f"Barpoint {secrets.token_hex(2)}", password)

    @property
    def code(self) -> str:
        """What a phone's camera takes for this network, as a QR code."""
        ssid, password = (re.sub(r'([\\;,":])', r"\\\1", each) for each in (self.ssid, self.password))
        return f"WIFI:T:WPA;S:{ssid};P:{password};;" if self.password else f"WIFI:T:nopass;S:{ssid};;"

    def keyfile(self, name: str) -> str:
        """NetworkManager's keyfile (nm-settings-keyfile(5)) for the connection ``name``. A name is given
        byte by byte, so none needs to be escaped; of a password, blanks at its beginning and backslashes."""
        hotspot, by_itself = name == HOTSPOT, name == CLUB
        lines = ["[connection]", f"id={name}", f"uuid={uuid.uuid5(SPACE, name)}", "type=wifi"]
        lines += [f"autoconnect={'true' if by_itself else 'false'}", "", "[wifi]"]
        lines += [f"mode={'ap' if hotspot else 'infrastructure'}"]
        lines += ["ssid=" + "".join(f"{byte};" for byte in self.ssid.encode())]
        lines += ["band=bg"] * hotspot
        if self.password:
            escaped = self.password.replace("\\", "\\\\")
            lines += ["", "[wifi-security]", "key-mgmt=wpa-psk"]
            lines += ["proto=rsn", "pairwise=ccmp"] * hotspot
            lines += ["psk=" + (f"\\s{escaped[1:]}" if escaped[:1] == " " else escaped)]
        four, six = ("shared", "disabled") if hotspot else ("auto", "auto")
        lines += ["", "[ipv4]", *[f"address1={HERE}/24"] * hotspot, f"method={four}"]
        lines += ["", "[ipv6]", f"method={six}"]
        return "\n".join(lines) + "\n"
