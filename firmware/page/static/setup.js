// Setting up a table, step by step: the game, the board and the camera, a map where players set one up, buttons and lamps, the players.
import { $, ask, make, say, seat, trying } from "/static/setup-ask.js";
import * as board from "/static/setup-board.js";
import * as focus from "/static/setup-focus.js";
import * as map from "/static/setup-map.js";
import * as match from "/static/setup-match.js";
import * as tools from "/static/setup-tools.js";
import { WORDS } from "/static/setup-words.js";
import { speak } from "/static/words.js";

const PACE = 1000, QUICK = 300;
let choices = null, state = null, game = null, here = null, beat = 0;

// Buttons and lamps have a step where there are any.
const steps = () => ["game", "board", ...(game?.map ? ["map"] : []), ...(state?.buttons.length || state?.lamps ? ["tools"] : []), "match"];
const after = (step) => steps()[steps().indexOf(step) + 1];

async function go(to, because) {
  const before = here;
  here = to;
  if (before === "tools" && to !== "tools") {
    await tools.leave();
    if (here !== to) return;  // another step was opened meanwhile
  }
  for (const section of document.querySelectorAll("main [data-step]")) section.hidden = section.dataset.step !== to;
  for (const button of document.querySelectorAll("#steps button")) {
    const place = steps().indexOf(button.dataset.step);
    button.parentNode.hidden = place < 0;
    button.classList.toggle("done", place >= 0 && place < steps().indexOf(to));
    if (button.dataset.step === to) { button.setAttribute("aria-current", "step"); button.scrollIntoView({ block: "nearest", inline: "nearest" }); } else button.removeAttribute("aria-current");
  }
  const place = steps().indexOf(to);
  $("back").disabled = place <= 0;
  $("next").hidden = to === "match";
  $("begin").hidden = to !== "match";
  if (to === "board") board.open(game, choices.boards[game.board], calibration(), state.camera, state.simulated, async () => { await learn(); go(after("board")); });
  if (to === "map") map.open(game, () => go(after("map")), because);
  if (to === "tools") tools.open();
  if (to === "match") { match.open(game, choices.usual, choices.left, state.simulated, map.agreed, () => go("map", WORDS.needMap), game.map ? map.diced() : game.dice); match.check(); }
  if (before) { $(`${to}-title`).focus(); scrollTo({ top: 0 }); }
  if (state) tell();
}

function games() {
  const wanted = localStorage["setup.game"] ?? choices.usual.rules;
  game = choices.games.find((each) => each.name === wanted) ?? choices.games[0];
  const order = [...choices.games].sort((a, b) => Object.keys(WORDS.boards).indexOf(a.board) - Object.keys(WORDS.boards).indexOf(b.board));
  $("games").replaceChildren(...order.map((each) => {
    const card = make("label", "", "card"), radio = make("input");
    Object.assign(radio, { type: "radio", name: "game", value: each.name, checked: each === game });
    radio.onchange = () => { game = each; localStorage["setup.game"] = each.name; go("game"); };
    card.append(radio, make("strong", each.title), make("small", WORDS.games[each.name] ?? WORDS.boards[each.board]));
    return card;
  }));
}

// What goes on from here: a new calibration is used, and not left behind by who is in a hurry.
function onward() {
  const fresh = here === "board" && !$("result").hidden, skipping = here === "board" && !fresh && state.camera && !choices.known[game.board];
  $("next").textContent = fresh ? WORDS.use : skipping ? WORDS.skip : WORDS.next;
  $("next").classList.toggle("main", !skipping);
}

const learn = async () => { choices = await ask("GET", "/api/setup/games"); };
const calibration = () => ({ known: choices.known[game.board], learned: choices.learned[game.board], before: choices.before[game.board], again: async () => { await learn(); return calibration(); } });

function tell() {
  focus.follow(state);
  board.follow(state, here === "board");
  onward();
  if (here === "tools") tools.follow(state);
  if (here === "match") match.follow(state);
}

async function follow() {
  clearTimeout(beat);
  try {
    state = await ask("GET", `/api/setup?desk=${encodeURIComponent(seat.token)}`);
    $("line").className = "line live";
    say("line", WORDS.live);
    if (!state.mine) { seat.token = ""; await enter(); return; }
    tell();
    if (here === "match" && !document.hidden) await match.check();
  } catch (error) {
    if (error.status === 401 || error.status === 423) { await enter(); return; }
    $("line").className = "line lost";
    say("line", WORDS.lost);
  }
  const quick = here === "tools" || (state?.work && !state.work.over);
  beat = setTimeout(follow, document.hidden ? 5 * PACE : quick ? QUICK : here === "match" ? 2 * PACE : PACE);
}

function only(id) {
  for (const each of ["door", "taken"]) $(each).hidden = each !== id;
  document.querySelector("nav").hidden = $("bar").hidden = id !== "";
  if (id) { for (const section of document.querySelectorAll("main [data-step]")) section.hidden = true; here = null; $(`${id}-title`).focus(); }
}

// Begins to set up: asks for the PIN, and says so where somebody else is setting up.
async function enter(take = false) {
  clearTimeout(beat);
  try {
    if (!seat.token || take) seat.token = (await ask("POST", "/api/setup/desk", { take })).desk;
    state = await ask("GET", `/api/setup?desk=${encodeURIComponent(seat.token)}`);
    if (!state.mine) { seat.token = ""; return enter(); }
    await learn();
    only("");
    if (!here) { games(); go("game"); }
  } catch (error) {
    if (error.status === 401) { only("door"); $("line").className = "line"; say("line", WORDS.locked); }
    else if (error.status === 423) { seat.token = ""; only("taken"); say("taken-text", error.message); }
    else { $("line").className = "line lost"; say("line", error.status === 404 ? WORDS.noTable : error.status ? error.message : WORDS.lost); }
    if (error.status === 404) return;
    if (error.status === 401 || error.status === 423) return;
  }
  beat = setTimeout(follow, QUICK);
}

$("steps").onclick = ({ target }) => target.dataset.step && go(target.dataset.step);
$("back").onclick = () => go(steps()[Math.max(0, steps().indexOf(here) - 1)]);
$("next").onclick = () => (here === "board" && !$("result").hidden ? $("keep").click() : go(after(here)));
$("take").onclick = () => enter(true);
$("retry").onclick = () => enter();
$("pin-form").onsubmit = trying("pin-reason", async () => { await ask("POST", "/api/pin", { pin: $("pin").value }); await enter(); });
document.addEventListener("outside", () => enter());
document.addEventListener("visibilitychange", () => { if (!document.hidden && here) follow(); });
addEventListener("pagehide", () => { if (seat.token) fetch("/api/setup/leave", { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ desk: seat.token }) }); });
speak(WORDS);
enter();
