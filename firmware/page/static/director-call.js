// Where the table has joined a hub: a button that calls the director, or says that nobody need come.
import { fill } from "/static/language.js";
import { ask, button } from "/static/table.js";
import { WORDS } from "/static/words.js";

const PAUSE = 3000; // milliseconds between two looks whether somebody comes
let called = false;
let timer = 0;
const call = button("", "quiet", async () => {
  try { await ask("POST", "/api/director-call", { called: !called }); tell({ called: !called, coming: "" }); } catch (error) { call.textContent = error.message; }
});
call.id = "call-director";

function tell(found) {
  called = found.called;
  call.textContent = found.coming ? fill(WORDS.directorComes, { who: found.coming }) : called ? WORDS.directorCalled : WORDS.callDirector;
  call.setAttribute("aria-pressed", called);
  clearTimeout(timer);
  if (called) timer = setTimeout(look, PAUSE);
}

function look() {
  ask("GET", "/api/director-call").then(tell, () => { timer = setTimeout(look, PAUSE); });
}

addEventListener("load", () => ask("GET", "/api/director-call").then((found) => { if (found.called !== null) { tell(found); document.getElementById("tools").append(call); } }, () => {}));
