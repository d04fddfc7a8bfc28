// The archive: a list to search, a match to replay with a slider, files to download. A replay is drawn in place of the live board.
import { mayAct } from "/static/act.js";
import { dashed, fill, isolated, moment } from "/static/language.js";
import { lay, lift } from "/static/layers.js";
import { ask, make } from "/static/table.js";
import { WORDS, who } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const looked = (game) => game.known !== false;  // the table looks at matches that it has never listed, a bit at a time
const PACE = 1500;
let again = 0, playing = 0;
let games = [], states = [], draw = () => {}, live = () => {};

export const replaying = () => states.length > 0;

// ``drawState`` draws a state of a replay; ``drawLive`` the table's own again.
export function open(drawState, drawLive) { [draw, live] = [drawState, drawLive]; }

async function load() {
  clearTimeout(again);
  try { games = await ask("GET", "/api/games"); list(); if (!games.every(looked)) again = setTimeout(() => $("archive").open && load(), 3000); } catch (error) { $("games").replaceChildren(make("li", error.status === 404 ? WORDS.noGames : error.message)); }
}

// Who may act has changed, and so has what is offered.
export const refresh = () => { if ($("archive").open) list(); };

function list() {
  const words = $("search").value.toLowerCase().split(/\s+/);
  const found = games.filter((game) => {
    const text = [game.id, game.date, moment(game.date), game.rules, game.title, ...game.players, game.outcome].join(" ").toLowerCase();
    return words.every((word) => text.includes(word)) && (!game.away || $("away").checked);
  });
  $("games").replaceChildren(...found.map(line));
  if (!games.every(looked)) $("games").prepend(make("li", fill(WORDS.looked, { n: games.filter(looked).length, all: games.length })));
  if (!found.length) $("games").append(make("li", games.length ? WORDS.noneFound : WORDS.noGames));
}

function line(game) {
  const row = make("li", "", game.away ? "away" : ""), buttons = make("div", "", "buttons");
  const told = [game.score, [...game.score].reverse()].some((score) => game.outcome.includes(score.join("–")));  // a match is told with its score
  const line = make("p", `${moment(game.date)} · ${game.title} · `);
  line.append(make("span", `${told ? "" : `${isolated(game.score.join("–"))} · `}${game.outcome}`, "whole"));
  row.append(make("strong", game.players.map(isolated).join(" – ")), line, buttons);
  if (game.replay) buttons.append(button(WORDS.watch, async ({ target }) => { target.disabled = true; await replay(game); target.disabled = false; }));
  const file = (label, path) => {
    const link = make("a", label, "file");
    link.href = `/api/games/${encodeURIComponent(game.id)}/${path}`;
    link.setAttribute("aria-label", fill(WORDS.download, { file: label }));
    return link;
  };
  if (game.formats.length) buttons.append(file(WORDS.report, "report"));
  if (game.reviewable) buttons.append(Object.assign(make("a", WORDS.review, "file"), { href: `/review#${encodeURIComponent(game.id)}` }));
  if (mayAct()) buttons.append(button(game.away ? WORDS.back : WORDS.remove, () => put(game)));
  const formats = make("div", "", "formats");
  formats.append(...game.formats.map((format) => file(`.${format}`, `file/${format}`)));
  row.append(formats);
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
  if ($("replay").hidden) lay(leave);
  $("replay").hidden = false;
  plays();
  step();
  $("phase").scrollIntoView({ block: "start" });
  $("slider").focus({ preventScroll: true });
}

function leave() {
  autoplay(false);
  states = [];
  $("replay").hidden = true;
  live();
  lift(leave);
}

function step() {
  const at = Number($("slider").value);
  $("slider-text").textContent = fill(WORDS.of, { n: at + 1, all: states.length });
  $("slider").setAttribute("aria-valuetext", states[at].phase);
  draw(states[at]);
  const rows = [...$("moves").querySelectorAll(".go")], now = rows.findLast((row) => row.dataset.at <= at);
  for (const row of rows) if (row === now) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
  $("moves").scrollTop = now ? now.parentNode.offsetTop - $("moves").offsetTop - $("moves").clientHeight / 2 : 0;
}

// What happened, one row for each step that has something to tell; a touch goes there.
function plays() {
  const title = (state, { verdict, title, side, dice, text }) => (verdict === "legal" ? `${[isolated(who(state, side)), dice.length && isolated(dashed(dice))].filter(Boolean).join(", ")}: ${text}` : title);
  const told = (state) => [state.judgement && title(state, state.judgement), ...state.news.filter(({ kind }) => kind !== "roll").map(({ words }) => words)].filter(Boolean).join("; ");
  $("no-moves").hidden = true;
  $("moves").replaceChildren(...states.flatMap((state, at) => {
    const words = told(state);
    if (!words || (at && words === told(states[at - 1]))) return [];
    const row = make("li", "", state.judgement?.verdict ?? ""), go = button(words, () => { $("slider").value = at; step(); });
    go.className = "go";
    go.dataset.at = at;
    row.append(go);
    return [row];
  }));
}

function autoplay(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => { by(1); if (Number($("slider").value) === states.length - 1) autoplay(false); }, PACE) : 0;
  $("autoplay").textContent = on ? WORDS.halt : WORDS.play;
}

function by(much) {
  $("slider").value = Number($("slider").value) + much;
  step();
}

$("slider").oninput = step;
$("before").onclick = () => by(-1);
$("after").onclick = () => by(1);
$("autoplay").onclick = () => {
  if (!playing && Number($("slider").value) === states.length - 1) $("slider").value = 0;
  autoplay(!playing);
};
addEventListener("keydown", (event) => {
  const much = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!much || !replaying() || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  by(much);
});
$("live").onclick = leave;
$("archive").ontoggle = () => { if ($("archive").open) load(); };
$("search").oninput = $("away").onchange = list;
