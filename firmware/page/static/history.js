// A player's ratings over months: a graph, the phases of the game, and the matches with their reviews.
import { asker } from "/static/ask.js";
import { day, fill, inLanguage, isolated, number, plural } from "/static/language.js";
import { OWN } from "/static/own-players.js";
import { element } from "/static/svg.js";

const WORDS = inLanguage({
  rated: plural("{player}: performance rating {rating} in {n} reviewed match; lower is better.", "{player}: performance rating {rating} in {n} reviewed matches; lower is better."),
  looked: "{n} of {all} matches looked at …",
  none: "No match of {player} has been reviewed.", review: "review", reading: "Reading …", choose: "choose", unreached: "The table cannot be reached.",
  colours: { white: "white", black: "black" },
  phases: { opening: "opening", "middle game": "middle game", containment: "containment", race: "race", cube: "cube" },
});

const $ = (id) => document.getElementById(id);
const cell = (content) => { const made = document.createElement("td"); made.append(content); return made; };
// Each cell knows its column's name: on a phone the match's figures stand below each other.
function row(table, ...cells) {
  const made = document.createElement("tr"), names = [...$(table).tHead.rows[0].cells].map((each) => each.textContent);
  made.append(...cells.map(cell));
  [...made.cells].forEach((each, place) => { each.dataset.name = names[place]; });
  return made;
}
const signed = (value) => isolated(`${value >= 0 ? "+" : "−"}${number(Math.abs(value), 2)}`);
const NAMES = { ...WORDS.colours, ...OWN };
const called = (name) => (Object.hasOwn(NAMES, name) ? NAMES[name] : name);  // a player may be called "constructor"

const HIGH = 240, EDGE = 40;
function graph(matches) {
  const wide = $("graph").clientWidth || 800; // a letter is as large on a phone as on a desk
  const most = Math.max(5, ...matches.map(({ pr }) => pr)), step = (wide - 2 * EDGE) / Math.max(1, matches.length - 1);
  const at = (pr, place) => [EDGE + place * step, HIGH - EDGE - (pr / most) * (HIGH - 2 * EDGE)];
  const [first, last] = [isolated(day(matches[0].date)), isolated(day(matches.at(-1).date))];
  const rules = [0, most / 2, most].map((pr) => at(pr, 0)[1]);
  $("graph").setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
  $("graph").replaceChildren(
    ...rules.map((y) => element("line", { x1: EDGE, x2: wide - EDGE, y1: y, y2: y, class: "rule" })),
    ...rules.map((y, place) => element("text", { x: EDGE - 8, y: y + 5, "text-anchor": "end", class: "mark" }, number((most * place) / 2, 1))),
    element("polyline", { points: matches.map(({ pr }, place) => at(pr, place).join(",")).join(" "), class: "curve" }),
    ...matches.map(({ pr, date, opponent }, place) => {
      const [x, y] = at(pr, place), dot = element("circle", { cx: x, cy: y, r: 5, class: "dot" });
      dot.append(element("title", {}, `${day(date)}, ${isolated(called(opponent))}: ${number(pr, 1)}`));
      return dot;
    }),
    element("text", { x: 0, y: HIGH - 12, class: "mark" }, first),
    element("text", { x: wide, y: HIGH - 12, "text-anchor": "end", class: "mark" }, last === first ? "" : last),
  );
}

let shown = [];
function show({ player, pr, matches, phases }) {
  for (const id of ["graph", "phases", "matches"]) $(id).toggleAttribute("hidden", !matches.length);
  $("status").textContent = !player ? "" : matches.length ? WORDS.rated(matches.length, { player: called(player), rating: number(pr, 1) }) : fill(WORDS.none, { player: called(player) });
  shown = matches;
  if (!matches.length) return;
  graph(matches);
  $("phases").tBodies[0].replaceChildren(...Object.entries(phases).map(([name, { pr: rating, decisions, lost }]) => row("phases", WORDS.phases[name] ?? name, number(rating, 1), number(decisions), number(lost, 2))));
  $("matches").tBodies[0].replaceChildren(...matches.toReversed().map((each) => {
    const link = Object.assign(document.createElement("a"), { href: `/review#${encodeURIComponent(each.id)}`, textContent: WORDS.review });
    return row("matches", day(each.date), isolated(called(each.opponent)), number(each.pr, 1), number(each.play_pr, 1), number(each.cube_pr, 1), number(each.errors), number(each.blunders), signed(each.luck), link);
  }));
}

const ask = asker(WORDS.unreached, WORDS.unreached);
const chosen = () => decodeURIComponent(location.hash.slice(1));
function offer(players, player) {
  const names = ["", ...players], offered = [...$("player").options].map(({ value }) => value);
  if (names.join("\n") !== offered.join("\n")) $("player").replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { value: name, textContent: name ? isolated(called(name)) : WORDS.choose })));
  $("player").value = names.includes(player) ? player : "";
}
async function load(player) {
  $("status").textContent = WORDS.reading;
  try {
    let found;
    do {
      found = await ask("GET", `/api/history?player=${encodeURIComponent(player)}`);
      if (player !== chosen()) return;  // another was chosen while the table looked
      offer(found.players, player);
      if (found.left) $("status").textContent = fill(WORDS.looked, { n: number(found.all - found.left), all: number(found.all) });
    } while (found.left);
    show(found);
  } catch (error) { $("status").textContent = error.message; }
}
$("player").onchange = () => { location.hash = encodeURIComponent($("player").value); };
addEventListener("resize", () => { if (shown.length) graph(shown); });
addEventListener("hashchange", () => load(chosen()));
load(chosen());
