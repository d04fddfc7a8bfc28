// The archive: a list to search, a match to replay with a slider, files to download. A replay is drawn in place of the live board.
import { ask, make } from "/static/act.js";
import { WORDS } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const looked = (game) => game.known !== false;  // the table looks at matches that it has never listed, a bit at a time
let again = 0;
let games = [], states = [], draw = () => {}, live = () => {};

export const replaying = () => states.length > 0;

// ``drawState`` draws a state of a replay; ``drawLive`` the table's own again.
export function open(drawState, drawLive) { [draw, live] = [drawState, drawLive]; }

async function load() {
  clearTimeout(again);
  try { games = await ask("GET", "/api/games"); list(); if (!games.every(looked)) again = setTimeout(() => $("archive").open && load(), 3000); } catch (error) { $("games").replaceChildren(make("li", error.status === 404 ? WORDS.noGames : error.message)); }
}

function list() {
  const words = $("search").value.toLowerCase().split(/\s+/);
  const found = games.filter((game) => {
    const text = [game.id, game.date, game.rules, ...game.players, game.result].join(" ").toLowerCase();
    return words.every((word) => text.includes(word)) && (!game.away || $("away").checked);
  });
  $("games").replaceChildren(...found.map(line));
  if (!games.every(looked)) $("games").prepend(make("li", `${games.filter(looked).length} ${WORDS.of} ${games.length} ${WORDS.looked}`));
  if (!found.length) $("games").append(make("li", games.length ? WORDS.noneFound : WORDS.noGames));
}

function line(game) {
  const row = make("li", "", game.away ? "away" : ""), buttons = make("div", "", "buttons");
  row.append(make("strong", game.players.join(" – ")), make("p", `${game.date.slice(0, 16).replace("T", " ")} · ${game.rules} · ${game.score.join("–")} · ${game.result}`), buttons);
  buttons.append(button(WORDS.watch, () => replay(game)));
  const file = (label, path) => {
    const link = make("a", label, "file");
    link.href = `/api/games/${encodeURIComponent(game.id)}/${path}`;
    link.setAttribute("aria-label", `${WORDS.download}: ${label}`);
    return link;
  };
  buttons.append(...game.formats.map((format) => file(`.${format}`, `file/${format}`)), file(WORDS.report, "report"));
  buttons.append(button(game.away ? WORDS.back : WORDS.remove, () => put(game)));
  return row;
}

function button(label, does) {
  const made = make("button", label, "quiet");
  made.type = "button";
  made.onclick = does;
  return made;
}

async function put(game) {
  const path = `/api/games/${encodeURIComponent(game.id)}`;
  try { await (game.away ? ask("POST", `${path}/back`) : ask("DELETE", path)); } catch (error) { $("archive-reason").textContent = error.message; return; }
  $("archive-reason").textContent = "";
  if (!game.away) $("archive-reason").append(WORDS.gone, button(WORDS.back, () => put({ ...game, away: true })));
  load();
}

async function replay(game) {
  try { states = (await ask("GET", `/api/games/${encodeURIComponent(game.id)}/states`)).filter((state) => state.cells); } catch (error) { $("archive-reason").textContent = error.message; return; }
  if (!states.length) return;
  $("slider").max = states.length - 1;
  $("slider").value = 0;
  $("replay").hidden = false;
  step();
  $("phase").scrollIntoView({ block: "start" });
  $("slider").focus({ preventScroll: true });
}

function step() {
  const at = Number($("slider").value);
  $("slider-text").textContent = `${at + 1} ${WORDS.of} ${states.length}`;
  $("slider").setAttribute("aria-valuetext", states[at].phase);
  draw(states[at]);
}

function by(much) {
  $("slider").value = Number($("slider").value) + much;
  step();
}

$("slider").oninput = step;
$("before").onclick = () => by(-1);
$("after").onclick = () => by(1);
$("live").onclick = () => { states = []; $("replay").hidden = true; live(); };
$("archive").ontoggle = () => { if ($("archive").open) load(); };
$("search").oninput = $("away").onchange = list;
