// Follows the table: one stream of whole states, each drawn as it comes. The page remembers nothing, so one that was away is right again with the
// first state that it gets.
import * as acting from "/static/act.js";
import * as archive from "/static/archive.js";
import * as correct from "/static/correct.js";
import { awake, keep, last } from "/static/away.js";
import "/static/director-call.js";
import * as fair from "/static/fair.js";
import "/static/keys.js";
import { choices, wants } from "/static/mine.js";
import { hear, runsLow, speaks } from "/static/sound.js";
import { invite, inviting, join } from "/static/invite.js";
import { watch } from "/static/line.js";
import { draw, rotate, sitAt } from "/static/board.js";
import { clockTime, dashed, fill, isolated, percent, said } from "/static/language.js";
import { make } from "/static/table.js";
import { HEXES_OF, PIECES, SPARE, WORDS, speak, who } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const over = location.pathname === "/overlay", big = over || location.pathname === "/tv";
document.documentElement.classList.toggle("tv", big);
document.documentElement.classList.toggle("overlay", over);
const wanted = new URLSearchParams(location.search), clear = over || (big && wanted.has("clear"));
document.documentElement.classList.toggle("clear", clear);

speak();

let latest = null, came = 0, picture = null;

function tell(line, word) {
  $("line").className = `line ${line}`;
  if ($("line").textContent !== word) $("line").textContent = word;  // else it would be read aloud with every state
}

function show(state) {
  if (!state.cells) return archive.replaying() || idle(state);
  latest = state;
  if (!over) hear(state);
  if (!big) keep(state);
  came = performance.now() - 1000 * state.age;
  $("moving").classList.toggle("now", state.moving);
  acting.show(state);
  seated();
  awake(big || (state.due !== null && state.players[state.due] === acting.seat()));
  inviting(state, big && !clear);
  if (correct.overtaken(state)) acting.complain({ message: WORDS.overtaken });
  if (archive.replaying() || correct.busy()) return;
  present(state);
}

// No match: the one thing to do is to set one up.
function idle({ phase }) {
  if (!phase) return;
  $("phase").textContent = phase;
  if (!big) $("judgement").replaceChildren(Object.assign(make("a", WORDS.setUp, "file main"), { href: "/setup" }));
}

// One state on the board and around it: the table's own, or one of a replay.
let shown = null;
function present(state) {
  shown = state;
  $("phase").textContent = state.phase;
  whole($("phase"));
  const { length, game, crawford } = state.match;
  $("game").textContent = [isolated(state.title), length ? WORDS.points(length) : state.cube && WORDS.money, game > 1 && fill(WORDS.game, { n: game }), crawford && length > 1 && WORDS.crawford].filter(Boolean).join(", ");
  $("terms").textContent = $("game").textContent;
  document.title = `${state.phase} · Barpoint`;
  draw($("board"), state);
  players(state);
  announce(state);
  if (state.moves) moves(state);
  if (big) fit();
}

// Nobody scrolls a big screen: where there is much to say, it is said in smaller letters.
const SMALLEST = 0.5;
function fit() {
  const { body } = document;
  for (let size = 1; size >= SMALLEST; size -= 0.1) {
    body.style.setProperty("--fit", size);
    if (body.scrollHeight <= body.clientHeight) return;
  }
}

// The seat may be known later than the state.
function seated() {
  if (!latest) return;
  fair.show(latest, acting.mayAct());
  if (sitAt(acting.seat() === latest.players[latest.sides[1]]) && shown) draw($("board"), shown);
}

function players(state) {
  $("players").replaceChildren(...state.sides.map((side, place) => {
    const acts = state.proposal ? state.proposal.waits.includes(side) : state.due === side;
    const row = make("div", "", `player ${acts ? "due" : ""}`);
    const facts = [state.pips && WORDS.pips(state.pips[side]), acts && WORDS.turn, ...spare(state, side)].filter(Boolean);
    row.append(make("span", "", `disc ${place ? "second" : "first"} ${state.sides[0]}`), make("span", who(state, side), state.players[side] === side ? "name plain" : "name"), make("span", state.score[side], "score"), make("span", "", "facts"));
    row.lastChild.append(...facts.flatMap((fact, n) => [n ? " " : "", make("span", n < facts.length - 1 ? `${fact} ·` : fact)]));
    if (state.chances) {
      const chance = make("span", fill(WORDS.chance, { chance: percent(state.chances[side], 0) }), "chance");
      chance.style.setProperty("--win", state.chances[side]);
      row.append(chance);
    }
    if (state.clock && state.clock.kind !== "none") { const clock = make("span", "", "clock"); clock.dataset.side = side; row.append(clock); }
    return row;
  }));
  tick();
}

// Pieces that have no place on the drawing, since they lie in a box, are counted in words: what a player holds on the map, and how many armies are left to place.
function spare(state, side) {
  const all = Object.entries(state.cells);
  if (!all.some(([cell]) => cell.startsWith("supply."))) return [];
  const count = (piece, there) => all.filter(([cell]) => there(cell)).flatMap(([, stack]) => stack.flat()).filter((each) => each === piece).length;
  return [
    SPARE.fortress(count(`fortress.${side}`, (cell) => !cell.startsWith("supply."))),
    SPARE.army(count(`army.${side}`, (cell) => cell === `supply.${side}`) / HEXES_OF.army),
  ];
}

function tick() {
  if (!latest) return;
  for (const clock of document.querySelectorAll(".clock")) {
    const { side } = clock.dataset, { kind, reserve, running, paused, held: stopped } = latest.clock;
    const gone = running === side && !paused && !stopped ? (performance.now() - came) / 1000 : 0, delay = running === side ? latest.clock.delay - gone : 0;
    const left = Math.max(0, Math.ceil(reserve[side] + (kind === "bronstein" ? delay : Math.min(0, delay)))), held = kind === "bronstein" ? 0 : Math.ceil(Math.max(0, delay));
    if (running === side && !paused && !stopped) runsLow(left);
    const text = `${clockTime(left)}${held ? ` +${held}` : ""}`;
    if (clock.textContent !== text) clock.replaceChildren(clockTime(left), ...(held ? [make("small", ` +${held}`)] : []));
    clock.classList.toggle("low", left < 30);
    clock.classList.toggle("still", running === side && (paused || stopped));
  }
}
setInterval(tick, 250);

// Dice stay on one line: "3-5" is one word.
function whole(box) {
  box.replaceChildren(...box.textContent.split(/(\d+(?:[-–/]\d+)+)/).map((part, place) => (place % 2 ? make("span", part, "whole") : part)));
}

// What happened last: a judgement while it is in everybody's mind, a double, a roll, the end of a game. Under it stands what is wrong at the table, or why a
// button of its box did nothing.
function announce({ judgement: last, news = [], state, refused }) {
  const box = $("judgement"), told = [...(last ? [make("strong", last.title), make("p", last.text)] : []), ...news.map(({ words }) => make("strong", words, "told"))];
  told.forEach(whole);
  if (!told.length) told.push(make("p", state === "opening" ? WORDS.opening : WORDS.nothing));
  if (refused) told.push(make("p", refused.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(document.documentElement.lang)), "trouble"));  // a path stays as it is
  const text = told.map((each) => each.textContent).join(" ");
  if (box.dataset.text === text) return;  // else it would be read aloud again
  box.dataset.text = text;
  box.className = `judgement ${last?.verdict ?? ""}`;
  box.replaceChildren(...told);
}

function moves(state) {
  const list = $("moves");
  const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  const diceless = state.moves.every((move) => !move.dice.length);  // a game without dice needs no room for them
  const disc = (side) => { const made = make("span", "", side ? `disc ${side === state.sides[0] ? "first" : "second"} ${state.sides[0]}` : ""); made.title = side ? PIECES[side] ?? side : ""; return made; };
  const mover = (side) => { const made = disc(side); made.setAttribute("role", "img"); made.setAttribute("aria-label", who(state, side)); return made; };
  const beside = (place) => (state.story ?? []).filter((each) => each.after === place).map(({ side, words }) => {
    const row = make("li", "", "told");
    row.append(make("span"), disc(side), make("span", words));
    return row;
  });
  list.replaceChildren(...beside(0), ...state.moves.flatMap((move, place) => {
    const row = make("li", "", move.verdict);
    row.append(make("span", String(move.turn + 1), "number"), mover(move.side), ...(diceless ? [] : [make("span", dashed(move.dice))]), make("span", move.text));
    return [row, ...beside(place + 1)];
  }));
  list.classList.toggle("diceless", diceless);
  $("no-moves").hidden = list.children.length > 0;
  if (atEnd || big) list.scrollTop = list.scrollHeight;
}

// The next picture is fetched only when the last one has come: a slow line skips pictures, and never queues them.
let loading = false;
function camera(number) {
  if (big || number === null || number === undefined) return;
  if (loading || number === picture) { if (number !== picture) camera.next = number; return; }
  picture = number;
  loading = true;
  const image = $("picture");
  image.onload = image.onerror = (event) => {
    loading = false;
    image.hidden = event.type === "error";
    $("picture-text").textContent = image.hidden ? WORDS.noPicture : WORDS.read;
    const next = camera.next;
    camera.next = undefined;
    if (next !== undefined) camera(next);
  };
  image.src = `/camera.jpg?${number}`;
}

// A stream's first state is the table as it is now, with its age; so a page that comes late or slept just follows again.
let stream = null, version = null, crowded = false;  // crowded: there is no place for us, we look in every few seconds
function follow() {
  stream?.close();
  stream = new EventSource(said(over ? "/api/events?overlay" : "/api/events"));
  stream.onopen = () => { if (!crowded) { tell("live", WORDS.live); fair.reconnected(); acting.know(); } };
  stream.onmessage = (message) => { tell("live", crowded ? WORDS.crowded : WORDS.live); show(JSON.parse(message.data)); };
  watch(stream, ["message", "crowded", "picture", "version"], () => { tell("lost", WORDS.lost); follow(); });
  stream.addEventListener("crowded", () => { crowded = true; });
  stream.addEventListener("picture", (message) => camera(Number(message.data)));
  stream.addEventListener("version", (message) => {
    if (version !== null && version !== message.data) location.reload();  // the table was upgraded
    version = message.data;
    crowded = false;
  });
  stream.onerror = ({ target }) => {
    if (target !== stream) return;
    if (!crowded) tell("lost", WORDS.lost);
    const kept = !latest && !big && last();
    if (kept?.cells) present(kept);  // the table is away: as it was when this browser last saw it
    // A browser tries again by itself, unless the answer was no stream; then we do.
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}
// A phone that was asleep may not have noticed that its line is dead, and its clock stood still.
document.addEventListener("visibilitychange", () => { if (!document.hidden) follow(); });

for (const what of ["flip", "mirror"]) $(what).onclick = () => { rotate(what); if (shown) draw($("board"), shown); };
acting.whenAdmitted(() => { archive.refresh(); follow(); }, seated);  // the stream of those who act has more in it
acting.correctBy((state) => correct.open(state, (edited) => present(edited ?? latest), acting.act, acting.hold(state, () => latest)));
choices(() => { if (shown) draw($("board"), shown); }, () => { $("no-voice").hidden = !wants("speech", false) || speaks(); });
archive.open(present, () => latest && present(latest));
if (big && !clear) invite().then(() => latest && inviting(latest, true));
// The page brings the state with it, so that the board is there before the stream is, and what happens in between is heard.
const brought = JSON.parse($("state").textContent);
if (brought.cells) {
  present(brought);
  if (!over) hear(brought);
}
join().then(follow);
