"""A NetworkManager that is not there: ``nmcli`` for the PATH, with its networks and faults in a file."""

import json
import sys
from pathlib import Path

PLACE = Path(sys.argv[1])
asked = sys.argv[2:]


def connections() -> dict[str, dict[str, str]]:
    """Those of the keyfiles, by name."""
    found = {}
    for path in sorted((PLACE / "connections").glob("*.nmconnection")):
        lines = dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)
        ssid = bytes(int(byte) for byte in lines["ssid"].split(";") if byte).decode()
        password = lines.get("psk", "").replace("\\s", " ").replace("\\\\", "\\")
        found[lines["id"]] = {"ssid": ssid, "password": password, "mode": lines["mode"]}
    return found


def terse(*cells: object) -> str:
    return ":".join(str(cell).replace("\\", "\\\\").replace(":", "\\:") for cell in cells)


def up(name: str) -> None:
    wanted = connections().get(name)
    state["active"] = ""
    if wanted is None:
        sys.exit("Error: unknown connection 'x'.")
    if wanted["mode"] == "ap":
        if state.get("no_ap"):
            sys.exit("Error: Connection activation failed: 802.11 mode is not supported by the device.")
    elif wanted["ssid"] not in state["air"]:
        print("Error: Connection activation failed: The Wi-Fi network could not be found.", file=sys.stderr)
        save()
        sys.exit(4)
    elif state["air"][wanted["ssid"]] != wanted["password"]:
        words = "Error: Connection activation failed: Secrets were required, but not provided."
        print(words, file=sys.stderr)
        save()
        sys.exit(4)
    state["active"] = name


def save() -> None:
    (PLACE / "state.json").write_text(json.dumps(state))


state = json.loads((PLACE / "state.json").read_text())
with (PLACE / "asked").open("a") as log:
    log.write(json.dumps(asked) + "\n")
match [each for each in asked if not each.startswith("-") and each != "45"]:
    case [_, "device"]:
        if state["device"]:
            held = state["active"]
            print(terse("wlan0", "wifi", "connected" if held else "disconnected", held))
        print(terse("eth0", "ethernet", "connected" if state.get("wired") else "unavailable", ""))
        print(terse("lo", "loopback", "unmanaged", ""))
    case [_, "device", "wifi", "list", *_]:
        for place, (ssid, password) in enumerate(state["air"].items()):
            print(terse(ssid, 90 - place, "WPA2" if password else ""))
    case [_, "connection", "show"]:
        for name in connections():
            print(terse(name, "802-11-wireless"))
        print(terse("Wired connection 1", "802-3-ethernet"))
    case [_, "connection", "show", "id", name]:
        print(terse(connections()[name]["ssid"]))
    case ["connection", "up", "id", name]:
        up(name)
    case ["connection", "load", _] | ["connection", "reload"]:
        pass
    case other:
        sys.exit(f"Error: {other}")
save()
