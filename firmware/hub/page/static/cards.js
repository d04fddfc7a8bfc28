// One table as a small board: who plays, the score, the clocks, and why somebody should look.
import { draw } from "/static/board.js";
import { make } from "/static/hub.js";
import { clockTime, fill, inLanguage, language, number } from "/static/language.js";
import { element } from "/static/svg.js";
import { OWN } from "/static/own-players.js";
import { PIECES } from "/static/words.js";

const WORDS = inLanguage({
  calls: "calls the director", callsWhy: "calls the director: {why}", foul: "Not legal", unsure: "Unsure", low: "under {n} seconds on a clock", out: "out of time",
  gone: "not connected: the match goes on at the table", length: "to {n}", money: "money play", crawford: "Crawford", undrawn: "what it sends cannot be drawn",
});
// A table says what it waits for in English; in other languages it is made of the state, without the details.
const WAITS = inLanguage({
  idle: "no match has begun", opening: "the opening roll is due", roll: "{player} must roll", rolling: "the dice have not fallen yet", play: "{player} must play and press done",
  "closed out": "{player} can move with no roll, and need not roll: {other} may", stuck: "{player} cannot move, and must press done",
  "play by dice": "{player} must play and pick the dice up", "stuck by dice": "{player} cannot move, and must pick the dice up",
  foul: "{player} must fix the play, which is not legal", asked: "{player} must say what was played, or press done again",
  offered: "{player} must take or drop", resigned: "{player} must accept the resignation (take) or refuse it (drop)", paused: "the game is paused",
  over: "the game is over; begin the next one", ended: "the match is over",
});
const LOW = 60;  // seconds
export const idle = (table) => !table.shows.cells;

function waits(shows, own) {
  if (!shows.cells) return capital(WAITS.idle);
  const words = WAITS[shows.waits ?? shows.state];  // a table of an earlier release says the state alone
  if (language === "en" || !words) return own ?? shows.phase ?? "";
  const side = shows.due ?? shows.turn, other = shows.sides.find((each) => each !== side);
  return capital(fill(words, { player: called(shows.players[side], side), other: called(shows.players[other], other) }));
}

// How urgent a table is (0 is most), in words, and how it is marked.
export function need(table) {
  const { shows } = table, verdict = shows.judgement?.verdict;
  if (table.call !== null) return [0, table.call ? fill(WORDS.callsWhy, { why: table.call }) : WORDS.calls, "call"];
  if (shows.state === "foul") return [1, waits(shows, shows.judgement?.text ?? WORDS.foul), "bad"];
  if (shows.state === "asked") return [2, waits(shows, shows.judgement?.text ?? WORDS.unsure), "unsure"];
  if (table.troubles.length) return [3, table.troubles.join("; "), "unsure"];
  const low = lowest(table);
  if (low !== null && low < LOW) return [4, low > 0 ? fill(WORDS.low, { n: number(LOW) }) : WORDS.out, "bad"];
  if (!table.online && !idle(table) && shows.state !== "ended") return [5, WORDS.gone, "gone"];
  if (verdict === "illegal" && shows.state !== "foul") return [6, waits(shows), ""];
  return [shows.state === "ended" || idle(table) ? 8 : 7, waits(shows), table.online ? "" : "gone"];
}

// A clock runs on here from when it was told.
export function left(table, side) {
  const clock = table.shows.clock;
  if (!clock || clock.kind === "none") return null;
  const gone = clock.running === side && !clock.paused && !clock.held ? (performance.now() - table.at) / 1000 : 0;
  const delay = clock.running === side ? clock.delay - gone : 0;
  return clock.reserve[side] + (clock.kind === "bronstein" ? delay : Math.min(0, delay));
}

function lowest(table) {
  const { clock, state } = table.shows;
  if (!clock || clock.running === null || clock.running === undefined || clock.paused || state === "ended" || !table.online) return null;
  return left(table, clock.running);
}

// A player without a name goes by the side, which begins with a capital as names do.
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const called = (name, side) => (name && name === side ? capital(PIECES[side] ?? side) : Object.hasOwn(OWN, name) ? OWN[name] : name);

// The parts of a card; ``update`` changes only what has changed, so that sixty of them cost little.
export function card(kind = "button") {
  const root = make(kind, "", "card"), name = make("span"), state = make("span"), title = make("span", "", "title", name, state);
  const svg = element("svg", { class: "drawn", "aria-hidden": "true" }), seats = [0, 1].map(() => ({ row: make("span", "", "seat"), who: make("span", "", "who"), points: make("span", "", "points"), time: make("span", "", "time") }));
  for (const { row, who, points, time } of seats) row.append(who, points, time);
  const why = make("span", "", "why");
  root.append(title, svg, ...seats.map(({ row }) => row), why);
  if (kind === "button") root.type = "button";
  let drawn = null;
  const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };

  function clocks(table) {
    const { shows } = table;
    seats.forEach(({ time }, place) => {
      const seconds = shows.sides ? left(table, shows.sides[place]) : null;
      put(time, seconds === null ? "" : clockTime(seconds));
      time.classList.toggle("low", seconds !== null && seconds < LOW);
    });
    const [, words, mark] = need(table);
    root.className = `card ${mark}`;
    put(why, words);
  }

  // What a table sends is its own affair: where it cannot be drawn, it spoils no other card.
  function update(table) {
    try { show(table); } catch {
      Object.assign(table, { shows: {}, troubles: [...table.troubles, WORDS.undrawn] });
      show(table);
    }
  }

  function show(table) {
    const { shows, given } = table, sides = shows.sides ?? [];
    put(name, table.name);
    put(state, idle(table) ? "" : [shows.match.length ? fill(WORDS.length, { n: number(shows.match.length) }) : WORDS.money, ...(shows.match.crawford ? [WORDS.crawford] : [])].join(" · "));
    seats.forEach(({ row, who, points }, place) => {
      const side = sides[place];
      put(who, called(side && shows.players[side], side) || given?.players?.[place] || "");
      put(points, side ? String(shows.score[side]) : "");
      row.classList.toggle("due", Boolean(side) && shows.due === side);
    });
    svg.toggleAttribute("hidden", idle(table));
    if (!idle(table) && drawn !== shows) { draw(svg, { ...shows, strip: false, leds: [] }); drawn = shows; }
    clocks(table);
  }
  return { root, update, clocks };
}
