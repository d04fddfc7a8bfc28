// Asking people in: on a big screen the page's address (and the PIN, where the table wants it shown) until the first move is judged; and
// coming in by the link of such a code, whose secret stands behind the "#" and is taken out of the address at once.
import { ask } from "/static/table.js";
import { WORDS } from "/static/words.js";

const $ = (id) => document.getElementById(id);

export async function join() {
  const secret = /^#join=(.+)$/.exec(location.hash);
  if (!secret) return;
  history.replaceState(null, "", location.pathname + location.search);
  await ask("POST", "/api/pin", { pin: secret[1] }).catch(() => {});  // whoever is not let in can watch, and type the PIN
}

export async function invite() {
  const screen = /^#screen=([0-9a-f]+)$/.exec(location.hash)?.[1];  // the device's own screen has a token (barpoint pin)
  const by = screen ? `?screen=${screen}` : "";
  const told = await ask("GET", `/api/invitation${by}`).catch(() => null);
  if (!told?.address) return;
  $("invitation-address").textContent = told.address.split("/")[2];
  $("invitation-pin").textContent = told.pin ? `${WORDS.pin} ${told.pin}` : "";
  $("invitation-code").src = `/invitation.svg${by}`;
  if (screen) hotspot(by);
}

// While the table's own hotspot is open, its code stands before the page's: first the phone joins, then it opens the page.
async function hotspot(by) {
  const code = await fetch(`/hotspot.svg${by}`).catch(() => null), open = code?.status === 200;
  if (open && !$("hotspot-code").src) $("hotspot-code").src = `/hotspot.svg${by}`;
  $("hotspot").hidden = !open;
  setTimeout(hotspot, 20000, by);
}

export const inviting = (state, big) => { $("invitation").hidden = !big || !$("invitation-code").src || Boolean(state.moves?.length); };
