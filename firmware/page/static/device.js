// The director's page of the device itself. It asks again and again: the table goes away while it is updated.
import { $, ask, trying } from "/static/device-ask.js";
import * as network from "/static/device-network.js";
import * as update from "/static/device-update.js";

const PARTS = [update, network], PACE = 2000;
let timer = 0;

async function follow() {
  clearTimeout(timer);
  try {
    for (const part of PARTS) {
      try { part.show(await ask("GET", part.PATH)); } catch (error) { if (error.status !== 409) throw error; part.lacks(error.message); }
    }
    $("door").hidden = true;
    if ($("reason").dataset.lost) { $("reason").textContent = ""; delete $("reason").dataset.lost; }
  } catch (error) {
    const locked = error.status === 401 || error.status === 403;
    $("door").hidden = !locked;
    if (locked) for (const part of PARTS) part.hide();
    // What was said of a PIN stays, and nothing is said twice: screen readers would read it out again.
    if (!locked || (error.status === 403 && !$("reason").textContent)) { $("reason").textContent = error.message; $("reason").dataset.lost = "yes"; }
  }
  timer = setTimeout(follow, PACE);
}

$("pin-form").onsubmit = trying(async () => { await ask("POST", "/api/pin", { pin: $("pin").value }); $("pin").value = ""; await follow(); });
document.addEventListener("again", follow);
follow();
