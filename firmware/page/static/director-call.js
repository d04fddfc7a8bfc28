// Where the table has joined a hub: a button that calls the director, or says that nobody need come.
import { ask, button } from "/static/act.js";
import { WORDS } from "/static/words.js";

let called = false;
const call = button("", "quiet", async () => {
  try { await ask("POST", "/api/director-call", { called: !called }); tell(!called); } catch (error) { call.textContent = error.message; }
});
call.id = "call-director";

function tell(now) {
  called = now;
  call.textContent = called ? WORDS.directorCalled : WORDS.callDirector;
  call.setAttribute("aria-pressed", called);
}

ask("GET", "/api/director-call").then((found) => { if (found.called !== null) { tell(found.called); document.getElementById("tools").append(call); } }, () => {});
