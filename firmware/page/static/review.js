// The review of a match: ratings, the chances to win, each mistake as a board with what was played and what was best. One that goes on is followed.
import { draw } from "/static/board.js";
import { element } from "/static/svg.js";

const $ = (id) => document.getElementById(id);
const make = (name, text = "", className = "") => Object.assign(document.createElement(name), { textContent: text, className });
const signed = (value, digits = 3) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
const named = { play: "play", cube: "cube" };
const log = () => decodeURIComponent(location.hash.slice(1).split("/")[0]);
let found = null, following = 0;

async function ask(method, path = "") {
  let answer;
  try { answer = await fetch(`/api/games/${encodeURIComponent(log())}/review${path}`, { method }); } catch { throw new Error("The table cannot be reached."); }
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const { reason } = await answer.json().catch(() => ({}));
  throw new Error(answer.status === 401 ? "Enter the table's PIN on its page first, then ask again." : reason ?? "The table did not answer.");
}

// -- how far it is

function tell({ state, done = 0, of = 0, reason = "" }) {
  const working = state === "working", left = found && found.reviewed < found.games;
  $("progress").hidden = !working;
  if (of) Object.assign($("progress"), { max: of, value: done }); else $("progress").removeAttribute("value");
  $("stop").hidden = !working;
  $("start").hidden = working || !found?.makes || !left;
  $("start").textContent = found?.reviewed ? "Review the rest" : "Review this match";
  const so = found?.reviewed ? `${found.reviewed} of ${found.games} games are reviewed.` : "This match has not been reviewed.";
  $("status").textContent = working ? `The engine is thinking: ${of ? `${done} of ${of} games` : "it has begun"}.` : state === "failed" ? `It was not reviewed: ${reason}` : !found ? "" : left ? so : "";
}

async function follow() {
  clearTimeout(following);
  try {
    const work = await ask("GET", "/progress"), games = found?.reviewed ?? 0;
    if (work.state !== "working" || work.done > games) await load();
    else tell(work);
    if (work.state === "working") following = setTimeout(follow, 1500);
  } catch (error) { $("status").textContent = error.message; following = setTimeout(follow, 5000); }
}

const press = (method) => async () => {
  try { const work = await ask(method); if (work) tell(work); follow(); } catch (error) { $("status").textContent = error.message; }
};
$("start").onclick = press("POST");
$("stop").onclick = press("DELETE");

// -- what was found

function head({ title, names, length, date, event, engines, unjudged, id }) {
  $("title").textContent = names.map((name, place) => name || found.sides[place]).join(" – ");
  document.title = `${$("title").textContent} · Review · Barpoint`;
  const by = engines.length ? `by ${engines.join(" and ")}` : "", odd = unjudged ? `${unjudged} not judged (illegal plays that stood, answers to beavers)` : "";
  $("facts").textContent = [title, length ? `match to ${length}` : "money session", event, date, by, odd].filter(Boolean).join(" · ");
  Object.assign($("report"), { href: `/api/games/${encodeURIComponent(id)}/report`, hidden: false });
}

// A table with a column for each of ``heads``; ``rows`` are a name and the cells, each a text or a text and its class.
function table(heads, rows) {
  const made = make("table"), top = make("tr");
  top.append(make("td"), ...heads.map((name) => Object.assign(make("th", name), { scope: "col" })));
  made.append(make("thead"), make("tbody"));
  made.tHead.append(top);
  made.tBodies[0].append(...rows.map(([name, ...cells]) => {
    const row = make("tr");
    row.append(Object.assign(make("th", name), { scope: "row" }), ...cells.map((cell) => make("td", ...[cell].flat())));
    return row;
  }));
  return made;
}

const FIGURES = { pr: "performance rating", play_pr: "of the plays", cube_pr: "of the cube", errors: "errors", blunders: "blunders", decisions: "decisions", luck: "luck" };
function players(rows) {
  $("players").hidden = $("meaning").hidden = !rows.length;
  const told = (key, value) => (key === "luck" ? signed(value) : key.endsWith("pr") ? value.toFixed(1) : String(value));
  $("players").replaceChildren(table(rows.map(({ name }) => name), Object.entries(FIGURES).map(([key, name]) => [name, ...rows.map((each) => told(key, each[key]))])));
}

const WIDE = 480, HIGH = 170, LEFT = 52, TOP = 14, LOW = 140;
function graph({ game, wins, turns }) {
  const step = (WIDE - LEFT - 8) / (wins.length - 1), x = (place) => LEFT + place * step, y = (win) => LOW - win * (LOW - TOP);
  const line = wins.map((win, place) => `${x(place).toFixed(1)},${y(win).toFixed(1)}`).join(" ");
  const title = `Game ${game}: ${found.names[0] || found.sides[0]}'s chance to win`;
  const svg = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": title },
    ...[0, .5, 1].flatMap((share) => [element("line", { x1: LEFT, x2: WIDE - 8, y1: y(share), y2: y(share), class: "rule" }), element("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end", class: "mark" }, `${100 * share} %`)]),
    element("polygon", { points: `${x(0)},${LOW} ${line} ${x(wins.length - 1)},${LOW}`, class: "area" }), element("polyline", { points: line, class: "curve" }));
  for (const each of found.mistakes.filter((one) => one.game === game)) {
    const place = Math.max(0, turns.indexOf(each.turn)), told = `move ${each.turn}, ${each.mark}: ${each.played}, ${signed(-each.loss)}`;
    const link = element("a", { href: `#${encodeURIComponent(log())}/${each.rank}`, "aria-label": told });
    const dot = element("circle", { cx: x(place), cy: y(wins[place]), r: each.mark === "blunder" ? 6 : 4, class: "slip" });
    dot.append(element("title", {}, told));
    link.append(dot);
    svg.append(link);
  }
  svg.append(element("text", { x: LEFT, y: HIGH - 8, class: "mark" }, `roll 1`), element("text", { x: WIDE - 8, y: HIGH - 8, "text-anchor": "end", class: "mark" }, `roll ${wins.length}`));
  const figure = make("figure");
  figure.append(svg, make("figcaption", title));
  return figure;
}

// What the board's drawing asks of a state: it knows the cells, who has just moved, the dice and the cube.
function board(each, cells, dice, words) {
  const svg = element("svg", { class: "drawn", role: "img", "aria-label": `The board: ${words}` });
  const { value, owner, offered } = each.cube, offer = offered && { value: offered };
  const touched = cells === each.boards.before ? [] : Object.keys(cells).filter((cell) => JSON.stringify(cells[cell]) !== JSON.stringify(each.boards.before[cell]));
  draw(svg, { cells, sides: found.sides, labels: found.labels, counts: each.side, turn: each.side, dice, touched, cube: { value, owner, offer }, strip: false });
  return svg;
}

function shown(picture, caption, strong) {
  const figure = make("figure"), text = make("figcaption", `${caption} `);
  text.append(make("strong", strong));
  figure.append(picture, text);
  return figure;
}

const CHANCES = { win: "wins", gammon: "gammons", backgammon: "backgammons", gammon_lost: "gammons lost", backgammon_lost: "backgammons lost" };
function why({ had, missed }) {
  const both = had && missed, percent = (value) => `${(100 * value).toFixed(1)} %`;
  if (!had && !missed) return [];
  const scroll = Object.assign(make("div", "", "scroll"), { tabIndex: 0 });
  scroll.append(table(both ? ["played", "best", "difference"] : ["chances"], Object.entries(CHANCES).map(([key, name]) => {
    if (!both) return [name, percent((had ?? missed)[key])];
    const more = missed[key] - had[key], good = key.endsWith("lost") ? more < 0 : more > 0;
    return [name, percent(had[key]), percent(missed[key]), [`${signed(100 * more, 1)} %`, Math.abs(more) < .005 ? "" : good ? "better" : "worse"]];
  })));
  return [scroll];
}

function mistake(each) {
  const item = make("li", "", "mistake"), place = found.sides.indexOf(each.side), own = each.score[place], theirs = each.score[1 - place];
  item.id = `${encodeURIComponent(log())}/${each.rank}`;
  const title = make("h3", `${found.names[place] || each.side}: ${each.played} `);
  title.append(make("span", `${signed(-each.loss)} ${each.mark}`, "loss"));
  const owner = each.cube.owner === null ? "in the middle" : each.cube.owner === each.side ? "own" : "the opponent's";
  const facts = [`game ${each.game}, move ${each.turn}`, each.dice.length ? `rolled ${each.dice.join("-")}` : named[each.kind], `score ${own}–${theirs}${found.length ? ` to ${found.length}` : ""}${each.crawford ? ", Crawford" : ""}`, `cube ${each.cube.value}, ${owner}`];
  const boards = make("div", "", "boards"), { before, left, better } = each.boards;
  boards.append(shown(board(each, before, each.dice, "before the decision"), each.kind === "cube" ? "The decision; best:" : "To play", each.kind === "cube" ? each.best : each.dice.join("-")));
  if (left) boards.append(shown(board(each, left, [], `after ${each.played}`), "Played", each.played));
  if (better) boards.append(shown(board(each, better, [], `after ${each.best}`), "Best", each.best));
  if (each.picture) {
    const picture = Object.assign(new Image(), { loading: "lazy", alt: "The real board", src: `/api/games/${encodeURIComponent(log())}/picture/${encodeURIComponent(each.picture)}` });
    boards.append(shown(picture, each.kind === "cube" ? "The real board before the decision" : "The real board after the play", ""));
  }
  item.append(title, make("p", facts.join(" · "), "facts"), boards, ...why(each));
  return item;
}

function list() {
  const whose = $("whose").value, which = $("which").value;
  const chosen = found.mistakes.filter((each) => (!whose || each.side === whose) && (which === "all" || each.mark === which || each.kind === which));
  chosen.sort((a, b) => ($("order").value === "loss" ? a.rank - b.rank : a.game - b.game || a.turn - b.turn));
  $("list").replaceChildren(...chosen.map(mistake));
  $("count").textContent = chosen.length ? `${chosen.length} of ${found.mistakes.length}` : "None.";
}
for (const id of ["whose", "which", "order"]) $(id).onchange = list;
$("sieve").onsubmit = (event) => event.preventDefault();

async function load() {
  clearTimeout(following);
  if (!log()) { $("status").textContent = "Choose a match in the archive on the table's page."; return; }
  try {
    const before = found && JSON.stringify([found.id, found.reviewed]);
    found = await ask("GET");
    head(found);
    if (JSON.stringify([found.id, found.reviewed]) !== before) {
      players(found.players);
      $("chances").hidden = !found.graphs.length;
      $("graphs").replaceChildren(...found.graphs.map(graph));
      $("mistakes").hidden = !found.reviewed;
      $("whose").replaceChildren(...["", ...found.sides].map((side, place) => Object.assign(make("option", side ? found.names[place - 1] || side : "both players"), { value: side })));
      list();
    }
    tell(found.work);
    if (found.work.state === "working") following = setTimeout(follow, 1500);
  } catch (error) {
    if (!found) for (const id of ["players", "meaning", "chances", "mistakes"]) $(id).hidden = true;
    $("status").textContent = error.message;
  }
}

// The address names the match, and after a slash one of its mistakes.
let open = log();
function go() {
  if (log() !== open) { open = log(); found = null; load(); return; }
  const there = document.getElementById(location.hash.slice(1));
  if (there) { there.tabIndex = -1; there.scrollIntoView({ block: "start" }); there.focus({ preventScroll: true }); }
}
addEventListener("hashchange", go);
load().then(go);
