// Network: how the table is connected, and the club's Wi-Fi.
import { $, ask, trying } from "/static/device-ask.js";
import { fill, inLanguage, percent } from "/static/language.js";

export const PATH = "/api/network";
const WORDS = inLanguage({
  modes: {
    wifi: "Connected by Wi-Fi: {name}.", wired: "Connected by cable.", hotspot: "No known Wi-Fi is there, so the table has opened its own hotspot.",
    searching: "Not connected yet. The hotspot opens after a minute.", none: "This table has no Wi-Fi, or it is switched off.",
  },
  last: {
    trying: "Joining {name} …", joined: "{name}: joined.", password: "{name}: the password is wrong.",
    missing: "{name}: this network was not found.", failed: "{name}: it could not be joined.",
  },
  network: "{name} ({signal})", open: "{name} ({signal}, open)", another: "another …", lacks: "{reason}.", hotspot: "The table's hotspot: {name}, password {password}",
});
const OTHER = "\n";  // no network is called so
let listed = "";

export function hide() { $("network").hidden = true; }
export function lacks(reason) {
  $("network").hidden = false;
  $("network-text").textContent = fill(WORDS.lacks, { reason });
  $("join-form").hidden = true;
}

export function show(state) {
  const { mode, last, networks, hotspot, busy } = state;
  $("network").hidden = false;
  $("join-form").hidden = mode === "none";
  $("network-text").textContent = fill(WORDS.modes[mode] ?? WORDS.modes.none, { name: state.connection });
  $("network-last").textContent = last.ssid ? fill(WORDS.last[last.result], { name: last.ssid }) : "";
  for (const button of $("join-form").querySelectorAll("button")) button.disabled = busy;
  const next = JSON.stringify(networks);
  if (next !== listed || !$("ssid-list").options.length) {
    listed = next;
    const chosen = $("ssid-list").value;
    $("ssid-list").replaceChildren(...networks.map(({ ssid, signal, secured }) => new Option(fill(secured ? WORDS.network : WORDS.open, { name: ssid, signal: percent(signal / 100, 0) }), ssid)), new Option(WORDS.another, OTHER));
    if (networks.some(({ ssid }) => ssid === chosen)) $("ssid-list").value = chosen;
    named();
  }
  $("hotspot-text").textContent = fill(WORDS.hotspot, { name: hotspot.ssid, password: hotspot.password });
  if (mode === "hotspot" && $("hotspot-code").hidden) $("hotspot-code").src = `/hotspot.svg?${Date.now()}`;
  $("hotspot-code").hidden = mode !== "hotspot";
}

const named = () => { $("ssid-part").hidden = $("ssid-list").value !== OTHER; };
const done = () => document.dispatchEvent(new Event("again"));
$("ssid-list").onchange = named;
$("scan").onclick = trying(async () => { await ask("POST", PATH, { do: "scan" }); done(); });
$("join-form").onsubmit = trying(async () => {
  const ssid = $("ssid-list").value === OTHER ? $("ssid").value : $("ssid-list").value, password = $("wifi-password").value;
  await ask("POST", PATH, { do: "join", ssid, password });
  $("wifi-password").value = "";
  done();
});
