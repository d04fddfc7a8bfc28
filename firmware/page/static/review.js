// The review of a match: ratings, the chances to win, each mistake as a board with what was played and what was best. One that goes on is followed.
import { asker } from "/static/ask.js";
import { draw } from "/static/board.js";
import { dashed, day, fill, inLanguage, isolated, language, number, percent, plural } from "/static/language.js";
import { element } from "/static/svg.js";

const WORDS = inLanguage({
  title: "Review", unreached: "The table cannot be reached.", pin: "Enter the table's PIN on its page first, then ask again.", silent: "The table did not answer.", choose: "Choose a match in the archive on the table's page.",
  start: "Review this match", rest: "Review the rest", unreviewed: "This match has not been reviewed.", reviewed: "Games reviewed: {n} of {all}.",
  begun: "The engine is thinking.", thinking: "The engine is thinking. Games done: {n} of {all}.", failed: "It was not reviewed: {reason}",
  by: "by {engines}", odd: plural("{n} decision not judged (illegal plays that stood, answers to beavers)", "{n} decisions not judged (illegal plays that stood, answers to beavers)"), match: "match to {length}", money: "money session",
  figures: { pr: "performance rating", play_pr: "of the plays", cube_pr: "of the cube", errors: "errors", blunders: "blunders", decisions: "decisions", luck: "luck" },
  graph: "Game {game}: {player}'s chance to win", slip: "move {move}, {mark}: {played}, {loss}", roll: "roll {n}", marks: { error: "error", blunder: "blunder" },
  chances: { win: "wins", gammon: "gammons won", backgammon: "backgammons won", gammon_lost: "gammons lost", backgammon_lost: "backgammons lost" }, columns: { chances: "chances", played: "played", best: "best", difference: "difference" },
  cubes: { "no double": "no double", double: "double", take: "take", drop: "drop", beaver: "beaver" }, middle: "cube {value}, in the middle", own: "cube {value}, own", theirs: "cube {value}, the opponent's",
  place: "game {game}, move {move}", rolled: "rolled {dice}", cube: "cube", score: "score {own}–{theirs}", scoreTo: "score {own}–{theirs} to {length}", crawford: "Crawford",
  decision: "The decision; best:", toPlay: "To play", played: "Played", best: "Best", real: "The real board", realBefore: "The real board before the decision", realAfter: "The real board after the play",
  count: "{n} of {all}", none: "None.", both: "both players",
});

const $ = (id) => document.getElementById(id);
const make = (name, text = "", className = "") => Object.assign(document.createElement(name), { textContent: text, className });
const sign = (value, text) => isolated(`${value < 0 ? "−" : "+"}${text}`);
const signed = (value) => sign(value, number(Math.abs(value), 3));
const log = () => decodeURIComponent(location.hash.slice(1).split("/")[0]);
let found = null, following = 0;

const reviewed = asker(WORDS.unreached, WORDS.silent, WORDS.pin);
const ask = (method, path = "") => reviewed(method, `/api/games/${encodeURIComponent(log())}/review${path}`);

// -- how far it is

function tell({ state, done = 0, of = 0, reason = "" }) {
  const working = state === "working", left = found && found.reviewed < found.games;
  $("progress").hidden = !working;
  if (of) Object.assign($("progress"), { max: of, value: done }); else $("progress").removeAttribute("value");
  $("stop").hidden = !working;
  $("start").hidden = working || !found?.makes || !left;
  $("start").textContent = found?.reviewed ? WORDS.rest : WORDS.start;
  const so = found?.reviewed ? fill(WORDS.reviewed, { n: number(found.reviewed), all: number(found.games) }) : WORDS.unreviewed;
  $("status").textContent = working ? (of ? fill(WORDS.thinking, { n: number(done), all: number(of) }) : WORDS.begun) : state === "failed" ? fill(WORDS.failed, { reason }) : !found ? "" : left ? so : "";
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

function head({ title, called, length, date, event, engines, unjudged, id }) {
  $("title").textContent = called.map(isolated).join(" – ");
  document.title = `${$("title").textContent} · ${WORDS.title} · Barpoint`;
  const by = engines.length ? fill(WORDS.by, { engines: new Intl.ListFormat(language).format(engines) }) : "", odd = unjudged ? WORDS.odd(unjudged) : "";
  $("facts").textContent = [isolated(title), length ? fill(WORDS.match, { length: number(length) }) : WORDS.money, event && isolated(event), date && isolated(day(date)), by, odd].filter(Boolean).join(" · ");
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

function players(rows) {
  $("players").hidden = $("meaning").hidden = !rows.length;
  const told = (key, value) => (key === "luck" ? signed(value) : key.endsWith("pr") ? number(value, 1) : number(value));
  $("players").replaceChildren(table(rows.map(({ name }) => isolated(name)), Object.entries(WORDS.figures).map(([key, name]) => [name, ...rows.map((each) => told(key, each[key]))])));
}

// What was played or best: a play as it is written, or a word for the cube.
const said = (each, what) => (each.kind === "cube" ? WORDS.cubes[what] ?? what : what);

const WIDE = 480, HIGH = 170, LEFT = 52, TOP = 14, LOW = 140;
function graph({ game, wins, turns }) {
  const step = (WIDE - LEFT - 8) / (wins.length - 1), x = (place) => LEFT + place * step, y = (win) => LOW - win * (LOW - TOP);
  const line = wins.map((win, place) => `${x(place).toFixed(1)},${y(win).toFixed(1)}`).join(" ");
  const title = fill(WORDS.graph, { game: number(game), player: found.called[0] });
  const svg = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": title },
    ...[0, .5, 1].flatMap((share) => [element("line", { x1: LEFT, x2: WIDE - 8, y1: y(share), y2: y(share), class: "rule" }), element("text", { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end", class: "mark" }, percent(share, 0))]),
    element("polygon", { points: `${x(0)},${LOW} ${line} ${x(wins.length - 1)},${LOW}`, class: "area" }), element("polyline", { points: line, class: "curve" }));
  for (const each of found.mistakes.filter((one) => one.game === game)) {
    const place = Math.max(0, turns.indexOf(each.turn)), told = fill(WORDS.slip, { move: number(each.turn), mark: WORDS.marks[each.mark], played: said(each, each.played), loss: signed(-each.loss) });
    const link = element("a", { href: `#${encodeURIComponent(log())}/${each.rank}`, "aria-label": told });
    const dot = element("circle", { cx: x(place), cy: y(wins[place]), r: each.mark === "blunder" ? 6 : 4, class: "slip" });
    dot.append(element("title", {}, told));
    link.append(dot);
    svg.append(link);
  }
  svg.append(element("text", { x: LEFT, y: HIGH - 8, class: "mark" }, fill(WORDS.roll, { n: number(1) })), element("text", { x: WIDE - 8, y: HIGH - 8, "text-anchor": "end", class: "mark" }, fill(WORDS.roll, { n: number(wins.length) })));
  const figure = make("figure");
  figure.append(svg, make("figcaption", title));
  return figure;
}

// What the board's drawing asks of a state: it knows the cells, who has just moved, the dice and the cube.
function board(each, cells, dice, words) {
  const svg = element("svg", { class: "drawn", role: "img", "aria-label": words });
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

function why({ had, missed }) {
  const both = had && missed, { chances, played, best, difference } = WORDS.columns;
  if (!had && !missed) return [];
  const scroll = Object.assign(make("div", "", "scroll"), { tabIndex: 0 });
  scroll.append(table(both ? [played, best, difference] : [chances], Object.entries(WORDS.chances).map(([key, name]) => {
    if (!both) return [name, percent((had ?? missed)[key])];
    const more = missed[key] - had[key], good = key.endsWith("lost") ? more < 0 : more > 0;
    return [name, percent(had[key]), percent(missed[key]), [sign(more, percent(Math.abs(more))), Math.abs(more) < .005 ? "" : good ? "better" : "worse"]];
  })));
  return [scroll];
}

function mistake(each) {
  const item = make("li", "", "mistake"), place = found.sides.indexOf(each.side), own = each.score[place], theirs = each.score[1 - place];
  item.id = `${encodeURIComponent(log())}/${each.rank}`;
  const title = make("h3", `${isolated(found.called[place])}: ${isolated(said(each, each.played))} `);
  title.append(make("span", `${signed(-each.loss)} ${WORDS.marks[each.mark]}`, "loss"));
  const cube = each.cube.owner === null ? WORDS.middle : each.cube.owner === each.side ? WORDS.own : WORDS.theirs, score = found.length ? WORDS.scoreTo : WORDS.score;
  const facts = [
    fill(WORDS.place, { game: number(each.game), move: number(each.turn) }), each.dice.length ? fill(WORDS.rolled, { dice: dashed(each.dice) }) : WORDS.cube,
    fill(score, { own: number(own), theirs: number(theirs), length: number(found.length) }), each.crawford && WORDS.crawford, fill(cube, { value: number(each.cube.value) }),
  ].filter(Boolean);
  const boards = make("div", "", "boards"), { before, left, better } = each.boards;
  boards.append(shown(board(each, before, each.dice, WORDS.toPlay), each.kind === "cube" ? WORDS.decision : WORDS.toPlay, each.kind === "cube" ? said(each, each.best) : dashed(each.dice)));
  if (left) boards.append(shown(board(each, left, [], `${WORDS.played} ${said(each, each.played)}`), WORDS.played, isolated(said(each, each.played))));
  if (better) boards.append(shown(board(each, better, [], `${WORDS.best} ${said(each, each.best)}`), WORDS.best, isolated(said(each, each.best))));
  if (each.picture) {
    const picture = Object.assign(new Image(), { loading: "lazy", alt: WORDS.real, src: `/api/games/${encodeURIComponent(log())}/picture/${encodeURIComponent(each.picture)}` });
    boards.append(shown(picture, each.kind === "cube" ? WORDS.realBefore : WORDS.realAfter, ""));
  }
  item.append(title, make("p", facts.join(" · "), "facts"), boards, ...why(each));
  return item;
}

function list() {
  const whose = $("whose").value, which = $("which").value;
  const chosen = found.mistakes.filter((each) => (!whose || each.side === whose) && (which === "all" || each.mark === which || each.kind === which));
  chosen.sort((a, b) => ($("order").value === "loss" ? a.rank - b.rank : a.game - b.game || a.turn - b.turn));
  $("list").replaceChildren(...chosen.map(mistake));
  $("count").textContent = chosen.length ? fill(WORDS.count, { n: number(chosen.length), all: number(found.mistakes.length) }) : WORDS.none;
}
for (const id of ["whose", "which", "order"]) $(id).onchange = list;
$("sieve").onsubmit = (event) => event.preventDefault();

async function load() {
  clearTimeout(following);
  if (!log()) { $("status").textContent = WORDS.choose; return; }
  try {
    const before = found && JSON.stringify([found.id, found.reviewed]);
    found = await ask("GET");
    head(found);
    if (JSON.stringify([found.id, found.reviewed]) !== before) {
      players(found.players);
      $("chances").hidden = !found.graphs.length;
      $("graphs").replaceChildren(...found.graphs.map(graph));
      $("mistakes").hidden = !found.reviewed;
      $("whose").replaceChildren(...["", ...found.sides].map((side, place) => Object.assign(make("option", side ? isolated(found.called[place - 1]) : WORDS.both), { value: side })));
      list();
    }
    tell(found.work);
    if (found.work.state === "working") following = setTimeout(follow, 1500);
  } catch (error) {
    if (!found) {
      for (const id of ["players", "meaning", "chances", "mistakes", "report"]) $(id).hidden = true;
      $("title").textContent = WORDS.title;
      $("facts").textContent = "";
    }
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
